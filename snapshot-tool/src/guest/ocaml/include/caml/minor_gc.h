/* The young generation. */

#ifndef CAML_MINOR_GC_H
#define CAML_MINOR_GC_H

#include "config.h"
#include "memory.h"
#include "misc.h"
#include "mlvalues.h"

#endif
