/* Roots: see `memory.h`. */

#ifndef CAML_ROOTS_H
#define CAML_ROOTS_H

#include "config.h"
#include "memory.h"
#include "misc.h"
#include "mlvalues.h"

#endif
