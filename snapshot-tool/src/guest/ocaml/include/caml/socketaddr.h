/* Addresses of sockets, as values of `Unix.sockaddr` and `Unix.inet_addr` and as C has them. */

#ifndef CAML_SOCKETADDR_H
#define CAML_SOCKETADDR_H

#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/un.h>

#include "misc.h"
#include "mlvalues.h"

#define HAS_SOCKETS
#define HAS_SOCKLEN_T
#define HAS_IPV6

union sock_addr_union {
    struct sockaddr s_gen;
    struct sockaddr_un s_unix;
    struct sockaddr_in s_inet;
    struct sockaddr_in6 s_inet6;
};

typedef socklen_t socklen_param_type;

extern void get_sockaddr(value, union sock_addr_union *, socklen_param_type *);
extern value alloc_sockaddr(union sock_addr_union *, socklen_param_type, int close_on_error);
extern value alloc_inet_addr(struct in_addr *);
extern value alloc_inet6_addr(struct in6_addr *);
#define GET_INET_ADDR(v) (*(struct in_addr *)Bp_val(v))
#define GET_INET6_ADDR(v) (*(struct in6_addr *)Bp_val(v))

#endif
