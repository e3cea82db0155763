//! Module `Gc`: collections on demand, counters, parameters.
//!
//! The counters tell of this heap, so they are not `ocamlrun`'s. The parameters have `ocamlrun`'s
//! names and ranges; those without a meaning here are kept and shown. For `Gc.Memprof` see
//! [`memprof`].

use crate::backtrace;
use crate::evaluation;
use crate::heap::settings::{Settings, about, message};
use crate::heap::stats::Spaces;
use crate::heap::{self, memprof};
use crate::parameters;
use crate::raise;
use crate::registry::{Outcome, Raised};
use crate::stack;
use crate::value::{Value, WORD};
use crate::vm::vm;

crate::primitives! {
    Collects "caml_gc_minor" minor, 1;
    Collects "caml_gc_major" major, 1;
    Collects "caml_gc_full_major" full_major, 1;
    Collects "caml_gc_compaction" compaction, 1;
    Collects "caml_gc_major_slice" major_slice, 1;
    Allocates "caml_gc_minor_words" minor_words, 1;
    Allocates "caml_gc_counters" counters, 1;
    Allocates "caml_gc_quick_stat" quick_stat, 1;
    Allocates "caml_gc_stat" stat, 1;
    Allocates "caml_gc_get" get, 1;
    Collects "caml_gc_set" set, 1;
    Leaf "caml_gc_huge_fallback_count" zero, 1;
    Leaf "caml_get_major_bucket" zero, 1;
    Leaf "caml_get_major_credit" zero, 1;
    Leaf "caml_get_minor_free" minor_free, 1;
    Allocates "caml_runtime_parameters" runtime_parameters, 1;
    Allocates "caml_runtime_variant" runtime_variant, 1;
    Leaf "caml_eventlog_pause" unit, 1;
    Leaf "caml_eventlog_resume" unit, 1;
    Leaf "caml_memprof_start" memprof_start, 3;
    Leaf "caml_memprof_stop" memprof_stop, 1;
    Leaf "caml_ensure_stack_capacity" ensure_stack_capacity, 1;
}

fn minor(_: Value) -> Outcome {
    evaluation::effect("module Gc");
    heap::begin_cycle();
    actions()
}

fn major(_: Value) -> Outcome {
    evaluation::effect("module Gc");
    message(about::CYCLES, || {
        "Finishing major GC cycle (requested by user)\n".to_owned()
    });
    heap::finish_cycle(|| ());
    actions()
}

fn full_major(_: Value) -> Outcome {
    evaluation::effect("module Gc");
    message(about::CYCLES, || {
        "Full major GC cycle (requested by user)\n".to_owned()
    });
    two_cycles(|| ())
}

/// Two cycles: one ends what has begun, the next collects what was unreachable then; `before`
/// comes before the next.
fn two_cycles(before: impl FnOnce()) -> Outcome {
    heap::finish_cycle(|| ());
    heap::run_actions()?;
    heap::finish_cycle(|| {
        heap::stats::add(&heap::heap().counters.forced_major_collections, 1);
        before();
    });
    actions()
}

fn compaction(_: Value) -> Outcome {
    evaluation::effect("module Gc");
    message(about::COMPACTION, || {
        "Heap compaction requested\n".to_owned()
    });
    message(about::CYCLES, || {
        "Full major GC cycle (compaction)\n".to_owned()
    });
    two_cycles(|| {
        message(about::COMPACTION, || {
            "Compacting heap...\ndone.\n".to_owned()
        });
        heap::stats::add(&heap::heap().counters.compactions, 1);
    })
}

fn major_slice(words: Value) -> Outcome {
    evaluation::effect("module Gc");
    heap::collect_slice(u64::try_from(words.as_int()).unwrap_or(0));
    heap::run_actions()?;
    Ok(Value::int(0))
}

fn actions() -> Outcome {
    heap::run_actions()?;
    Ok(Value::UNIT)
}

fn minor_words(_: Value) -> Value {
    evaluation::effect("module Gc");
    heap::alloc_float(heap::stats::minor_words() as f64)
}

fn counters(_: Value) -> Value {
    evaluation::effect("module Gc");
    let counters = counter_floats();
    heap::alloc_fields(0, &counters)
}

/// Minor, promoted and major words, as floats.
fn counter_floats() -> [Value; 3] {
    let counters = &heap::heap().counters;
    let words = [
        heap::stats::minor_words(),
        counters.promoted_words.get(),
        counters.major_words.get(),
    ];
    words.map(|words| heap::alloc_float(words as f64))
}

fn quick_stat(_: Value) -> Value {
    evaluation::effect("module Gc");
    stat_record(&Spaces {
        heap_words: heap::stats::heap_words(),
        heap_chunks: heap::stats::heap_chunks(),
        ..Spaces::default()
    })
}

fn stat(_: Value) -> Value {
    evaluation::effect("module Gc");
    stat_record(&heap::stats::measure())
}

fn stat_record(spaces: &Spaces) -> Value {
    let counters = &heap::heap().counters;
    let [minor, promoted, major] = counter_floats();
    let int = |n: u64| Value::int(n as i64);
    let stack_words = (vm().stack_high.get() - vm().sp.get()) / WORD;
    heap::alloc_fields(
        0,
        &[
            minor,
            promoted,
            major,
            int(counters.minor_collections.get()),
            int(counters.major_collections.get()),
            int(spaces.heap_words),
            int(spaces.heap_chunks),
            int(spaces.live_words),
            int(spaces.live_blocks),
            int(spaces.free_words),
            int(spaces.free_blocks),
            int(spaces.largest_free),
            int(spaces.fragments),
            int(counters.compactions.get()),
            int(heap::stats::top_heap_words()),
            int(stack_words as u64),
            int(counters.forced_major_collections.get()),
        ],
    )
}

fn get(_: Value) -> Value {
    let fields = heap::heap().settings.get().fields.map(Value::int);
    heap::alloc_fields(0, &fields)
}

fn set(control: Value) -> Outcome {
    evaluation::effect("module Gc");
    let mut settings: Settings = heap::heap().settings.get();
    let old = settings;
    for index in 0..control.wosize().min(settings.fields.len()) {
        settings.fields[index] = control.field(index).as_int();
    }
    let verbose = settings.field(Settings::VERBOSE);
    let mut seen = old;
    seen.fields[Settings::VERBOSE] = verbose;
    // Messages about all further changes obey the new verbosity.
    heap::heap().settings.set(seen);
    settings.fields[Settings::STACK_LIMIT] =
        stack::change_limit(settings.field(Settings::STACK_LIMIT));
    heap::apply_settings(settings).ok_or_else(raise::out_of_memory)?;
    actions()
}

fn zero(_: Value) -> Value {
    Value::int(0)
}

fn unit(_: Value) -> Value {
    Value::UNIT
}

fn minor_free(_: Value) -> Value {
    evaluation::effect("module Gc");
    Value::int((vm().young_ptr.get() - vm().young_start.get()) as i64)
}

fn runtime_parameters(_: Value) -> Value {
    let [
        minor,
        increment,
        overhead,
        verbose,
        max_overhead,
        stack,
        policy,
        window,
        ..,
    ] = heap::heap().settings.get().fields;
    let backtraces = backtrace::recording();
    let trace = u8::from(super::parsing::is_tracing());
    let (level, warnings) = (parameters::current().trace, parameters::current().warnings);
    heap::alloc_string(
        format!(
            "a={policy},b={backtraces},H=0,i={increment},l={stack},o={overhead},O={max_overhead},\
             p={trace},s={minor},t={level},v={verbose},w={window},W={warnings}"
        )
        .as_bytes(),
    )
}

fn runtime_variant(_: Value) -> Value {
    heap::alloc_string(b"")
}

fn memprof_start(rate: Value, depth: Value, tracker: Value) -> Outcome {
    evaluation::effect("module Gc");
    if memprof::is_started() {
        return Err(raise::failure("Gc.Memprof.start: already started."));
    }
    let rate = rate.as_float();
    let depth = depth.as_int();
    if depth < 0 || !(0.0..=1.0).contains(&rate) {
        return Err(raise::invalid_argument("Gc.Memprof.start"));
    }
    memprof::start(rate, usize::try_from(depth).unwrap_or(usize::MAX), tracker);
    Ok(Value::UNIT)
}

fn memprof_stop(_: Value) -> Outcome {
    match memprof::stop() {
        true => Ok(Value::UNIT),
        false => Err(raise::failure("Gc.Memprof.stop: not started.")),
    }
}

/// Raises `Stack_overflow` unless `words` more words fit on the OCaml stack.
fn ensure_stack_capacity(words: Value) -> Result<Value, Raised> {
    let free = (vm().sp.get().saturating_sub(vm().stack_threshold.get()) / WORD) as i64;
    match words.as_int() <= free {
        true => Ok(Value::UNIT),
        false => Err(raise::constant(raise::Predefined::StackOverflow)),
    }
}
