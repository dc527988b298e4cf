/*
 * metrics - the numbers the service keeps about itself.
 *
 * A fixed table of counters and gauges, named once in METRICS below, and a few
 * histograms of durations.  Anyone adds; /metrics prints them all in
 * OpenMetrics text.  Being one table, nothing is counted that is not shown.
 *
 * Threads    Any thread; adding is one relaxed atomic operation.
 */
#ifndef BASE_METRICS_H
#define BASE_METRICS_H

#include <stdint.h>

#include "base/buf.h"

/* clang-format off */
/*  id, type, name, labels, help; rows of one name stand together */
#define METRICS(X) \
    X(START_SECONDS, gauge, "process_start_time_seconds", "", "When the process began to serve, in Unix time") \
    X(RECEIVED_GRPC, counter, "spangraph_requests", "protocol=\"grpc\"", "Export requests received") \
    X(RECEIVED_HTTP, counter, "spangraph_requests", "protocol=\"http\"", "") \
    X(RECEIVED_BYTES, counter, "spangraph_received_bytes", "", "Request bytes received, after decompression") \
    X(SPANS_ACCEPTED, counter, "spangraph_spans", "result=\"accepted\"", "Spans by what became of them; repeats are accepted, too (`stats` has them apart from its spans)") \
    X(SPANS_REJECTED, counter, "spangraph_spans", "result=\"rejected\"", "") \
    X(SPANS_DUPLICATE, counter, "spangraph_spans", "result=\"duplicate\"", "") \
    X(REFUSED_INVALID, counter, "spangraph_refused_requests", "reason=\"invalid\"", "Requests refused, by reason") \
    X(REFUSED_TOO_LARGE, counter, "spangraph_refused_requests", "reason=\"too_large\"", "") \
    X(REFUSED_FULL, counter, "spangraph_refused_requests", "reason=\"full\"", "") \
    X(REFUSED_STORE, counter, "spangraph_refused_requests", "reason=\"store\"", "") \
    X(REFUSED_UNSUPPORTED, counter, "spangraph_refused_requests", "reason=\"unsupported\"", "") \
    X(REFUSED_DENIED, counter, "spangraph_refused_requests", "reason=\"denied\"", "") \
    X(DISCARDED_OTHER, counter, "spangraph_discarded_requests", "signal=\"other\"", "Logs, metrics and profiles answered and dropped") \
    X(TIME_CLAMPED, counter, "spangraph_clamped_times", "", "Span times moved into the accepted window") \
    X(PENDING, gauge, "spangraph_live_spans", "", "Spans held for pairing") \
    X(EVICTED, counter, "spangraph_evicted_spans", "", "Spans forgotten before their time because the table was full") \
    X(UNRESOLVED_PARENT, gauge, "spangraph_unresolved_spans", "kind=\"parent\"", "Spans whose other half never came: ingress without its parent, egress without a name or callee, links to nothing") \
    X(UNRESOLVED_EGRESS, gauge, "spangraph_unresolved_spans", "kind=\"egress\"", "") \
    X(UNRESOLVED_LINK, gauge, "spangraph_unresolved_spans", "kind=\"link\"", "") \
    X(NODES, gauge, "spangraph_nodes", "", "Names held: nodes and what stands for them") \
    X(EDGES, gauge, "spangraph_edges", "", "Rows of edges held, with those of what made none") \
    X(OVERFLOWED_NAMES, counter, "spangraph_overflowed", "what=\"name\"", "Times that something was counted at an overflow node because a bound was reached: of names (graph.max_nodes, max_routes, max_symbols), of edges (graph.max_edges)") \
    X(OVERFLOWED_EDGES, counter, "spangraph_overflowed", "what=\"edge\"", "") \
    X(QUEUE_STUBS, gauge, "spangraph_queue_spans", "", "Spans accepted and not yet committed") \
    X(COMMITS, counter, "spangraph_commits", "", "Journal transactions committed") \
    X(COMMIT_FAILURES, counter, "spangraph_commit_failures", "", "Journal transactions that failed") \
    X(JOURNAL_DAMAGED, counter, "spangraph_damaged_spans", "", "Spans that a start found damaged in the journal, and left out") \
    X(DATABASES_DAMAGED, counter, "spangraph_damaged_databases", "", "Databases, the spool of a sidecar among them, that were found damaged or gone, or without the end of their log") \
    X(STORE_BYTES, gauge, "spangraph_store_bytes", "", "Size of the database file and of the journal") \
    X(WAL_BYTES, gauge, "spangraph_wal_bytes", "", "Size of the write-ahead log of the database") \
    X(CONNECTIONS, gauge, "spangraph_connections", "", "Open connections") \
    X(MEMORY_RESERVED, gauge, "spangraph_request_bytes", "", "Memory reserved for requests under way") \
    X(MEMORY_LIMIT, gauge, "spangraph_request_limit_bytes", "", "Most that may be reserved so: store.request_memory for each listener") \
    X(HARDENING_NO_NEW_PRIVS, gauge, "spangraph_hardening", "feature=\"no_new_privs\"", "What the process has given up to be hard to hurt: 1 if the kernel took it") \
    X(HARDENING_UNDUMPABLE, gauge, "spangraph_hardening", "feature=\"undumpable\"", "") \
    X(HARDENING_NO_CORE, gauge, "spangraph_hardening", "feature=\"no_core\"", "") \
    X(HARDENING_LANDLOCK, gauge, "spangraph_hardening", "feature=\"landlock\"", "") \
    X(HARDENING_SECCOMP, gauge, "spangraph_hardening", "feature=\"seccomp\"", "") \
    X(SPOOL_BATCHES, gauge, "spangraph_spool_batches", "", "Sidecar: batches that wait for the gateway") \
    X(SPOOL_BYTES, gauge, "spangraph_spool_bytes", "state=\"waiting\"", "Sidecar: bytes kept on disk for the gateway") \
    X(SPOOL_ASIDE_BYTES, gauge, "spangraph_spool_bytes", "state=\"aside\"", "") \
    X(SPOOL_AGE, gauge, "spangraph_spool_age_seconds", "", "Sidecar: how long the oldest batch has waited") \
    X(FORWARD_TAKEN, counter, "spangraph_forward_attempts", "result=\"taken\"", "Sidecar: attempts to hand a batch to the gateway") \
    X(FORWARD_RETRIED, counter, "spangraph_forward_attempts", "result=\"retried\"", "") \
    X(FORWARD_REFUSED, counter, "spangraph_forward_attempts", "result=\"set_aside\"", "") \
    X(FORWARDED_BYTES, counter, "spangraph_forwarded_bytes", "", "Sidecar: compressed bytes the gateway has taken") \
    X(FORWARDED_SPANS, counter, "spangraph_forwarded_spans", "result=\"taken\"", "Sidecar: spans by what became of them; doubtful ones may have been counted before, and are taken, too") \
    X(FORWARDED_DOUBTFUL, counter, "spangraph_forwarded_spans", "result=\"doubtful\"", "") \
    X(FORWARDED_REJECTED, counter, "spangraph_forwarded_spans", "result=\"rejected\"", "") \
    X(FORWARDED_ASIDE, counter, "spangraph_forwarded_spans", "result=\"set_aside\"", "") \
    X(FORWARDED_LOST, counter, "spangraph_forwarded_spans", "result=\"lost\"", "") \
    X(SELF_SENT, counter, "spangraph_self_spans", "result=\"sent\"", "Spans of the service's own work: sent, lost on the way out, and come back and dropped") \
    X(SELF_LOST, counter, "spangraph_self_spans", "result=\"lost\"", "") \
    X(SELF_DROPPED, counter, "spangraph_self_spans", "result=\"dropped\"", "") \
    X(EMBED_VECTORS, gauge, "spangraph_embeddings", "state=\"stored\"", "Texts of search by whether they have a vector of the model (ai.embed_model)") \
    X(EMBED_PENDING, gauge, "spangraph_embeddings", "state=\"pending\"", "") \
    X(EMBED_REFUSED, gauge, "spangraph_embeddings", "state=\"refused\"", "") \
    X(EMBED_LEFT_OUT, gauge, "spangraph_embeddings", "state=\"left_out\"", "") \
    X(EMBED_REQUEST_OK, counter, "spangraph_embedding_requests", "result=\"ok\"", "Requests to the endpoint for texts of search") \
    X(EMBED_REQUEST_FAILED, counter, "spangraph_embedding_requests", "result=\"failed\"", "") \
    X(EMBED_QUERY_OK, counter, "spangraph_embedding_questions", "result=\"ok\"", "Questions by what became of their vector: asked for, remembered, failed, not asked for while the endpoint is left alone") \
    X(EMBED_QUERY_CACHED, counter, "spangraph_embedding_questions", "result=\"cached\"", "") \
    X(EMBED_QUERY_FAILED, counter, "spangraph_embedding_questions", "result=\"failed\"", "") \
    X(EMBED_QUERY_SKIPPED, counter, "spangraph_embedding_questions", "result=\"skipped\"", "") \
    X(MCP_CALLS, counter, "spangraph_mcp_calls", "result=\"ok\"", "MCP tool calls") \
    X(MCP_ERRORS, counter, "spangraph_mcp_calls", "result=\"error\"", "") \
    X(SSE_SESSIONS, gauge, "spangraph_mcp_sse_sessions", "", "Open sessions of /sse") \
    X(SSE_REFUSED, counter, "spangraph_mcp_sse_refused", "", "Sessions of /sse, and calls in one, refused because there were too many") \
    X(SSE_ENDED_CLIENT, counter, "spangraph_mcp_sse_ended", "reason=\"client\"", "Sessions of /sse ended: the client went, asked nothing, did not read, or the service stopped") \
    X(SSE_ENDED_IDLE, counter, "spangraph_mcp_sse_ended", "reason=\"idle\"", "") \
    X(SSE_ENDED_SLOW, counter, "spangraph_mcp_sse_ended", "reason=\"slow\"", "") \
    X(SSE_ENDED_STOP, counter, "spangraph_mcp_sse_ended", "reason=\"stop\"", "") \
    X(MCP_KEPT, counter, "spangraph_mcp_kept_answers", "", "MCP tool calls answered with what the same question was answered before")

#define METRIC_HISTOGRAMS(X) \
    X(DECODE_SECONDS, "spangraph_decode_seconds", "Time of reading the spans of one request, once it is decompressed") \
    X(FSYNC_SECONDS, "spangraph_fsync_seconds", "Time until the disk has what was written to the journal") \
    X(COMMIT_SECONDS, "spangraph_commit_seconds", "Time of one journal transaction") \
    X(FLUSH_SECONDS, "spangraph_flush_seconds", "Time of one flush of edges, with what was committed between its steps") \
    X(FLUSH_HOLD_SECONDS, "spangraph_flush_hold_seconds", "Time of one step of a flush, which requests wait for") \
    X(CHECKPOINT_SECONDS, "spangraph_checkpoint_seconds", "Time of moving the write-ahead log into the database, which requests wait for") \
    X(REQUEST_SECONDS, "spangraph_request_seconds", "Time from a whole request to its answer")
/* clang-format on */

#define METRIC_ID(id, type, name, labels, help) METRIC_##id,
enum metric { METRICS(METRIC_ID) METRIC_COUNT };
#undef METRIC_ID

#define METRIC_HISTOGRAM_ID(id, name, help) METRIC_##id,
enum metric_histogram {
    METRIC_HISTOGRAMS(METRIC_HISTOGRAM_ID) METRIC_HISTOGRAM_COUNT
};
#undef METRIC_HISTOGRAM_ID

void metrics_add(enum metric id, int64_t delta);
void metrics_set(enum metric id, int64_t value);
int64_t metrics_get(enum metric id);

/* metrics_observe adds one duration, in nanoseconds, to a histogram. */
void metrics_observe(enum metric_histogram id, uint64_t duration_ns);

/* metrics_print appends all of it to |out| as OpenMetrics 1.0 text, with the
 * closing `# EOF`. */
void metrics_print(struct buf *out);

#endif
