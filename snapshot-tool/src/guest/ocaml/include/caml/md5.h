/* The digest of `Digest`. */

#ifndef CAML_MD5_H
#define CAML_MD5_H

#include "misc.h"
#include "mlvalues.h"

extern void caml_md5_block(unsigned char digest[16], const void *data, uintnat length);

#endif
