#include <caml/alloc.h>
#include <caml/mlvalues.h>

double bench_step_unboxed(double a, double b) { return a * 0.5 + b; }

value bench_step(value a, value b)
{
    return caml_copy_double(bench_step_unboxed(Double_val(a), Double_val(b)));
}
