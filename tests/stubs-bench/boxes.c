#include <caml/alloc.h>
#include <caml/mlvalues.h>

value bench_scale(value a, value b)
{
    return caml_copy_double(Double_val(a) * 0.5 + Double_val(b));
}
