//! A bytecode executable becomes a loaded program: parsed, verified and laid out, its primitives
//! bound, its functions requested; then a heap and a stack for it.
//!
//! This module knows all floors, so it hands the lower ones the functions of upper ones that they
//! call (`HOOKS`).

use crate::allocator;
use crate::backtrace::{debug, definitions, events};
use crate::code::{self, ImageError, fragments};
use crate::custom;
use crate::evaluation::{self, BACTRIAN_EVALUATION, Piece};
use crate::heap::{self, Hooks};
use crate::image::hints::{Access, CodePointers, Given};
use crate::image::names::Names;
use crate::image::numbers::Numbers;
use crate::image::parse::{self, Executable};
use crate::image::pieces::Plan;
use crate::image::references::{self, BACTRIAN_KEEP_REFERENCES};
use crate::image::verify::{self, Limits, Verified};
use crate::image::{
    bind, callees, cells, constants, elements, hints, layout, lives, messages, missing, pieces,
    quiet, reach, sections,
};
use crate::interp::requests::{self, Lists};
use crate::interp::{self, entries};
use crate::memory;
use crate::os;
use crate::polymorphic::marshal;
use crate::primitives;
use crate::primitives::backtrace::WANT_POSITIONS;
use crate::registry::arguments::{self, Kind};
use crate::registry::{Code, Effect, Primitive, results, shortcut};
use crate::stack;
#[cfg(target_family = "wasm")]
use crate::stubs;
use crate::threads;
use crate::value::{Value, WORD, boxed, header, tag};
use crate::vm::{NO_LOOP_POLLS, vm};
use core::sync::atomic::Ordering::Relaxed;
use std::collections::HashSet;

/// What the collector calls when it runs finalisers and handlers of signals, and takes samples.
pub const HOOKS: Hooks = Hooks {
    apply: interp::apply,
    callstack: primitives::backtrace::current,
    signals: primitives::signals::deliver,
};

/// Room for globals is a multiple of this, so that most programs have their code at the same
/// address.
const GLOBALS_ROOM: usize = 1 << 14;

/// The same for programs that load code: all the globals that they can ever have, as the block
/// cannot move.
const GROWING_GLOBALS_ROOM: usize = 1 << 20;

/// Loads a bytecode executable into this machine, which has loaded nothing before.
pub fn load(file: &[u8]) -> Result<(), ImageError> {
    lay_out(file)?;
    prepare()
}

/// Bytes of memory that what [`lay_out`] leaves takes at most.
pub fn lasting_size(file: &[u8]) -> usize {
    /// Lists of what there is, and what the allocators do not use.
    const MARGIN: usize = 1 << 20;
    parse::lasting_size(file) + (GLOBALS_ROOM + GROWING_GLOBALS_ROOM) * WORD as usize + MARGIN
}

/// Puts an executable's code and data into memory. What it makes of the program's constants are
/// image blocks.
pub fn lay_out(file: &[u8]) -> Result<(), ImageError> {
    let mut executable = parse::executable(file)?;
    bind::bind(&executable.primitives, primitives::all())?;
    let bound = bind::withdraw_misfits(&executable);
    let linked = global_count(&executable)?;
    let limits = Limits {
        parameters: 0,
        globals: linked,
        primitives: bound.len(),
        rewritten: false,
        primitive_arity: &|index| bound[index].map(bind::arity),
    };
    let verified = verify::verify(&executable.code, &limits)?;
    fragments::register_program(&executable.code);
    let reached = reach::find(&executable.code, &verified, |index| {
        LOADS_CODE.contains(&name_of(&bound, index))
    });
    let names = reached
        .primitives
        .iter()
        .map(|&index| name_of(&bound, index));
    names.clone().for_each(lives::note);
    let called: HashSet<&str> = names.collect();
    let loads_code = LOADS_CODE.iter().any(|name| called.contains(name));
    let units = debug::units(executable.debug);
    let by_name = || {
        let definitions = definitions::of(&units);
        Numbers::by_name(&executable, linked, &definitions).filter(|_| !loads_code)
    };
    let numbers = by_name().unwrap_or_else(|| Numbers::as_linked(linked, bound.len()));
    numbers.apply(&mut executable);
    let has_threads = called.contains("caml_thread_new");
    bind::bind(&executable.primitives, primitives::of_program(has_threads))?;
    let bound = bind::withdraw_misfits(&executable);
    let limits = Limits {
        globals: numbers.global_count(),
        primitives: bound.len(),
        primitive_arity: &|index| bound[index].map(bind::arity),
        ..limits
    };
    // What the program is compiled to relies on that, and need not bring their code along.
    let bound = bind::withdraw(|name| !loads_code && !called.contains(name));
    let calls = |name: &str| called.contains(name);
    let keeps_references = BACTRIAN_KEEP_REFERENCES.load(Relaxed) != 0;
    // Who takes samples of allocations sees all of them, and so does who counts them.
    let samples = calls("caml_memprof_start");
    let counts = ["caml_gc_counters", "caml_gc_minor_words"]
        .iter()
        .any(|name| calls(name));
    let rewritten = if keeps_references || samples || counts {
        None
    } else {
        references::keep_in_slots(&executable.code, &verified)
    };
    let (code, verified) = match &rewritten {
        Some(code) => (
            code,
            verify::verify(
                code,
                &Limits {
                    rewritten: true,
                    ..limits
                },
            )?,
        ),
        None => (&executable.code, verified),
    };
    let mut plan = pieces::plan(code, &verified, pieces::longest());
    let cells = cells::reserve(2 * verified.entries.len() + plan.cuts.len());
    let cells = cells.ok_or(ImageError::OutOfMemory)?;
    let room = if calls("caml_realloc_global") {
        GROWING_GLOBALS_ROOM
    } else {
        GLOBALS_ROOM
    };
    let globals = make_globals(numbers.global_count(), room)?;
    sections::keep(&executable, calls("caml_get_section_table"));
    let named = bind::called(&executable);
    if let Some(report) = missing::report(&executable, &named) {
        os::write_all(2, report.as_bytes());
    }
    let (code_start, mut links) = load_code(code, &verified)?;
    plan.keep(&reached.positions(&verified));
    if evaluation::get(&BACTRIAN_EVALUATION.room) > 0 {
        allocator::lasting(|| evaluation::note_pieces(own_pieces(&plan, code_start)));
    }
    layout::cut(&plan, code_start, entries::resume_slot());
    let is_quiet = |index| primitive(&bound, index).is_some_and(is_quiet);
    threads::note(
        has_threads,
        loads_code || calls("caml_install_signal_handler"),
    );
    if vm().loops_poll.get() == NO_LOOP_POLLS {
        for poll in quiet::polls(code, is_quiet) {
            code::silence(code::address(code_start, poll));
        }
    }
    // Code that is loaded later may call what the program itself does not.
    let writes_pointers = calls("caml_obj_set_raw_field") || calls("caml_reify_bytecode");
    let code_pointers = match writes_pointers {
        true => CodePointers::Change,
        false => CodePointers::Stay,
    };
    vm().closures_keep_code.set((!writes_pointers).into());
    let names = Names::new(&units, &verified.entries);
    events::register(units);
    let wants_positions = WANT_POSITIONS.iter().any(|name| calls(name));
    vm().keeps_positions.set(wants_positions.into());
    vm().allocations_poll.set(samples.into());
    vm().allocations_counted.set(counts.into());
    load_data(&executable, globals, linked, &numbers)?;
    // Primitives that give closures which nobody passed them.
    let is_closed = !loads_code && !calls("caml_get_current_environment");
    let gives = Gives {
        known: Known::new(&bound),
        globals,
        is_closed,
    };
    let found = hints::find(code, &verified.entries, code_pointers, &gives);
    let returns = |index| primitive(&bound, index).is_some_and(returns);
    for leaf in quiet::leaves(code, &verified.entries, returns, found.certain_callee()) {
        code::note_leaf(code::address(code_start, leaf.position));
    }
    let messages = match evaluation::get(&BACTRIAN_EVALUATION.room) {
        0 => Vec::new(),
        _ => messages::find(code, &verified.entries),
    };
    let (hints, candidates) = callees::note(&found, &messages, code_start)?;
    links.extend(hints);
    links.sort_unstable();
    note_kinds(code, &bound, globals, code_start);
    if !loads_code {
        bind::forget(&named);
    }
    stack::note_raisable(calls("caml_gc_set"));
    let lists = Lists {
        names: &names,
        links: &links,
        candidates,
        cells,
    };
    requests::publish(code_start, &plan, &found, &lists)
}

/// Primitive `index`, if something defines it. Unreachable code is not verified: it may name one
/// that does not exist.
fn primitive<'a>(bound: &[Option<&'a Primitive>], index: usize) -> Option<&'a Primitive> {
    bound.get(index).copied().flatten()
}

/// Its name; empty if there is none.
fn name_of(bound: &[Option<&'static Primitive>], index: usize) -> &'static str {
    primitive(bound, index).map_or("", |primitive| primitive.name)
}

/// The pieces of the program's own code.
fn own_pieces(plan: &Plan, start: u32) -> Vec<Piece> {
    let own = plan.cuts.iter().filter(|cut| cut.entry == 0);
    let piece = own.filter_map(|cut| {
        let words = cut.piece.clone()?;
        Some(Piece {
            cut: code::address(start, cut.position),
            cells: code::address(start, words.start)..code::address(start, words.end),
        })
    });
    piece.collect()
}

/// Primitives by which a program can call any of its functions: from code that it loads, or found
/// among the globals.
const LOADS_CODE: &[&str] = &["caml_reify_bytecode", "caml_get_global_data"];

/// Tells the loop which instructions of the program, laid out at `start`, give boxes, and of which
/// kind elements of bigarrays are.
fn note_kinds(code: &[i32], bound: &[Option<&Primitive>], globals: Value, start: u32) {
    let constants = constants::boxes(code, |global| box_kind(globals, global));
    for &(constant, kind) in &constants {
        code::note_constant_box(code::address(start, constant), kind);
    }
    let floats = constants.iter().filter(|(_, kind)| *kind == boxed::FLOAT);
    let floats: Vec<usize> = floats.map(|&(constant, _)| constant).collect();
    for (access, kind) in elements::find(code, &Known::new(bound), &floats) {
        code::note_kind(code::address(start, access), kind);
    }
}

/// What is known of the program's primitives by their names.
struct Known<'a> {
    bound: &'a [Option<&'a Primitive>],
    /// The numbers of their shortcuts.
    shortcuts: Vec<u32>,
}

impl<'a> Known<'a> {
    fn new(bound: &'a [Option<&'a Primitive>]) -> Self {
        let shortcut = |primitive: &Option<&Primitive>| primitive.map_or(0, Primitive::shortcut);
        let shortcuts = bound.iter().map(shortcut).collect();
        Self { bound, shortcuts }
    }

    fn shortcut(&self, index: usize) -> u32 {
        self.shortcuts.get(index).copied().unwrap_or(0)
    }

    fn name(&self, index: usize) -> Option<&str> {
        Some(primitive(self.bound, index)?.name)
    }

    /// What a primitive gives that tells a constant of the system, as `Sys.big_endian` is one.
    fn system_constant(&self, index: usize) -> Option<i32> {
        let primitive = primitive(self.bound, index)?;
        match primitive.code {
            Code::F1(constant) if primitive.name.starts_with("caml_sys_const_") => {
                let value = constant(Value::UNIT);
                value.is_int().then(|| value.as_int().try_into().ok())?
            }
            _ => None,
        }
    }
}

impl elements::Primitives for Known<'_> {
    fn reads(&self, index: usize) -> bool {
        shortcut::reads_bigarray(self.shortcut(index))
    }

    fn writes(&self, index: usize) -> bool {
        shortcut::writes_bigarray(self.shortcut(index))
    }

    fn gives_float(&self, index: usize) -> bool {
        self.name(index).and_then(results::gives_box) == Some(boxed::FLOAT)
    }

    fn takes(&self, index: usize, argument: u32) -> Option<Kind> {
        arguments::takes(self.name(index)?, argument)
    }
}

/// What is known of a program beside its code.
struct Gives<'a> {
    known: Known<'a>,
    globals: Value,
    is_closed: bool,
}

impl hints::Facts for Gives<'_> {
    fn given_by(&self, primitive: usize) -> Option<Given> {
        let by_name = self.known.name(primitive).and_then(results::gives_box);
        let kind = by_name.or_else(|| shortcut::integers::result(self.known.shortcut(primitive)));
        kind.map(Given::Number)
            .or_else(|| self.known.system_constant(primitive).map(Given::Integer))
    }

    fn opens(&self, primitive: usize) -> bool {
        self.known
            .name(primitive)
            .is_some_and(arguments::are_opened)
    }

    fn access(&self, primitive: usize) -> Option<Access> {
        let shortcut = self.known.shortcut(primitive);
        if shortcut::reads_array(shortcut) {
            Some(Access::Read)
        } else if shortcut::writes_array(shortcut) {
            Some(Access::Write)
        } else {
            None
        }
    }

    fn constant(&self, global: usize) -> Option<u32> {
        box_kind(self.globals, global)
    }

    fn is_closed(&self) -> bool {
        self.is_closed
    }
}

/// The kind of boxes that the global of this number is of, if there is one and it boxes a number.
fn box_kind(globals: Value, global: usize) -> Option<u32> {
    let value = (global < globals.wosize()).then(|| globals.field(global))?;
    if value.is_int() {
        return None;
    }
    match value.tag() {
        tag::DOUBLE => Some(boxed::FLOAT),
        tag::CUSTOM => match custom::Kind::of(value) {
            custom::Kind::Int32 => Some(boxed::INT32),
            custom::Kind::Int64 => Some(boxed::INT64),
            custom::Kind::Nativeint => Some(boxed::NATIVEINT),
            custom::Kind::Bigarray
            | custom::Kind::Channel
            | custom::Kind::Opaque
            | custom::Kind::Foreign => None,
        },
        _ => None,
    }
}

/// Whether calls of a primitive leave nothing for a safepoint to do.
fn is_quiet(primitive: &Primitive) -> bool {
    primitive.effect == Effect::Leaf && !shortcut::allocates(primitive.shortcut())
}

/// Whether calls of a primitive run no OCaml code and need no collection.
fn returns(primitive: &Primitive) -> bool {
    matches!(primitive.effect, Effect::Leaf | Effect::Allocates)
}

/// Makes the heap and the stack of a program that has been laid out: nothing that is not zero comes
/// after the nursery.
pub fn prepare() -> Result<(), ImageError> {
    allocator::borrow_from(heap::carve);
    allocator::reserve();
    heap::end_image(&HOOKS);
    keep_room()?;
    heap::make_spaces();
    #[cfg(target_family = "wasm")]
    stubs::start();
    stack::make().ok_or(ImageError::OutOfMemory)
}

/// Keeps memory free behind the image if the program is to be evaluated: what that makes should be
/// close to what else is not zero.
fn keep_room() -> Result<(), ImageError> {
    let bytes = evaluation::get(&BACTRIAN_EVALUATION.room);
    if bytes > 0 {
        let start = memory::grow(bytes as usize).ok_or(ImageError::OutOfMemory)?;
        evaluation::set_room(start..start + bytes);
    }
    Ok(())
}

/// Makes the globals block, whose address depends on nothing but its size; all fields are unit.
fn make_globals(count: usize, room: usize) -> Result<Value, ImageError> {
    let words = (count + 1).next_multiple_of(room);
    vm().globals_room.set(words - 1);
    let start = memory::grow(words * WORD as usize).ok_or(ImageError::OutOfMemory)?;
    let globals = Value::block(start + WORD);
    globals.set_header(header(count, 0));
    for index in 0..count {
        globals.init_field(index, Value::UNIT);
    }
    vm().globals.set(globals);
    Ok(globals)
}

fn load_code(code: &[i32], verified: &Verified) -> Result<(u32, Vec<u32>), ImageError> {
    let bytes = code.len() * code::CELL as usize;
    let start = memory::grow(bytes).ok_or(ImageError::OutOfMemory)?;
    let links = layout::lay_out(code, verified, start, interp::generic_slots());
    vm().code_start.set(start);
    vm().code_end.set(start + bytes as u32);
    Ok((start, links))
}

/// Reads the initial values of the globals: image blocks, as the heap is not initialised yet.
fn load_data(
    executable: &Executable,
    globals: Value,
    linked: usize,
    numbers: &Numbers,
) -> Result<(), ImageError> {
    let data = marshal::unmarshal(executable.data)
        .map_err(|problem| data_error(executable, &format!("{problem:?}")))?;
    if data.is_int() || data.wosize() != linked {
        return Err(data_error(executable, "not a block of globals"));
    }
    for index in 0..linked {
        globals.init_field(numbers.global(index), data.field(index));
    }
    Ok(())
}

/// The size of the block in the DATA section, from the marshalled header.
fn global_count(executable: &Executable) -> Result<usize, ImageError> {
    const HEADER: usize = 20;
    const BLOCK_32: u8 = 0x08;
    const SMALL_BLOCK: u8 = 0x80;
    let body = executable.data.get(HEADER..).unwrap_or(&[]);
    match body {
        [BLOCK_32, header @ ..] if header.len() >= 4 => {
            let header = u32::from_be_bytes([header[0], header[1], header[2], header[3]]);
            Ok((header >> 10) as usize)
        }
        [first, ..] if *first >= SMALL_BLOCK => Ok(usize::from(first >> 4 & 7)),
        _ => Err(data_error(executable, "not a block of globals")),
    }
}

fn data_error(executable: &Executable, problem: &str) -> ImageError {
    ImageError::Data {
        offset: executable.data_offset,
        problem: problem.to_owned(),
    }
}
