/* MD5 piece by piece, as RFC 1321 describes it. Each file of stubs has a copy. */

#include <math.h>
#include <string.h>

#include "caml/md5.h"

enum { BLOCK = 64, LENGTH = 8 };

static uint32_t rotated(uint32_t x, int bits) { return x << bits | x >> (32 - bits); }

void caml_MD5Transform(uint32_t *state, uint32_t *words)
{
    static const unsigned char shifts[4][4] = {
        {7, 12, 17, 22}, {5, 9, 14, 20}, {4, 11, 16, 23}, {6, 10, 15, 21}};
    /* The bits of sines that the steps add. */
    static uint32_t sines[64];
    if (sines[0] == 0)
        for (int step = 0; step < 64; step++)
            sines[step] = (uint32_t)(4294967296.0 * fabs(sin(step + 1)));
    uint32_t a = state[0], b = state[1], c = state[2], d = state[3];
    for (int step = 0; step < 64; step++) {
        uint32_t mixed;
        int word;
        switch (step / 16) {
        case 0: mixed = (b & c) | (~b & d), word = step; break;
        case 1: mixed = (b & d) | (c & ~d), word = 5 * step + 1; break;
        case 2: mixed = b ^ c ^ d, word = 3 * step + 5; break;
        default: mixed = c ^ (b | ~d), word = 7 * step; break;
        }
        mixed += a + sines[step] + words[word % 16];
        a = d, d = c, c = b;
        b += rotated(mixed, shifts[step / 16][step % 4]);
    }
    state[0] += a, state[1] += b, state[2] += c, state[3] += d;
}

/* Numbers are stored as they are read here: the lowest byte first. */
static void transform(struct MD5Context *context)
{
    uint32_t words[16];
    memcpy(words, context->in, BLOCK);
    caml_MD5Transform(context->buf, words);
}

void caml_MD5Init(struct MD5Context *context)
{
    static const uint32_t start[4] = {0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476};
    memcpy(context->buf, start, sizeof start);
    memset(context->bits, 0, sizeof context->bits);
}

void caml_MD5Update(struct MD5Context *context, unsigned char *bytes, uintnat length)
{
    uint64_t bits;
    memcpy(&bits, context->bits, LENGTH);
    uint32_t held = bits / 8 % BLOCK;
    bits += (uint64_t)length * 8;
    memcpy(context->bits, &bits, LENGTH);
    while (length > 0) {
        uint32_t part = length < BLOCK - held ? (uint32_t)length : BLOCK - held;
        memcpy(context->in + held, bytes, part);
        held += part, bytes += part, length -= part;
        if (held == BLOCK) {
            transform(context);
            held = 0;
        }
    }
}

void caml_MD5Final(unsigned char *digest, struct MD5Context *context)
{
    static unsigned char padding[BLOCK] = {0x80};
    unsigned char bits[LENGTH];
    memcpy(bits, context->bits, LENGTH);
    uint32_t held = context->bits[0] / 8 % BLOCK;
    uint32_t end = held < BLOCK - LENGTH ? BLOCK - LENGTH : 2 * BLOCK - LENGTH;
    caml_MD5Update(context, padding, end - held);
    caml_MD5Update(context, bits, LENGTH);
    memcpy(digest, context->buf, 16);
    memset(context, 0, sizeof *context);
}
