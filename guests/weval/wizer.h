/* What weval's example takes of Wizer's header, for Debian's wasi-libc, with which that header does
 * not compile: `wizer.resume` is the start of what comes out. Constructors have run before, in the
 * reactor's `_initialize`. */
#ifndef BACTRIAN_WIZER_H
#define BACTRIAN_WIZER_H

#include <stdlib.h>

#define WIZER_DEFAULT_INIT()                                                                       \
    extern "C" int __main_void(void);                                                              \
    extern "C" __attribute__((export_name("wizer-initialize"))) void bactrian_initialize(void) {}  \
    extern "C" __attribute__((export_name("wizer.resume"))) void bactrian_resume(void) {           \
        exit(__main_void());                                                                       \
    }

#endif
