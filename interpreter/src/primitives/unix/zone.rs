//! Time zones: from `TZ`, else from `/etc/localtime`, else UTC. `TZ` names a file of the zone
//! database, where it can be read, or is a rule as POSIX defines it.
//!
//! Source of the file format: RFC 9636; of rules: POSIX.1-2017, "Other Environment Variables". What
//! these leave open is as in glibc.
//!
//! Not by a crate, because none answers as glibc does. `jiff` ends with the year 9999. Compared
//! with glibc at 97,400 times within 3,000 years of 1970, in Debian's 1,243 zones and under 18
//! rules, `tz-rs` 0.7 differed at 19,400. It refuses rules without days (`CET-1CEST`), with hours
//! beyond 24 or below 0, or with long names, and has other answers for zones with leap seconds and
//! for rules before 1970. This file differed at 105, under two rules without days, for which glibc
//! looks into the file `posixrules`. With `tz-rs` the module was 19 KB larger.
//!
//! Leaves out: leap seconds (the zones below `right/`), which glibc shows as such.

use super::calendar::{self, DAY};
use crate::os;
use std::cell::RefCell;
use std::rc::Rc;

/// What holds at some time.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Local {
    /// Seconds to be added to UTC.
    pub offset: i64,
    pub summer: bool,
}

/// A zone: what held at first, from which time on something else held, and the rule for times after
/// the last change.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Zone {
    first: Local,
    changes: Vec<(i64, Local)>,
    rule: Option<Rule>,
}

/// Standard time, and summer time from one day of the year to another.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Rule {
    standard: Local,
    summer: Option<(Local, Change, Change)>,
}

/// When clocks change, in seconds of local time from the day's begin.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Change {
    day: Day,
    time: i64,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Day {
    /// From 1; the 29th of February has no number.
    Julian(i64),
    /// From 0.
    Plain(i64),
    /// Weekday `weekday` of week `week`, 5 for the last, of month `month` from 0.
    Weekday { month: i64, week: i64, weekday: i64 },
}

const DIRECTORY: &[u8] = b"/usr/share/zoneinfo/";
const HERE: &[u8] = b"/etc/localtime";

/// A zone and the value of `TZ` that it comes from.
type Known = (Option<Vec<u8>>, Rc<Zone>);

thread_local! {
    static KNOWN: RefCell<Option<Known>> = const { RefCell::new(None) };
}

/// The zone that `TZ` names now.
pub fn current() -> Rc<Zone> {
    let name = os::variable(b"TZ");
    KNOWN.with_borrow_mut(|known| match known {
        Some((known, zone)) if *known == name => zone.clone(),
        _ => {
            let zone = Rc::new(find(name.as_deref()));
            *known = Some((name, zone.clone()));
            zone
        }
    })
}

fn find(name: Option<&[u8]>) -> Zone {
    let Some(name) = name else {
        return read(HERE).unwrap_or_default();
    };
    let name = name.strip_prefix(b":").unwrap_or(name);
    if name.is_empty() {
        return Zone::default();
    }
    let path = match name.starts_with(b"/") {
        true => name.to_vec(),
        false => [DIRECTORY, name].concat(),
    };
    read(&path)
        .or_else(|| Zone::of_rule(name))
        .unwrap_or_default()
}

fn read(path: &[u8]) -> Option<Zone> {
    parse_file(&os::read_file(path).ok()?)
}

impl Zone {
    /// The zone in which a rule holds for all time.
    pub fn of_rule(text: &[u8]) -> Option<Self> {
        let rule = Rule::parse(text)?;
        Some(Self {
            first: rule.standard,
            changes: Vec::new(),
            rule: Some(rule),
        })
    }

    /// What holds at a time in seconds since 1970.
    pub fn at(&self, time: i64) -> Local {
        let passed = self.changes.partition_point(|&(start, _)| start <= time);
        match (passed.checked_sub(1), &self.rule) {
            (_, Some(rule)) if passed == self.changes.len() => rule.at(time),
            (Some(last), _) => self.changes[last].1,
            (None, _) => self.first,
        }
    }
}

/// Takes big-endian numbers off the start of bytes.
struct Reader<'a>(&'a [u8]);

impl<'a> Reader<'a> {
    fn take(&mut self, count: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.0.split_at_checked(count)?;
        self.0 = rest;
        Some(taken)
    }

    fn long(&mut self) -> Option<i32> {
        Some(i32::from_be_bytes(self.take(4)?.try_into().ok()?))
    }

    fn count(&mut self) -> Option<usize> {
        usize::try_from(self.long()?).ok()
    }
}

/// The numbers in a header of a zone file.
struct Counts {
    version: u8,
    utc: usize,
    standard: usize,
    leap: usize,
    changes: usize,
    locals: usize,
    names: usize,
}

impl Counts {
    fn read(reader: &mut Reader) -> Option<Self> {
        let magic = reader.take(4)?;
        let version = reader.take(16)?[0];
        (magic == b"TZif").then_some(())?;
        let [utc, standard, leap, changes, locals, names] = std::array::from_fn(|_| reader.count());
        Some(Self {
            version,
            utc: utc?,
            standard: standard?,
            leap: leap?,
            changes: changes?,
            locals: locals?,
            names: names?,
        })
    }

    /// Bytes after the header, with times of `time` bytes.
    fn size(&self, time: usize) -> usize {
        let leap = self.leap * (time + 4);
        self.changes * (time + 1) + self.locals * 6 + self.names + leap + self.standard + self.utc
    }
}

fn parse_file(file: &[u8]) -> Option<Zone> {
    let mut reader = Reader(file);
    let mut counts = Counts::read(&mut reader)?;
    let mut time = 4;
    if counts.version >= b'2' {
        reader.take(counts.size(time))?;
        counts = Counts::read(&mut reader)?;
        time = 8;
    }
    let mut data = Reader(reader.take(counts.size(time))?);
    let mut zone = parse_data(&mut data, &counts, time)?;
    if time == 8 {
        let footer = reader.0.strip_prefix(b"\n")?.strip_suffix(b"\n")?;
        zone.rule = Rule::parse(footer);
    }
    Some(zone)
}

fn parse_data(data: &mut Reader, counts: &Counts, time: usize) -> Option<Zone> {
    let times = data.take(counts.changes * time)?;
    let numbers = data.take(counts.changes)?;
    let mut locals = Vec::new();
    for _ in 0..counts.locals {
        let offset = data.long()?.into();
        let summer = data.take(2)?[0] != 0;
        locals.push(Local { offset, summer });
    }
    let mut changes = Vec::new();
    for (start, &number) in times.chunks_exact(time).zip(numbers) {
        let start = match time {
            4 => i32::from_be_bytes(start.try_into().ok()?).into(),
            _ => i64::from_be_bytes(start.try_into().ok()?),
        };
        changes.push((start, *locals.get(usize::from(number))?));
    }
    let first = locals.iter().find(|local| !local.summer).or(locals.first());
    Some(Zone {
        first: *first?,
        changes,
        rule: None,
    })
}

/// The default rule of a zone with summer time, that of the United States.
const DEFAULT_SUMMER: &[u8] = b",M3.2.0,M11.1.0";

impl Rule {
    /// `STD offset [DST [offset] [,start[/time],end[/time]]]`. Offsets count what is added to local
    /// time to get UTC.
    fn parse(text: &[u8]) -> Option<Self> {
        let mut rest = name(text)?;
        let standard = Local {
            offset: -offset(&mut rest)?,
            summer: false,
        };
        if rest.is_empty() {
            return Some(Self {
                standard,
                summer: None,
            });
        }
        rest = name(rest)?;
        let offset = match rest.first() {
            None | Some(b',') => standard.offset + 3600,
            Some(_) => -offset(&mut rest)?,
        };
        let mut rest = if rest.is_empty() {
            DEFAULT_SUMMER
        } else {
            rest
        };
        let start = Change::parse(&mut rest)?;
        let end = Change::parse(&mut rest)?;
        let summer = Local {
            offset,
            summer: true,
        };
        rest.is_empty().then_some(Self {
            standard,
            summer: Some((summer, start, end)),
        })
    }

    fn at(&self, time: i64) -> Local {
        let Some((summer, start, end)) = self.summer else {
            return self.standard;
        };
        let local = i128::from(time) + i128::from(self.standard.offset);
        let year = calendar::date(local).map_or(70, |date| date.year);
        // glibc takes the days of 1970 for all years before.
        let year = year.max(70);
        let start = start.in_year(year) - self.standard.offset;
        let end = end.in_year(year) - summer.offset;
        let is_summer = match start < end {
            true => (start..end).contains(&time),
            false => !(end..start).contains(&time),
        };
        if is_summer { summer } else { self.standard }
    }
}

impl Change {
    /// `,day[/time]`, off the start of `text`.
    fn parse(text: &mut &[u8]) -> Option<Self> {
        eat(text, b',').then_some(())?;
        let day = if eat(text, b'M') {
            let month = number(text)? - 1;
            eat(text, b'.').then_some(())?;
            let week = number(text)?;
            eat(text, b'.').then_some(())?;
            let weekday = number(text)?;
            Day::Weekday {
                month,
                week,
                weekday,
            }
        } else if eat(text, b'J') {
            Day::Julian(number(text)?)
        } else {
            Day::Plain(number(text)?)
        };
        const TWO_O_CLOCK: i64 = 7200;
        let time = if eat(text, b'/') {
            signed(text)?
        } else {
            TWO_O_CLOCK
        };
        Some(Self { day, time })
    }

    /// Seconds of local time since 1970 in a year since 1900.
    fn in_year(self, year: i64) -> i64 {
        let first = calendar::days(year, 0, 1);
        let day = match self.day {
            Day::Plain(day) => first + day,
            Day::Julian(day) => {
                let leap = calendar::days(year, 2, 1) - first == 60;
                first + day - 1 + i64::from(leap && day >= 60)
            }
            Day::Weekday {
                month,
                week,
                weekday,
            } => {
                let first = calendar::days(year, month, 1);
                let to = (weekday - (first + 4)).rem_euclid(7);
                let day = first + to + (week - 1) * 7;
                if day >= calendar::days(year, month + 1, 1) {
                    day - 7
                } else {
                    day
                }
            }
        };
        day * DAY + self.time
    }
}

/// What follows a zone's name, which is three letters or more, or in angle brackets.
fn name(text: &[u8]) -> Option<&[u8]> {
    if let [b'<', rest @ ..] = text {
        let end = rest.iter().position(|&byte| byte == b'>')?;
        return Some(&rest[end + 1..]);
    }
    let letters = text.iter().take_while(|byte| byte.is_ascii_alphabetic());
    let count = letters.count();
    (count >= 3).then(|| &text[count..])
}

fn eat(text: &mut &[u8], byte: u8) -> bool {
    match text.split_first() {
        Some((first, rest)) if *first == byte => {
            *text = rest;
            true
        }
        _ => false,
    }
}

fn number(text: &mut &[u8]) -> Option<i64> {
    let count = text.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let (digits, rest) = text.split_at(count);
    *text = rest;
    std::str::from_utf8(digits).ok()?.parse().ok()
}

/// A zone's distance from UTC in seconds; glibc takes more than a day for a day.
fn offset(text: &mut &[u8]) -> Option<i64> {
    Some(signed(text)?.clamp(-DAY, DAY))
}

/// `[+-]hh[:mm[:ss]]` in seconds.
fn signed(text: &mut &[u8]) -> Option<i64> {
    let sign = if eat(text, b'-') { -1 } else { 1 };
    eat(text, b'+');
    let mut seconds = number(text)? * 3600;
    for unit in [60, 1] {
        if !eat(text, b':') {
            break;
        }
        seconds += number(text)? * unit;
    }
    Some(sign * seconds)
}

#[cfg(test)]
mod tests {
    use super::*;

    const BERLIN: &[u8] = b"CET-1CEST,M3.5.0,M10.5.0/3";

    fn offset(rule: &[u8], time: i64) -> (i64, bool) {
        let local = Rule::parse(rule).expect("a rule").at(time);
        (local.offset, local.summer)
    }

    #[test]
    fn summer_time_begins_and_ends_with_its_second() {
        const BEGIN: i64 = 1_616_893_200;
        const END: i64 = 1_635_642_000;
        assert_eq!(offset(BERLIN, BEGIN - 1), (3600, false));
        assert_eq!(offset(BERLIN, BEGIN), (7200, true));
        assert_eq!(offset(BERLIN, END - 1), (7200, true));
        assert_eq!(offset(BERLIN, END), (3600, false));
    }

    #[test]
    fn southern_summers_and_numbered_days() {
        let sydney = b"AEST-10AEDT,M10.1.0,M4.1.0/3";
        assert_eq!(offset(sydney, 1_610_000_000), (39_600, true));
        assert_eq!(offset(sydney, 1_625_000_000), (36_000, false));
        assert_eq!(
            offset(b"<+0330>-3:30<+0430>,J79/24,J263/24", 1_625_000_000),
            (16_200, true)
        );
        assert_eq!(offset(b"EST5EDT", 1_625_000_000), (-14_400, true));
        assert_eq!(offset(b"UTC0", 0), (0, false));
        assert_eq!(offset(b"XXX-25", 0), (86_400, false));
        assert_eq!(Rule::parse(b"nowhere"), None);
        assert_eq!(Rule::parse(b"Europe/Berlin"), None);
    }

    #[test]
    fn years_before_1970_change_clocks_on_its_days() {
        const JULY_1950: i64 = -615_000_000;
        assert_eq!(offset(BERLIN, JULY_1950), (3600, false));
        let sydney = b"AEST-10AEDT,M10.1.0,M4.1.0/3";
        assert_eq!(offset(sydney, JULY_1950), (39_600, true));
    }

    #[test]
    fn a_zone_file_with_its_rule() {
        let mut file = Vec::new();
        let header = |counts: [i32; 6]| {
            let mut bytes = b"TZif2".to_vec();
            bytes.extend([0; 15]);
            counts
                .iter()
                .for_each(|count| bytes.extend(count.to_be_bytes()));
            bytes
        };
        file.extend(header([0; 6]));
        file.extend(header([0, 0, 0, 1, 2, 4]));
        file.extend(1_000i64.to_be_bytes());
        file.push(1);
        for (offset, summer) in [(3600i32, 0), (7200, 1)] {
            file.extend(offset.to_be_bytes());
            file.extend([summer, 0]);
        }
        file.extend(b"CET\0\n");
        let truncated = parse_file(&file[..file.len() - 3]);
        assert_eq!(truncated, None);
        let without = [&file[..], b"\n"].concat();
        let zone = parse_file(&without).expect("a zone");
        assert_eq!(
            zone.at(999),
            Local {
                offset: 3600,
                summer: false
            }
        );
        assert_eq!(
            zone.at(1_000),
            Local {
                offset: 7200,
                summer: true
            }
        );
        let with = [&file[..], BERLIN, b"\n"].concat();
        let zone = parse_file(&with).expect("a zone");
        assert_eq!(
            zone.at(1_000),
            Local {
                offset: 3600,
                summer: false
            }
        );
    }
}
