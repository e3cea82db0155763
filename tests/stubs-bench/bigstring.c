#include <caml/bigarray.h>
#include <caml/mlvalues.h>

value bench_peek(value big, value at)
{
    return Val_long(((unsigned char *)Caml_ba_data_val(big))[Long_val(at)]);
}

value bench_poke(value big, value at, value byte)
{
    ((unsigned char *)Caml_ba_data_val(big))[Long_val(at)] = (unsigned char)Long_val(byte);
    return Val_unit;
}
