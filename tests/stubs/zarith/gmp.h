/* GMP as zarith needs it, over mini-gmp: what mini-gmp lacks is done with what it has, or declared
   only, so that `bactrian stubs --without` says what a call of it does. A limb has 64 bits, as
   zarith takes a value for a limb. */

#ifndef ZARITH_ON_MINI_GMP_H
#define ZARITH_ON_MINI_GMP_H

#include <string.h>

#include "mini-gmp.h"

#define _LONG_LONG_LIMB
#define __GNU_MP_VERSION 6
#define GMP_NAIL_BITS 0
#define GMP_NUMB_BITS 64
#define GMP_LIMB_BITS 64

static inline void zarith_take(mp_limb_t *to, mp_size_t size, const mpz_t from)
{
    mp_size_t used = mpz_size(from);
    memcpy(to, mpz_limbs_read(from), used * sizeof *to);
    memset(to + used, 0, (size - used) * sizeof *to);
}

static inline void zarith_give(mpz_t to, const mp_limb_t *from, mp_size_t size)
{
    mpz_t there;
    mpz_set(to, mpz_roinit_n(there, from, size));
}

static inline void mpn_tdiv_qr(mp_limb_t *q, mp_limb_t *r, mp_size_t zero, const mp_limb_t *n,
                               mp_size_t n_size, const mp_limb_t *d, mp_size_t d_size)
{
    mpz_t above, below, quotient, rest;
    (void)zero;
    mpz_init(quotient);
    mpz_init(rest);
    mpz_tdiv_qr(quotient, rest, mpz_roinit_n(above, n, n_size), mpz_roinit_n(below, d, d_size));
    zarith_take(q, n_size - d_size + 1, quotient);
    zarith_take(r, d_size, rest);
    mpz_clear(quotient);
    mpz_clear(rest);
}

/* By division: mini-gmp's own takes a limb for a `long`. */
static inline mp_size_t mpn_gcd(mp_limb_t *g, mp_limb_t *a, mp_size_t a_size, mp_limb_t *b,
                                mp_size_t b_size)
{
    mpz_t x, y;
    mpz_init(x);
    mpz_init(y);
    zarith_give(x, a, a_size);
    zarith_give(y, b, b_size);
    while (mpz_sgn(y) != 0) {
        mpz_tdiv_r(x, x, y);
        mpz_swap(x, y);
    }
    mp_size_t size = mpz_size(x);
    zarith_take(g, size, x);
    mpz_clear(x);
    mpz_clear(y);
    return size;
}

static inline mp_size_t mpn_gcdext(mp_limb_t *g, mp_limb_t *s, mp_size_t *s_size, mp_limb_t *a,
                                   mp_size_t a_size, mp_limb_t *b, mp_size_t b_size)
{
    mpz_t x, y, found, factor;
    mpz_init(found);
    mpz_init(factor);
    mpz_gcdext(found, factor, NULL, mpz_roinit_n(x, a, a_size), mpz_roinit_n(y, b, b_size));
    mp_size_t size = mpz_size(found);
    zarith_take(g, size, found);
    zarith_take(s, mpz_size(factor), factor);
    *s_size = mpz_sgn(factor) < 0 ? -(mp_size_t)mpz_size(factor) : (mp_size_t)mpz_size(factor);
    mpz_clear(found);
    mpz_clear(factor);
    return size;
}

static inline mp_bitcnt_t mpn_hamdist(const mp_limb_t *a, const mp_limb_t *b, mp_size_t size)
{
    mp_bitcnt_t count = 0;
    for (mp_size_t index = 0; index < size; index++)
        count += __builtin_popcountll(a[index] ^ b[index]);
    return count;
}

extern int mpz_perfect_power_p(const mpz_t);
extern void mpz_nextprime(mpz_t, const mpz_t);
extern int mpz_jacobi(const mpz_t, const mpz_t);
extern int mpz_legendre(const mpz_t, const mpz_t);
extern int mpz_kronecker(const mpz_t, const mpz_t);
extern mp_bitcnt_t mpz_remove(mpz_t, const mpz_t, const mpz_t);
extern void mpz_primorial_ui(mpz_t, unsigned long);
extern void mpz_bin_ui(mpz_t, const mpz_t, unsigned long);
extern void mpz_fib_ui(mpz_t, unsigned long);
extern void mpz_lucnum_ui(mpz_t, unsigned long);
extern void mpz_powm_sec(mpz_t, const mpz_t, const mpz_t, const mpz_t);
extern int mpz_divisible_ui_p(const mpz_t, unsigned long);
extern void mpz_2fac_ui(mpz_t, unsigned long);
extern void mpz_mfac_uiui(mpz_t, unsigned long, unsigned long);

#endif
