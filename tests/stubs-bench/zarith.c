/* zarith's C over mini-gmp, from where `scripts/stubs.sh` has them. */
#define HAS_GMP
#define MINI_GMP_LIMB_TYPE long long
#include "mini-gmp.c"
#include "more.c"
#include "caml_z.c"
