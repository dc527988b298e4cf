/*
 * config_values - the values of the configuration, a member a key; durations in
 * nanoseconds.
 *
 * Memory     config_fini (cmd/config.h) releases the strings.
 * Threads    None.
 */
#ifndef CMD_CONFIG_VALUES_H
#define CMD_CONFIG_VALUES_H

#include <stdbool.h>
#include <stdint.h>

#include "cmd/config_parts.h"

struct config {
    struct config_listener grpc;
    struct config_listener http;
    struct config_listener query;
    struct config_listener admin;
    struct config_cors cors; /* of |http| */
    const char *traces_path;
    const char *other_signals; /* reject, discard */
    struct config_list tokens; /* of the receivers */
    const char *tokens_file;   /* more of them, one a line */
    struct config_list query_tokens;
    const char *query_tokens_file;
    struct config_list admin_tokens;
    const char *admin_tokens_file;
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
    bool exemplars;

    const char *toolsets;
    const char *query_tools;
    const char *query_exclude_tools;
    bool query_read_only;
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
    uint64_t reload_ns;
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
    struct {          /* by the command line, which goes before the file */
        bool dir;
        bool log_format;
    } asked;
    void *owned; /* the strings */
};

#endif
