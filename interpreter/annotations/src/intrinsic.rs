//! The table of intrinsics: import, signature, meaning in generic code, and effect.
//!
//! Everything about an intrinsic follows from its entry in the table: the import that an
//! interpreter calls, what it does on other targets, and what the specializer, its linker and a
//! host that runs generic code take it for.

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
    /// It loads a cell of [`Intrinsic::cell_width`] at the address that is its first parameter.
    Load,
    /// It stores one: its last parameter at the address that is its first one.
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

/// What those on cells do there.
#[cfg(not(target_family = "wasm"))]
macro_rules! cell {
    ($variant:ident Load $address:ident) => {
        match Intrinsic::$variant.cell_width() {
            1 => core::ptr::with_exposed_provenance::<u8>($address as usize).read() as _,
            4 => core::ptr::with_exposed_provenance::<u32>($address as usize).read() as _,
            _ => core::ptr::with_exposed_provenance::<i64>($address as usize).read() as _,
        }
    };
    ($variant:ident Store $address:ident $value:ident) => {{
        let (address, value) = ($address as usize, $value as i64);
        match Intrinsic::$variant.cell_width() {
            1 => core::ptr::with_exposed_provenance_mut::<u8>(address).write(value as u8),
            4 => core::ptr::with_exposed_provenance_mut::<u32>(address).write(value as u32),
            _ => core::ptr::with_exposed_provenance_mut::<i64>(address).write(value),
        }
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
            $(#[doc = concat!("[`", stringify!($name), "`]")] $variant,)*
            $(#[doc = concat!("[`", stringify!($cell_name), "`]")] $cell_variant,)*
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
            #[inline(always)]
            pub unsafe fn $cell_name($($cell_arg: $cell_ty),*) $(-> $cell_result)? {
                // SAFETY: the caller's promise.
                #[cfg(target_family = "wasm")]
                unsafe { imports::$cell_name($($cell_arg),*) }
                // SAFETY: the same.
                #[cfg(not(target_family = "wasm"))]
                unsafe { cell!($cell_variant $cell_meaning $($cell_arg)*) }
            }
        )*
    };
}

mod table;

pub use table::*;

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

    /// Bytes of the cell that it reads or writes.
    pub const fn cell_width(self) -> u32 {
        match self {
            Intrinsic::CellsRead8 | Intrinsic::CellsWrite8 => 1,
            Intrinsic::CellsRead32 | Intrinsic::CellsWrite32 => 4,
            _ => 8,
        }
    }

    /// Whether what follows is specialized separately for several outcomes.
    pub const fn fans_out(self) -> bool {
        matches!(
            self,
            Intrinsic::SpecializeValue
                | Intrinsic::SpecializeRange
                | Intrinsic::SpecializeGuess
                | Intrinsic::SpecializeGuessByName
                | Intrinsic::WevalSpecialize
        )
    }
}

/// Whether imports from this module are intrinsics.
pub fn has_intrinsics(module: &str) -> bool {
    [MODULE, weval::MODULE].contains(&module)
}
