/*
 * config_parts - values of the configuration that belong together, and those
 * that there are more than once.
 *
 * Memory     The strings are those of struct config.
 * Threads    None.
 */
#ifndef CMD_CONFIG_PARTS_H
#define CMD_CONFIG_PARTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct config_list {
    const char **item;
    size_t len;
};

struct config_tls {
    const char *cert_file;
    const char *key_file;
    const char *client_ca_file;
    struct config_list allowed_names;
    const char *min_version; /* 1.2, 1.3 */
    const char *max_version; /* 1.2, 1.3 */
    struct config_list suites;
    uint64_t reload_ns;
};

struct config_cors {
    struct config_list origins;
    struct config_list headers;
    struct config_list exposed;
    uint64_t max_age_s;
};

struct config_listener {
    bool enabled;
    const char *endpoint;  /* host:port, or unix:/path */
    const char *transport; /* tcp, unix: as the endpoint says */
    uint64_t body_bytes;
    uint64_t max_connections;
    uint64_t address_connections;
    uint64_t max_age_ns;
    struct config_list response_headers; /* "Name: value" */
    struct config_tls tls;
};

/* Of a sidecar. */
struct config_forward {
    const char *endpoint; /* empty: this is no sidecar */
    struct config_list headers;
    struct config_list tokens;
    const char *tokens_file;
    const char *ca_file;
    const char *cert_file;
    const char *key_file;
    const char *server_name;
    uint64_t timeout_ns;
    uint64_t batch_bytes;
    uint64_t batch_age_ns;
    uint64_t retry_first_ns;
    uint64_t retry_most_ns;
    uint64_t spool_bytes;
};

#endif
