//! When to collect: safepoints, pacing of major collections, what runs after one.

use super::cycle::Phase;
use super::roots::Root;
use super::settings::{self, Settings, about, message};
use super::state::{Heap, heap};
use super::stress::stress;
use super::{cycle, ephemeron, finalise, memprof, minor, reserve, stats};
use crate::evaluation;
use crate::exception::{self, Predefined};
use crate::registry::Raised;
use crate::value::WORD;
use crate::vm::{ALWAYS_ALERTED, POLLS_COUNT, THREAD_ENDS, Vm, vm};
use core::sync::atomic::{Ordering, compiler_fence};

/// Under stress there is a major collection after so many minor ones, and one more minor one in
/// between for each so many live words.
const STRESS_MINORS: u64 = 64;
const STRESS_LIVE_WORDS: u64 = 64;

/// The slow path of a poll, or of an allocation of `bytes` where those are safepoints: collects
/// what is due, runs finalisers that wait, and sees to it that `bytes` can be taken from the
/// nursery. The stack pointer is in `vm().sp`, all values are in memory. Returns 0 if something
/// raised (a finaliser, a signal's handler, a sample's callback, the want of memory), else 1.
pub fn safepoint(bytes: u32) -> u32 {
    let heap = heap();
    disarm(heap);
    if vm().loops_poll.get() == POLLS_COUNT {
        // So that threads look at their clock.
        vm().action_pending.set(1);
    }
    memprof::note_stack(heap);
    let raised = make_room(heap, bytes)
        .and_then(|()| sample(heap, bytes))
        .is_err();
    arm(heap);
    !raised as u32
}

/// Reports the allocation that the safepoint is for to the profiler, if it is one of the samples.
fn sample(heap: &'static Heap, bytes: u32) -> Result<(), Raised> {
    let Some(announced) = memprof::announce(heap, bytes)? else {
        return Ok(());
    };
    match collect_what_is_due(heap, bytes) {
        Ok(()) => memprof::arrive(heap, announced, bytes),
        Err(Raised) => {
            memprof::cancel(heap, &announced);
            return Err(Raised);
        }
    }
    Ok(())
}

/// Makes the next poll of compiled code, or its next allocation where those are safepoints, call
/// [`safepoint`].
pub fn request_safepoint() {
    let vm = vm();
    vm.action_pending.set(1);
    vm.young_trigger.set(always(vm));
    set_alert();
}

/// Tells compiled code how deep the stack may be, and whether something waits. A signal may come at
/// any time, upon which the host sets both words; so what waits is looked at last.
pub fn set_alert() {
    let vm = vm();
    vm.alert.set(vm.stack_threshold.get());
    compiler_fence(Ordering::SeqCst);
    if vm.action_pending.get() != 0 {
        vm.alert.set(ALWAYS_ALERTED);
    }
}

/// Requests a safepoint if the nursery is full with `bytes` more. Where allocations are safepoints,
/// they see that themselves.
pub fn note_full(heap: &Heap, bytes: u32) {
    if vm().allocations_poll.get() == 0
        && !heap.full.get()
        && vm().young_ptr.get() < soft_floor(heap) + bytes
    {
        heap.full.set(true);
        set_floor(heap);
        request_safepoint();
    }
}

/// Where allocation stops to ask: at the next sample, or where the nursery is full.
pub fn set_floor(heap: &Heap) {
    let sample = heap.memprof.trigger.get();
    let asks_sample_only = heap.full.get() || vm().allocations_poll.get() != 0;
    vm().young_floor.set(match asks_sample_only {
        true => sample,
        false => sample.max(soft_floor(heap)),
    });
}

/// Where the nursery counts as full: at once, where each safepoint may have to collect.
fn soft_floor(heap: &Heap) -> u32 {
    match stress() || in_danger(heap) {
        true => vm().young_ptr.get(),
        false => heap.normal_trigger.get(),
    }
}

/// A trigger that even an empty nursery is below: the next allocation is a safepoint.
fn always(vm: &Vm) -> u32 {
    vm.young_end.get() + WORD
}

/// A minor collection now, and a major one if it is due. For primitives with `Effect::Collects`.
pub fn collect_minor() {
    let heap = heap();
    minor::collect(heap);
    if major_is_due(heap) {
        cycle::collect(heap);
    }
    ask_for_reserve(heap);
}

/// The same, and a cycle has begun afterwards.
pub fn begin_cycle() {
    collect_minor();
    cycle::begin(heap());
}

/// Ends the cycle that has begun, or else a whole one, and begins the next; `before` comes in
/// between.
pub fn finish_cycle(before: impl FnOnce()) {
    let heap = heap();
    minor::collect(heap);
    cycle::finish(heap);
    before();
    cycle::begin(heap);
    ask_for_reserve(heap);
}

/// Goes on with the present cycle as if `words` words were to be freed, 0 for as many as were
/// allocated since the last such slice; begins one if there is none.
pub fn collect_slice(words: u64) {
    let heap = heap();
    match words {
        0 => {
            let allocated = heap.allocated.get();
            cycle::slice(heap, allocated - heap.sliced.replace(allocated));
        }
        words => cycle::slice(heap, words),
    }
    if heap.phase.get() == Phase::Idle {
        begin_cycle();
    }
}

/// A complete major collection now.
pub fn collect_major() {
    let heap = heap();
    minor::collect(heap);
    cycle::collect(heap);
    ask_for_reserve(heap);
}

/// If the reserve is used up, the next safepoint sees to it.
fn ask_for_reserve(heap: &Heap) {
    if !reserve::is_comfortable(heap) {
        heap.exhausted.set(true);
        request_safepoint();
    }
}

/// Runs what waits for a safepoint. Where something raises, what is left runs before its exception
/// is handled, as in OCaml's runtime: until something else raises, whose exception comes instead.
#[inline(never)]
pub fn run_actions() -> Result<(), Raised> {
    let result = run_until_one_raises();
    if result.is_ok() || vm().exception.get() == THREAD_ENDS {
        return result;
    }
    let first = Root::new(vm().exception.get());
    if run_until_one_raises().is_ok() {
        vm().exception.set(first.get());
    }
    result
}

fn run_until_one_raises() -> Result<(), Raised> {
    vm().action_pending.set(0);
    set_alert();
    let result = (heap().hooks().signals)()
        .and_then(|()| memprof::run_pending(heap()))
        .and_then(|()| finalise::run_pending());
    if result.is_err() && finalise::any_pending() {
        request_safepoint();
    }
    result
}

/// Takes over the parameters that the program was started with; nothing is on the stack yet.
pub fn start_with(settings: Settings, initial_words: u64) {
    let words = settings.field(Settings::MINOR_HEAP_SIZE) as usize;
    let heap = heap();
    if words != heap.nursery_words.get() {
        minor::collect(heap);
        super::set_nursery(words).unwrap_or_else(|| super::out_of_memory());
    }
    heap.settings.set(settings);
    heap.initial_words.set(initial_words);
}

/// Takes over what `Gc.set` asks for; `None` when there is no memory for the nursery. May collect.
pub fn apply_settings(settings: Settings) -> Option<()> {
    let heap = heap();
    let (old, mut settings) = (heap.settings.get(), settings.normalised());
    let words = settings.field(Settings::MINOR_HEAP_SIZE);
    settings.fields[Settings::MINOR_HEAP_SIZE] = old.field(Settings::MINOR_HEAP_SIZE);
    heap.settings.set(settings);
    settings::show_changes(&old, &settings);
    if old.field(Settings::POLICY) != settings.field(Settings::POLICY) {
        change_policy(heap, settings.field(Settings::POLICY));
    }
    if words as usize != heap.nursery_words.get() {
        message(about::PARAMETERS, || {
            format!("New minor heap size: {}k words\n", words / 1024)
        });
        minor::collect(heap);
        super::set_nursery(words as usize)?;
        settings.fields[Settings::MINOR_HEAP_SIZE] = words;
        heap.settings.set(settings);
    }
    Some(())
}

/// There is one policy here. But to change it is a compaction in OCaml, so this collects.
fn change_policy(heap: &'static Heap, policy: i64) {
    message(about::CYCLES, || {
        "Full major GC cycle (changing allocation policy)\n".to_owned()
    });
    minor::collect(heap);
    cycle::finish(heap);
    cycle::finish(heap);
    stats::add(&heap.counters.forced_major_collections, 1);
    stats::add(&heap.counters.compactions, 1);
    message(about::PARAMETERS, || {
        format!("New allocation policy: {policy}\n")
    });
    cycle::begin(heap);
}

fn make_room(heap: &'static Heap, bytes: u32) -> Result<(), Raised> {
    collect_what_is_due(heap, bytes)?;
    loop {
        if vm().action_pending.get() == 0 {
            return Ok(());
        }
        run_actions()?;
        if has_room(heap, bytes) {
            return Ok(());
        }
        collect_what_is_due(heap, bytes)?;
    }
}

fn collect_what_is_due(heap: &'static Heap, bytes: u32) -> Result<(), Raised> {
    if stress() {
        let collected = minor::collect(heap);
        let minors = STRESS_MINORS + heap.counters.live_words.get() / STRESS_LIVE_WORDS;
        if collected && heap.counters.minor_collections.get().is_multiple_of(minors) {
            cycle::collect(heap);
        }
    }
    if heap.exhausted.get() {
        collect_for_memory(heap);
    } else if !has_room(heap, bytes)
        || heap.remembered.is_full()
        || ephemeron::has_many_young(heap)
        || heap.external.young_is_due()
        || major_is_due(heap)
        || in_danger(heap)
    {
        minor::collect(heap);
        if major_is_due(heap) {
            cycle::collect(heap);
        }
    } else if !stress() {
        return Ok(());
    }
    keep_reserve(heap)
}

/// Whether the next minor collection could be one too many.
fn in_danger(heap: &Heap) -> bool {
    heap.short.get() && heap.small.free_pages() < reserve::least(heap)
}

/// Collects everything because an allocation found no memory, and lets both spaces have what is
/// free.
fn collect_for_memory(heap: &'static Heap) {
    heap.exhausted.set(false);
    minor::collect(heap);
    cycle::collect(heap);
    reserve::share(heap);
}

/// After a minor collection: fails if there is no memory for the next one but one, not even after a
/// major collection. While that lasts, it fails again only where the next one is in danger.
fn keep_reserve(heap: &'static Heap) -> Result<(), Raised> {
    if reserve::is_comfortable(heap) {
        heap.short.set(false);
        return Ok(());
    }
    evaluation::effect("memory");
    collect_for_memory(heap);
    if reserve::is_comfortable(heap) {
        heap.short.set(false);
        return Ok(());
    }
    if heap.short.replace(true) && heap.small.free_pages() >= reserve::least(heap) {
        return Ok(());
    }
    Err(exception::constant(Predefined::OutOfMemory))
}

fn major_is_due(heap: &Heap) -> bool {
    heap.allocated.get() >= heap.allocation_goal.get() || heap.external.old_is_due()
}

fn has_room(heap: &Heap, bytes: u32) -> bool {
    vm().young_ptr.get() as u64 >= heap.normal_trigger.get() as u64 + bytes as u64
}

/// Nothing waits: compiled code allocates until the nursery is full.
fn disarm(heap: &Heap) {
    let vm = vm();
    vm.retry.set(0);
    vm.young_trigger.set(heap.normal_trigger.get());
    vm.alert.set(vm.stack_threshold.get());
    set_floor(heap);
}

fn arm(heap: &Heap) {
    let vm = vm();
    let waits = stress() || vm.action_pending.get() != 0 || in_danger(heap);
    vm.young_trigger.set(if waits {
        always(vm)
    } else {
        heap.normal_trigger.get().max(heap.memprof.trigger.get())
    });
    set_floor(heap);
    set_alert();
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::heap::NURSERY_WORDS;
    use crate::memory;
    use crate::testing::start_machine;

    #[test]
    fn a_nursery_of_changing_size_takes_memory_once() {
        start_machine();
        let change = || {
            for words in [2 * NURSERY_WORDS, NURSERY_WORDS] {
                let mut settings = heap().settings.get();
                settings.fields[Settings::MINOR_HEAP_SIZE] = words as i64;
                apply_settings(settings).expect("memory");
            }
        };
        change();
        let end = memory::grow(memory::UNIT).expect("memory");
        (0..5).for_each(|_| change());
        let next = memory::grow(memory::UNIT);
        assert_eq!(next, Some(end + memory::UNIT as u32));
    }
}
