/*
 * Every key of the configuration: what it is called, what it takes, what it is
 * without a file, and what it means.  The reference and `check-config` are
 * printed from here.
 */
#include "cmd/config_keys.h"

#include <stddef.h>

#include "base/clock.h"

#define AT(member) offsetof(struct config, member)
#define MS         NS_PER_MS
#define S          NS_PER_S
#define H          (3600 * S)
#define DAY        (24 * H)
#define MS_MAX     (30 * DAY) /* fits 32 bits in milliseconds */
#define MIB        (UINT64_C(1) << 20)

/* clang-format off */
/* NOLINTBEGIN(bugprone-macro-parentheses): literals are joined, members named */
#define LISTENER(prefix, member, enabled_, endpoint_, what) \
    {prefix ".enabled", CONFIG_BOOL, AT(member.enabled), enabled_, NULL, "listen for " what, 0, 0}, \
    {prefix ".endpoint", CONFIG_STR, AT(member.endpoint), endpoint_, NULL, "host:port or unix:/path", 0, 0}, \
    {prefix ".transport", CONFIG_CHOICE, AT(member.transport), "tcp", "tcp unix", "with unix the endpoint may be the socket's path alone, as the Collector has it", 0, 0}, \
    {prefix ".max_request_body_size", CONFIG_BYTES, AT(member.body_bytes), "64MiB", NULL, "largest request, also once decompressed", 1024, 1024 * MIB}, \
    {prefix ".max_connections", CONFIG_UINT, AT(member.max_connections), "10000", NULL, "connections at once", 1, 1000000}, \
    {prefix ".max_connections_per_address", CONFIG_UINT, AT(member.address_connections), "0", NULL, "of one address, or of the first 64 bits of an IPv6 address; behind a proxy all clients are one address; 0: any number", 0, 1000000}, \
    {prefix ".max_connection_age", CONFIG_DURATION, AT(member.max_age_ns), "0s", NULL, "close a connection after this long, a tenth more or less, so that clients spread; 0s: never", 0, MS_MAX}, \
    {prefix ".tls.cert_file", CONFIG_FILE, AT(member.tls.cert_file), "", NULL, "PEM chain; turns TLS on", 0, 0}, \
    {prefix ".tls.key_file", CONFIG_FILE, AT(member.tls.key_file), "", NULL, "PEM key of it", 0, 0}, \
    {prefix ".tls.client_ca_file", CONFIG_FILE, AT(member.tls.client_ca_file), "", NULL, "clients must show a certificate of this authority", 0, 0}, \
    {prefix ".tls.allowed_names", CONFIG_LIST, AT(member.tls.allowed_names), "", NULL, "names a client certificate may have; empty: any", 0, 0}, \
    {prefix ".tls.min_version", CONFIG_CHOICE, AT(member.tls.min_version), "1.2", "1.2 1.3", "least version of TLS that is spoken", 0, 0}, \
    {prefix ".tls.max_version", CONFIG_CHOICE, AT(member.tls.max_version), "1.3", "1.2 1.3", "newest version that is spoken", 0, 0}, \
    {prefix ".tls.cipher_suites", CONFIG_LIST, AT(member.tls.suites), "", NULL, "those alone, the first preferred, by the names of IANA: TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256; of a version of which none is listed: the usual ones", 0, 0}, \
    {prefix ".tls.reload_interval", CONFIG_DURATION, AT(member.tls.reload_ns), "1m", NULL, "look for new certificate files this often", 0, MS_MAX}
/* NOLINTEND(bugprone-macro-parentheses) */

const struct config_key config_keys[] = {
    LISTENER("receivers.otlp.protocols.grpc", grpc, "true", "localhost:4317", "OTLP over gRPC"),
    LISTENER("receivers.otlp.protocols.http", http, "true", "localhost:4318", "OTLP over HTTP/1.1, HTTP/2 and gRPC"),
    {"receivers.otlp.protocols.http.traces_url_path", CONFIG_STR, AT(traces_path), "/v1/traces", NULL, "path of the traces signal", 0, 0},
    {"receivers.otlp.protocols.http.response_headers", CONFIG_HEADERS, AT(http.response_headers), "", NULL, "headers of each answer that does not say them itself", 0, 0},
    {"receivers.otlp.protocols.http.cors.allowed_origins", CONFIG_LIST, AT(cors.origins), "", NULL, "pages that may send spans, as globs: https://*.example.com", 0, 0},
    {"receivers.otlp.protocols.http.cors.allowed_headers", CONFIG_LIST, AT(cors.headers), "", NULL, "headers they may send besides Accept, Content-Type and the like, Authorization for one; *: any", 0, 0},
    {"receivers.otlp.protocols.http.cors.exposed_headers", CONFIG_LIST, AT(cors.exposed), "", NULL, "headers of answers that they may read besides Retry-After and WWW-Authenticate", 0, 0},
    {"receivers.otlp.protocols.http.cors.max_age", CONFIG_UINT, AT(cors.max_age_s), "0", NULL, "seconds for which a browser need not ask again whether they may; 0: its own default", 0, 86400},
    {"receivers.otlp.other_signals", CONFIG_CHOICE, AT(other_signals), "reject", "reject discard", "logs, metrics and profiles sent here", 0, 0},
    {"receivers.otlp.auth.tokens", CONFIG_LIST, AT(tokens), "", NULL, "bearer tokens accepted, also as the password of basic authentication with any name; empty: no token is asked for", 0, 0},
    {"receivers.otlp.auth.tokens_file", CONFIG_FILE, AT(tokens_file), "", NULL, "more of them, one a line", 0, 0},

    LISTENER("query", query, "true", "localhost:8080", "MCP, health and metrics"),
    {"query.response_headers", CONFIG_HEADERS, AT(query.response_headers), "", NULL, "headers of each answer that does not say them itself: Strict-Transport-Security for one", 0, 0},
    {"query.auth.tokens", CONFIG_LIST, AT(query_tokens), "", NULL, "bearer tokens accepted on /mcp and for names elsewhere; there also as the password of basic authentication", 0, 0},
    {"query.auth.tokens_file", CONFIG_FILE, AT(query_tokens_file), "", NULL, "more of them, one a line", 0, 0},
    {"query.auth.insecure", CONFIG_BOOL, AT(query_insecure), "false", NULL, "answer off this machine without a token", 0, 0},
    {"query.toolsets", CONFIG_STR, AT(toolsets), "default", NULL, "MCP tools offered: default, runtime, graph, context, knowledge, xplor, sibyl, knowing, all; with commas", 0, 0},
    {"query.tools", CONFIG_STR, AT(query_tools), "", NULL, "MCP tools offered, by name, with commas: these alone, whatever the toolsets", 0, 0},
    {"query.exclude_tools", CONFIG_STR, AT(query_exclude_tools), "", NULL, "MCP tools that are not offered, by name, with commas", 0, 0},
    {"query.read_only", CONFIG_BOOL, AT(query_read_only), "false", NULL, "offer no MCP tool that writes, whatever the toolsets", 0, 0},
    {"query.kept_answers", CONFIG_BYTES, AT(kept_answers), "8MiB", NULL, "answers of tools kept for who asks the same while nothing has changed, for 1 s at most; 0: none", 0, 1024 * MIB},
    {"query.index_paths", CONFIG_LIST, AT(index_paths), "", NULL, "folders that index_repo may read; none: any on standard input, none over HTTP", 0, 0},
    {"query.service_graph_metrics", CONFIG_BOOL, AT(service_graph_metrics), "true", NULL, "tell the services' calls on /metrics, as Grafana's service graph reads them", 0, 0},
    {"query.allowed_hosts", CONFIG_LIST, AT(allowed_hosts), "", NULL, "Host headers answered besides this machine's", 0, 0},
    {"query.allowed_origins", CONFIG_LIST, AT(allowed_origins), "", NULL, "origins of pages that may ask, besides this machine's; those listed may read what is answered from another origin, too (CORS)", 0, 0},
    {"query.timeout", CONFIG_DURATION, AT(answer_timeout_ns), "60s", NULL, "longest question, with its waiting for others; what only reads ends then, or when its client has gone; 0s: no bound", 0, 3600 * S},
    {"query.search_timeout", CONFIG_DURATION, AT(search_timeout_ns), "30s", NULL, "longest search; ways of searching that are not done by then are left out and told", MS, 300 * S},
    {"query.temporal_curve", CONFIG_CHOICE, AT(temporal_curve), "half_life", "half_life efold", "what age does to a hit in search: after temporal_decay_days it counts half, or 1/e", 0, 0},
    {"query.sse_idle_timeout", CONFIG_DURATION, AT(sse_idle_ns), "30m", NULL, "end a session of /sse, the transport before MCP 2025-03-26, that asks nothing for this long; 0s: no /sse", 0, DAY},

    LISTENER("admin", admin, "false", "localhost:8081", "/debug: connections, memory, store, threads"),
    {"admin.auth.tokens", CONFIG_LIST, AT(admin_tokens), "", NULL, "bearer tokens accepted there, also as the password of basic authentication; needed off this machine, unless clients show a certificate", 0, 0},
    {"admin.auth.tokens_file", CONFIG_FILE, AT(admin_tokens_file), "", NULL, "more of them, one a line", 0, 0},

    {"knowledge.strict_workflow", CONFIG_BOOL, AT(strict_workflow), "false", NULL, "refuse steps of a task that leave the workflow, instead of telling them", 0, 0},
    {"knowledge.roots", CONFIG_LIST, AT(roots), "", NULL, "folders that may be crawled, besides query.index_paths; none: any on standard input, none over HTTP", 0, 0},
    {"knowledge.refresh", CONFIG_BOOL, AT(refresh), "true", NULL, "crawl sources when their schedule says so", 0, 0},
    {"knowledge.crawl.enabled", CONFIG_BOOL, AT(crawl), "true", NULL, "crawl http and https sources", 0, 0},
    {"knowledge.crawl.allow", CONFIG_LIST, AT(crawl_allow), "", NULL, "hosts (globs) and networks that may be crawled though they are not public", 0, 0},
    {"knowledge.crawl.delay", CONFIG_DURATION, AT(crawl_delay_ns), "250ms", NULL, "pause between two requests to a site, at least", 0, 60 * S},
    {"knowledge.crawl.page_timeout", CONFIG_DURATION, AT(crawl_page_ns), "15s", NULL, "longest wait for one page", S, 300 * S},
    {"knowledge.crawl.max_time", CONFIG_DURATION, AT(crawl_time_ns), "10m", NULL, "longest crawl of one source", S, 24 * H},
    {"knowledge.crawl.max_page_size", CONFIG_BYTES, AT(crawl_page_bytes), "4MiB", NULL, "largest page, also once decompressed", 1024, 16 * MIB},
    {"knowledge.crawl.ca_file", CONFIG_STR, AT(crawl_ca_file), "", NULL, "PEM certificates to trust instead of the system's", 0, 0},

    {"ai.base_url", CONFIG_STR, AT(ai.base_url), "", NULL, "OpenAI-compatible endpoint that makes vectors of texts for search, as https://host/v1: /embeddings is asked; empty: search uses no model and nothing leaves", 0, 0},
    {"ai.api_key_env", CONFIG_STR, AT(ai.api_key_env), "", NULL, "name of the environment variable that holds the endpoint's key", 0, 0},
    {"ai.api_key_file", CONFIG_FILE, AT(ai.api_key_file), "", NULL, "file that holds it; goes before the variable", 0, 0},
    {"ai.ca_file", CONFIG_STR, AT(ai.ca_file), "", NULL, "authorities that vouch for the endpoint; empty: the system's", 0, 0},
    {"ai.embed_model", CONFIG_STR, AT(ai.model), "", NULL, "model to ask for; needed with base_url", 0, 0},
    {"ai.dim", CONFIG_UINT, AT(ai.dim), "0", NULL, "numbers of a vector to ask for; 0: the model's own, which is then not asked for", 0, 8192},
    {"ai.worlds", CONFIG_LIST, AT(ai.worlds), "", NULL, "whose texts are sent: knowledge, traces, code; empty: all", 0, 0},
    {"ai.timeout", CONFIG_DURATION, AT(ai.timeout_ns), "30s", NULL, "time for one request of texts", S / 10, 300 * S},
    {"ai.query_timeout", CONFIG_DURATION, AT(ai.query_timeout_ns), "2s", NULL, "how long a question waits for its vector before it is answered without", S / 100, 2 * S},
    {"ai.batch", CONFIG_UINT, AT(ai.batch), "64", NULL, "texts in one request", 1, 2000},
    {"ai.pause", CONFIG_DURATION, AT(ai.pause_ns), "200ms", NULL, "pause between two requests of texts, at least", 0, 60 * S},
    {"ai.max_text", CONFIG_BYTES, AT(ai.text_bytes), "4KiB", NULL, "what of one text is sent, from its beginning", 256, 32768},
    {"ai.max_memory", CONFIG_BYTES, AT(ai.memory_bytes), "256MiB", NULL, "of vectors in memory, a byte a number; texts beyond get none, those of code first", MIB, 65536 * MIB},

    {"pairing.wait", CONFIG_DURATION, AT(wait_ns), "60s", NULL, "how long a span waits for its other half", S / 1000, 24 * H},
    {"pairing.horizon", CONFIG_DURATION, AT(horizon_ns), "15m", NULL, "how long a span is remembered: repeats, late halves", S, 24 * H},
    {"pairing.link_horizon", CONFIG_DURATION, AT(link_horizon_ns), "24h", NULL, "how long a producer can be linked", S, 30 * DAY},
    {"pairing.max_spans", CONFIG_UINT, AT(max_spans), "4000000", NULL, "spans remembered at once, 125 to 170 bytes each", 1024, 1000000000},
    {"pairing.max_producers", CONFIG_UINT, AT(max_producers), "1000000", NULL, "producers remembered for links", 1024, 1000000000},

    {"intake.accepted_past", CONFIG_DURATION, AT(accepted_past_ns), "48h", NULL, "older span times are moved to this far back", S, 3650 * DAY},
    {"intake.accepted_future", CONFIG_DURATION, AT(accepted_future_ns), "10m", NULL, "later span times are moved to this far ahead", 0, 365 * DAY},
    {"intake.external_by_address", CONFIG_BOOL, AT(external_by_address), "false", NULL, "name an uninstrumented callee by its host when it has no peer name", 0, 0},
    {"intake.environment_by_k8s_namespace", CONFIG_BOOL, AT(environment_by_k8s_namespace), "false", NULL, "take k8s.namespace.name for the environment when none is sent", 0, 0},
    {"intake.sample_rate_key", CONFIG_STR, AT(sample_rate_key), "", NULL, "span attribute that says one in how many was kept", 0, 0},
    {"intake.exclude.routes", CONFIG_LIST, AT(exclude_routes), "", NULL, "endpoints that are probes, as globs: GET /health*", 0, 0},
    {"intake.exclude.user_agents", CONFIG_LIST, AT(exclude_agents), "", NULL, "user agents that are probes, as globs, besides the built-in ones", 0, 0},

    {"graph.max_nodes", CONFIG_UINT, AT(max_nodes), "2000000", NULL, "names of all kinds", 1000, 100000000},
    {"graph.max_routes", CONFIG_UINT, AT(max_routes), "3000", NULL, "routes guessed from paths, and tools of MCP, a service", 10, 1000000},
    {"graph.max_symbols", CONFIG_UINT, AT(max_symbols), "3000", NULL, "functions named by spans, a service", 10, 1000000},
    {"graph.max_edges", CONFIG_UINT, AT(max_edges), "1000000", NULL, "edges", 1000, 100000000},
    {"graph.exemplars", CONFIG_BOOL, AT(exemplars), "false", NULL, "keep up to four recent trace ids of each edge, two of failed calls; of an edge one a minute and failure", 0, 0},

    {"store.dir", CONFIG_STR, AT(dir), "data", NULL, "folder of the database", 0, 0},
    {"store.durability", CONFIG_CHOICE, AT(durability), "commit", "commit os memory", "when a request is acknowledged: on disk, with the system, at once", 0, 0},
    {"store.group_interval", CONFIG_DURATION, AT(group_ns), "5ms", NULL, "gather requests for one commit", 0, S},
    {"store.flush_interval", CONFIG_DURATION, AT(flush_ns), "1s", NULL, "write changed edges this often", S / 1000, 60 * S},
    {"store.queue_spans", CONFIG_UINT, AT(queue_spans), "262144", NULL, "spans accepted and not yet committed", 1024, 100000000},
    {"store.request_memory", CONFIG_BYTES, AT(request_bytes), "512MiB", NULL, "of all requests under way and their answers, for each listener; of one address (this machine: one connection) as much as it leaves to others, which gRPC core on 4317 does not know: that has as much again for what is not whole, at least four times max_request_body_size; an answer that all of it does not hold is 500: less than 2MiB does not hold the web page's largest file, uncompressed", MIB, 1048576 * MIB},
    {"store.keep_hours", CONFIG_UINT, AT(keep_hours), "48", NULL, "hour buckets kept", 1, 8760},
    {"store.keep_days", CONFIG_UINT, AT(keep_days), "400", NULL, "day buckets kept", 1, 36500},

    {"gc.interval", CONFIG_DURATION, AT(gc_interval_ns), "1h", NULL, "look for aged edges this often", S, 7 * DAY},
    {"gc.active", CONFIG_DURATION, AT(gc_active_ns), "7d", NULL, "an edge seen within this is active; whole days", DAY, 3650 * DAY},
    {"gc.stale", CONFIG_DURATION, AT(gc_stale_ns), "30d", NULL, "not seen for longer than this: stale; whole days", DAY, 3650 * DAY},
    {"gc.eligible", CONFIG_DURATION, AT(gc_eligible_ns), "90d", NULL, "not seen for longer than this: may be swept; whole days", DAY, 3650 * DAY},
    {"gc.grace", CONFIG_DURATION, AT(gc_grace_ns), "7d", NULL, "wait this long more before sweeping", 0, 3650 * DAY},
    {"gc.sweep", CONFIG_BOOL, AT(gc_sweep), "false", NULL, "sweep: drop the buckets of eligible edges; first and last stay", 0, 0},

    {"forward.endpoint", CONFIG_STR, AT(forward.endpoint), "", NULL, "gateway to hand spans on to, as https://host:4318; turns the service into a sidecar, without a graph", 0, 0},
    {"forward.headers", CONFIG_HEADERS, AT(forward.headers), "", NULL, "headers sent with each request", 0, 0},
    {"forward.auth.tokens", CONFIG_LIST, AT(forward.tokens), "", NULL, "the bearer token the gateway asks for", 0, 0},
    {"forward.auth.tokens_file", CONFIG_FILE, AT(forward.tokens_file), "", NULL, "file that holds it", 0, 0},
    {"forward.tls.ca_file", CONFIG_FILE, AT(forward.ca_file), "", NULL, "authorities that vouch for the gateway; empty: the system's", 0, 0},
    {"forward.tls.cert_file", CONFIG_FILE, AT(forward.cert_file), "", NULL, "PEM chain to show to the gateway", 0, 0},
    {"forward.tls.key_file", CONFIG_FILE, AT(forward.key_file), "", NULL, "PEM key of it", 0, 0},
    {"forward.tls.server_name", CONFIG_STR, AT(forward.server_name), "", NULL, "name in the gateway's certificate; empty: that of the endpoint", 0, 0},
    {"forward.timeout", CONFIG_DURATION, AT(forward.timeout_ns), "10s", NULL, "time for one attempt", S / 10, 300 * S},
    {"forward.batch.max_bytes", CONFIG_BYTES, AT(forward.batch_bytes), "1MiB", NULL, "send when a batch is this large, before compression", 1024, 64 * MIB},
    {"forward.batch.max_age", CONFIG_DURATION, AT(forward.batch_age_ns), "1s", NULL, "send when a batch is this old", S / 1000, 60 * S},
    {"forward.retry.initial_interval", CONFIG_DURATION, AT(forward.retry_first_ns), "1s", NULL, "wait this long after a failed attempt, then half as much again each time", S / 1000, 60 * S},
    {"forward.retry.max_interval", CONFIG_DURATION, AT(forward.retry_most_ns), "30s", NULL, "but no longer than this", S / 1000, 300 * S},
    {"forward.spool.max_bytes", CONFIG_BYTES, AT(forward.spool_bytes), "64MiB", NULL, "compressed spans kept in store.dir while the gateway does not take them; beyond, senders are refused", 64 << 10, 1048576 * MIB},

    {"service.drain", CONFIG_DURATION, AT(drain_ns), "10s", NULL, "time for requests under way when stopping", 0, 600 * S},
    {"service.reload_interval", CONFIG_DURATION, AT(reload_ns), "1m", NULL, "look this often whether files of tokens and keys, and those of forward.tls, have changed, and read them again; 0s: on SIGHUP only", 0, MS_MAX},
    {"service.sandbox", CONFIG_CHOICE, AT(sandbox), "auto", "auto off", "confine the process as far as the kernel can; read once, at the start", 0, 0},
    {"service.log.level", CONFIG_CHOICE, AT(log_level), "info", "debug info warn error", "least level logged", 0, 0},
    {"service.log.format", CONFIG_CHOICE, AT(log_format), "logfmt", "logfmt json", "shape of a log line", 0, 0},
    {"service.self_trace.enabled", CONFIG_BOOL, AT(self_trace.enabled), "false", NULL, "send spans of the service's own work: questions answered, flushes", 0, 0},
    {"service.self_trace.endpoint", CONFIG_STR, AT(self_trace.endpoint), "", NULL, "OTLP/HTTP, as http://host:4318; empty: OTEL_EXPORTER_OTLP_ENDPOINT, or this machine", 0, 0},
    {"service.self_trace.service_name", CONFIG_STR, AT(self_trace.service_name), "spangraph", NULL, "their service.name; spans of it that come in are dropped, so that it never tells of itself to itself", 0, 0},
    {"service.self_trace.one_in", CONFIG_UINT, AT(self_trace.one_in), "10", NULL, "one of so many is sent", 1, 1000000},
};
/* clang-format on */

const size_t config_key_len = sizeof(config_keys) / sizeof(config_keys[0]);

#define GRPC "receivers.otlp.protocols.grpc"

const struct config_alias config_aliases[] = {
    {GRPC ".max_recv_msg_size_mib", GRPC ".max_request_body_size", "MiB"},
    {GRPC ".keepalive.server_parameters.max_connection_age",
     GRPC ".max_connection_age", ""},
};

const size_t config_alias_len =
    sizeof(config_aliases) / sizeof(config_aliases[0]);
