#include <caml/mlvalues.h>

value bench_add(value a, value b) { return Val_long(Long_val(a) + Long_val(b)); }
