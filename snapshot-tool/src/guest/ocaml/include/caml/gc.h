/* Headers of blocks: nothing beyond `mlvalues.h`. */

#ifndef CAML_GC_H
#define CAML_GC_H

#include "mlvalues.h"

#endif
