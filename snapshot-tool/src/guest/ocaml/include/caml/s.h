/* What the system is like: see `config.h`. */

#include "config.h"
