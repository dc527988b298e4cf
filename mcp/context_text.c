/*
 * A context for readers: XML, JSON, Markdown.  Names come from traces and
 * sources, so each format escapes what would end a name.
 */
#include <inttypes.h>
#include <stdio.h>

#include <cjson/cJSON.h>

#include "mcp/context_format.h"
#include "mcp/tools_reply.h"

static const char *
evidence_word(uint8_t evidence)
{
    return evidence == BY_BOTH       ? "both"
           : evidence == BY_OBSERVED ? "observed"
                                     : "static";
}

/* `path:line-end` */
static void
add_place(struct buf *out, const struct context_symbol *row)
{
    if (row->line)
        buf_printf(out, ":%" PRIu32, row->line);
    if (row->line && row->end_line > row->line)
        buf_printf(out, "-%" PRIu32, row->end_line);
}

/* ---- xml ---- */

static void
add_xml(struct buf *out, str text)
{
    for (size_t i = 0; i < text.len; i++) {
        unsigned char c = (unsigned char)text.ptr[i];
        switch (c) {
        case '&':
            buf_add(out, STR("&amp;"));
            break;
        case '<':
            buf_add(out, STR("&lt;"));
            break;
        case '>':
            buf_add(out, STR("&gt;"));
            break;
        case '"':
            buf_add(out, STR("&quot;"));
            break;
        default: /* XML has no way to write most controls */
            if (c < 0x20 || c == 0x7f)
                c = ' ';
            buf_add_char(out, (char)c);
        }
    }
}

static void
xml_open(struct buf *out, const struct context_pick *pick)
{
    buf_printf(out, "<context tool=\"%s\" symbols=\"%zu\" edges=\"%zu\">\n",
               pick->tool, pick->len, pick->arc_len);
}

static void
xml_symbol(struct buf *out, const struct context_symbol *row, uint32_t id)
{
    buf_printf(out, "<symbol id=\"%" PRIu32 "\" kind=\"%s\" name=\"", id,
               row->kind);
    add_xml(out, row->qualified);
    if (row->path.len) {
        buf_add(out, STR("\" file=\""));
        add_xml(out, row->path);
        add_place(out, row);
    }
    buf_printf(out,
               "\" relation=\"%s\" distance=\"%u\" score=\"%.2f\" "
               "evidence=\"%s\"",
               context_relation_str(row->relation), (unsigned)row->distance,
               row->score, evidence_word(row->evidence));
    if (row->calls)
        buf_printf(out, " calls=\"%" PRId64 "\" errors=\"%" PRId64 "\"",
                   row->calls, row->errors);
    if (row->signature.len == 0) {
        buf_add(out, STR("/>\n"));
        return;
    }
    buf_add_char(out, '>');
    add_xml(out, row->signature);
    buf_add(out, STR("</symbol>\n"));
}

static void
xml_arc(struct buf *out, const struct context_pick *pick,
        const struct context_arc *arc, uint32_t index)
{
    (void)index;
    buf_printf(out,
               "<edge from=\"%" PRIu32 "\" to=\"%" PRIu32
               "\" type=\"%s\" evidence=\"%s\"",
               pick->id_of[arc->from] - 1, pick->id_of[arc->to] - 1,
               joined_type_str(arc->type), evidence_word(arc->evidence));
    if (arc->calls)
        buf_printf(out, " calls=\"%" PRId64 "\"", arc->calls);
    buf_add(out, STR("/>\n"));
}

static void
xml_close(struct buf *out)
{
    buf_add(out, STR("</context>\n"));
}

const struct context_writer context_xml = {
    .open = xml_open,
    .symbol = xml_symbol,
    .arc = xml_arc,
    .close = xml_close,
};

/* ---- json ---- */

static void
put_two_digits(cJSON *object, const char *name, double value)
{
    char text[32];

    snprintf(text, sizeof(text), "%.2f", value);
    cJSON_AddRawToObject(object, name, text);
}

static void
add_object(struct buf *out, cJSON *object)
{
    char *text = cJSON_PrintUnformatted(object);

    if (text)
        buf_add(out, str_of(text));
    else
        out->failed = true;
    cJSON_free(text);
    cJSON_Delete(object);
}

static void
json_open(struct buf *out, const struct context_pick *pick)
{
    (void)pick;
    buf_add(out, STR("{\"symbols\":["));
}

static void
json_symbol(struct buf *out, const struct context_symbol *row, uint32_t id)
{
    cJSON *object = cJSON_CreateObject();

    cJSON_AddNumberToObject(object, "id", id);
    cJSON_AddStringToObject(object, "kind", row->kind);
    put_str(object, "qualified_name", row->qualified);
    if (row->path.len) {
        put_str(object, "file", row->path);
        cJSON_AddNumberToObject(object, "line", row->line);
    }
    if (row->signature.len)
        put_str(object, "signature", row->signature);
    cJSON_AddStringToObject(object, "relation",
                            context_relation_str(row->relation));
    cJSON_AddNumberToObject(object, "distance", row->distance);
    put_two_digits(object, "score", row->score);
    cJSON_AddStringToObject(object, "evidence", evidence_word(row->evidence));
    if (row->calls) {
        cJSON_AddNumberToObject(object, "calls", (double)row->calls);
        cJSON_AddNumberToObject(object, "errors", (double)row->errors);
        cJSON_AddNumberToObject(object, "last_observed", row->last_s);
    }
    if (id)
        buf_add_char(out, ',');
    add_object(out, object);
}

static void
json_middle(struct buf *out, const struct context_pick *pick)
{
    (void)pick;
    buf_add(out, STR("],\"edges\":["));
}

static void
json_arc(struct buf *out, const struct context_pick *pick,
         const struct context_arc *arc, uint32_t index)
{
    buf_printf(out,
               "%s{\"from\":%" PRIu32 ",\"to\":%" PRIu32
               ",\"type\":\"%s\",\"evidence\":\"%s\"",
               index ? "," : "", pick->id_of[arc->from] - 1,
               pick->id_of[arc->to] - 1, joined_type_str(arc->type),
               evidence_word(arc->evidence));
    if (arc->calls)
        buf_printf(out, ",\"calls\":%" PRId64, arc->calls);
    buf_add_char(out, '}');
}

static void
json_close(struct buf *out)
{
    buf_add(out, STR("]}"));
}

const struct context_writer context_json = {
    .open = json_open,
    .symbol = json_symbol,
    .middle = json_middle,
    .arc = json_arc,
    .close = json_close,
};

/* ---- markdown ---- */

/* Within backticks nothing counts but a backtick. */
static void
add_code(struct buf *out, str text)
{
    buf_add_char(out, '`');
    for (size_t i = 0; i < text.len; i++) {
        char c = text.ptr[i];
        if (c == '`')
            c = '\'';
        if ((unsigned char)c < 0x20)
            c = ' ';
        buf_add_char(out, c);
    }
    buf_add_char(out, '`');
}

static void
markdown_open(struct buf *out, const struct context_pick *pick)
{
    buf_printf(out, "# Context\n\n%zu symbols, %zu edges between them\n",
               pick->len, pick->arc_len);
}

static void
markdown_section(struct buf *out, uint8_t distance)
{
    if (distance == 0)
        buf_add(out, STR("\n## Targets\n\n"));
    else
        buf_printf(out, "\n## %s (distance %u)\n\n",
                   distance == 1 ? "Related" : "Extended", (unsigned)distance);
}

static void
markdown_symbol(struct buf *out, const struct context_symbol *row, uint32_t id)
{
    buf_printf(out, "%" PRIu32 ": ", id);
    add_code(out, row->qualified);
    buf_printf(out, " %s", row->kind);
    if (row->relation != CONTEXT_TARGET)
        buf_printf(out, ", %s", context_relation_str(row->relation));
    if (row->path.len) {
        buf_add(out, STR(", "));
        add_code(out, row->path);
        add_place(out, row);
    }
    buf_printf(out, ", score %.2f, %s", row->score,
               evidence_word(row->evidence));
    if (row->calls)
        buf_printf(out, ", %" PRId64 " calls, %" PRId64 " errors", row->calls,
                   row->errors);
    buf_add_char(out, '\n');
    if (row->signature.len) {
        buf_add(out, STR("   "));
        add_code(out, row->signature);
        buf_add_char(out, '\n');
    }
}

static void
markdown_middle(struct buf *out, const struct context_pick *pick)
{
    if (pick->arc_len)
        buf_add(out, STR("\n## Edges\n\n"));
}

static void
markdown_arc(struct buf *out, const struct context_pick *pick,
             const struct context_arc *arc, uint32_t index)
{
    (void)index;
    buf_printf(out, "- %" PRIu32 " %s %" PRIu32 " (%s",
               pick->id_of[arc->from] - 1, joined_type_str(arc->type),
               pick->id_of[arc->to] - 1, evidence_word(arc->evidence));
    if (arc->calls)
        buf_printf(out, ", %" PRId64 " calls", arc->calls);
    buf_add(out, STR(")\n"));
}

const struct context_writer context_markdown = {
    .open = markdown_open,
    .section = markdown_section,
    .symbol = markdown_symbol,
    .middle = markdown_middle,
    .arc = markdown_arc,
};
