/*
 * GCB, version 1.  Numbers are LEB128, texts have their length before them,
 * floats are IEEE single, little-endian:
 *
 *     "GCB1" 1 tool budget
 *     symbols:  count, then each: name, kind, score f32, evidence, distance,
 *               signature, four parts of the score f32
 *     edges:    count, then each: source, target, type, status 0
 *
 * Kind, evidence, distance, type and status are one byte each; kinds are those
 * of graph/context.h, types those of graph/joined.h, source and target indexes
 * of symbols, which are always there: an arc to what is left out is left out.
 */
#include <string.h>

#include "mcp/context_format.h"

static void
add_number(struct buf *out, uint64_t value)
{
    while (value >= 0x80) {
        buf_add_char(out, (char)(value | 0x80));
        value >>= 7;
    }
    buf_add_char(out, (char)value);
}

static void
add_text(struct buf *out, str text)
{
    add_number(out, text.len);
    buf_add(out, text);
}

static void
add_float(struct buf *out, double value)
{
    float single = (float)value;
    uint32_t bits;

    memcpy(&bits, &single, sizeof(bits));
    for (int i = 0; i < 4; i++)
        buf_add_char(out, (char)(bits >> 8 * i));
}

static void
gcb_open(struct buf *out, const struct context_pick *pick)
{
    buf_add(out, STR("GCB1\x01"));
    add_text(out, str_of(pick->tool));
    add_number(out, pick->budget);
    add_number(out, pick->len);
}

static void
gcb_symbol(struct buf *out, const struct context_symbol *row, uint32_t id)
{
    (void)id; /* it is the index */
    add_text(out, row->qualified);
    buf_add_char(out, (char)row->kind_code);
    add_float(out, row->score);
    buf_add_char(out, (char)row->evidence);
    buf_add_char(out, (char)row->distance);
    add_text(out, row->signature);
    for (int i = 0; i < CONTEXT_PARTS; i++)
        add_float(out, row->parts[i]);
}

static void
gcb_middle(struct buf *out, const struct context_pick *pick)
{
    add_number(out, pick->arc_len);
}

static void
gcb_arc(struct buf *out, const struct context_pick *pick,
        const struct context_arc *arc, uint32_t index)
{
    (void)index;
    add_number(out, pick->id_of[arc->from] - 1);
    add_number(out, pick->id_of[arc->to] - 1);
    buf_add_char(out, (char)arc->type);
    buf_add_char(out, 0);
}

const struct context_writer context_gcb = {
    .open = gcb_open,
    .symbol = gcb_symbol,
    .middle = gcb_middle,
    .arc = gcb_arc,
    .is_binary = true,
};
