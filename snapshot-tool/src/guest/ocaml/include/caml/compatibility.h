/* Names without a prefix, which OCaml 4 still has for old code. */

#ifndef CAML_COMPATIBILITY_H
#define CAML_COMPATIBILITY_H

#ifndef CAML_NAME_SPACE

#define alloc caml_alloc
#define alloc_small caml_alloc_small
#define alloc_tuple caml_alloc_tuple
#define alloc_string caml_alloc_string
#define alloc_final caml_alloc_final
#define alloc_custom caml_alloc_custom
#define alloc_shr caml_alloc_shr
#define copy_string caml_copy_string
#define copy_double caml_copy_double
#define copy_int32 caml_copy_int32
#define copy_int64 caml_copy_int64
#define copy_nativeint caml_copy_nativeint
#define string_length caml_string_length
#define modify caml_modify
#define initialize caml_initialize
#define failwith caml_failwith
#define invalid_argument caml_invalid_argument
#define raise_constant caml_raise_constant
#define raise_with_arg caml_raise_with_arg
#define raise_with_string caml_raise_with_string
#define raise_out_of_memory caml_raise_out_of_memory
#define raise_end_of_file caml_raise_end_of_file
#define raise_zero_divide caml_raise_zero_divide
#define raise_not_found caml_raise_not_found
#define array_bound_error caml_array_bound_error
#define callback caml_callback
#define callback2 caml_callback2
#define callback3 caml_callback3
#define callback_exn caml_callback_exn
#define callback2_exn caml_callback2_exn
#define callback3_exn caml_callback3_exn
#define enter_blocking_section caml_enter_blocking_section
#define leave_blocking_section caml_leave_blocking_section
#define register_global_root caml_register_global_root
#define remove_global_root caml_remove_global_root
#define stat_alloc caml_stat_alloc
#define stat_free caml_stat_free
#define stat_resize caml_stat_resize

#endif

#endif
