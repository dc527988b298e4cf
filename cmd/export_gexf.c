#include "cmd/export_gexf.h"

#include "cmd/escape.h"

struct attribute {
    const char *name;
    const char *type;
};

static void
print_attributes(const char *of, const struct attribute *rows, size_t len,
                 struct buf *out)
{
    buf_printf(out, "    <attributes class=\"%s\">\n", of);
    for (size_t i = 0; i < len; i++)
        buf_printf(out,
                   "      <attribute id=\"%s\" title=\"%s\" type=\"%s\"/>\n",
                   rows[i].name, rows[i].name, rows[i].type);
    buf_add(out, STR("    </attributes>\n"));
}

static void
print_head(struct buf *out)
{
    static const struct attribute of_nodes[] = {{"name", "string"},
                                                {"node_kind", "string"},
                                                {"service", "string"},
                                                {"env", "string"}};
    static const struct attribute of_edges[] = {
        {"errors", "long"}, {"first", "long"}, {"last", "long"}};

    buf_add(out, STR("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
                     "<gexf xmlns=\"http://gexf.net/1.3\" version=\"1.3\">\n"
                     "  <meta>\n    <creator>spangraph</creator>\n  </meta>\n"
                     "  <graph defaultedgetype=\"directed\">\n"));
    print_attributes("node", of_nodes, sizeof(of_nodes) / sizeof(of_nodes[0]),
                     out);
    print_attributes("edge", of_edges, sizeof(of_edges) / sizeof(of_edges[0]),
                     out);
}

static void
print_text(const char *name, str text, struct buf *out)
{
    buf_printf(out, "          <attvalue for=\"%s\" value=\"", name);
    escape_xml(out, text);
    buf_add(out, STR("\"/>\n"));
}

static void
print_node(const struct query_view *view, uint32_t id, struct buf *out)
{
    const struct query_node *node = query_node(view, id);
    struct buf label = {0};

    query_qualified(view, id, &label);
    if (node->env.len) {
        buf_add(&label, STR(" @"));
        buf_add(&label, node->env);
    }
    buf_printf(out, "      <node id=\"n%u\" label=\"", id);
    escape_xml(out, buf_str(&label));
    buf_add(out, STR("\">\n        <attvalues>\n"));
    print_text("name", node->name, out);
    print_text("node_kind", str_of(node_kind_str(node->kind)), out);
    print_text("service", node->service, out);
    print_text("env", node->env, out);
    buf_add(out, STR("        </attvalues>\n      </node>\n"));
    out->failed |= label.failed;
    buf_fini(&label);
}

static void
print_edge(const struct query_edge *edge, size_t i, struct buf *out)
{
    buf_printf(out,
               "      <edge id=\"e%zu\" source=\"n%u\" target=\"n%u\" "
               "kind=\"%s\" label=\"%s\" weight=\"%lld\">\n"
               "        <attvalues>\n"
               "          <attvalue for=\"errors\" value=\"%lld\"/>\n"
               "          <attvalue for=\"first\" value=\"%u\"/>\n"
               "          <attvalue for=\"last\" value=\"%u\"/>\n"
               "        </attvalues>\n"
               "      </edge>\n",
               i, edge->source, edge->target, edge_kind_str(edge->kind),
               edge_kind_str(edge->kind), (long long)edge->count,
               (long long)edge->errors, edge->first_s, edge->last_s);
}

void
export_gexf_print(const struct query_view *view,
                  const struct query_edges *edges, const struct ids *nodes,
                  struct buf *out)
{
    print_head(out);
    buf_add(out, STR("    <nodes>\n"));
    for (size_t i = 0; i < nodes->len; i++)
        print_node(view, nodes->ids[i], out);
    buf_add(out, STR("    </nodes>\n    <edges>\n"));
    for (size_t i = 0; i < edges->len; i++)
        print_edge(&edges->rows[i], i, out);
    buf_add(out, STR("    </edges>\n  </graph>\n</gexf>\n"));
}
