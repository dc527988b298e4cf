/*
 * context_format - a context (graph/context.h) as text that fits a budget.
 *
 * xml       one element a symbol, then the arcs between them; the default
 * json      {"symbols":[...],"edges":[...]}
 * markdown  lists, for people
 * gcf       the line format of `knowing`, profile graph: a header, sections by
 *           distance, `@id kind name score evidence [file:line]`, and
 *           `@target<@source type`.  In names a space, `%` and controls are
 *           written `%20` and so on, because fields end at spaces.
 * gcb       the same in bytes, in base64 (mcp/context_gcb.c)
 *
 * Ids are numbers from 0, by distance, then by score.
 *
 * Bound      Never more than |budget| tokens of PACK_TOKEN_BYTES bytes, frame
 *            and all; of gcb, in base64.
 * Threads    Any.
 */
#ifndef MCP_CONTEXT_FORMAT_H
#define MCP_CONTEXT_FORMAT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "graph/context.h"

/* Room for what is around symbols and arcs, in any format. */
enum { CONTEXT_FRAME_TOKENS = 60, CONTEXT_BUDGET_MIN = 100 };

enum context_format {
    CONTEXT_XML,
    CONTEXT_JSON,
    CONTEXT_MARKDOWN,
    CONTEXT_GCF,
    CONTEXT_GCB,
    CONTEXT_FORMATS
};
/* context_format_of reads the word; false for any other. */
bool context_format_of(str word, enum context_format *out);

/* What was chosen of a context. */
struct context_pick {
    const struct context *context;
    const char *tool;
    size_t budget;
    size_t tokens;
    uint32_t *rows;  /* by id */
    uint32_t *id_of; /* by row: id + 1; 0: left out */
    uint32_t *arcs;
    size_t len;
    size_t arc_len;
};

/* How a format is written; a function that is NULL writes nothing. */
struct context_writer {
    void (*open)(struct buf *out, const struct context_pick *pick);
    /* before the first symbol of a distance */
    void (*section)(struct buf *out, uint8_t distance);
    void (*symbol)(struct buf *out, const struct context_symbol *row,
                   uint32_t id);
    void (*middle)(struct buf *out, const struct context_pick *pick);
    /* |index| counts from 0 */
    void (*arc)(struct buf *out, const struct context_pick *pick,
                const struct context_arc *arc, uint32_t index);
    void (*close)(struct buf *out);
    bool is_binary; /* to be sent in base64 */
};
extern const struct context_writer context_xml;
extern const struct context_writer context_json;
extern const struct context_writer context_markdown;
extern const struct context_writer context_gcf;
extern const struct context_writer context_gcb;

/* context_add_base64 appends |bytes| in base64, with padding. */
void context_add_base64(struct buf *out, str bytes);

struct context_text {
    struct buf content;
    size_t tokens;
    size_t symbols;
    size_t arcs;
};

/* context_write chooses and writes.  |budget| is at least CONTEXT_BUDGET_MIN.
 * ERR_NOMEM. */
enum err context_write(const struct context *context, const char *tool,
                       enum context_format format, size_t budget,
                       struct context_text *out);
void context_text_fini(struct context_text *text);

#endif
