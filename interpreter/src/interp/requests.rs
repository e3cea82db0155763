//! The specialization requests of a loaded program: one for each entry of its code and each piece
//! that begins at a cut, and one for each function that may be applied to fewer arguments than it
//! takes.
//!
//! The function of the first two is the interpreter loop itself; that of the last as well, if the
//! function is short and its RESTART gets a copy of it, else
//! [`restart_1`](super::restart::restart_1) or one of its twins. The residual function has the
//! signature of the generic function whose table index is in the slot. Constant regions: the code,
//! candidates of calls, the primitive table, the numbers in the program's constants, and words that
//! stay as they are once it is loaded: where these numbers and the globals are, what the program
//! may do, how it is compiled.

use crate::code::ImageError;
use crate::image::hints::Found;
use crate::image::names::Names;
use crate::image::pieces::Plan;
use core::ops::Range;

// Exported under [`annotations::REQUEST_TABLE_EXPORT`].
annotations::request_table!();

/// What requests have beside what is to be specialized.
pub struct Lists<'a> {
    pub names: &'a Names<'a>,
    /// In ascending order.
    pub links: &'a [u32],
    /// Where calls have their candidates.
    pub candidates: Range<u32>,
    /// Room for the cells.
    pub cells: Range<u32>,
}

/// Natively nothing reads requests.
#[cfg(not(target_family = "wasm"))]
pub fn publish(
    _code_start: u32,
    _plan: &Plan,
    _found: &Found,
    _lists: &Lists,
) -> Result<(), ImageError> {
    Ok(())
}

#[cfg(target_family = "wasm")]
pub use wasm::publish;

#[cfg(target_family = "wasm")]
mod wasm {
    use super::super::entries::{MAX_DIRECT, RESUMED, UNUSED};
    use super::super::known::{BACTRIAN_APPLY_BY_CALL, applies_by_call};
    use super::super::restart::{restart_1, restart_2, restart_3};
    use super::super::restarted::restarted;
    use super::super::run::interp;
    use super::*;
    use crate::allocator;
    use crate::code::effect::frame_size;
    use crate::code::{self, Entry, MAX_RESTART};
    use crate::image::bind;
    use crate::image::cells;
    use crate::image::hints::Boxed;
    use crate::image::pieces::Cut;
    use crate::memory;
    use crate::value::WORD;
    use crate::vm::vm;
    use annotations::{
        MAX_PARAMS, Param, REQUEST_LOOPS, REQUEST_RECURSIVE, REQUEST_RETURNS_EARLY, Region,
        Request, RequestTable,
    };
    use core::cell::Cell;
    use rustc_hash::FxHashSet;

    /// Parameters of the interpreter loop: code, env, sp, nargs, and the direct arguments.
    const CODE: usize = 0;
    const ENV: usize = 1;
    const SP: usize = 2;
    const NARGS: usize = 3;
    const FIRST_ARGUMENT: usize = 4;
    const PARAM_COUNT: usize = FIRST_ARGUMENT + MAX_DIRECT as usize;

    /// Makes the table for the code laid out at `code_start`, with these names and links. These and
    /// the requests are at the end of memory, out of the way of what remains in the linked module.
    pub fn publish(
        code_start: u32,
        plan: &Plan,
        found: &Found,
        lists: &Lists,
    ) -> Result<(), ImageError> {
        let Lists {
            names,
            links,
            candidates,
            cells,
        } = lists;
        let named = requests(code_start, plan, found, names);
        cells::fill(cells, addresses(code_start, names, &named));
        let (requests, names): (Vec<Request>, Vec<String>) = named.into_iter().unzip();
        let mut text: Vec<u8> = Vec::new();
        for name in &names {
            text.extend(name.as_bytes());
            text.push(0);
        }
        let requests_at = put(&requests)?;
        let names_at = put(&text)?;
        let links_at = put(links)?;
        let regions = allocator::lasting(|| Vec::leak(regions(candidates)));
        let table = RequestTable {
            regions: regions.as_ptr() as usize as u32,
            region_count: regions.len() as u32,
            requests: requests_at,
            request_count: requests.len() as u32,
            names: names_at,
            names_len: text.len() as u32,
            links: links_at,
            link_count: links.len() as u32,
            cells: cells.start,
            cell_count: cells.len() as u32 / cells::SIZE,
            ..RequestTable::EMPTY
        };
        BACTRIAN_REQUESTS.publish(table);
        Ok(())
    }

    /// What residual code may need the address of, by name: what requests begin with, and all
    /// functions, since links may lead to any.
    fn addresses(
        code_start: u32,
        names: &Names,
        requests: &[(Request, String)],
    ) -> Vec<(String, u32)> {
        let begins = requests.iter().map(|(request, name)| {
            let address = request.params[CODE].value as u32;
            (name.clone(), address)
        });
        let functions = names.positions().map(|position| {
            let address = code::address(code_start, position);
            (names.of_function(position), address)
        });
        let mut seen = FxHashSet::default();
        let all = functions.chain(begins);
        all.filter(|(_, address)| seen.insert(*address)).collect()
    }

    /// The requests with their names, by slot.
    fn requests(
        code_start: u32,
        plan: &Plan,
        found: &Found,
        names: &Names,
    ) -> Vec<(Request, String)> {
        let flag = |entries: &FxHashSet<usize>, entry: &Entry, flag: u32| match entries
            .contains(&entry.position)
        {
            true => flag,
            false => 0,
        };
        let flags = |entry: &Entry| {
            flag(&found.recursive, entry, REQUEST_RECURSIVE)
                | flag(&found.looping, entry, REQUEST_LOOPS)
        };
        let words = plan.entries.iter().map(|entry| entry.end - entry.position);
        let copied = longest_copied(words.sum());
        // A function in pieces is left, and returns, from any of them.
        let in_pieces: FxHashSet<usize> = plan.cuts.iter().map(|cut| cut.entry).collect();
        let unless_in_pieces = |entry: &Entry, boxed: Option<&Boxed>| {
            let boxed = boxed.filter(|_| !in_pieces.contains(&entry.position));
            boxed.cloned().unwrap_or_default()
        };
        let entries = plan.entries.iter().map(|entry| {
            let boxed = unless_in_pieces(entry, found.boxed.get(&entry.position));
            let request = Request {
                flags: flags(entry) | flag(&found.early, entry, REQUEST_RETURNS_EARLY),
                ..entry_request(code_start, entry, &boxed)
            };
            (request, names.of_function(entry.position))
        });
        let restarts = plan.entries.iter().flat_map(|entry| {
            let counts = match entry.arity {
                arity if arity <= MAX_DIRECT => 1..arity.min(MAX_RESTART + 1),
                _ => 0..0,
            };
            let is_seen = |missing: &u32| found.partial.contains(&(entry.position, *missing));
            counts.filter(is_seen).map(|missing| {
                let boxed =
                    unless_in_pieces(entry, found.restarted.get(&(entry.position, missing)));
                let request = match entry.end - entry.position <= copied {
                    true => Request {
                        flags: flags(entry),
                        ..copy_request(code_start, entry, missing, &boxed)
                    },
                    false => restart_request(code_start, entry, missing, &boxed),
                };
                (request, names.of_partial(entry.position))
            })
        });
        let pieces = plan.cuts.iter().filter_map(|cut| {
            let piece = cut.piece.clone()?;
            let request = piece_request(code_start, cut, &piece);
            Some((request, names.of_piece(cut, piece.end)))
        });
        let mut named: Vec<_> = entries.chain(restarts).chain(pieces).collect();
        named.sort_unstable_by_key(|(request, _)| request.slot);
        named
    }

    /// Copies `items` to the end of memory. Returns where they are.
    fn put<T: Copy>(items: &[T]) -> Result<u32, ImageError> {
        let place = memory::extend(size_of_val(items)).ok_or(ImageError::OutOfMemory)?;
        let first = place.start as usize as *mut T;
        // SAFETY: the place begins a page, has room for that many items, and is nobody else's.
        unsafe { core::ptr::copy_nonoverlapping(items.as_ptr(), first, items.len()) };
        Ok(place.start)
    }

    fn regions(candidates: &Range<u32>) -> Vec<Region> {
        let (code_start, code_end) = (vm().code_start.get(), vm().code_end.get());
        let (primitives, primitives_len) = bind::region();
        let globals = core::ptr::from_ref(&vm().globals) as usize as u32;
        let word = |cell: &Cell<u32>| Region {
            base: core::ptr::from_ref(cell) as usize as u32,
            len: 4,
        };
        vec![
            Region {
                base: code_start,
                len: code_end - code_start,
            },
            Region {
                base: candidates.start,
                len: candidates.len() as u32,
            },
            Region {
                base: primitives,
                len: primitives_len,
            },
            Region {
                base: globals,
                len: 8,
            },
            word(&vm().payloads),
            Region {
                base: vm().payloads.get(),
                len: vm().globals.get().wosize() as u32 * WORD,
            },
            word(&vm().keeps_positions),
            word(&vm().allocations_poll),
            word(&vm().has_threads),
            word(&vm().loops_poll),
            word(&vm().closures_keep_code),
            Region {
                base: BACTRIAN_APPLY_BY_CALL.as_ptr() as usize as u32,
                len: 4,
            },
        ]
    }

    /// The request for a function, from its entry on.
    fn entry_request(code_start: u32, entry: &Entry, boxed: &Boxed) -> Request {
        let address = code::address(code_start, entry.position);
        let direct = if entry.arity > MAX_DIRECT {
            0
        } else {
            entry.arity as usize
        };
        let params = entry_params(address, entry.arity, direct);
        let request = request(params, address, entry.end - entry.position);
        with_boxes(request, FIRST_ARGUMENT..FIRST_ARGUMENT + direct, boxed)
    }

    /// The same where these parameters are given, and the result is, such boxes.
    fn with_boxes(mut request: Request, arguments: Range<usize>, boxed: &Boxed) -> Request {
        let arguments = request.params[arguments].iter_mut();
        for (param, boxed) in arguments.zip(&boxed.parameters) {
            param.boxed = kind(*boxed);
        }
        request.result = kind(boxed.result);
        request
    }

    /// A kind of boxes, or none, as requests have it.
    fn kind(of_boxes: Option<u32>) -> u32 {
        of_boxes.map_or(0, |kind| kind + 1)
    }

    /// Parameters of an activation of the code at `address` with so many arguments in registers.
    fn entry_params(address: u32, nargs: u32, direct: usize) -> [Param; MAX_PARAMS] {
        let mut params = [Param::default(); MAX_PARAMS];
        params[CODE] = Param::pointer(address);
        // `enter_many` is given its code as well.
        let env = u32::from(direct == 0);
        params[ENV] = Param::pass(env);
        params[SP] = Param::pass(env + 1);
        params[NARGS] = Param::constant(u64::from(nargs));
        for index in 0..MAX_DIRECT as usize {
            params[FIRST_ARGUMENT + index] = if index < direct {
                Param::pass(env + 2 + index as u32)
            } else {
                Param::constant(UNUSED as u64)
            };
        }
        params
    }

    /// Words of the longest function of which its RESTART gets a copy, in a program whose functions
    /// have so many: what it costs, only a small program can afford.
    fn longest_copied(words: usize) -> usize {
        const LARGE: usize = 1 << 17;
        match applies_by_call() {
            true => 0,
            false if words <= LARGE => 32,
            false => 8,
        }
    }

    /// The request for the RESTART before an entry and a copy of the function, where so many
    /// arguments are missing.
    fn copy_request(code_start: u32, entry: &Entry, missing: u32, boxed: &Boxed) -> Request {
        let address = code::address(code_start, entry.position - 1);
        let params = entry_params(address, restarted(missing), missing as usize);
        let holder = code::restart_holder(address, missing);
        let request = request(params, holder, entry.end - entry.position + 1);
        let arguments = FIRST_ARGUMENT..FIRST_ARGUMENT + missing as usize;
        with_boxes(request, arguments, boxed)
    }

    /// The request for the RESTART before an entry, where so many arguments are missing.
    fn restart_request(code_start: u32, entry: &Entry, missing: u32, boxed: &Boxed) -> Request {
        const FIRST: usize = 3;
        let function = match missing {
            1 => restart_1 as *const (),
            2 => restart_2 as *const (),
            _ => restart_3 as *const (),
        };
        let address = code::address(code_start, entry.position - 1);
        let count = FIRST + missing as usize;
        let params = core::array::from_fn(|index| match index {
            CODE => Param::pointer(address),
            index if index < count => Param::pass(index as u32 - 1),
            _ => Param::default(),
        });
        let request = Request {
            function: function as usize as u32,
            param_count: count as u32,
            flags: 0,
            ..request(params, code::restart_holder(address, missing), 1)
        };
        with_boxes(request, FIRST..count, boxed)
    }

    /// The request for what goes on at a cut, `piece`. The parameters are those of
    /// [`entries::resume`].
    ///
    /// [`entries::resume`]: crate::interp::entries::resume
    fn piece_request(code_start: u32, cut: &Cut, piece: &Range<usize>) -> Request {
        const BASE: u32 = 2;
        const ACCU: u32 = 5;
        let bytes = |words: usize| words as u64 * u64::from(code::CELL);
        let arguments = [
            Param::pass(ACCU),
            Param::constant(frame_size(cut.depth).into()),
            Param::constant(cut.trap.map_or(0, frame_size).into()),
            Param::constant(bytes(cut.position - piece.start)),
        ];
        let mut params = [Param::default(); MAX_PARAMS];
        params[CODE] = Param::pointer(code::address(code_start, piece.start));
        params[ENV] = Param::constant(bytes(piece.start - cut.entry));
        params[SP] = Param::pass(BASE);
        params[NARGS] = Param::constant(RESUMED.into());
        params[FIRST_ARGUMENT..PARAM_COUNT].fill(Param::constant(UNUSED as u64));
        params[FIRST_ARGUMENT..FIRST_ARGUMENT + arguments.len()].copy_from_slice(&arguments);
        request(params, code::address(code_start, cut.position), piece.len())
    }

    /// The request to specialize the interpreter loop for these parameters. `cell` is the one with
    /// the slot; the code has `words` words.
    fn request(params: [Param; MAX_PARAMS], cell: u32, words: usize) -> Request {
        Request {
            function: interp as *const () as usize as u32,
            slot: code::slot_address(cell),
            anchor: CODE as u32,
            code_len: words as u32 * code::CELL,
            param_count: PARAM_COUNT as u32,
            // Pieces are loops, or parts of functions too large to be taken.
            flags: REQUEST_LOOPS,
            result: 0,
            reserved: 0,
            params,
        }
    }
}
