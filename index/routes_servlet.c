/*
 * Servlets of Java and Kotlin: `@WebServlet("/x")` says where a class is, the
 * methods that it overrides what it answers.
 */
#include "index/routes_block.h"
#include "index/routes_marks.h"

static void
enter_servlet(struct parts *p, struct at type, struct at mark)
{
    static const struct {
        const char *name, *method;
    } rows[] = {
        {"doGet", "GET"},       {"doPost", "POST"},   {"doPut", "PUT"},
        {"doDelete", "DELETE"}, {"doHead", "HEAD"},   {"doOptions", "OPTIONS"},
        {"doPatch", "PATCH"},   {"doTrace", "TRACE"}, {"service", "ANY"},
    };
    struct verb_rule rule = {.framework = FW_SERVLET};
    uint32_t router = router_make(p, SPACE_DEF, type, FW_SERVLET, 0);
    struct verb_call v = {p, mark, router, &rule};
    struct at path = part_named(p, mark, "urlPatterns");

    if (!path.id)
        path = mark_path(p, mark);
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        uint32_t handler = part_method_of(p, type, str_of(rows[i].name));
        if (router && path.id && handler)
            (void)verb_route(&v, str_of(rows[i].method), path, handler);
    }
}

void
routes_servlet(struct parts *p, uint32_t file)
{
    const struct facts *facts = part_facts(p, file);
    struct at mark;

    if (!part_imports(p, file, "jakarta.servlet") &&
        !part_imports(p, file, "javax.servlet"))
        return;
    for (uint32_t d = 1; d < facts->def_len && !p->failed; d++) {
        struct at type = {file, d};
        for (uint32_t i = 0; (mark = mark_at(p, type, i)).id; i++)
            if (part_kind(p, mark) == EXPR_CALL &&
                part_is(p, part_callee(p, mark),
                        "*.servlet.annotation.WebServlet"))
                enter_servlet(p, type, mark);
    }
}
