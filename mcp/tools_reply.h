/*
 * tools_reply - the envelope of a tool's reply: pages of rows, what is said
 * about them, and values.
 *
 * Threads    The run's.
 */
#ifndef MCP_TOOLS_REPLY_H
#define MCP_TOOLS_REPLY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/ids.h"
#include "base/str.h"
#include "graph/query_edges.h"
#include "mcp/tools_parts.h"

/* A list of |total| rows, from which one page is shown.  |key| tells rows
 * apart, whatever their order becomes. */
struct tool_page {
    struct tool_run *run;
    const char *name; /* of the array in the reply */
    cJSON *array;
    size_t total;
    size_t at;
    size_t end; /* by the limit */
    size_t first;
    size_t bytes; /* so far; at the start, what is kept for other members */
    uint64_t (*key)(const void *ctx, size_t i);
    const void *ctx;
};
/* page_reach is how many of the rows have to be in order for the page that will
 * be opened so; 0: all, since a cursor may be of any. */
size_t page_reach(struct tool_run *run, int64_t limit);
/* page_open reads limit and cursor. */
void page_open(struct tool_page *page, int64_t limit);
/* page_more: row page->at is to be shown. */
bool page_more(const struct tool_page *page);
/* page_add shows it; |row| is the page's. */
void page_add(struct tool_page *page, cJSON *row);
/* page_close adds total, returned, truncated and next_cursor. */
void page_close(struct tool_page *page);

uint64_t edge_row_key(const void *edges, size_t i);

/* reply_window adds what part of time was asked. */
void reply_window(struct tool_run *run, struct query_window window);
/* many is the ending of a word for |count| of its kind. */
static inline const char *
many(int64_t count)
{
    return count == 1 ? "" : "s";
}

void reply_summary(struct tool_run *run, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* reply_silence hints why there is nothing to show of |services|. */
void reply_silence(struct tool_run *run, const struct ids *services);
/* reply_orphans hints which of |services| were called, last since |from_s|, by
 * whom is not known; whether there are such. */
bool reply_orphans(struct tool_run *run, const struct ids *services,
                   uint32_t from_s);
/* reply_last returns when the last span came; none is hinted, and 0. */
uint32_t reply_last(struct tool_run *run);
/* reply_blind hints which of |services| send no spans. */
void reply_blind(struct tool_run *run, const struct ids *services);

cJSON *json_str(str value);
void put_str(cJSON *object, const char *name, str value);
void put_num(cJSON *object, const char *name, double value);
/* put_round keeps three significant digits; < 0 is null. */
void put_round(cJSON *object, const char *name, double value);
/* put_time adds Unix seconds, or null for 0. */
void put_time(cJSON *object, const char *name, uint32_t at_s);
void put_hash(cJSON *object, const char *name, const unsigned char hash[32]);
void
put_name(struct tool_run *run, cJSON *object, const char *name, uint32_t node);
/* put_qualified adds `service name`. */
void put_qualified(struct tool_run *run, cJSON *object, const char *name,
                   uint32_t node);
/* reply_env is the environment of an edge, of which an outside party has none;
 * put_env adds it, if there is one: rows may be alike but for it. */
str reply_env(struct tool_run *run, uint32_t source, uint32_t target);
void
put_env(struct tool_run *run, cJSON *object, uint32_t source, uint32_t target);
void put_versions(struct tool_run *run, cJSON *object, const char *name,
                  const uint32_t versions[QUERY_VERSIONS_MAX]);
/* put_code adds what function |node| is, where that is known: its name, where
 * it stands, how it was found. */
void
put_code(struct tool_run *run, cJSON *object, const char *name, uint32_t node);
void put_latency(cJSON *object, const struct query_detail *detail);
/* put_exemplars adds the traces row |i| was observed in, if any are kept. */
void put_exemplars(struct tool_run *run, cJSON *object,
                   const struct query_edges *edges, size_t i);

#endif
