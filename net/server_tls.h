/*
 * server_tls - what a listener shows and asks for under TLS.
 *
 * Memory     Borrowed; whoever listens copies what it keeps.
 * Threads    None; a plain value.
 */
#ifndef NET_SERVER_TLS_H
#define NET_SERVER_TLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct server_tls {
    const char *cert_file; /* PEM chain; NULL: no TLS */
    const char *key_file;
    const char *client_ca_file; /* not NULL: clients must show a certificate */
    const char *const *allowed_names; /* of clients: SAN or CN; none: any */
    size_t allowed_len;
    bool needs_tls13;          /* else TLS 1.2 is taken, too; see net/grpc.h */
    bool only_tls12;           /* else TLS 1.3 is spoken, too */
    const char *const *suites; /* see net/tls_suites.h; none: the usual ones */
    size_t suite_len;
    uint32_t reload_ms; /* look for changed files; 0: only server_reload */
};

#endif
