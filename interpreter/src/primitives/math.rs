//! The functions of analysis, as the C library of the platform computes them.

use crate::heap;
use crate::value::Value;

crate::primitives! {
    Allocates "caml_exp_float" exp, 1;
    Allocates "caml_exp2_float" exp2, 1;
    Allocates "caml_expm1_float" expm1, 1;
    Allocates "caml_log_float" log, 1;
    Allocates "caml_log2_float" log2, 1;
    Allocates "caml_log10_float" log10, 1;
    Allocates "caml_log1p_float" log1p, 1;
    Allocates "caml_sin_float" sin, 1;
    Allocates "caml_cos_float" cos, 1;
    Allocates "caml_tan_float" tan, 1;
    Allocates "caml_asin_float" asin, 1;
    Allocates "caml_acos_float" acos, 1;
    Allocates "caml_atan_float" atan, 1;
    Allocates "caml_atan2_float" atan2, 2;
    Allocates "caml_sinh_float" sinh, 1;
    Allocates "caml_cosh_float" cosh, 1;
    Allocates "caml_tanh_float" tanh, 1;
    Allocates "caml_asinh_float" asinh, 1;
    Allocates "caml_acosh_float" acosh, 1;
    Allocates "caml_atanh_float" atanh, 1;
    Allocates "caml_cbrt_float" cbrt, 1;
    Allocates "caml_erf_float" erf, 1;
    Allocates "caml_erfc_float" erfc, 1;
    Allocates "caml_hypot_float" hypot, 2;
    Allocates "caml_power_float" pow, 2;
    Allocates "caml_fmod_float" fmod, 2;
}

macro_rules! functions {
    ($($name:ident($($x:ident),*);)*) => {
        mod c {
            // SAFETY: C's functions on floats have no preconditions.
            unsafe extern "C" {
                $(pub safe fn $name($($x: f64),*) -> f64;)*
            }
        }

        $(
            fn $name($($x: Value),*) -> Value {
                heap::alloc_float(c::$name($($x.as_float()),*))
            }
        )*
    };
}

functions! {
    exp(x);
    exp2(x);
    expm1(x);
    log(x);
    log2(x);
    log10(x);
    log1p(x);
    sin(x);
    cos(x);
    tan(x);
    asin(x);
    acos(x);
    atan(x);
    atan2(y, x);
    sinh(x);
    cosh(x);
    tanh(x);
    asinh(x);
    acosh(x);
    atanh(x);
    cbrt(x);
    erf(x);
    erfc(x);
    hypot(x, y);
    pow(x, y);
    fmod(x, y);
}
