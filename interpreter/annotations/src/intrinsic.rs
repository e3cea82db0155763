//! The table of intrinsics: import, signature, meaning in generic code, and effect.
//!
//! Everything about an intrinsic follows from its line in the table: the import that an interpreter
//! calls, what it does on other targets, and what the specializer, its linker and a host that runs
//! generic code take it for.

/// The Wasm module name of every intrinsic's import.
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
    /// It stores a cell: its second parameter at the address that is its first one.
    Store,
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
    ) => {
        /// An intrinsic.
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
        pub enum Intrinsic {
            $($(#[$doc])* $variant,)*
            $($(#[$cell_doc])* $cell_variant,)*
        }

        impl Intrinsic {
            /// Every intrinsic, in the table's order.
            pub const ALL: &[Intrinsic] =
                &[$(Intrinsic::$variant,)* $(Intrinsic::$cell_variant,)*];

            /// The name of its import.
            pub const fn name(self) -> &'static str {
                match self {
                    $(Intrinsic::$variant => $import,)*
                    $(Intrinsic::$cell_variant => $cell_import,)*
                }
            }

            pub const fn params(self) -> &'static [Type] {
                match self {
                    $(Intrinsic::$variant => &[$(<$ty as Wasm>::TYPE),*],)*
                    $(Intrinsic::$cell_variant => &[$(<$cell_ty as Wasm>::TYPE),*],)*
                }
            }

            pub fn result(self) -> Option<Type> {
                match self {
                    $(Intrinsic::$variant => [$(<$result as Wasm>::TYPE)?].first().copied(),)*
                    $(Intrinsic::$cell_variant => {
                        [$(<$cell_result as Wasm>::TYPE)?].first().copied()
                    })*
                }
            }

            pub const fn meaning(self) -> Meaning {
                match self {
                    $(Intrinsic::$variant => Meaning::$meaning,)*
                    $(Intrinsic::$cell_variant => Meaning::$cell_meaning,)*
                }
            }

            pub const fn effect(self) -> Effect {
                match self {
                    $(Intrinsic::$variant => Effect::$effect,)*
                    $(Intrinsic::$cell_variant => Effect::$cell_effect,)*
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
}

impl Intrinsic {
    /// The intrinsic whose import has this name.
    pub fn named(name: &str) -> Option<Self> {
        let mut all = Self::ALL.iter().copied();
        all.find(|intrinsic| intrinsic.name() == name)
    }

    /// Whether what follows is specialized separately for several outcomes.
    pub const fn fans_out(self) -> bool {
        matches!(
            self,
            Intrinsic::SpecializeValue | Intrinsic::SpecializeRange | Intrinsic::SpecializeGuess
        )
    }
}
