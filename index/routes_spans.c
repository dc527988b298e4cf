/*
 * Strings that name spans.  The calls have names of their own but for Go's
 * Start, whose receiver must be a tracer.
 */
#include <string.h>

#include "index/routes_rules.h"

/* |arg|: which argument is the name. */
static const struct span_rule {
    const char *name;
    uint8_t arg;
} span_rules[] = {
    {"startSpan", 0},
    {"startActiveSpan", 0},
    {"start_span", 0},
    {"start_as_current_span", 0},
    {"spanBuilder", 0},
    {"StartActivity", 0},
    {"StartSpan", 0},
    {"StartActiveSpan", 0},
    {"in_span", 0},
    {"inSpan", 0},
    {"buildSpan", 0},
    {"span_builder", 0},
    {"start_with_context", 0},
};

static void
name_span(struct parts *p, struct at name, uint32_t node)
{
    struct buf text = {0};
    struct folded folded = part_text(p, name, false, &text);

    if (folded.ok && !folded.is_tail && text.len > 0 && node)
        (void)code_build_literal(
            p->build, &(struct build_literal){
                          .text = texts_add(&p->build->texts, buf_str(&text)),
                          .node = node,
                      });
    buf_fini(&text);
}

static uint32_t
node_of(struct parts *p, struct at def)
{
    return resolve_node(p->r, def.file, def.id);
}

/* Go: tracer.Start(ctx, "name"). */
static bool
is_tracer(struct parts *p, struct at expr)
{
    struct origin origin;
    struct value def;
    str word = part_word(p, expr);

    if (part_type_of(p, expr, &def, &origin) && origin.path.len > 0)
        return str_ends(origin.path, STR(".Tracer"));
    if (part_kind(p, expr) == EXPR_CALL)
        return str_eq(part_word(p, part_callee(p, expr)), STR("Tracer"));
    return (str_ends(word, STR("racer")) &&
            part_imports(p, expr.file, "go.opentelemetry.io/otel"));
}

static void
look_at_call(struct parts *p, struct at call)
{
    struct at callee = part_callee(p, call);
    enum expr_kind kind = part_kind(p, callee);
    struct at name = {call.file, 0};
    str word = part_word(p, callee);

    if (kind != EXPR_MEMBER && kind != EXPR_NAME)
        return;
    for (size_t i = 0; i < sizeof(span_rules) / sizeof(span_rules[0]); i++)
        if (str_eq(word, str_of(span_rules[i].name)))
            name = part_arg(p, call, span_rules[i].arg);
    bool is_go = part_facts(p, call.file)->lang == LANG_GO;
    if (is_go && name.id && part_args(p, call) > 1) {
        /* StartSpan(ctx, "name") of OpenCensus and wrappers */
        enum expr_kind first = part_kind(p, name);
        if (first != EXPR_STRING && first != EXPR_CONCAT)
            name = part_arg(p, call, 1);
    }
    if (is_go && str_eq(word, STR("Start")) && kind == EXPR_MEMBER &&
        part_args(p, call) > 1 && is_tracer(p, part_receiver(p, call)))
        name = part_arg(p, call, 1);
    if (!name.id)
        return;
    struct at marked = part_marked(p, call);
    name_span(p, name,
              node_of(p, marked.id ? marked : part_enclosing(p, call)));
}

/* @WithSpan("name"), @tracer.start_as_current_span("name"), #[instrument] */
static void
look_at_marks(struct parts *p, struct at def)
{
    const struct fact_def *row = part_def(p, def);
    const struct facts *facts = part_facts(p, def.file);

    for (uint32_t i = 0; i < row->marks_len; i++) {
        struct at mark = {def.file, facts->lists[row->marks_at + i]};
        if (part_kind(p, mark) != EXPR_CALL)
            continue;
        str word = part_word(p, part_callee(p, mark));
        if (!str_eq(word, STR("WithSpan")) && !str_eq(word, STR("NewSpan")) &&
            !str_eq(word, STR("Observed")))
            continue;
        struct at name = part_arg(p, mark, 0);
        if (!name.id)
            name = part_named(p, mark, "value");
        if (!name.id)
            name = part_named(p, mark, "name");
        if (name.id)
            name_span(p, name, node_of(p, def));
    }
}

void
routes_spans(struct parts *p, uint32_t file)
{
    const struct facts *facts = part_facts(p, file);

    for (uint32_t i = 1; i < facts->expr_len && !p->failed; i++)
        if (facts->exprs[i].kind == EXPR_CALL)
            look_at_call(p, (struct at){file, i});
    for (uint32_t i = 1; i < facts->def_len && !p->failed; i++)
        look_at_marks(p, (struct at){file, i});
}
