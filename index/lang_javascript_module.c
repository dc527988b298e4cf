/*
 * Imports and exports, of ES modules, CommonJS and TypeScript.  A module that
 * is loaded where its value is not bound to a name is imported for its
 * effects: that is all that is known.
 */
#include "index/lang_javascript.h"

static void
add_import(struct js *js, TSNode node, struct fact_import row)
{
    row.scope = js->x->scope;
    row.line = extract_line(node);
    facts_import(js->x->facts, &row);
}

static str_id
literal(struct js *js, TSNode node)
{
    return ts_node_is_null(node) ? 0 : js_key(js, node);
}

static void
import_specifiers(struct js *js, TSNode list, struct fact_import base)
{
    struct extract_children it = extract_children(list);

    while (extract_next(&it)) {
        struct fact_import row = base;
        TSNode name = js_field(js, it.node, JS_F_NAME);
        bool is_default = str_eq(extract_text(js->x, name), STR("default"));

        if (ts_node_is_null(name))
            continue;
        row.kind = is_default ? IMPORT_DEFAULT : IMPORT_NAME;
        row.name = is_default ? 0 : literal(js, name);
        row.alias = literal(js, js_field(js, it.node, JS_F_ALIAS));
        row.is_type_only |= js_has_word(js, it.node, STR("type"));
        add_import(js, it.node, row);
    }
}

static void
import_clause(struct js *js, TSNode clause, struct fact_import base)
{
    struct extract_children it = extract_children(clause);

    while (extract_next(&it)) {
        struct fact_import row = base;

        switch (js_kind(js, it.node)) {
        case JS_IDENT:
            row.kind = IMPORT_DEFAULT;
            row.alias = extract_str(js->x, it.node);
            add_import(js, it.node, row);
            break;
        case JS_NAMESPACE_IMPORT:
            row.kind = IMPORT_MODULE;
            row.alias = extract_str(js->x, js_first(it.node));
            add_import(js, it.node, row);
            break;
        case JS_NAMED_IMPORTS:
            import_specifiers(js, it.node, row);
            break;
        default:
            break;
        }
    }
}

uint32_t
js_import(struct js *js, TSNode node)
{
    struct extract_children it = extract_children(node);
    bool is_bound = false;
    struct fact_import row = {
        .module = literal(js, js_field(js, node, JS_F_SOURCE)),
        .is_type_only = js_has_word(js, node, STR("type")),
    };

    while (extract_next(&it)) {
        uint16_t kind = js_kind(js, it.node);

        if (kind == JS_IMPORT_CLAUSE) {
            import_clause(js, it.node, row);
            is_bound = true;
        } else if (kind == JS_IMPORT_REQUIRE) {
            row.kind = IMPORT_MODULE;
            row.module = literal(js, js_field(js, it.node, JS_F_SOURCE));
            row.alias = extract_str(js->x, js_first(it.node));
            add_import(js, it.node, row);
            is_bound = true;
        }
    }
    row.kind = IMPORT_EFFECT;
    if (!is_bound && row.module)
        add_import(js, node, row);
    return 0;
}

/* `import a = A.B` */
uint32_t
js_import_alias(struct js *js, TSNode node)
{
    struct extract_children it = extract_children(node);
    TSNode parts[2] = {{.id = NULL}, {.id = NULL}};
    struct js_hint hint = js_take_hint(js);

    for (uint32_t i = 0; extract_next(&it); i++)
        if (i < 2)
            parts[i] = it.node;
    js_bind_pattern(js, parts[0],
                    (struct js_bind){.kind = BIND_LOCAL,
                                     .flags = BIND_CONST,
                                     .value = js_value(js, parts[1]),
                                     .exports = hint.flags,
                                     .is_declared = hint.flags != 0});
    return 0;
}

/* ---- exports ---- */

static void
export_specifiers(struct js *js, TSNode clause, struct fact_import base)
{
    struct extract_children it = extract_children(clause);

    while (extract_next(&it)) {
        struct fact_import row = base;

        if (js_kind(js, it.node) != JS_EXPORT_SPECIFIER)
            continue;
        row.kind = EXPORT_NAME;
        row.name = literal(js, js_field(js, it.node, JS_F_NAME));
        row.alias = literal(js, js_field(js, it.node, JS_F_ALIAS));
        row.is_type_only |= js_has_word(js, it.node, STR("type"));
        add_import(js, it.node, row);
    }
}

static void
export_default(struct js *js, TSNode node, TSNode value)
{
    struct facts *facts = js->x->facts;
    str_id name = facts_str(facts, STR("default"));
    struct fact_import row = {.kind = EXPORT_NAME, .name = name, .alias = name};

    if (js_is_function(js, value)) {
        js_bound_value(js, value,
                       (struct js_hint){.outer = node,
                                        .flags = DEF_EXPORTED | DEF_DEFAULT});
        return;
    }
    if (js_kind(js, value) == JS_IDENT)
        row.name = extract_str(js->x, value);
    else
        facts_bind(facts, &(struct fact_bind){.kind = BIND_LOCAL,
                                              .flags = BIND_CONST,
                                              .scope = js->x->scope,
                                              .name = name,
                                              .value = js_value(js, value),
                                              .line = extract_line(node)});
    add_import(js, node, row);
}

/* `export = x` is `module.exports = x`. */
static void
export_assignment(struct js *js, TSNode node, TSNode value)
{
    struct facts *facts = js->x->facts;
    uint32_t module = js_add_name(js, node, facts_str(facts, STR("module")));
    uint32_t target =
        js_add_member(js, node, module, facts_str(facts, STR("exports")));

    facts_bind(facts,
               &(struct fact_bind){
                   .kind = BIND_ASSIGN,
                   .scope = js->x->scope,
                   .value = js_bound_value(
                       js, value,
                       (struct js_hint){.outer = node, .flags = DEF_EXPORTED}),
                   .target = target,
                   .line = extract_line(node)});
}

static void
export_declaration(struct js *js, TSNode node, TSNode declaration)
{
    bool is_default = js_has_word(js, node, STR("default"));

    js->hint = (struct js_hint){
        .outer = node,
        .flags = DEF_EXPORTED | (is_default ? DEF_DEFAULT : 0),
    };
    js_visit(js, declaration);
    js->hint = (struct js_hint){0};
    js->marks = (struct js_marks){0};
}

/* Decorators before `export` are those of the class behind it. */
static void
export_marks(struct js *js, TSNode node)
{
    struct extract_children it = extract_children(node);
    struct extract_list list = {0};
    struct js_marks marks = {0};

    while (extract_next(&it))
        if (js_kind(js, it.node) == JS_DECORATOR) {
            marks.line = marks.line ? marks.line : extract_line(it.node);
            extract_list_add(js->x, &list, js_value(js, it.node));
        }
    marks.at = extract_list_end(js->x, &list, &marks.len);
    js->marks = marks;
}

/* `export *`, `export * as n`, `export {...}`: what has no declaration. */
static void
export_names(struct js *js, TSNode node, struct fact_import row)
{
    struct extract_children it = extract_children(node);
    bool is_star = js_has_word(js, node, STR("*"));

    while (extract_next(&it)) {
        uint16_t kind = js_kind(js, it.node);

        if (kind == JS_EXPORT_CLAUSE) {
            export_specifiers(js, it.node, row);
        } else if (kind == JS_NAMESPACE_EXPORT) {
            row.alias = literal(js, js_first(it.node));
            is_star = true;
        } else if (!row.module && js_has_word(js, node, STR("="))) {
            export_assignment(js, node, it.node);
        }
    }
    row.kind = EXPORT_STAR;
    if (is_star && row.module)
        add_import(js, node, row);
}

uint32_t
js_export(struct js *js, TSNode node)
{
    TSNode declaration = js_field(js, node, JS_F_DECLARATION);
    TSNode value = js_field(js, node, JS_F_VALUE);
    struct fact_import row = {
        .module = literal(js, js_field(js, node, JS_F_SOURCE)),
        .is_type_only = js_has_word(js, node, STR("type")),
    };

    if (!ts_node_is_null(declaration)) {
        export_marks(js, node);
        export_declaration(js, node, declaration);
    } else if (!ts_node_is_null(value)) {
        export_marks(js, node);
        export_default(js, node, value);
        js->marks = (struct js_marks){0};
    } else {
        export_names(js, node, row);
    }
    return 0;
}

/* ---- require, import() ---- */

/* The string that |call| loads a module by; null: it does not. */
static TSNode
module_of(const struct js *js, TSNode call, bool *is_import)
{
    TSNode callee = js_field(js, call, JS_F_FUNCTION);
    TSNode source = js_first(js_field(js, call, JS_F_ARGUMENTS));
    TSNode none = {.id = NULL};

    *is_import = js_kind(js, callee) == JS_DYNAMIC_IMPORT;
    if (js_kind(js, call) != JS_CALL || js_kind(js, source) != JS_STRING)
        return none;
    return *is_import || str_eq(extract_text(js->x, callee), STR("require"))
               ? source
               : none;
}

void
js_note_module(struct js *js, TSNode call)
{
    bool is_import;
    TSNode source = module_of(js, call, &is_import);

    if (!ts_node_is_null(source))
        add_import(js, call,
                   (struct fact_import){.kind = IMPORT_EFFECT,
                                        .module = literal(js, source)});
}

static void
bind_parts(struct js *js, TSNode pattern, struct fact_import base)
{
    struct extract_children it = extract_children(pattern);

    while (extract_next(&it)) {
        struct fact_import row = base;
        TSNode name = it.node;
        TSNode alias = {.id = NULL};

        if (js_kind(js, it.node) == JS_PAIR_PATTERN) {
            name = js_field(js, it.node, JS_F_KEY);
            alias = js_field(js, it.node, JS_F_VALUE);
            if (js_kind(js, alias) == JS_ASSIGNMENT_PATTERN)
                alias = js_field(js, alias, JS_F_LEFT);
        } else if (js_kind(js, it.node) == JS_OBJECT_ASSIGNMENT) {
            name = js_field(js, it.node, JS_F_LEFT);
            js_visit(js, js_field(js, it.node, JS_F_RIGHT));
        } else if (js_kind(js, it.node) != JS_SHORTHAND) {
            continue;
        }
        row.kind = IMPORT_NAME;
        row.name = literal(js, name);
        row.alias =
            js_kind(js, alias) == JS_IDENT ? extract_str(js->x, alias) : 0;
        add_import(js, it.node, row);
    }
}

bool
js_bind_module(struct js *js, TSNode name, TSNode value)
{
    TSNode call = js_unwrapped(js, value);
    TSNode member = {.id = NULL};
    bool is_awaited = false;
    bool is_import;
    struct fact_import row = {.kind = IMPORT_MODULE};

    if (js_kind(js, call) == JS_MEMBER) {
        member = js_field(js, call, JS_F_PROPERTY);
        call = js_unwrapped(js, js_field(js, call, JS_F_OBJECT));
    }
    if (js_kind(js, call) == JS_AWAIT) {
        is_awaited = true;
        call = js_first(call);
    }
    TSNode source = module_of(js, call, &is_import);

    if (ts_node_is_null(source) || is_import != is_awaited)
        return false;
    row.module = literal(js, source);
    if (js_kind(js, name) == JS_IDENT) {
        str part = extract_text(js->x, member);
        row.alias = extract_str(js->x, name);
        if (str_eq(part, STR("default")))
            row.kind = IMPORT_DEFAULT;
        else if (part.len > 0)
            row = (struct fact_import){.kind = IMPORT_NAME,
                                       .module = row.module,
                                       .name = facts_str(js->x->facts, part),
                                       .alias = row.alias};
        add_import(js, name, row);
        return true;
    }
    if (js_kind(js, name) != JS_OBJECT_PATTERN || !ts_node_is_null(member))
        return false;
    bind_parts(js, name, row);
    return true;
}
