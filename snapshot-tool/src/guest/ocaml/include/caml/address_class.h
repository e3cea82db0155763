/* What an address is of: nothing here tells. Only numbers and blocks are told apart. */

#ifndef CAML_ADDRESS_CLASS_H
#define CAML_ADDRESS_CLASS_H

#include "mlvalues.h"

#endif
