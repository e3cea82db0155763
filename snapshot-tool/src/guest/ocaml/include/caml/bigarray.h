/* Bigarrays: arrays of numbers outside of OCaml's heap. */

#ifndef CAML_BIGARRAY_H
#define CAML_BIGARRAY_H

#include "config.h"
#include "mlvalues.h"

typedef signed char caml_ba_int8;
typedef unsigned char caml_ba_uint8;
typedef int16_t caml_ba_int16;
typedef uint16_t caml_ba_uint16;

#define CAML_BA_MAX_NUM_DIMS 16

enum caml_ba_kind {
    CAML_BA_FLOAT32,
    CAML_BA_FLOAT64,
    CAML_BA_SINT8,
    CAML_BA_UINT8,
    CAML_BA_SINT16,
    CAML_BA_UINT16,
    CAML_BA_INT32,
    CAML_BA_INT64,
    CAML_BA_CAML_INT,
    CAML_BA_NATIVE_INT,
    CAML_BA_COMPLEX32,
    CAML_BA_COMPLEX64,
    CAML_BA_CHAR
};
#define CAML_BA_KIND_MASK 0xFF
#define Caml_ba_kind_val(v) Int_val(v)
#define Val_caml_ba_kind(k) Val_int(k)

enum caml_ba_layout { CAML_BA_C_LAYOUT = 0, CAML_BA_FORTRAN_LAYOUT = 0x100 };
#define CAML_BA_LAYOUT_MASK 0x100
#define CAML_BA_LAYOUT_SHIFT 8
#define Caml_ba_layout_val(v) (Int_val(v) << CAML_BA_LAYOUT_SHIFT)
#define Val_caml_ba_layout(l) Val_int((l) >> CAML_BA_LAYOUT_SHIFT)

/* Who frees the data: C; the collector; the collector, as part of a file. */
enum caml_ba_managed { CAML_BA_EXTERNAL = 0, CAML_BA_MANAGED = 0x200, CAML_BA_MAPPED_FILE = 0x400 };
#define CAML_BA_MANAGED_MASK 0x600

struct caml_ba_proxy;

/* The flags have more bits than those above; dimensions are not to be changed. */
struct caml_ba_array {
    void *data;
    intnat num_dims;
    intnat flags;
    struct caml_ba_proxy *proxy;
    intnat dim[];
};

#define Caml_ba_array_val(v) ((struct caml_ba_array *)Data_custom_val(v))
#define Caml_ba_data_val(v) (Caml_ba_array_val(v)->data)

extern value caml_ba_alloc(int flags, int num_dims, void *data, intnat *dim);
extern value caml_ba_alloc_dims(int flags, int num_dims, void *data, ...);
extern uintnat caml_ba_byte_size(struct caml_ba_array *);
extern uintnat caml_ba_num_elts(struct caml_ba_array *);

#endif
