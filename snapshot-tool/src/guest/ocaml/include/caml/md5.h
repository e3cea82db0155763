/* The digest of `Digest`. */

#ifndef CAML_MD5_H
#define CAML_MD5_H

#include "misc.h"
#include "mlvalues.h"

struct MD5Context {
    uint32_t buf[4];
    uint32_t bits[2];
    unsigned char in[64];
};

extern void caml_MD5Init(struct MD5Context *);
extern void caml_MD5Update(struct MD5Context *, unsigned char *, uintnat);
extern void caml_MD5Final(unsigned char *digest, struct MD5Context *);
extern void caml_MD5Transform(uint32_t *state, uint32_t *words);
extern void caml_md5_block(unsigned char digest[16], const void *data, uintnat length);

#endif
