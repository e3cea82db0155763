/* wasi-libc has no setjmp; config.h does without. */
