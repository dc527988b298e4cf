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

    if (reader_is(r, STR("{")) || reader_is(r, STR("<"))) {
        aggregate(r, &list);
        return reader_list(r, EXPR_OBJECT, 0, &list);
    }
    if (!reader_take(r, STR("[")))
        return reader_literal(r);
    while (r->kind != TOKEN_END && !reader_is(r, STR("]"))) {
        size_t at = r->start;
        uint32_t id = 0;
        if (extract_enter(r->x)) {
            id = value_of(r);
            extract_leave(r->x);
        }
        extract_list_add(r->x, &list, id);
        reader_take(r, STR(","));
        if (r->start == at)
            reader_next(r);
    }
    reader_need(r, STR("]"));
    return reader_list(r, EXPR_ARRAY, 0, &list);
}

/* A key may be `[pkg.extension]`. */
static str
key_of(struct reader *r)
{
    str key;

    if (!reader_take(r, STR("[")))
        return reader_word(r);
    key = reader_word(r);
    reader_need(r, STR("]"));
    return key;
}

static void
aggregate(struct reader *r, struct extract_list *list)
{
    if (!extract_enter(r->x)) {
        reader_skip_group(r);
        return;
    }
    reader_next(r);
    while (r->kind != TOKEN_END && !reader_is(r, STR("}")) &&
           !reader_is(r, STR(">"))) {
        size_t at = r->start;
        str key = key_of(r);
        reader_take(r, STR(":"));
        uint32_t value = value_of(r);
        if (key.len > 0)
            extract_list_add(r->x, list, reader_pair(r, key, value));
        if (!reader_take(r, STR(",")))
            reader_take(r, STR(";"));
        if (r->start == at)
            reader_next(r);
    }
    if (!reader_take(r, STR(">")))
        reader_need(r, STR("}"));
    extract_leave(r->x);
}

/* `option (a.b).c = value;` behind `option`: a mark `a.b(c: value)`. */
static uint32_t
option(struct reader *r)
{
    struct extract_list list = {0};
    bool is_custom = reader_take(r, STR("("));
    uint32_t name = reader_name(r, r->token);
    str part = {"", 0};

    reader_word(r);
    if (is_custom) {
        reader_need(r, STR(")"));
        if (r->kind == TOKEN_WORD && r->token.ptr[0] == '.')
            part = reader_word(r);
    }
    if (!reader_need(r, STR("="))) {
        reader_skip(r);
        return 0;
    }
    if (part.len > 0) {
        uint32_t value = value_of(r);
        extract_list_add(r->x, &list,
                         reader_pair(r, str_cut(part, 1, part.len), value));
    } else if (reader_is(r, STR("{"))) {
        aggregate(r, &list);
    } else {
        extract_list_add(r->x, &list, value_of(r));
    }
    uint32_t id = reader_list(r, EXPR_CALL, name, &list);
    reader_need(r, STR(";"));
    return id;
}

static uint32_t
type_of(struct reader *r)
{
    str name = r->token;
    uint32_t id = 0;

    if (!reader_is(r, STR("map"))) {
        id = reader_path(r, r->kind == TOKEN_WORD ? name : STR(""));
        reader_word(r);
        return id;
    }
    reader_next(r);
    if (!reader_take(r, STR("<")))
        return reader_name(r, STR("map"));
    uint32_t key = type_of(r);
    reader_need(r, STR(","));
    uint32_t value = type_of(r);
    reader_need(r, STR(">"));
    return reader_generic(r, STR("map"), key, value);
}

/* `[label] type name = 1 [options];` or a group. */
static void
field(struct reader *r)
{
    bool is_list = reader_is(r, STR("repeated"));

    if (is_list || reader_is(r, STR("optional")) ||
        reader_is(r, STR("required")))
        reader_next(r);
    if (reader_is(r, STR("group"))) {
        reader_next(r);
        reader_word(r);
        reader_take(r, STR("="));
        reader_literal(r);
        message_body(r);
        return;
    }
    uint32_t type = type_of(r);
    if (is_list)
        type = reader_generic(r, STR("[]"), type, 0);
    if (r->kind == TOKEN_WORD)
        reader_bind(r, (struct fact_bind){.kind = BIND_FIELD, .type = type},
                    r->token);
    reader_word(r);
    reader_skip(r);
}

static void
message(struct reader *r)
{
    uint32_t before = r->x->scope;
    uint32_t def = reader_def(r, (struct fact_def){.kind = CODE_TYPE});

    reader_word(r);
    r->x->scope = def ? def : before;
    message_body(r);
    r->x->scope = before;
    reader_end(r, def);
}

static void
enumeration(struct reader *r)
{
    uint32_t before = r->x->scope;
    uint32_t def =
        reader_def(r, (struct fact_def){.kind = CODE_TYPE, .flags = DEF_ENUM});

    reader_word(r);
    if (!reader_need(r, STR("{")))
        return;
    r->x->scope = def ? def : before;
    while (r->kind != TOKEN_END && !reader_is(r, STR("}"))) {
        str name = r->token;
        size_t at = r->start;
        bool is_value = r->kind == TOKEN_WORD && !reader_is(r, STR("option")) &&
                        !reader_is(r, STR("reserved"));
        reader_next(r);
        if (is_value && reader_take(r, STR("="))) {
            uint32_t value = reader_literal(r);
            reader_bind(r,
                        (struct fact_bind){.kind = BIND_FIELD,
                                           .flags = BIND_CONST,
                                           .value = value},
                        name);
        }
        reader_skip(r);
        if (r->start == at)
            reader_next(r);
    }
    reader_need(r, STR("}"));
    r->x->scope = before;
    reader_end(r, def);
}

static void
message_one(struct reader *r)
{
    if (reader_take(r, STR("message"))) {
        message(r);
    } else if (reader_take(r, STR("enum"))) {
        enumeration(r);
    } else if (reader_take(r, STR("oneof"))) {
        reader_word(r);
        message_body(r);
    } else if (reader_is(r, STR("extend")) || reader_is(r, STR("option")) ||
               reader_is(r, STR("reserved")) ||
               reader_is(r, STR("extensions")) || reader_is(r, STR(";"))) {
        reader_skip(r);
    } else {
        field(r);
    }
}

static void
message_body(struct reader *r)
{
    if (!reader_is(r, STR("{")) || !extract_enter(r->x)) {
        r->x->facts->flags |= FACTS_PARTIAL;
        reader_skip(r);
        return;
    }
    reader_next(r);
    while (r->kind != TOKEN_END && !reader_is(r, STR("}"))) {
        size_t at = r->start;
        message_one(r);
        if (r->start == at)
            reader_next(r);
    }
    reader_need(r, STR("}"));
    extract_leave(r->x);
}

/* `(stream pkg.T)` */
static uint32_t
message_type(struct reader *r)
{
    bool is_stream = false;
    uint32_t id;

    reader_need(r, STR("("));
    if (reader_is(r, STR("stream"))) {
        reader_next(r);
        is_stream = !reader_is(r, STR(")"));
        if (!is_stream) {
            id = reader_name(r, STR("stream")); /* a message of that name */
            reader_need(r, STR(")"));
            return id;
        }
    }
    id = type_of(r);
    reader_need(r, STR(")"));
    return is_stream ? reader_generic(r, STR("stream"), id, 0) : id;
}

static void
options_body(struct reader *r, struct extract_list *marks)
{
    reader_next(r);
    while (r->kind != TOKEN_END && !reader_is(r, STR("}"))) {
        size_t at = r->start;
        if (reader_take(r, STR("option"))) {
            uint32_t id = option(r);
            if (id)
                extract_list_add(r->x, marks, id);
        } else {
            reader_skip(r);
        }
        if (r->start == at)
            reader_next(r);
    }
    reader_need(r, STR("}"));
}

static void
rpc(struct reader *r, size_t from)
{
    struct fact_def def = {.kind = CODE_METHOD, .flags = DEF_ABSTRACT};
    struct extract_list marks = {0};
    uint32_t before = r->x->scope;
    uint32_t id = reader_def(r, def);
    uint32_t len;

    reader_word(r);
    r->x->scope = id ? id : before;
    uint32_t request = message_type(r);
    reader_bind(r, (struct fact_bind){.kind = BIND_PARAM, .type = request},
                STR("request"));
    reader_need(r, STR("returns"));
    r->x->scope = before;
    uint32_t response = message_type(r);
    reader_sign(r, id, from, r->last_end);
    if (reader_is(r, STR("{"))) {
        options_body(r, &marks);
        reader_take(r, STR(";"));
    } else {
        reader_need(r, STR(";"));
    }
    uint32_t at = extract_list_end(r->x, &marks, &len);
    if (id) {
        r->x->facts->defs[id].type = response;
        r->x->facts->defs[id].marks_at = at;
        r->x->facts->defs[id].marks_len = len;
    }
    reader_end(r, id);
}

static void
service(struct reader *r)
{
    struct extract_list marks = {0};
    uint32_t before = r->x->scope;
    uint32_t def = reader_def(r, (struct fact_def){.kind = CODE_INTERFACE});
    uint32_t len;

    reader_word(r);
    if (reader_need(r, STR("{")))
        r->x->scope = def ? def : before;
    while (r->kind != TOKEN_END && r->x->scope == def &&
           !reader_is(r, STR("}"))) {
        size_t at = r->start;
        if (reader_take(r, STR("rpc"))) {
            rpc(r, at);
        } else if (reader_take(r, STR("option"))) {
            uint32_t id = option(r);
            if (id)
                extract_list_add(r->x, &marks, id);
        } else {
            reader_skip(r);
        }
        if (r->start == at)
            reader_next(r);
    }
    reader_need(r, STR("}"));
    r->x->scope = before;
    uint32_t at = extract_list_end(r->x, &marks, &len);
    if (def) {
        r->x->facts->defs[def].marks_at = at;
        r->x->facts->defs[def].marks_len = len;
    }
    reader_end(r, def);
}

/* `option go_package = "a/b;c";` is a constant of the file. */
static void
file_option(struct reader *r)
{
    str name = r->token;

    if (r->kind != TOKEN_WORD) {
        reader_skip(r);
        return;
    }
    reader_next(r);
    if (reader_take(r, STR("=")) && r->kind == TOKEN_STRING) {
        uint32_t value = reader_literal(r);
        reader_bind(r,
                    (struct fact_bind){.kind = BIND_LOCAL,
                                       .flags = BIND_CONST,
                                       .value = value},
                    name);
    }
    reader_skip(r);
}

static void
import(struct reader *r)
{
    bool is_public = reader_is(r, STR("public"));

    if (is_public || reader_is(r, STR("weak")) || reader_is(r, STR("option")))
        reader_next(r);
    if (r->kind == TOKEN_STRING) {
        reader_import(r, IMPORT_INCLUDE, r->token);
        if (is_public)
            reader_import(r, EXPORT_STAR, r->token);
    } else {
        r->x->facts->flags |= FACTS_PARTIAL;
    }
    reader_skip(r);
}

void
proto_file(struct reader *r)
{
    while (r->kind != TOKEN_END) {
        size_t at = r->start;
        if (reader_take(r, STR("service"))) {
            service(r);
        } else if (reader_take(r, STR("import"))) {
            import(r);
        } else if (reader_take(r, STR("option"))) {
            file_option(r);
        } else if (reader_take(r, STR("package"))) {
            r->x->facts->package = facts_str(r->x->facts, r->token);
            reader_word(r);
            reader_skip(r);
        } else if (reader_is(r, STR("message")) || reader_is(r, STR("enum")) ||
                   reader_is(r, STR("extend"))) {
            message_one(r);
        } else {
            bool is_known = reader_is(r, STR("syntax")) ||
                            reader_is(r, STR("edition")) ||
                            reader_is(r, STR(";"));
            if (!is_known)
                r->x->facts->flags |= FACTS_PARTIAL;
            reader_skip(r);
        }
        if (r->start == at)
            reader_next(r);
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
    reader_next(&r);
    if (x->facts->lang == LANG_THRIFT)
        thrift_file(&r);
    else
        proto_file(&r);
}
