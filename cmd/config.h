/*
 * config - what the operator wants, from one YAML file.
 *
 * The file has the shape of the Collector's (`receivers.otlp.protocols...`), so
 * that settings move over.  Without a file everything has a default that works
 * on one machine: listen on localhost, keep data in ./data.  Values may hold
 * `${env:NAME}` or `${env:NAME:-default}`.  A key that is none is refused with
 * its line and the nearest key.
 *
 *     config_init(&cfg); config_load(&cfg, "spangraph.yaml", &why)
 *
 * Every key stands once: cmd/config_keys.h.
 *
 * Memory     config_fini releases the strings.
 * Threads    None.
 */
#ifndef CMD_CONFIG_H
#define CMD_CONFIG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"

struct config_list {
    const char **item;
    size_t len;
};

struct config_tls {
    const char *cert_file;
    const char *key_file;
    const char *client_ca_file;
    struct config_list allowed_names;
    uint64_t reload_ns;
};

struct config_listener {
    bool enabled;
    const char *endpoint; /* host:port, or unix:/path */
    uint64_t body_bytes;
    uint64_t max_connections;
    uint64_t address_connections;
    uint64_t max_age_ns;
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

struct config {
    struct config_listener grpc;
    struct config_listener http;
    struct config_listener query;
    const char *traces_path;
    const char *other_signals; /* reject, discard */
    struct config_list tokens; /* of the receivers */
    const char *tokens_file;   /* more of them, one a line */
    struct config_list query_tokens;
    const char *query_tokens_file;
    struct config_list index_paths;
    struct config_list allowed_hosts;
    struct config_list allowed_origins;
    uint64_t sse_idle_ns;
    uint64_t search_timeout_ns;
    uint64_t answer_timeout_ns;
    const char *temporal_curve; /* half_life, efold */
    bool query_insecure;        /* answer off this machine without a token */
    bool service_graph_metrics;
    bool external_by_address;
    bool environment_by_k8s_namespace;
    bool strict_workflow;
    bool refresh; /* crawl sources when they are due */
    bool crawl;   /* sites */
    bool gc_sweep;

    uint64_t wait_ns;
    uint64_t horizon_ns;
    uint64_t link_horizon_ns;
    uint64_t max_spans;
    uint64_t max_producers;

    uint64_t accepted_past_ns;
    uint64_t accepted_future_ns;
    const char *sample_rate_key;
    struct config_list exclude_routes;
    struct config_list exclude_agents;

    uint64_t max_nodes;
    uint64_t max_routes;
    uint64_t max_symbols;
    uint64_t max_edges;

    const char *toolsets;
    uint64_t kept_answers; /* bytes */

    struct {
        const char *base_url; /* empty: no model */
        const char *api_key_env;
        const char *api_key_file;
        const char *ca_file;
        const char *model;
        uint64_t dim;
        struct config_list worlds; /* empty: all */
        uint64_t timeout_ns;
        uint64_t query_timeout_ns;
        uint64_t batch;
        uint64_t pause_ns;
        uint64_t text_bytes;
        uint64_t memory_bytes;
    } ai;

    struct config_list roots; /* folders that may be crawled */
    struct config_list crawl_allow;
    uint64_t crawl_delay_ns;
    uint64_t crawl_page_ns;
    uint64_t crawl_time_ns;
    uint64_t crawl_page_bytes;
    const char *crawl_ca_file;

    const char *dir;
    const char *durability; /* commit, os, memory */
    uint64_t group_ns;
    uint64_t flush_ns;
    uint64_t queue_spans;
    uint64_t request_bytes;
    uint64_t keep_hours;
    uint64_t keep_days;

    struct config_forward forward;

    uint64_t gc_interval_ns;
    uint64_t gc_active_ns;
    uint64_t gc_stale_ns;
    uint64_t gc_eligible_ns;
    uint64_t gc_grace_ns;

    uint64_t drain_ns;
    const char *sandbox; /* auto, off */
    const char *log_level;
    const char *log_format; /* logfmt, json */
    struct {
        bool enabled;
        const char *endpoint; /* "": the environment's */
        const char *service_name;
        uint64_t one_in;
    } self_trace;

    const char *file; /* that was read; NULL: none */
    void *owned;      /* the strings */
};

/* config_init sets the defaults.  ERR_NOMEM. */
enum err config_init(struct config *cfg);
void config_fini(struct config *cfg);

/*
 * config_load reads |file|, which is kept as a pointer, over what |cfg| holds.
 * |why| says where and what:
 * "spangraph.yaml:12: unknown key receivers.otlp.protocol; did you mean ..."
 *
 * ERR_INVALID  a key or value that is none
 * ERR_IO       the file cannot be read
 */
enum err config_load(struct config *cfg, const char *file, struct buf *why);

/* config_set sets one key from text, as the file would.  ERR_INVALID. */
enum err config_set(struct config *cfg, const char *path, const char *value,
                    struct buf *why);

/*
 * config_take makes the live keys of |cfg| those of |fresh|; |waiting| gets the
 * paths of the others that differ, which a restart would change, and of lists
 * that would lose their last entry.  ERR_NOMEM: not all were taken.  Nobody may
 * be reading a live key of |cfg|.
 */
enum err config_take(struct config *cfg, const struct config *fresh,
                     struct buf *waiting);

/* config_text is |text|, or NULL if the key was left empty. */
static inline const char *
config_text(const char *text)
{
    return text && *text ? text : NULL;
}

/* config_print appends what is in force as YAML, secrets masked;
 * config_print_json as one JSON object, keys by their whole path. */
void config_print(const struct config *cfg, struct buf *out);
void config_print_json(const struct config *cfg, struct buf *out);

/*
 * config_split_endpoint cuts "host:port" ("localhost" means 127.0.0.1; "[::1]"
 * and "unix:/path" are understood) into |host| of |cap| bytes and |port|.
 * ERR_INVALID.
 */
enum err config_split_endpoint(const char *endpoint, char *host, size_t cap,
                               uint16_t *port);

#endif
