/*
 * GCF, profile graph.  A symbol's line has five fields that its decoders read
 * (id, kind, name, score, provenance) and one that they skip, file and line.
 */
#include <inttypes.h>

#include "mcp/context_format.h"

/* Kinds have short names where the format gives them one. */
static const char *
short_kind(const struct context_symbol *row)
{
    switch (row->kind_code) {
    case CODE_FUNCTION:
        return "fn";
    case CODE_INTERFACE:
        return "iface";
    case CODE_ROUTE:
    case CONTEXT_OBSERVED + NODE_ROUTE:
        return "route";
    case CONTEXT_OBSERVED + NODE_SERVICE:
        return "svc";
    case CONTEXT_OBSERVED + NODE_EXTERNAL:
        return "ext";
    default:
        return row->kind;
    }
}

static void
add_field(struct buf *out, str text)
{
    for (size_t i = 0; i < text.len; i++) {
        unsigned char c = (unsigned char)text.ptr[i];
        if (c <= ' ' || c == '%' || c == 0x7f)
            buf_printf(out, "%%%02X", (unsigned)c);
        else
            buf_add_char(out, (char)c);
    }
    if (text.len == 0)
        buf_add_char(out, '-');
}

static void
gcf_open(struct buf *out, const struct context_pick *pick)
{
    buf_printf(out,
               "GCF profile=graph tool=%s budget=%zu tokens=%zu symbols=%zu "
               "edges=%zu\n",
               pick->tool, pick->budget, pick->tokens, pick->len,
               pick->arc_len);
}

static void
gcf_section(struct buf *out, uint8_t distance)
{
    static const char *const names[] = {"targets", "related", "extended"};

    if (distance < sizeof(names) / sizeof(names[0]))
        buf_printf(out, "## %s\n", names[distance]);
    else
        buf_printf(out, "## distance_%u\n", (unsigned)distance);
}

static void
gcf_symbol(struct buf *out, const struct context_symbol *row, uint32_t id)
{
    buf_printf(out, "@%" PRIu32 " %s ", id, short_kind(row));
    add_field(out, row->qualified);
    buf_printf(out, " %.2f %s", row->score,
               row->evidence == BY_BOTH       ? "both"
               : row->evidence == BY_OBSERVED ? "observed"
                                              : "static");
    if (row->path.len) {
        buf_add_char(out, ' ');
        add_field(out, row->path);
        buf_printf(out, ":%" PRIu32, row->line);
    }
    buf_add_char(out, '\n');
}

static void
gcf_middle(struct buf *out, const struct context_pick *pick)
{
    if (pick->arc_len)
        buf_printf(out, "## edges [%zu]\n", pick->arc_len);
}

static void
gcf_arc(struct buf *out, const struct context_pick *pick,
        const struct context_arc *arc, uint32_t index)
{
    (void)index;
    buf_printf(out, "@%" PRIu32 "<@%" PRIu32 " %s\n", pick->id_of[arc->to] - 1,
               pick->id_of[arc->from] - 1, joined_type_str(arc->type));
}

const struct context_writer context_gcf = {
    .open = gcf_open,
    .section = gcf_section,
    .symbol = gcf_symbol,
    .middle = gcf_middle,
    .arc = gcf_arc,
};
