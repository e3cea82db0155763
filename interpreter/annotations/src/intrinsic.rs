//! The table of intrinsics: import, signature, meaning in generic code, and effect.
//!
//! Everything about an intrinsic follows from its line in the table: the import that an interpreter
//! calls, what it does on other targets, and what the specializer, its linker and a host that runs
//! generic code take it for.

use crate::weval;

/// The Wasm module name of the intrinsics' imports.
pub const MODULE: &str = "bactrian";

/// A type of Wasm values.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Type {
    I32,
    I64,
}

/// What an intrinsic does in generic code.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Meaning {
    /// Nothing; its parameters are dropped.
    Nothing,
    /// It returns its first parameter.
    First,
    /// It returns 0.
    Zero,
    /// It loads a cell: the `i64` at the address that is its parameter.
    Load,
    /// It stores a cell: its last parameter at the address that is its first one.
    Store,
    /// It traps: only specialized code may come there.
    Trap,
}

/// What the specializer must take into account when it moves or drops a call of an intrinsic.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Effect {
    /// Nothing.
    Pure,
    /// It reads memory.
    Reads,
    /// It writes memory.
    Writes,
    /// Anything: nothing moves past it, and it is never dropped. So are those that only inform the
    /// specializer.
    Calls,
}

/// Types of Rust as types of Wasm.
trait Wasm {
    const TYPE: Type;
}

impl Wasm for u32 {
    const TYPE: Type = Type::I32;
}

impl Wasm for i64 {
    const TYPE: Type = Type::I64;
}

/// What an intrinsic gives where there is no Wasm, by its meaning.
#[cfg(not(target_family = "wasm"))]
macro_rules! plain {
    (Nothing $($arg:ident)*) => {
        ()
    };
    (First $first:ident $($arg:ident)*) => {
        $first
    };
    (Zero $($arg:ident)*) => {{
        $(let _ = $arg;)*
        0
    }};
}

macro_rules! intrinsics {
    (
        safe {
            $($(#[$doc:meta])* $variant:ident $import:literal
                fn $name:ident($($arg:ident: $ty:ty),*) $(-> $result:ty)?,
                $meaning:ident, $effect:ident;)*
        }
        cells {
            $($(#[$cell_doc:meta])* $cell_variant:ident $cell_import:literal
                fn $cell_name:ident($($cell_arg:ident: $cell_ty:ty),*) $(-> $cell_result:ty)?,
                $cell_meaning:ident, $cell_effect:ident;)*
        }
        weval {
            $($(#[$weval_doc:meta])* $weval_variant:ident $weval_import:literal
                ($($weval_ty:ty),*) $(-> $weval_result:ty)?,
                $weval_meaning:ident, $weval_effect:ident;)*
        }
    ) => {
        /// An intrinsic.
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
        pub enum Intrinsic {
            $($(#[$doc])* $variant,)*
            $($(#[$cell_doc])* $cell_variant,)*
            $($(#[$weval_doc])* $weval_variant,)*
        }

        impl Intrinsic {
            /// Every intrinsic, in the table's order.
            pub const ALL: &[Intrinsic] =
                &[$(Intrinsic::$variant,)* $(Intrinsic::$cell_variant,)*
                    $(Intrinsic::$weval_variant,)*];

            /// Its name. That of an import from another module than ours begins with the module's.
            pub const fn name(self) -> &'static str {
                match self {
                    $(Intrinsic::$variant => $import,)*
                    $(Intrinsic::$cell_variant => $cell_import,)*
                    $(Intrinsic::$weval_variant => concat!("weval.", $weval_import),)*
                }
            }

            pub const fn params(self) -> &'static [Type] {
                match self {
                    $(Intrinsic::$variant => &[$(<$ty as Wasm>::TYPE),*],)*
                    $(Intrinsic::$cell_variant => &[$(<$cell_ty as Wasm>::TYPE),*],)*
                    $(Intrinsic::$weval_variant => &[$(<$weval_ty as Wasm>::TYPE),*],)*
                }
            }

            pub fn result(self) -> Option<Type> {
                match self {
                    $(Intrinsic::$variant => [$(<$result as Wasm>::TYPE)?].first().copied(),)*
                    $(Intrinsic::$cell_variant => {
                        [$(<$cell_result as Wasm>::TYPE)?].first().copied()
                    })*
                    $(Intrinsic::$weval_variant => {
                        [$(<$weval_result as Wasm>::TYPE)?].first().copied()
                    })*
                }
            }

            pub const fn meaning(self) -> Meaning {
                match self {
                    $(Intrinsic::$variant => Meaning::$meaning,)*
                    $(Intrinsic::$cell_variant => Meaning::$cell_meaning,)*
                    $(Intrinsic::$weval_variant => Meaning::$weval_meaning,)*
                }
            }

            pub const fn effect(self) -> Effect {
                match self {
                    $(Intrinsic::$variant => Effect::$effect,)*
                    $(Intrinsic::$cell_variant => Effect::$cell_effect,)*
                    $(Intrinsic::$weval_variant => Effect::$weval_effect,)*
                }
            }
        }

        #[cfg(target_family = "wasm")]
        mod imports {
            // The value of `MODULE`: attributes take no constants.
            #[link(wasm_import_module = "bactrian")]
            unsafe extern "C" {
                $(#[link_name = $import] pub fn $name($($arg: $ty),*) $(-> $result)?;)*
                $(#[link_name = $cell_import]
                    pub fn $cell_name($($cell_arg: $cell_ty),*) $(-> $cell_result)?;)*
            }
        }

        $(
            $(#[$doc])*
            #[inline(always)]
            #[allow(unused_variables, reason = "most do nothing where there is no Wasm")]
            pub fn $name($($arg: $ty),*) $(-> $result)? {
                // SAFETY: imports without preconditions, replaced by plain operations at link time.
                #[cfg(target_family = "wasm")]
                unsafe { imports::$name($($arg),*) }
                #[cfg(not(target_family = "wasm"))]
                { plain!($meaning $($arg)*) }
            }
        )*

        $(
            $(#[$cell_doc])*
            ///
            /// # Safety
            /// The address is that of an aligned word inside memory the caller owns.
            #[cfg(target_family = "wasm")]
            #[inline(always)]
            pub unsafe fn $cell_name($($cell_arg: $cell_ty),*) $(-> $cell_result)? {
                // SAFETY: the caller's promise.
                unsafe { imports::$cell_name($($cell_arg),*) }
            }
        )*
    };
}

intrinsics! {
    safe {
        /// The code from here on runs for interpreter position `position` (usually the bytecode
        /// address): replaces the top of the context stack and ends sub-contexts of value
        /// specialization. A position that is not known degrades to "unknown".
        ContextUpdate "context.update" fn context_update(position: u32), Nothing, Calls;
        /// Pushes a context.
        ContextPush "context.push" fn context_push(position: u32), Nothing, Calls;
        /// Pops a context.
        ContextPop "context.pop" fn context_pop(), Nothing, Calls;
        /// Returns `value`, and asks for one version of what follows for each value in `low..high`
        /// (unsigned), and one for all others, up to the next [`context_update`].
        SpecializeValue "specialize.value"
            fn specialize_value(value: u32, low: u32, high: u32) -> u32, First, Calls;
        /// Returns `value`, which lies in `low..high` (unsigned): a contract. Asks for one version
        /// of what follows for each value, up to the next [`context_update`]; residual code traps
        /// on others.
        SpecializeRange "specialize.range"
            fn specialize_range(value: u32, low: u32, high: u32) -> u32, First, Calls;
        /// Returns `value`, and asks for a version of what follows for the case that it equals
        /// `guess`, tested at run time. No version is made where `guess` is not known.
        SpecializeGuess "specialize.guess" fn specialize_guess(value: u32, guess: u32) -> u32,
            First, Calls;
        /// 1 in residual code, 0 in generic code.
        SpecializeActive "specialize.active" fn specialize_active() -> u32, Zero, Pure;
        /// 1 in residual code that runs within its caller's, where a call was; else 0. Also 0 where
        /// lockstep events are compiled in, so that both sides do the same.
        SpecializeInlined "specialize.inlined" fn specialize_inlined() -> u32, Zero, Pure;
        /// 1 in residual code where `value` is known while it is made, else 0.
        SpecializeKnown "specialize.known" fn specialize_known(value: u32) -> u32, Zero, Pure;
        /// Returns `value`, which is not 0. A contract.
        Nonzero "value.nonzero" fn nonzero(value: i64) -> i64, First, Pure;
        /// Returns `value`, the address of a box of kind `kind` (an index into the table under
        /// [`crate::BOX_EXPORT`]): the kind's function has made it, or it is like that. A contract.
        BoxExists "box.exists" fn box_exists(value: i64, kind: u32) -> i64, First, Pure;
        /// In residual code that knows `value` for the address of a box, 1 + its kind; else 0, also
        /// where lockstep events are compiled in.
        BoxKind "box.kind" fn box_kind(value: i64) -> u32, Zero, Pure;
        /// Returns `value`, which is odd and no address: while it is in a cell, nobody else changes
        /// that. A contract.
        Immediate "value.immediate" fn immediate(value: i64) -> i64, First, Pure;
        /// Returns `value`, the address of a block: it is even and not 0. A contract.
        BlockAddress "value.address" fn block_address(value: i64) -> i64, First, Pure;
        /// Returns `value`, the address of a block that begins with the word `word`, for as long as
        /// anything holds that address, or the block's after it has moved. A contract.
        PointsTo "value.points_to" fn points_to(value: i64, word: u32) -> i64, First, Pure;
        /// Returns `address`, which lies within memory region `region`, 1 to 29: what an access
        /// through it touches, no access through an address within another region touches, and none
        /// at a constant address. Calls touch any. A contract.
        AddressWithin "address.within" fn address_within(address: u32, region: u32) -> u32,
            First, Pure;
        /// Nothing waits for a safepoint, and nothing will before code calls a function, makes a
        /// box or stores to a constant address. A contract.
        SafepointPassed "safepoint.passed" fn safepoint_passed(), Nothing, Calls;
        /// 1 in residual code where nothing can wait for a safepoint, as [`safepoint_passed`] says;
        /// else 0. Also 0 where lockstep events are compiled in.
        SafepointNeedless "safepoint.needless" fn safepoint_needless() -> u32, Zero, Calls;
        /// Cells below `address` (of the same stack) are dead: their contents need not reach
        /// memory.
        CellsDropBelow "cells.drop_below" fn cells_drop_below(address: u32), Nothing, Calls;
        /// Brings memory up to date with all cells.
        CellsSync "cells.sync" fn cells_sync(), Nothing, Calls;
        /// The same for a collector, which only follows addresses: where a cell holds a box that is
        /// not made yet, memory may get an odd word.
        CellsSyncRoots "cells.sync_roots" fn cells_sync_roots(), Nothing, Calls;
        /// Forgets cached contents: other code may have changed the cells in memory. Every cell
        /// must have been synced (or dropped) before.
        CellsInvalidate "cells.invalidate" fn cells_invalidate(), Nothing, Calls;
        /// Returns the code that the call at `call` most often calls, where residual code is made
        /// by a profile that knows it; else 0. Where residual code counts for a profile, it tells
        /// the host of `code`, which is about to be called.
        ProfileCallee "profile.callee" fn profile_callee(call: u32, code: u32) -> u32, Zero, Calls;
        /// An event for lockstep: `kind`, interpreter position, stack pointer, a value. Syncs all
        /// cells when events are compiled in, else nothing.
        LockstepEvent "lockstep.event"
            fn lockstep_event(kind: u32, position: u32, sp: u32, value: i64), Nothing, Calls;
    }
    cells {
        /// Reads the cell at `address`.
        CellsRead "cells.read" fn cells_read(address: u32) -> i64, Load, Reads;
        /// Writes the cell at `address`.
        CellsWrite "cells.write" fn cells_write(address: u32, value: i64), Store, Writes;
    }
    weval {
        /// `specialize.value(value, low, high)`: the value, with one version of what follows for
        /// each value in `low..=high` (unsigned), and one for all others.
        WevalSpecialize "specialize.value" (u32, u32, u32) -> u32, First, Calls;
        /// `read.specialization.global(index)`: the request's constant of this number.
        WevalGlobal "read.specialization.global" (u32) -> i64, Trap, Pure;
        /// `read.reg(index)`: what was last written to this register of the activation.
        WevalReadRegister "read.reg" (i64) -> i64, Trap, Reads;
        /// `write.reg(index, value)`.
        WevalWriteRegister "write.reg" (i64, i64), Nothing, Calls;
        /// `push.stack(address, value)`: the top of the stack is now here; memory has it after a
        /// sync.
        WevalPush "push.stack" (u32, i64), Store, Writes;
        /// `pop.stack(address)`: the value on top. If memory has not got it, it never will.
        WevalPop "pop.stack" (u32) -> i64, Load, Calls;
        /// `read.stack(address, index)`: the value that many below the top, which is here.
        WevalReadStack "read.stack" (u32, u32) -> i64, Load, Reads;
        /// `write.stack(address, index, value)`: changes it.
        WevalWriteStack "write.stack" (u32, u32, i64), Store, Writes;
        /// `read.local(address, index)`: the local of this number, which is here.
        WevalReadLocal "read.local" (u32, u32) -> i64, Load, Reads;
        /// `write.local(address, index, value)`: changes it; memory has it after a sync.
        WevalWriteLocal "write.local" (u32, u32, i64), Store, Writes;
        /// `sync.stack()`: brings memory up to date with stack and locals, and forgets them.
        WevalSync "sync.stack" (), Nothing, Calls;
        /// `assert.const32(value, line)`: specialization must know the value.
        WevalAssertConst "assert.const32" (u32, u32), Nothing, Calls;
        /// `assert.specialized(line)`: it must know a position.
        WevalAssertSpecialized "assert.specialized" (u32), Nothing, Calls;
        /// `abort.specialization(line, fatal)`: it must not come here, if `fatal` is not 0.
        WevalAbort "abort.specialization" (u32, u32), Nothing, Calls;
        /// `trace.line(line)`: for people who debug the specializer.
        WevalTrace "trace.line" (u32), Nothing, Calls;
        /// `print(message, line, value)`: the same.
        WevalPrint "print" (u32, u32, u32), Nothing, Calls;
        /// `context.bucket(bucket)`: for statistics.
        WevalBucket "context.bucket" (u32), Nothing, Calls;
    }
}

impl Intrinsic {
    /// The intrinsic of this name.
    pub fn named(name: &str) -> Option<Self> {
        let mut all = Self::ALL.iter().copied();
        all.find(|intrinsic| intrinsic.name() == name)
    }

    /// The intrinsic that an import is.
    pub fn imported(module: &str, name: &str) -> Option<Self> {
        let mut all = Self::ALL.iter().copied();
        all.find(|intrinsic| intrinsic.imports().any(|import| import == (module, name)))
    }

    /// Module and name of its imports: weval has some that are the same as ours.
    pub fn imports(self) -> impl Iterator<Item = (&'static str, &'static str)> {
        let import = match self.name().strip_prefix("weval.") {
            Some(name) => (weval::MODULE, name),
            None => (MODULE, self.name()),
        };
        let of_weval = match self {
            Intrinsic::ContextPush => Some("push.context"),
            Intrinsic::ContextPop => Some("pop.context"),
            Intrinsic::ContextUpdate => Some("update.context"),
            _ => None,
        };
        let of_weval = of_weval.map(|name| (weval::MODULE, name));
        core::iter::once(import).chain(of_weval)
    }

    /// Whether what follows is specialized separately for several outcomes.
    pub const fn fans_out(self) -> bool {
        matches!(
            self,
            Intrinsic::SpecializeValue
                | Intrinsic::SpecializeRange
                | Intrinsic::SpecializeGuess
                | Intrinsic::WevalSpecialize
        )
    }
}

/// Whether imports from this module are intrinsics.
pub fn has_intrinsics(module: &str) -> bool {
    [MODULE, weval::MODULE].contains(&module)
}
