/*
 * The reader: tokens, and the facts both languages are made of.
 */
#include <string.h>

#include "index/lang_proto.h"

static bool
is_name_byte(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
           (c >= '0' && c <= '9') || c == '_' || c == '.' || (c & 0x80);
}

static void
newline(struct reader *r)
{
    r->line++;
    r->line_at = r->at + 1;
}

/* Blanks and comments. */
static void
skip_blanks(struct reader *r)
{
    bool in_block = false;
    bool in_line = false;

    for (; r->at < r->text.len; r->at++) {
        char c = r->text.ptr[r->at];
        str rest = str_cut(r->text, r->at, r->at + 2);
        bool ends = str_eq(rest, STR("*/"));
        bool opens = str_eq(rest, STR("/*"));
        bool is_comment = str_eq(rest, STR("//"));
        if (c == '\n') {
            newline(r);
            in_line = false;
        } else if (in_block) {
            in_block = !ends;
            r->at += !in_block;
        } else if (in_line || (unsigned char)c <= ' ') {
            continue;
        } else if (opens) {
            in_block = true;
            r->at++;
        } else if (is_comment || (c == '#' && r->has_hash)) {
            in_line = true;
        } else {
            return;
        }
    }
}

static size_t
string_end(const struct reader *r, char quote)
{
    size_t at = r->at + 1;

    while (at < r->text.len && r->text.ptr[at] != quote &&
           r->text.ptr[at] != '\n')
        at += r->text.ptr[at] == '\\' && at + 1 < r->text.len &&
                      r->text.ptr[at + 1] != '\n'
                  ? 2
                  : 1;
    return at < r->text.len && r->text.ptr[at] == quote ? at + 1 : at;
}

void
idl_next(struct reader *r)
{
    size_t end;
    char c;

    r->last_end = r->at;
    r->last_line = r->line;
    skip_blanks(r);
    r->start = r->at;
    r->token = (str){"", 0};
    r->kind = TOKEN_END;
    if (r->at >= r->text.len)
        return;
    c = r->text.ptr[r->at];
    end = r->at + 1;
    if (c == '"' || c == '\'') {
        r->kind = TOKEN_STRING;
        end = string_end(r, c);
    } else if (is_name_byte(c)) {
        r->kind = c >= '0' && c <= '9' ? TOKEN_NUMBER : TOKEN_WORD;
        while (end < r->text.len && is_name_byte(r->text.ptr[end]))
            end++;
    } else {
        r->kind = TOKEN_SYMBOL;
    }
    r->token = str_cut(r->text, r->at, end);
    r->at = end;
}

bool
idl_is(const struct reader *r, str text)
{
    return r->kind != TOKEN_STRING && str_eq(r->token, text);
}

bool
idl_take(struct reader *r, str text)
{
    if (!idl_is(r, text))
        return false;
    idl_next(r);
    return true;
}

bool
idl_need(struct reader *r, str text)
{
    if (idl_take(r, text))
        return true;
    r->x->facts->flags |= FACTS_PARTIAL;
    return false;
}

str
idl_word(struct reader *r)
{
    str word = r->token;

    if (r->kind != TOKEN_WORD) {
        r->x->facts->flags |= FACTS_PARTIAL;
        return (str){"", 0};
    }
    idl_next(r);
    return word;
}

void
idl_skip_group(struct reader *r)
{
    uint32_t depth = 0;

    while (r->kind != TOKEN_END) {
        if (idl_is(r, STR("{")) || idl_is(r, STR("(")) || idl_is(r, STR("[")))
            depth++;
        else if (idl_is(r, STR("}")) || idl_is(r, STR(")")) ||
                 idl_is(r, STR("]")))
            depth -= depth > 0;
        idl_next(r);
        if (depth == 0)
            return;
    }
    r->x->facts->flags |= FACTS_PARTIAL;
}

void
idl_skip(struct reader *r)
{
    while (r->kind != TOKEN_END && !idl_is(r, STR("}"))) {
        if (idl_take(r, STR(";")))
            return;
        bool is_block = idl_is(r, STR("{"));
        if (is_block || idl_is(r, STR("(")) || idl_is(r, STR("[")))
            idl_skip_group(r);
        else
            idl_next(r);
        if (is_block) {
            idl_take(r, STR(";"));
            return;
        }
    }
}

uint32_t
idl_expr(struct reader *r, struct fact_expr expr)
{
    expr.scope = r->x->scope;
    expr.line = r->line;
    expr.col = (uint32_t)(r->start - r->line_at);
    return facts_expr(r->x->facts, &expr);
}

uint32_t
idl_name(struct reader *r, str text)
{
    return idl_expr(r,
                    (struct fact_expr){.kind = EXPR_NAME,
                                       .text = facts_str(r->x->facts, text)});
}

uint32_t
idl_path(struct reader *r, str path)
{
    uint32_t id = 0;

    for (size_t from = 0; from < path.len;) {
        const char *dot = memchr(path.ptr + from, '.', path.len - from);
        size_t to = dot ? (size_t)(dot - path.ptr) : path.len;
        struct fact_expr expr = {
            .kind = id ? EXPR_MEMBER : EXPR_NAME,
            .a = id,
            .text = facts_str(r->x->facts, str_cut(path, from, to))};
        if (to > from)
            id = idl_expr(r, expr);
        from = to + 1;
    }
    return id;
}

static uint32_t
string_literal(struct reader *r)
{
    struct fact_expr expr = {.kind = EXPR_STRING};
    struct buf all = {.cap_max = (size_t)4 * FACT_STR_MAX};

    buf_add_char(&all, '"');
    for (; r->kind == TOKEN_STRING; idl_next(r))
        if (r->token.len > 1)
            buf_add(&all, str_cut(r->token, 1, r->token.len - 1));
    buf_add_char(&all, '"');
    expr.text = extract_string(r->x, buf_str(&all), 0);
    buf_fini(&all);
    return idl_expr(r, expr);
}

uint32_t
idl_literal(struct reader *r)
{
    size_t from = r->start;
    uint32_t id = 0;

    idl_take(r, STR("-"));
    switch (r->kind) {
    case TOKEN_STRING:
        return string_literal(r);
    case TOKEN_NUMBER:
        id = idl_expr(r, (struct fact_expr){
                             .kind = EXPR_NUMBER,
                             .text = facts_str(r->x->facts,
                                               str_cut(r->text, from, r->at))});
        idl_next(r);
        return id;
    case TOKEN_WORD:
        id = idl_path(r, r->token);
        idl_next(r);
        return id;
    case TOKEN_END:
    case TOKEN_SYMBOL:
        break;
    }
    return 0;
}

uint32_t
idl_pair(struct reader *r, str key, uint32_t value)
{
    return idl_expr(r, (struct fact_expr){.kind = EXPR_PAIR,
                                          .a = value,
                                          .text = facts_str(r->x->facts, key)});
}

uint32_t
idl_list(struct reader *r, uint8_t kind, uint32_t a, struct extract_list *list)
{
    struct fact_expr expr = {.kind = kind, .a = a};

    expr.list_at = extract_list_end(r->x, list, &expr.list_len);
    return idl_expr(r, expr);
}

uint32_t
idl_generic(struct reader *r, str name, uint32_t one, uint32_t two)
{
    struct extract_list list = {0};
    uint32_t base = idl_name(r, name);

    extract_list_add(r->x, &list, one);
    if (two)
        extract_list_add(r->x, &list, two);
    return idl_list(r, EXPR_GENERIC, base, &list);
}

uint32_t
idl_def(struct reader *r, struct fact_def def)
{
    def.parent = r->x->scope;
    def.name = facts_str(r->x->facts, r->token);
    def.flags |= DEF_EXPORTED;
    def.line = r->line;
    def.col = (uint32_t)(r->start - r->line_at);
    def.start_line = r->line;
    def.end_line = r->line;
    return facts_def(r->x->facts, &def);
}

void
idl_end(struct reader *r, uint32_t def)
{
    if (def)
        r->x->facts->defs[def].end_line = r->last_line;
}

void
idl_sign(struct reader *r, uint32_t def, size_t from, size_t to)
{
    char line[256];
    size_t len = 0;
    str text = str_cut(r->text, from, to);

    for (size_t i = 0; i < text.len && len < sizeof(line); i++) {
        bool is_blank = (unsigned char)text.ptr[i] <= ' ';
        if (!is_blank)
            line[len++] = text.ptr[i];
        else if (len > 0 && line[len - 1] != ' ')
            line[len++] = ' ';
    }
    while (len > 0 && (line[len - 1] == ' ' || line[len - 1] & 0x80))
        len--;
    if (def)
        r->x->facts->defs[def].signature =
            facts_str(r->x->facts, (str){line, len});
}

void
idl_bind(struct reader *r, struct fact_bind bind, str name)
{
    bind.scope = r->x->scope;
    bind.line = r->line;
    bind.name = facts_str(r->x->facts, name);
    facts_bind(r->x->facts, &bind);
}

void
idl_import(struct reader *r, uint8_t kind, str literal)
{
    facts_import(r->x->facts, &(struct fact_import){
                                  .kind = kind,
                                  .module = extract_string(r->x, literal, 0),
                                  .line = r->line});
}
