//! What a guest says of itself that takes *stubs*: functions in another language, mostly C, which
//! its programs call.
//!
//! A linker joins the stubs to the guest before it is initialised. They see the guest's memory, its
//! stack of locals and its table as their own, and call those of the guest's functions that it
//! exports for that ([`STUB_INTERFACE_EXPORT`]). The linker leaves out these exports, so a guest
//! without stubs is no larger for having them.
//!
//! A stub raises without unwinding by the engine: an interface function that raises
//! ([`InterfaceEffects::raises`]) sets [`Stubs::unwinding`] and returns; behind each call that may
//! have led to it the linker puts a test of that word, and a return.

use core::sync::atomic::AtomicU32;

/// The name of the Wasm global that holds the address of a [`Stubs`].
pub const STUBS_EXPORT: &str = "BACTRIAN_STUBS";

/// What the name of an interface function's export begins with. Letters for what it may do follow
/// ([`InterfaceEffects`]), then a colon, then its name in C.
pub const STUB_INTERFACE_EXPORT: &str = "stubs:";

/// The interface function that a primitive calls with the address of its [`StubPrimitive`] when the
/// stub has returned 0: it raised, or it returned what is no value.
pub const STUB_RETURNED_ZERO: &str = "bactrian_stub_returned_zero";

/// The interface function that stands for one in C that nothing defines: it raises. It is called
/// with the address of the name.
pub const STUB_IS_MISSING: &str = "bactrian_stub_is_missing";

/// What host, linker and guest tell each other of stubs.
#[repr(C)]
#[derive(Debug, Default)]
pub struct Stubs {
    /// Address and number of [`StubPrimitive`]s; written by the linker.
    pub primitives: AtomicU32,
    pub primitives_len: AtomicU32,
    /// The table index of a function without parameters that runs the stubs' constructors, 0 if
    /// there are none; written by the linker.
    pub initialise: AtomicU32,
    /// The same for what is to be done when the program ends.
    pub finish: AtomicU32,
    /// The first function that the linker added, by its index: that and all behind it are stubs'. 0
    /// if there are none; written by the linker.
    pub functions: AtomicU32,
    /// 1 while calls of stubs are being left because one raised.
    pub unwinding: AtomicU32,
    /// The innermost block of local roots, 0 if there is none.
    pub local_roots: AtomicU32,
    /// Set by a comparison of two values that are unordered.
    pub unordered: AtomicU32,
}

/// A function of a stub that programs can call by its name.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct StubPrimitive {
    /// Address and length of the name.
    pub name: u32,
    pub name_len: u32,
    /// Its table index.
    pub function: u32,
    /// How many arguments it takes, or [`STUB_ARGUMENTS_IN_MEMORY`].
    pub arity: u8,
    pub effects: u8,
    pub reserved: u16,
}

/// The arity of a function that takes the address of the first argument, and their number.
pub const STUB_ARGUMENTS_IN_MEMORY: u8 = 255;

/// What a function may do, as bits and as letters.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct InterfaceEffects(pub u8);

impl InterfaceEffects {
    pub const ALLOCATES: Self = Self(1);
    pub const COLLECTS: Self = Self(2);
    pub const RAISES: Self = Self(4);
    /// It returns a block that it made: not 0, so it does not raise. This says nothing of who calls
    /// it.
    pub const MAKES: Self = Self(8);

    const LETTERS: [(u8, Self); 4] = [
        (b'a', Self::ALLOCATES),
        (b'c', Self::COLLECTS),
        (b'r', Self::RAISES),
        (b'm', Self::MAKES),
    ];

    pub const fn or(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// What is true of a caller as well.
    pub const fn of_callers(self) -> Self {
        Self(self.0 & !Self::MAKES.0)
    }

    pub const fn has(self, other: Self) -> bool {
        self.0 & other.0 == other.0
    }

    /// What the name of an interface function's export says: the effects, and the name.
    pub fn of_export(export: &str) -> Option<(Self, &str)> {
        let (letters, name) = export
            .strip_prefix(STUB_INTERFACE_EXPORT)?
            .split_once(':')?;
        let mut effects = Self::default();
        for letter in letters.bytes() {
            let known = Self::LETTERS.iter().find(|(known, _)| *known == letter);
            effects = effects.or(known?.1);
        }
        Some((effects, name))
    }
}

impl Stubs {
    pub const fn new() -> Self {
        Self {
            primitives: AtomicU32::new(0),
            primitives_len: AtomicU32::new(0),
            initialise: AtomicU32::new(0),
            finish: AtomicU32::new(0),
            functions: AtomicU32::new(0),
            unwinding: AtomicU32::new(0),
            local_roots: AtomicU32::new(0),
            unordered: AtomicU32::new(0),
        }
    }
}
