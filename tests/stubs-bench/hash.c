#include <caml/mlvalues.h>

value bench_hash(value string)
{
    uintnat hash = 0xcbf29ce484222325u;
    mlsize_t length = caml_string_length(string);
    for (mlsize_t i = 0; i < length; i++) hash = (hash ^ Byte_u(string, i)) * 0x100000001b3u;
    return Val_long(hash & 0xffffffff);
}
