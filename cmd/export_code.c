/*
 * Places that have no call are left out.  What is left is numbered, and names
 * are only ever labels, as in cmd/export.c.
 */
#include "cmd/export_code.h"

#include <stdlib.h>
#include <string.h>

#include "cmd/ask.h"
#include "cmd/escape.h"

struct writer {
    struct code_ask code;
    const char *service;
    uint32_t *number; /* by place; 0: not shown */
    uint32_t *places; /* by number */
    uint32_t len;     /* one more than the last number */
    struct buf out;
};

/* An arc that is shown. */
struct call {
    uint32_t from;
    uint32_t to;
    const struct joined_arc *arc;
};

typedef void call_fn(struct writer *w, const struct call *call);

static str
service_of(const struct writer *w, uint32_t place)
{
    uint32_t vertex = joined_vertex(w->code.joined, place);
    uint32_t node = joined_node(w->code.joined, place);

    return vertex ? code_ask_service(&w->code,
                                     code_node(w->code.code, vertex)->file)
                  : query_node(w->code.ask.view, node)->service;
}

static bool
is_shown(const struct writer *w, const struct call *call)
{
    if (!(JOINED_BIT(call->arc->type) & JOINED_CALLS))
        return false;
    return !w->service ||
           str_eq(service_of(w, call->from), str_of(w->service)) ||
           str_eq(service_of(w, call->to), str_of(w->service));
}

static void
each_call(struct writer *w, call_fn *fn)
{
    const struct joined *joined = w->code.joined;

    for (uint32_t p = 1; p < joined->place_len; p++)
        for (uint32_t i = joined->out_at[p]; i < joined->out_at[p + 1]; i++) {
            const struct call call = {p, joined->out[i].place, &joined->out[i]};

            if (is_shown(w, &call))
                fn(w, &call);
        }
}

static void
note_ends(struct writer *w, const struct call *call)
{
    w->number[call->from] = w->number[call->to] = 1;
}

static enum err
number_places(struct writer *w)
{
    uint32_t len = w->code.joined->place_len;

    w->number = calloc((size_t)len + 1, sizeof(*w->number));
    w->places = calloc((size_t)len + 1, sizeof(*w->places));
    if (!w->number || !w->places)
        return ERR_NOMEM;
    each_call(w, note_ends);
    w->len = 1;
    for (uint32_t p = 1; p < len; p++)
        if (w->number[p]) {
            w->number[p] = w->len;
            w->places[w->len++] = p;
        }
    return OK;
}

/* ---- what is told of one place ---- */

struct told {
    struct buf name;
    const char *kind;
    str service;
    str file;
    uint32_t line;
};

static void
tell(const struct writer *w, uint32_t place, struct told *out)
{
    const struct code *code = w->code.code;
    uint32_t vertex = joined_vertex(w->code.joined, place);
    uint32_t node = joined_node(w->code.joined, place);
    const struct code_vertex *v = code_node(code, vertex);

    *out = (struct told){.service = service_of(w, place)};
    if (vertex) {
        buf_add(&out->name, v->qualified);
        out->kind = code_kind_str(v->kind);
        out->file = code->files[v->file].path;
        out->line = v->line;
    } else {
        query_qualified(w->code.ask.view, node, &out->name);
        out->kind = node_kind_str(query_node(w->code.ask.view, node)->kind);
    }
}

static const char *
evidence_word(const struct call *call)
{
    return call->arc->evidence == BY_BOTH       ? "both"
           : call->arc->evidence == BY_OBSERVED ? "observed"
                                                : "static";
}

static double
sure(const struct call *call)
{
    return call->arc->permille / 1000.0;
}

/* ---- formats ---- */

static void
dot_call(struct writer *w, const struct call *call)
{
    static const char *const styles[] = {"", "", ", style=dashed",
                                         ", penwidth=2"};

    buf_printf(&w->out,
               "  n%u -> n%u [label=\"%s\", evidence=\"%s\", "
               "confidence=%.3f%s];\n",
               w->number[call->from], w->number[call->to],
               joined_type_str(call->arc->type), evidence_word(call),
               sure(call), styles[call->arc->evidence & BY_BOTH]);
}

static void
write_dot(struct writer *w)
{
    buf_add(&w->out,
            STR("digraph spangraph {\n  rankdir=LR;\n  node [shape=box];\n"));
    for (uint32_t i = 1; i < w->len; i++) {
        struct told told;

        tell(w, w->places[i], &told);
        buf_printf(&w->out, "  n%u [label=", i);
        escape_dot(&w->out, buf_str(&told.name));
        buf_add(&w->out, STR("];\n"));
        buf_fini(&told.name);
    }
    each_call(w, dot_call);
    buf_add(&w->out, STR("}\n"));
}

static void
mermaid_call(struct writer *w, const struct call *call)
{
    buf_printf(&w->out, "  n%u %s|\"%s %s\"| n%u\n", w->number[call->from],
               call->arc->evidence == BY_OBSERVED ? "-.->" : "-->",
               joined_type_str(call->arc->type), evidence_word(call),
               w->number[call->to]);
}

static void
write_mermaid(struct writer *w)
{
    buf_add(&w->out, STR("flowchart LR\n"));
    for (uint32_t i = 1; i < w->len; i++) {
        struct told told;

        tell(w, w->places[i], &told);
        buf_printf(&w->out, "  n%u[", i);
        escape_mermaid(&w->out, buf_str(&told.name));
        buf_add(&w->out, STR("]\n"));
        buf_fini(&told.name);
    }
    each_call(w, mermaid_call);
}

static void
graphml_call(struct writer *w, const struct call *call)
{
    buf_printf(&w->out,
               "    <edge source=\"n%u\" target=\"n%u\">\n"
               "      <data key=\"edge_kind\">%s</data>\n"
               "      <data key=\"evidence\">%s</data>\n"
               "      <data key=\"confidence\">%.3f</data>\n"
               "      <data key=\"count\">%lld</data>\n"
               "    </edge>\n",
               w->number[call->from], w->number[call->to],
               joined_type_str(call->arc->type), evidence_word(call),
               sure(call), (long long)call->arc->count);
}

static void
write_graphml(struct writer *w)
{
    static const char *const keys[][3] = {
        {"name", "node", "string"},     {"kind", "node", "string"},
        {"service", "node", "string"},  {"file", "node", "string"},
        {"line", "node", "long"},       {"edge_kind", "edge", "string"},
        {"evidence", "edge", "string"}, {"confidence", "edge", "double"},
        {"count", "edge", "long"},
    };

    buf_add(&w->out, STR("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<graphml "
                         "xmlns=\"http://graphml.graphdrawing.org/xmlns\">\n"));
    for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
        buf_printf(&w->out,
                   "  <key id=\"%s\" for=\"%s\" attr.name=\"%s\" "
                   "attr.type=\"%s\"/>\n",
                   keys[i][0], keys[i][1], keys[i][0], keys[i][2]);
    buf_add(&w->out,
            STR("  <graph id=\"spangraph\" edgedefault=\"directed\">\n"));
    for (uint32_t i = 1; i < w->len; i++) {
        struct told told;

        tell(w, w->places[i], &told);
        buf_printf(&w->out, "    <node id=\"n%u\">\n", i);
        escape_graphml(&w->out, "name", buf_str(&told.name));
        escape_graphml(&w->out, "kind", str_of(told.kind));
        escape_graphml(&w->out, "service", told.service);
        escape_graphml(&w->out, "file", told.file);
        buf_printf(&w->out, "      <data key=\"line\">%u</data>\n    </node>\n",
                   told.line);
        buf_fini(&told.name);
    }
    each_call(w, graphml_call);
    buf_add(&w->out, STR("  </graph>\n</graphml>\n"));
}

static void
csv_end(struct writer *w, uint32_t place)
{
    struct told told;

    tell(w, place, &told);
    const str fields[] = {buf_str(&told.name), str_of(told.kind), told.service,
                          told.file};
    for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++) {
        escape_csv(&w->out, fields[i]);
        buf_add_char(&w->out, ',');
    }
    buf_printf(&w->out, "%u,", told.line);
    buf_fini(&told.name);
}

static void
csv_call(struct writer *w, const struct call *call)
{
    csv_end(w, call->from);
    csv_end(w, call->to);
    buf_printf(&w->out, "%s,%s,%s,%.3f,%lld\r\n",
               joined_type_str(call->arc->type), evidence_word(call),
               code_provenance_str(call->arc->provenance), sure(call),
               (long long)call->arc->count);
}

static void
write_csv(struct writer *w)
{
    buf_add(&w->out,
            STR("source,source_kind,source_service,source_file,source_line,"
                "target,target_kind,target_service,target_file,target_line,"
                "kind,evidence,provenance,confidence,count\r\n"));
    each_call(w, csv_call);
}

static void
add_json(struct writer *w, cJSON *row)
{
    char *text = cJSON_PrintUnformatted(row);

    if (text)
        buf_printf(&w->out, "%s\n", text);
    else
        w->out.failed = true;
    cJSON_free(text);
    cJSON_Delete(row);
}

static void
json_call(struct writer *w, const struct call *call)
{
    cJSON *row = cJSON_CreateObject();
    bool is_first = w->out.ptr[w->out.len - 1] == '[';

    cJSON_AddNumberToObject(row, "source", w->number[call->from]);
    cJSON_AddNumberToObject(row, "target", w->number[call->to]);
    cJSON_AddStringToObject(row, "kind", joined_type_str(call->arc->type));
    cJSON_AddStringToObject(row, "evidence", evidence_word(call));
    cJSON_AddStringToObject(row, "provenance",
                            call->arc->type < JOINED_RUNTIME_CALLS
                                ? code_provenance_str(call->arc->provenance)
                                : "otel_trace");
    cJSON_AddNumberToObject(row, "confidence", sure(call));
    cJSON_AddNumberToObject(row, "count", (double)call->arc->count);
    if (!is_first)
        buf_add_char(&w->out, ',');
    add_json(w, row);
}

static void
write_json(struct writer *w)
{
    buf_add(&w->out, STR("{\"nodes\":["));
    for (uint32_t i = 1; i < w->len; i++) {
        cJSON *row = cJSON_CreateObject();
        struct told told;

        tell(w, w->places[i], &told);
        cJSON_AddNumberToObject(row, "id", i);
        ask_add_str(row, "name", buf_str(&told.name));
        cJSON_AddStringToObject(row, "kind", told.kind);
        ask_add_str(row, "service", told.service);
        ask_add_str(row, "file", told.file);
        cJSON_AddNumberToObject(row, "line", told.line);
        if (i > 1)
            buf_add_char(&w->out, ',');
        add_json(w, row);
        buf_fini(&told.name);
    }
    buf_add(&w->out, STR("],\"edges\":["));
    if (!w->out.failed)
        each_call(w, json_call);
    buf_add(&w->out, STR("]}\n"));
}

static const struct {
    const char *name;
    void (*write)(struct writer *w);
} formats[] = {
    {"dot", write_dot}, {"mermaid", write_mermaid}, {"graphml", write_graphml},
    {"csv", write_csv}, {"json", write_json},
};

int
export_code_run(const struct export_code *what)
{
    struct writer w = {.code = {.ask = what->ask}, .service = what->service};
    int rc = code_ask_open(&w.code);
    enum err err = rc == EXIT_CLEAN ? number_places(&w) : OK;

    if (err)
        rc = ask_fail(err);
    for (size_t i = 0; i < sizeof(formats) / sizeof(formats[0]); i++)
        if (rc == EXIT_CLEAN && strcmp(formats[i].name, what->format) == 0)
            formats[i].write(&w);
    if (rc == EXIT_CLEAN)
        rc = ask_print(&w.out);
    free(w.number);
    free(w.places);
    buf_fini(&w.out);
    code_ask_close(&w.code);
    return rc;
}
