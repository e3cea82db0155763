/* Comparing: `caml_compare_unordered` is in `custom.h`. */

#ifndef CAML_COMPARE_H
#define CAML_COMPARE_H

#include "custom.h"

#endif
