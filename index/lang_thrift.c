/*
 * Thrift: namespaces, includes, types, services.  Of several namespaces that
 * of all languages (`*`) is the package, else the first.
 */
#include "index/lang_proto.h"

static uint32_t
type_of(struct reader *r)
{
    str name = r->token;
    uint32_t one = 0;
    uint32_t two = 0;
    bool is_map = idl_is(r, STR("map"));
    bool is_list = idl_is(r, STR("list"));

    if (r->kind != TOKEN_WORD) {
        idl_word(r);
        return 0;
    }
    uint32_t plain = is_map || is_list ? 0 : idl_path(r, name);
    idl_next(r);
    if (idl_is(r, STR("<")) && extract_enter(r->x)) {
        idl_next(r);
        one = type_of(r);
        if (idl_take(r, STR(",")))
            two = type_of(r);
        idl_need(r, STR(">"));
        extract_leave(r->x);
        plain = idl_generic(r, is_list ? STR("[]") : name, one, two);
    }
    if (idl_is(r, STR("("))) /* annotations */
        idl_skip_group(r);
    return plain ? plain : idl_name(r, name);
}

static uint32_t
value_of(struct reader *r)
{
    if (idl_is(r, STR("{")) || idl_is(r, STR("["))) {
        idl_skip_group(r);
        return 0;
    }
    return idl_literal(r);
}

static void
end_of_member(struct reader *r)
{
    if (idl_is(r, STR("(")))
        idl_skip_group(r);
    if (!idl_take(r, STR(",")))
        idl_take(r, STR(";"));
}

/* `1: required T name = value (annotations),` up to |close|. */
static void
fields(struct reader *r, uint8_t kind, str close)
{
    uint32_t index = 0;

    while (r->kind != TOKEN_END && !idl_is(r, close)) {
        struct fact_bind bind = {.kind = kind, .index = index++};
        size_t at = r->start;
        str name;

        if (r->kind == TOKEN_NUMBER || idl_is(r, STR("-"))) {
            idl_literal(r);
            idl_need(r, STR(":"));
        }
        if (idl_is(r, STR("required")) || idl_is(r, STR("optional")))
            idl_next(r);
        bind.type = type_of(r);
        idl_take(r, STR("&"));
        name = idl_word(r);
        if (idl_take(r, STR("=")))
            bind.value = value_of(r);
        if (kind != BIND_PARAM)
            bind.index = 0;
        if (name.len > 0 && kind != 0)
            idl_bind(r, bind, name);
        end_of_member(r);
        if (r->start == at)
            idl_next(r);
    }
    idl_need(r, close);
}

static void
structure(struct reader *r)
{
    uint32_t before = r->x->scope;
    uint32_t def = idl_def(r, (struct fact_def){.kind = CODE_TYPE});

    idl_word(r);
    idl_take(r, STR("xsd_all"));
    r->x->scope = def ? def : before;
    if (idl_need(r, STR("{")))
        fields(r, BIND_FIELD, STR("}"));
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
        struct fact_bind bind = {.kind = BIND_FIELD, .flags = BIND_CONST};
        size_t at = r->start;
        str name = idl_word(r);
        if (idl_take(r, STR("=")))
            bind.value = value_of(r);
        if (name.len > 0)
            idl_bind(r, bind, name);
        end_of_member(r);
        if (r->start == at)
            idl_next(r);
    }
    idl_need(r, STR("}"));
    r->x->scope = before;
    idl_end(r, def);
}

/* `oneway void name(1: T a) throws (1: E e),` */
static void
function(struct reader *r)
{
    struct fact_def def = {.kind = CODE_METHOD, .flags = DEF_ABSTRACT};
    uint32_t before = r->x->scope;
    size_t from = r->start;

    if (idl_is(r, STR("oneway")) || idl_is(r, STR("async")))
        idl_next(r);
    if (!idl_take(r, STR("void")))
        def.type = type_of(r);
    uint32_t id = idl_def(r, def);
    idl_word(r);
    r->x->scope = id ? id : before;
    if (idl_need(r, STR("(")))
        fields(r, BIND_PARAM, STR(")"));
    r->x->scope = before;
    if (idl_take(r, STR("throws")) && idl_need(r, STR("(")))
        fields(r, 0, STR(")"));
    idl_sign(r, id, from, r->last_end);
    end_of_member(r);
    idl_end(r, id);
}

static void
service(struct reader *r)
{
    struct fact_def def = {.kind = CODE_INTERFACE};
    struct extract_list bases = {0};
    uint32_t before = r->x->scope;
    uint32_t id = idl_def(r, def);
    uint32_t len;

    idl_word(r);
    if (idl_take(r, STR("extends")))
        extract_list_add(r->x, &bases, type_of(r));
    uint32_t at = extract_list_end(r->x, &bases, &len);
    if (id) {
        r->x->facts->defs[id].bases_at = at;
        r->x->facts->defs[id].bases_len = len;
        r->x->facts->defs[id].interfaces = len;
    }
    if (!idl_need(r, STR("{")))
        return;
    r->x->scope = id ? id : before;
    while (r->kind != TOKEN_END && !idl_is(r, STR("}"))) {
        size_t start = r->start;
        function(r);
        if (r->start == start)
            idl_next(r);
    }
    idl_need(r, STR("}"));
    r->x->scope = before;
    idl_end(r, id);
}

static void
constant(struct reader *r)
{
    uint32_t type = type_of(r);
    str name = r->token;

    if (r->kind != TOKEN_WORD) {
        idl_word(r);
        return;
    }
    idl_def(r, (struct fact_def){.kind = CODE_CONST, .type = type});
    idl_next(r);
    uint32_t value = idl_take(r, STR("=")) ? value_of(r) : 0;

    idl_bind(r,
             (struct fact_bind){.kind = BIND_LOCAL,
                                .flags = BIND_CONST,
                                .type = type,
                                .value = value},
             name);
    end_of_member(r);
}

static void
alias(struct reader *r)
{
    uint32_t type = type_of(r);

    if (r->kind == TOKEN_WORD)
        idl_def(r, (struct fact_def){.kind = CODE_TYPE, .type = type});
    idl_word(r);
    end_of_member(r);
}

static void
name_space(struct reader *r)
{
    bool is_all = idl_is(r, STR("*"));

    idl_next(r);
    if (is_all || !r->x->facts->package)
        r->x->facts->package = facts_str(r->x->facts, r->token);
    idl_word(r);
    end_of_member(r);
}

static void
include(struct reader *r)
{
    if (r->kind == TOKEN_STRING)
        idl_import(r, IMPORT_INCLUDE, r->token);
    else
        r->x->facts->flags |= FACTS_PARTIAL;
    idl_next(r);
}

void
thrift_file(struct reader *r)
{
    static const struct {
        str word;
        void (*read)(struct reader *r);
    } kinds[] = {
        {STR_INIT("namespace"), name_space}, {STR_INIT("include"), include},
        {STR_INIT("const"), constant},       {STR_INIT("typedef"), alias},
        {STR_INIT("enum"), enumeration},     {STR_INIT("senum"), enumeration},
        {STR_INIT("struct"), structure},     {STR_INIT("union"), structure},
        {STR_INIT("exception"), structure},  {STR_INIT("service"), service},
        {STR_INIT("cpp_include"), idl_next},
    };
    enum { KINDS = sizeof(kinds) / sizeof(kinds[0]) };

    while (r->kind != TOKEN_END) {
        size_t i = 0;
        while (i < KINDS && !idl_is(r, kinds[i].word))
            i++;
        if (i < KINDS) {
            idl_next(r);
            kinds[i].read(r);
        } else if (idl_is(r, STR("("))) {
            idl_skip_group(r);
        } else {
            if (!idl_is(r, STR(";")))
                r->x->facts->flags |= FACTS_PARTIAL;
            idl_next(r);
        }
    }
}
