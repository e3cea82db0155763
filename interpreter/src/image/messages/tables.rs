//! The functions that calls of methods are likely to call, from the tables of the classes that the
//! program has made by its first effect.
//!
//! What looks like a table is taken for one: a candidate that is wrong costs a comparison.

use super::super::hints::most_guessed;
use super::{Message, Method};
use crate::allocator;
use crate::code::{self, Certainty, MAX_GUESSED};
use crate::heap;
use crate::memory;
use crate::value::{Value, tag};
use crate::vm::vm;
use rustc_hash::{FxHashMap, FxHashSet};
use std::cell::RefCell;

thread_local! {
    /// Each with the place of its candidates.
    static MESSAGES: RefCell<Vec<(Message, u32)>> = const { RefCell::new(Vec::new()) };
}

/// Keeps the calls of methods, each with the place of its candidates, until the program is parked.
pub fn note(messages: &[(Message, u32)]) {
    MESSAGES.set(allocator::lasting(|| messages.to_vec()));
}

/// Puts the candidates into their places, where there are no more than a call can have.
pub fn find_candidates() {
    let messages = MESSAGES.take();
    if messages.is_empty() {
        return;
    }
    let mut found = Found::new(&messages);
    for (message, place) in messages {
        let takes_them = |code: &u32| code::arity(*code) == message.arguments;
        let candidates = found.codes(message.method).iter();
        let mut candidates: Vec<u32> = candidates.copied().filter(takes_them).collect();
        if candidates.len() <= most_guessed() {
            candidates.sort_unstable();
            let _links = code::put_candidates(place, MAX_GUESSED, &candidates, Certainty::Guessed);
        }
    }
}

/// The code of the methods that may be meant.
#[derive(Default)]
struct Found {
    /// By label.
    public: FxHashMap<i32, FxHashSet<u32>>,
    /// By the code that calls methods of its own object, and the variable with the index.
    own: FxHashMap<u32, FxHashMap<u32, FxHashSet<u32>>>,
}

impl Found {
    fn new(messages: &[(Message, u32)]) -> Self {
        let mut found = Self::default();
        for (message, _) in messages {
            found.codes(message.method);
        }
        heap::for_each_image_block(|block| {
            if let Some(table) = Table::of(block) {
                found.look_at(table);
            }
        });
        found
    }

    fn codes(&mut self, method: Method) -> &mut FxHashSet<u32> {
        match method {
            Method::Public(label) => self.public.entry(label).or_default(),
            Method::Own { entry, variable } => {
                let caller = code::address(vm().code_start.get(), entry);
                let variables = self.own.entry(caller).or_default();
                variables.entry(variable).or_default()
            }
        }
    }

    fn look_at(&mut self, table: Table) {
        for (label, method) in table.public() {
            if let Some(codes) = self.public.get_mut(&label) {
                codes.extend(code_of_method(method));
            }
        }
        for caller in table.methods() {
            let own = code_of_method(caller).and_then(|code| self.own.get_mut(&code));
            for (variable, codes) in own.into_iter().flatten() {
                codes.extend(called_by(table, caller, *variable as usize));
            }
        }
    }
}

/// The code of what a method calls of its own object, by an index in this variable.
fn called_by(table: Table, caller: Value, variable: usize) -> Option<u32> {
    let index = (variable < caller.wosize()).then(|| caller.field(variable))?;
    let index = index.is_int().then(|| index.as_int())?;
    code_of_method(table.at(usize::try_from(index).ok()?)?)
}

/// The code of a method, if it is one of the program's functions.
fn code_of_method(method: Value) -> Option<u32> {
    let is_closure = |value: Value| heap::is_in_image(value) && value.tag() == tag::CLOSURE;
    let closure = Some(method).filter(|value| value.is_block() && is_closure(*value))?;
    let code = memory::load_u32(closure.address());
    (vm().code_start.get()..vm().code_end.get())
        .contains(&code)
        .then_some(code)
}

/// A class's table of methods (see `interp/methods.rs`).
#[derive(Clone, Copy)]
struct Table(Value);

impl Table {
    /// The table that a block is, if it looks like one.
    fn of(block: Value) -> Option<Self> {
        let table = Self(block);
        let begins = block.tag() == 0 && block.wosize() > 2 && block.field(0).is_int();
        let count = if begins { block.field(0).as_int() } else { 0 };
        let fits = count > 0 && 2 * count + 1 < block.wosize() as i64;
        let is_table = fits && table.labels().all(Value::is_int);
        is_table.then_some(table)
    }

    fn count(self) -> usize {
        self.0.field(0).as_int() as usize
    }

    fn labels(self) -> impl Iterator<Item = Value> {
        (1..=self.count()).map(move |index| self.0.field(2 * index + 1))
    }

    /// Labels and methods.
    fn public(self) -> impl Iterator<Item = (i32, Value)> {
        let methods = (1..=self.count()).map(move |index| self.0.field(2 * index));
        self.labels()
            .map(|label| label.as_int() as i32)
            .zip(methods)
    }

    /// All methods, also those without a label.
    fn methods(self) -> impl Iterator<Item = Value> {
        (2..self.0.wosize()).map(move |index| self.0.field(index))
    }

    fn at(self, index: usize) -> Option<Value> {
        (index < self.0.wosize()).then(|| self.0.field(index))
    }
}

#[cfg(test)]
mod tests {
    use super::super::find;
    use super::*;
    use crate::image::assemble::{assemble, executable, limits, verified};
    use crate::program;

    /// Calls the method with label 70, and functions: two methods, one with a parameter more, and
    /// one that calls another method of its object.
    const TEXT: &str = "Closure 0 @f; Closure 0 @g; Closure 0 @h; Closure 1 @own;
        Const0; GetPubMet 70 0; Apply1; Stop;
        f: Const0; Return 1; g: Const1; Return 1; Restart; h: Grab 1; Const2; Return 2;
        own: Acc0; PushEnvAcc2; GetMethod; AppTerm1 2";

    /// The candidates of both calls, once there are tables that `tables` makes of closures of the
    /// four functions, the last with the index of a method; as numbers of functions.
    fn candidates(index: i64, tables: fn([Value; 4])) -> [Vec<usize>; 2] {
        let words = assemble(TEXT);
        program::lay_out(&executable(&words)).expect("the program is well-formed");
        let entries = verified(&words, &limits(16, 9)).entries;
        let start = vm().code_start.get();
        let functions = [1, 2, 3, 4].map(|entry| code::address(start, entries[entry].position));
        tables(functions.map(|code| {
            let fields = [Value(code.into()), Value::int(5), Value::int(index)];
            heap::alloc_fields(tag::CLOSURE, &fields)
        }));
        let size = 4 * code::candidate_words(MAX_GUESSED);
        let places = memory::grow(2 * size as usize).expect("room for candidates");
        let places = [places, places + size];
        let messages = find(&words, &entries);
        let messages: Vec<_> = messages.into_iter().zip(places).collect();
        assert_eq!(messages.len(), 2);
        note(&messages);
        find_candidates();
        places.map(|place| {
            let indices = 0..MAX_GUESSED as u32;
            let candidates = indices.map_while(|index| code::candidate(place, index));
            let number = |code| functions.iter().position(|function| *function == code);
            candidates.filter_map(number).collect()
        })
    }

    /// A table with these labels and methods, and one method without a label.
    fn table(public: &[(i64, Value)], private: Value) {
        let mut fields = vec![Value::int(public.len() as i64), Value::int(7)];
        for (label, method) in public {
            fields.extend([*method, Value::int(*label)]);
        }
        fields.push(private);
        heap::alloc_fields(0, &fields);
    }

    #[test]
    fn all_tables_say_what_a_label_means() {
        let [public, _] = candidates(2, |[f, g, h, _]| {
            table(&[(60, f), (70, g)], f);
            table(&[(70, f), (80, g)], f);
            // With another number of parameters, and with what is no function.
            table(&[(70, h)], f);
            table(&[(70, Value::UNIT)], f);
        });
        assert_eq!(public, [0, 1]);
    }

    #[test]
    fn an_object_calls_its_own_method() {
        let private = |[f, g, _, own]: [Value; 4]| {
            table(&[(60, f), (65, own)], g);
            table(&[(60, g)], f);
        };
        assert_eq!(candidates(6, private), [vec![], vec![1]]);
        let public = |[f, _, _, own]: [Value; 4]| table(&[(60, own), (65, f)], f);
        assert_eq!(candidates(4, public), [vec![], vec![0]]);
    }

    #[test]
    fn what_is_no_table_is_not_looked_into() {
        let [public, own] = candidates(90, |[f, _, _, own]| {
            let label = Value::int(70);
            heap::alloc_fields(0, &[Value::int(2), Value::int(7), f, label]);
            heap::alloc_fields(0, &[Value::int(-1), Value::int(7), f, label]);
            heap::alloc_fields(0, &[f, Value::int(7), f, label]);
            heap::alloc_fields(0, &[Value::int(1), Value::int(7), f, f]);
            table(&[(60, own)], own);
        });
        assert_eq!([public, own], [vec![], vec![]]);
    }
}
