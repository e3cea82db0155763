/* What lwt finds out of a system when it is configured, for this one. */

#define HAVE_LIBEV
#define HAVE_PTHREAD
#define HAVE_ST_MTIM_TV_NSEC
