/* What the machine is like: see `config.h`. */

#include "config.h"
