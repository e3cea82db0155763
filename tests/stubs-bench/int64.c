#include <stdint.h>

#include <caml/alloc.h>
#include <caml/mlvalues.h>

int64_t bench_mix_unboxed(int64_t a, int64_t b)
{
    uint64_t x = (uint64_t)a * 0x9e3779b97f4a7c15u + (uint64_t)b;
    return (int64_t)(x ^ x >> 29);
}

value bench_mix(value a, value b)
{
    return caml_copy_int64(bench_mix_unboxed(Int64_val(a), Int64_val(b)));
}
