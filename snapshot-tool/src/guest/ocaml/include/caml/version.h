/* The version of OCaml whose interface for C this is. */

#ifndef CAML_VERSION_H
#define CAML_VERSION_H

#define OCAML_VERSION_MAJOR 4
#define OCAML_VERSION_MINOR 13
#define OCAML_VERSION_PATCHLEVEL 1
#define OCAML_VERSION 41301
#define OCAML_VERSION_STRING "4.13.1"

#endif
