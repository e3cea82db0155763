//! Functions that can be specialized, as types: what a function pointer takes and gives, and the
//! word in memory through which one is called.
//!
//! Leaves out: functions with more than [`MAX_PARAMS`](crate::MAX_PARAMS) parameters, and
//! parameters of other types than Wasm's four and what is one of them (pointers, unsigned
//! integers).

use core::cell::Cell;

/// What one parameter of Wasm holds.
pub trait Scalar: Copy {
    /// The bits that a constant parameter has in the request table.
    fn bits(self) -> u64;
}

macro_rules! scalars {
    ($($ty:ty: $value:ident => $bits:expr;)*) => {
        $(impl Scalar for $ty {
            fn bits(self) -> u64 {
                let $value = self;
                $bits
            }
        })*
    };
}

scalars! {
    u32: value => value.into();
    i32: value => (value as u32).into();
    usize: value => value as u64;
    u64: value => value;
    i64: value => value as u64;
    f32: value => value.to_bits().into();
    f64: value => value.to_bits();
}

impl<T> Scalar for *const T {
    fn bits(self) -> u64 {
        self as usize as u64
    }
}

impl<T> Scalar for *mut T {
    fn bits(self) -> u64 {
        self as usize as u64
    }
}

/// A pointer to a function of C's calling convention, the only one whose Wasm type is certain.
pub trait Function: Copy {
    /// The types of its parameters, as a tuple.
    type Params;
    type Result;

    /// Its index in the table of functions. (Where there is no Wasm, half of its address.)
    fn index(self) -> u32;
}

/// The type at a place of a tuple.
pub trait At<const PLACE: usize> {
    type Type;
}

/// Implements [`Function`] for each number of parameters.
macro_rules! functions {
    () => {
        functions!(@pointers);
    };
    ($first:ident $($rest:ident)*) => {
        functions!(@pointers $first $($rest)*);
        functions!($($rest)*);
    };
    (@pointers $($param:ident)*) => {
        functions!(@pointer (extern "C" fn($($param),*) -> R) $($param)*);
        functions!(@pointer (unsafe extern "C" fn($($param),*) -> R) $($param)*);
    };
    (@pointer ($pointer:ty) $($param:ident)*) => {
        impl<$($param: Scalar,)* R> Function for $pointer {
            type Params = ($($param,)*);
            type Result = R;

            fn index(self) -> u32 {
                self as usize as u32
            }
        }
    };
}

functions!(A B C D E F G H I J K L M N O P);

/// Implements [`At`] for each place of tuples of each length.
macro_rules! places {
    ([$($all:ident)*]) => {
        places!(@each [$($all)*] $($all)*);
    };
    (@each [$($all:ident)*]) => {};
    (@each [$($all:ident)*] $first:ident $($rest:ident)*) => {
        impl<$($all),*> At<{ places!(@count $($all)*) - 1 - places!(@count $($rest)*) }>
            for ($($all,)*)
        {
            type Type = $first;
        }
        places!(@each [$($all)*] $($rest)*);
    };
    (@count) => { 0 };
    (@count $first:ident $($rest:ident)*) => { 1 + places!(@count $($rest)*) };
}

macro_rules! tuples {
    ([$($before:ident)*]) => {};
    ([$($before:ident)*] $next:ident $($rest:ident)*) => {
        places!([$($before)* $next]);
        tuples!([$($before)* $next] $($rest)*);
    };
}

tuples!([] A B C D E F G H I J K L M N O P);

/// The word through which a function of type `F` is called: it holds the generic function until the
/// linker puts the residual one there. It lasts as long as the program.
#[repr(transparent)]
#[derive(Debug)]
pub struct Slot<F: Copy>(Cell<F>);

// SAFETY: nothing writes the cell while the program runs; the linker does between two runs.
unsafe impl<F: Function> Sync for Slot<F> {}

impl<F: Function> Slot<F> {
    pub const fn new(generic: F) -> Self {
        Self(Cell::new(generic))
    }

    /// The function to call.
    #[inline(always)]
    pub fn get(&self) -> F {
        // SAFETY: the word is a valid function of this type, which the linker checks. Volatile:
        // no compiler may take it for what it was before the linker came.
        unsafe { self.0.as_ptr().read_volatile() }
    }

    pub(crate) fn address(&self) -> u32 {
        core::ptr::from_ref(self) as usize as u32
    }
}
