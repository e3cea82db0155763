//! The places of a unit's code in few bytes, seven or so for each, where its debug events take over
//! a hundred.
//!
//! Numbers are in LEB128. First the number of names and the names, each with its length, then the
//! number of places. They follow by ascending position, each as the differences from the one before
//! in words, file, function and line, then the character at its start and how many it has.

use super::debug::{Event, Place};
use std::collections::HashMap;
use std::rc::Rc;

/// Packs the places of events, in the order of positions.
pub fn pack<N: AsRef<[u8]>>(mut events: Vec<Event<N>>) -> Vec<u8> {
    events.sort_by_key(|Event { word, place, .. }| (*word, place.line, place.start, place.end));
    let mut names = Names::default();
    let mut places = Vec::new();
    let mut last = [0; 4];
    for Event { word, place, .. } in &events {
        let file = names.number(place.file.as_ref());
        let function = names.number(place.function.as_ref());
        let next = [i64::from(*word), file, function, place.line.into()];
        for (last, next) in last.iter_mut().zip(next) {
            put(&mut places, next - *last);
            *last = next;
        }
        put(&mut places, place.start.into());
        put(&mut places, i64::from(place.end) - i64::from(place.start));
    }
    let mut packed = Vec::new();
    put(&mut packed, names.all.len() as i64);
    for name in names.all {
        put(&mut packed, name.len() as i64);
        packed.extend(name);
    }
    put(&mut packed, events.len() as i64);
    packed.extend(places);
    packed
}

/// What [`pack`] made: words from the beginning of the unit's code, and places.
pub fn unpack(mut packed: &[u8]) -> Vec<(u32, Place<Rc<[u8]>>)> {
    let rest = &mut packed;
    let names: Vec<Rc<[u8]>> = (0..take(rest))
        .map(|_| {
            let length = take(rest) as usize;
            let (name, after) = rest.split_at(length);
            *rest = after;
            name.into()
        })
        .collect();
    let mut last = [0; 4];
    let count = take(rest);
    let places = (0..count).map(|_| {
        for last in &mut last {
            *last += take(rest);
        }
        let [word, file, function, line] = last;
        let start = take(rest);
        let place = Place {
            file: names[file as usize].clone(),
            function: names[function as usize].clone(),
            line: line as i32,
            start: start as i32,
            end: (start + take(rest)) as i32,
        };
        (word as u32, place)
    });
    places.collect()
}

fn put(bytes: &mut Vec<u8>, number: i64) {
    leb128::write::signed(bytes, number).expect("a vector grows");
}

/// Takes the next number, which [`pack`] has written. (`expect` would show the error: what shows
/// errors of streams is 17 KB.)
fn take(bytes: &mut &[u8]) -> i64 {
    match leb128::read::signed(bytes) {
        Ok(number) => number,
        Err(_) => panic!("not what was packed"),
    }
}

/// Distinct names.
#[derive(Default)]
struct Names<'a> {
    all: Vec<&'a [u8]>,
    numbers: HashMap<&'a [u8], i64>,
}

impl<'a> Names<'a> {
    /// The number of a name, which ends at its first NUL.
    fn number(&mut self, name: &'a [u8]) -> i64 {
        let name = name.split(|&byte| byte == 0).next().unwrap_or_default();
        *self.numbers.entry(name).or_insert_with(|| {
            self.all.push(name);
            self.all.len() as i64 - 1
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_packed_is_what_comes_back_by_position() {
        let event = |word, file: &str, line, start, end| Event {
            word,
            place: Place {
                file: file.to_owned(),
                function: format!("{file}.f"),
                line,
                start,
                end,
            },
            begins: false,
        };
        let events = vec![
            event(u32::MAX, "b.ml", i32::MAX, i32::MIN, i32::MAX),
            event(0, "a.ml", 1, 0, 9),
            event(7, "", i32::MIN, -1, -3),
            event(7, "a.ml", i32::MIN, -1, -4),
            event(7, "a\0b", 3, 70_000, 0),
        ];
        let bytes = |text: &str| -> Rc<[u8]> { text.as_bytes().into() };
        let expected = [1, 3, 2, 4, 0].map(|index: usize| {
            let Event { word, place, .. } = &events[index];
            let until_nul = |name: &str| bytes(name.split('\0').next().unwrap_or_default());
            let place = Place {
                file: until_nul(&place.file),
                function: until_nul(&place.function),
                line: place.line,
                start: place.start,
                end: place.end,
            };
            (*word, place)
        });
        assert_eq!(unpack(&pack(events)), expected);
        assert_eq!(unpack(&pack(Vec::<Event<&str>>::new())), []);
    }
}
