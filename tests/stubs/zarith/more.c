/* Functions of GMP that mini-gmp leaves out, by their definitions, as GMP's manual has them. */

#include "gmp.h"

/* The smallest prime above. */
void mpz_nextprime(mpz_t result, const mpz_t from)
{
    enum { ROUNDS = 25 };
    if (mpz_cmp_ui(from, 2) < 0) {
        mpz_set_ui(result, 2);
        return;
    }
    mpz_add_ui(result, from, mpz_odd_p(from) ? 2 : 1);
    while (mpz_probab_prime_p(result, ROUNDS) == 0) mpz_add_ui(result, result, 2);
}

/* Kronecker's symbol, which extends the other two. */
int mpz_kronecker(const mpz_t above, const mpz_t below)
{
    mpz_t a, b;
    if (mpz_sgn(below) == 0) return mpz_cmpabs_ui(above, 1) == 0;
    if (mpz_even_p(above) && mpz_even_p(below)) return 0;
    mpz_init_set(a, above);
    mpz_init_set(b, below);
    int sign = 1;
    if (mpz_sgn(b) < 0) {
        mpz_neg(b, b);
        if (mpz_sgn(a) < 0) sign = -sign;
    }
    /* What two to such a power contributes: by the other number modulo 8. */
    mp_bitcnt_t twos = mpz_scan1(b, 0);
    mpz_tdiv_q_2exp(b, b, twos);
    unsigned long rest = mpz_fdiv_ui(a, 8);
    if (twos & 1 && (rest == 3 || rest == 5)) sign = -sign;
    mpz_fdiv_r(a, a, b);
    while (mpz_sgn(a) != 0) {
        twos = mpz_scan1(a, 0);
        mpz_tdiv_q_2exp(a, a, twos);
        rest = mpz_fdiv_ui(b, 8);
        if (twos & 1 && (rest == 3 || rest == 5)) sign = -sign;
        if (mpz_fdiv_ui(a, 4) == 3 && mpz_fdiv_ui(b, 4) == 3) sign = -sign;
        mpz_swap(a, b);
        mpz_fdiv_r(a, a, b);
    }
    int symbol = mpz_cmp_ui(b, 1) == 0 ? sign : 0;
    mpz_clear(a);
    mpz_clear(b);
    return symbol;
}

int mpz_jacobi(const mpz_t a, const mpz_t b) { return mpz_kronecker(a, b); }

int mpz_legendre(const mpz_t a, const mpz_t b) { return mpz_kronecker(a, b); }

/* A number without a factor; how often that was there. */
mp_bitcnt_t mpz_remove(mpz_t result, const mpz_t from, const mpz_t factor)
{
    mp_bitcnt_t count = 0;
    mpz_t quotient;
    mpz_set(result, from);
    if (mpz_sgn(from) == 0) return 0;
    mpz_init(quotient);
    while (mpz_divisible_p(result, factor)) {
        mpz_divexact(quotient, result, factor);
        mpz_swap(result, quotient);
        count++;
    }
    mpz_clear(quotient);
    return count;
}

/* Whether it is a power with an exponent above one, as are 0 and ±1. */
int mpz_perfect_power_p(const mpz_t number)
{
    if (mpz_cmpabs_ui(number, 1) <= 0) return 1;
    mpz_t root;
    mpz_init(root);
    int found = 0;
    unsigned long bits = mpz_sizeinbase(number, 2);
    for (unsigned long exponent = 2; !found && exponent <= bits; exponent++)
        if (mpz_sgn(number) > 0 || exponent % 2 == 1) found = mpz_root(root, number, exponent);
    mpz_clear(root);
    return found;
}

/* The product of all primes up to a number. */
void mpz_primorial_ui(mpz_t result, unsigned long last)
{
    mpz_t prime;
    mpz_init_set_ui(prime, 2);
    mpz_set_ui(result, 1);
    while (mpz_cmp_ui(prime, last) <= 0) {
        mpz_mul(result, result, prime);
        mpz_nextprime(prime, prime);
    }
    mpz_clear(prime);
}

/* Each step leaves a binomial coefficient, so the divisions are exact, also for negative numbers. */
void mpz_bin_ui(mpz_t result, const mpz_t from, unsigned long chosen)
{
    mpz_t factor;
    mpz_init_set(factor, from);
    mpz_set_ui(result, 1);
    for (unsigned long step = 1; step <= chosen && mpz_sgn(result) != 0; step++) {
        mpz_mul(result, result, factor);
        mpz_divexact_ui(result, result, step);
        mpz_sub_ui(factor, factor, 1);
    }
    mpz_clear(factor);
}

/* Sums of the two before, from these two on. */
static void sums(mpz_t result, unsigned long first, unsigned long second, unsigned long number)
{
    mpz_t next;
    mpz_init_set_ui(next, second);
    mpz_set_ui(result, first);
    for (; number > 0; number--) {
        mpz_add(result, result, next);
        mpz_swap(result, next);
    }
    mpz_clear(next);
}

void mpz_fib_ui(mpz_t result, unsigned long number) { sums(result, 0, 1, number); }

void mpz_lucnum_ui(mpz_t result, unsigned long number) { sums(result, 2, 1, number); }

/* The same number, but it takes a time that tells of the operands. */
void mpz_powm_sec(mpz_t result, const mpz_t base, const mpz_t exponent, const mpz_t modulus)
{
    mpz_powm(result, base, exponent, modulus);
}

/* zarith has GMP's own function divide where it knows that nothing remains. */
void __gmpn_divexact(mp_limb_t *quotient, const mp_limb_t *above, mp_size_t above_size,
                     const mp_limb_t *below, mp_size_t below_size)
{
    mpz_t result, a, b;
    mpz_init(result);
    mpz_divexact(result, mpz_roinit_n(a, above, above_size), mpz_roinit_n(b, below, below_size));
    zarith_take(quotient, above_size - below_size + 1, result);
    mpz_clear(result);
}
