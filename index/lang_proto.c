/*
 * Protocol buffers, of any syntax or edition: what a service offers and what
 * its messages hold.  An rpc is an abstract method that takes `request` and
 * gives a message; a stream of T is `stream<T>`.  Its options are marks:
 * `google.api.http(get: "/v1/{name}")`.
 */
#include "index/lang_proto.h"

static void message_body(struct reader *r);

/* `{ get: "/x" body: "*" more { ... } }`, the braces taken here too. */
static void aggregate(struct reader *r, struct extract_list *list);

static uint32_t
value_of(struct reader *r)
{
    struct extract_list list = {0};

    if (idl_is(r, STR("{")) || idl_is(r, STR("<"))) {
        aggregate(r, &list);
        return idl_list(r, EXPR_OBJECT, 0, &list);
    }
    if (!idl_take(r, STR("[")))
        return idl_literal(r);
    while (r->kind != TOKEN_END && !idl_is(r, STR("]"))) {
        size_t at = r->start;
        uint32_t id = 0;
        if (extract_enter(r->x)) {
            id = value_of(r);
            extract_leave(r->x);
        }
        extract_list_add(r->x, &list, id);
        idl_take(r, STR(","));
        if (r->start == at)
            idl_next(r);
    }
    idl_need(r, STR("]"));
    return idl_list(r, EXPR_ARRAY, 0, &list);
}

/* A key may be `[pkg.extension]`. */
static str
key_of(struct reader *r)
{
    str key;

    if (!idl_take(r, STR("[")))
        return idl_word(r);
    key = idl_word(r);
    idl_need(r, STR("]"));
    return key;
}

static void
aggregate(struct reader *r, struct extract_list *list)
{
    if (!extract_enter(r->x)) {
        idl_skip_group(r);
        return;
    }
    idl_next(r);
    while (r->kind != TOKEN_END && !idl_is(r, STR("}")) &&
           !idl_is(r, STR(">"))) {
        size_t at = r->start;
        str key = key_of(r);
        idl_take(r, STR(":"));
        uint32_t value = value_of(r);
        if (key.len > 0)
            extract_list_add(r->x, list, idl_pair(r, key, value));
        if (!idl_take(r, STR(",")))
            idl_take(r, STR(";"));
        if (r->start == at)
            idl_next(r);
    }
    if (!idl_take(r, STR(">")))
        idl_need(r, STR("}"));
    extract_leave(r->x);
}

/* `option (a.b).c = value;` behind `option`: a mark `a.b(c: value)`. */
static uint32_t
option(struct reader *r)
{
    struct extract_list list = {0};
    bool is_custom = idl_take(r, STR("("));
    uint32_t name = idl_name(r, r->token);
    str part = {"", 0};

    idl_word(r);
    if (is_custom) {
        idl_need(r, STR(")"));
        if (r->kind == TOKEN_WORD && r->token.ptr[0] == '.')
            part = idl_word(r);
    }
    if (!idl_need(r, STR("="))) {
        idl_skip(r);
        return 0;
    }
    if (part.len > 0) {
        uint32_t value = value_of(r);
        extract_list_add(r->x, &list,
                         idl_pair(r, str_cut(part, 1, part.len), value));
    } else if (idl_is(r, STR("{"))) {
        aggregate(r, &list);
    } else {
        extract_list_add(r->x, &list, value_of(r));
    }
    uint32_t id = idl_list(r, EXPR_CALL, name, &list);
    idl_need(r, STR(";"));
    return id;
}

static uint32_t
type_of(struct reader *r)
{
    str name = r->token;
    uint32_t id = 0;

    if (!idl_is(r, STR("map"))) {
        id = idl_path(r, r->kind == TOKEN_WORD ? name : STR(""));
        idl_word(r);
        return id;
    }
    idl_next(r);
    if (!idl_take(r, STR("<")))
        return idl_name(r, STR("map"));
    uint32_t key = type_of(r);
    idl_need(r, STR(","));
    uint32_t value = type_of(r);
    idl_need(r, STR(">"));
    return idl_generic(r, STR("map"), key, value);
}

/* `[label] type name = 1 [options];` or a group. */
static void
field(struct reader *r)
{
    bool is_list = idl_is(r, STR("repeated"));

    if (is_list || idl_is(r, STR("optional")) || idl_is(r, STR("required")))
        idl_next(r);
    if (idl_is(r, STR("group"))) {
        idl_next(r);
        idl_word(r);
        idl_take(r, STR("="));
        idl_literal(r);
        message_body(r);
        return;
    }
    uint32_t type = type_of(r);
    if (is_list)
        type = idl_generic(r, STR("[]"), type, 0);
    if (r->kind == TOKEN_WORD)
        idl_bind(r, (struct fact_bind){.kind = BIND_FIELD, .type = type},
                 r->token);
    idl_word(r);
    idl_skip(r);
}

static void
message(struct reader *r)
{
    uint32_t before = r->x->scope;
    uint32_t def = idl_def(r, (struct fact_def){.kind = CODE_TYPE});

    idl_word(r);
    r->x->scope = def ? def : before;
    message_body(r);
    r->x->scope = before;
    idl_end(r, def);
}

static void
enumeration(struct reader *r)
{
    uint32_t before = r->x->scope;
    uint32_t def =
        idl_def(r, (struct fact_def){.kind = CODE_TYPE, .flags = DEF_ENUM});

    idl_word(r);
    if (!idl_need(r, STR("{")))
        return;
    r->x->scope = def ? def : before;
    while (r->kind != TOKEN_END && !idl_is(r, STR("}"))) {
        str name = r->token;
        size_t at = r->start;
        bool is_value = r->kind == TOKEN_WORD && !idl_is(r, STR("option")) &&
                        !idl_is(r, STR("reserved"));
        idl_next(r);
        if (is_value && idl_take(r, STR("="))) {
            uint32_t value = idl_literal(r);
            idl_bind(r,
                     (struct fact_bind){.kind = BIND_FIELD,
                                        .flags = BIND_CONST,
                                        .value = value},
                     name);
        }
        idl_skip(r);
        if (r->start == at)
            idl_next(r);
    }
    idl_need(r, STR("}"));
    r->x->scope = before;
    idl_end(r, def);
}

static void
message_one(struct reader *r)
{
    if (idl_take(r, STR("message"))) {
        message(r);
    } else if (idl_take(r, STR("enum"))) {
        enumeration(r);
    } else if (idl_take(r, STR("oneof"))) {
        idl_word(r);
        message_body(r);
    } else if (idl_is(r, STR("extend")) || idl_is(r, STR("option")) ||
               idl_is(r, STR("reserved")) || idl_is(r, STR("extensions")) ||
               idl_is(r, STR(";"))) {
        idl_skip(r);
    } else {
        field(r);
    }
}

static void
message_body(struct reader *r)
{
    if (!idl_is(r, STR("{")) || !extract_enter(r->x)) {
        r->x->facts->flags |= FACTS_PARTIAL;
        idl_skip(r);
        return;
    }
    idl_next(r);
    while (r->kind != TOKEN_END && !idl_is(r, STR("}"))) {
        size_t at = r->start;
        message_one(r);
        if (r->start == at)
            idl_next(r);
    }
    idl_need(r, STR("}"));
    extract_leave(r->x);
}

/* `(stream pkg.T)` */
static uint32_t
message_type(struct reader *r)
{
    bool is_stream = false;
    uint32_t id;

    idl_need(r, STR("("));
    if (idl_is(r, STR("stream"))) {
        idl_next(r);
        is_stream = !idl_is(r, STR(")"));
        if (!is_stream) {
            id = idl_name(r, STR("stream")); /* a message of that name */
            idl_need(r, STR(")"));
            return id;
        }
    }
    id = type_of(r);
    idl_need(r, STR(")"));
    return is_stream ? idl_generic(r, STR("stream"), id, 0) : id;
}

static void
options_body(struct reader *r, struct extract_list *marks)
{
    idl_next(r);
    while (r->kind != TOKEN_END && !idl_is(r, STR("}"))) {
        size_t at = r->start;
        if (idl_take(r, STR("option"))) {
            uint32_t id = option(r);
            if (id)
                extract_list_add(r->x, marks, id);
        } else {
            idl_skip(r);
        }
        if (r->start == at)
            idl_next(r);
    }
    idl_need(r, STR("}"));
}

static void
rpc(struct reader *r, size_t from)
{
    struct fact_def def = {.kind = CODE_METHOD, .flags = DEF_ABSTRACT};
    struct extract_list marks = {0};
    uint32_t before = r->x->scope;
    uint32_t id = idl_def(r, def);
    uint32_t len;

    idl_word(r);
    r->x->scope = id ? id : before;
    uint32_t request = message_type(r);
    idl_bind(r, (struct fact_bind){.kind = BIND_PARAM, .type = request},
             STR("request"));
    idl_need(r, STR("returns"));
    r->x->scope = before;
    uint32_t response = message_type(r);
    idl_sign(r, id, from, r->last_end);
    if (idl_is(r, STR("{"))) {
        options_body(r, &marks);
        idl_take(r, STR(";"));
    } else {
        idl_need(r, STR(";"));
    }
    uint32_t at = extract_list_end(r->x, &marks, &len);
    if (id) {
        r->x->facts->defs[id].type = response;
        r->x->facts->defs[id].marks_at = at;
        r->x->facts->defs[id].marks_len = len;
    }
    idl_end(r, id);
}

static void
service(struct reader *r)
{
    struct extract_list marks = {0};
    uint32_t before = r->x->scope;
    uint32_t def = idl_def(r, (struct fact_def){.kind = CODE_INTERFACE});
    uint32_t len;

    idl_word(r);
    if (idl_need(r, STR("{")))
        r->x->scope = def ? def : before;
    while (r->kind != TOKEN_END && r->x->scope == def && !idl_is(r, STR("}"))) {
        size_t at = r->start;
        if (idl_take(r, STR("rpc"))) {
            rpc(r, at);
        } else if (idl_take(r, STR("option"))) {
            uint32_t id = option(r);
            if (id)
                extract_list_add(r->x, &marks, id);
        } else {
            idl_skip(r);
        }
        if (r->start == at)
            idl_next(r);
    }
    idl_need(r, STR("}"));
    r->x->scope = before;
    uint32_t at = extract_list_end(r->x, &marks, &len);
    if (def) {
        r->x->facts->defs[def].marks_at = at;
        r->x->facts->defs[def].marks_len = len;
    }
    idl_end(r, def);
}

/* `option go_package = "a/b;c";` is a constant of the file. */
static void
file_option(struct reader *r)
{
    str name = r->token;

    if (r->kind != TOKEN_WORD) {
        idl_skip(r);
        return;
    }
    idl_next(r);
    if (idl_take(r, STR("=")) && r->kind == TOKEN_STRING) {
        uint32_t value = idl_literal(r);
        idl_bind(r,
                 (struct fact_bind){
                     .kind = BIND_LOCAL, .flags = BIND_CONST, .value = value},
                 name);
    }
    idl_skip(r);
}

static void
import(struct reader *r)
{
    bool is_public = idl_is(r, STR("public"));

    if (is_public || idl_is(r, STR("weak")) || idl_is(r, STR("option")))
        idl_next(r);
    if (r->kind == TOKEN_STRING) {
        idl_import(r, IMPORT_INCLUDE, r->token);
        if (is_public)
            idl_import(r, EXPORT_STAR, r->token);
    } else {
        r->x->facts->flags |= FACTS_PARTIAL;
    }
    idl_skip(r);
}

void
proto_file(struct reader *r)
{
    while (r->kind != TOKEN_END) {
        size_t at = r->start;
        if (idl_take(r, STR("service"))) {
            service(r);
        } else if (idl_take(r, STR("import"))) {
            import(r);
        } else if (idl_take(r, STR("option"))) {
            file_option(r);
        } else if (idl_take(r, STR("package"))) {
            r->x->facts->package = facts_str(r->x->facts, r->token);
            idl_word(r);
            idl_skip(r);
        } else if (idl_is(r, STR("message")) || idl_is(r, STR("enum")) ||
                   idl_is(r, STR("extend"))) {
            message_one(r);
        } else {
            bool is_known = idl_is(r, STR("syntax")) ||
                            idl_is(r, STR("edition")) || idl_is(r, STR(";"));
            if (!is_known)
                r->x->facts->flags |= FACTS_PARTIAL;
            idl_skip(r);
        }
        if (r->start == at)
            idl_next(r);
    }
}

void
lang_extract_proto(struct extract *x)
{
    struct reader r = {.x = x,
                       .text = x->source,
                       .line = 1,
                       .has_hash = x->facts->lang == LANG_THRIFT};

    if (str_starts(r.text, STR("\xEF\xBB\xBF")))
        r.at = r.line_at = 3;
    idl_next(&r);
    if (x->facts->lang == LANG_THRIFT)
        thrift_file(&r);
    else
        proto_file(&r);
}
