/* OCaml's channels, as far as camlbz2 looks into them: there is no interface to them in C, so
   opening one raises before anything is looked at. */

#ifndef BZ2_IO_H
#define BZ2_IO_H

#include <caml/fail.h>

struct channel {
    int fd;
};

static inline struct channel *no_channel(value channel)
{
    (void) channel;
    caml_failwith("Bz2: no streams on channels here, only compress and uncompress");
    return 0;
}

#define Channel(v) no_channel(v)

#endif
