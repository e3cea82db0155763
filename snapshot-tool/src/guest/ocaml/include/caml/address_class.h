/* What an address is of: nothing here tells. Only numbers and blocks are told apart. */

#ifndef CAML_ADDRESS_CLASS_H
#define CAML_ADDRESS_CLASS_H

#include "mlvalues.h"

/* Each value that is a block is one of the heap's, or lives as long as the program. */
#define Is_in_value_area(v) 1
#define Is_in_heap_or_young(v) 1

#endif
