/*
 * One pass over the lines.  A block that is being read is dropped at an empty
 * line and at a line of code, unless that is one which somebody asks for; lines
 * of attributes keep it.  That a string of several lines may look like a
 * comment is no harm: what stands behind it is hardly ever a definition.
 */
#include "index/comments.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

struct reading {
    struct facts *facts;
    str source;
    uint8_t *wanted;  /* by line */
    size_t *start_of; /* by line: its first byte */
    uint32_t lines;
    struct buf text;
    bool in_block;
};

static bool
has_hash(uint8_t lang)
{
    return lang == LANG_PYTHON || lang == LANG_RUBY || lang == LANG_PHP ||
           lang == LANG_THRIFT;
}

static bool
has_slashes(uint8_t lang)
{
    return lang != LANG_PYTHON && lang != LANG_RUBY;
}

/* ---- lines that are asked for ---- */

static void
want(struct reading *r, uint32_t line)
{
    if (line > 0 && line <= r->lines)
        r->wanted[line] = 1;
}

static bool
is_declaring(const struct facts *facts, const struct fact_expr *call)
{
    if (call->kind != EXPR_CALL || call->list_len < 2)
        return false;
    const struct fact_expr *first = &facts->exprs[facts->lists[call->list_at]];
    str text = facts_text(facts, first->text);
    return first->kind == EXPR_STRING && text.len > 0 &&
           !memchr(text.ptr, ' ', text.len);
}

static void
want_lines(struct reading *r)
{
    const struct facts *facts = r->facts;

    for (uint32_t i = 1; i < facts->def_len; i++)
        want(r, facts->defs[i].start_line);
    for (uint32_t i = 1; i < facts->expr_len; i++)
        if (is_declaring(facts, &facts->exprs[i]))
            want(r, facts->exprs[i].line);
}

/* ---- text ---- */

/* What is told to tools and not to people. */
static bool
is_directive(str line)
{
    static const char *const starts[] = {
        "go:",     "nolint", "NOLINT",       "noqa",   "eslint",
        "pylint:", "@ts-",   "clang-format", "pragma", "istanbul",
        "type:",   "jshint", "prettier-",    "+build", "rubocop:",
    };

    for (size_t i = 0; i < sizeof(starts) / sizeof(starts[0]); i++)
        if (str_starts(line, str_of(starts[i])))
            return true;
    return false;
}

/* A part of a comment, without what marks it as one. */
static void
add_line(struct reading *r, str line)
{
    bool is_worded = false;

    while (line.len && strchr("/*#!; \t", line.ptr[0]))
        line = str_cut(line, 1, line.len);
    while (line.len && strchr("/* \t\r", line.ptr[line.len - 1]))
        line.len--;
    for (size_t i = 0; i < line.len; i++)
        is_worded |= isalnum((unsigned char)line.ptr[i]) ||
                     (unsigned char)line.ptr[i] >= 0x80;
    if (!is_worded || is_directive(line) || r->text.len >= COMMENT_BYTES_MAX)
        return;
    if (r->text.len)
        buf_add_char(&r->text, ' ');
    buf_add(&r->text, line);
}

static void
keep(struct reading *r, uint32_t line)
{
    str text = buf_str(&r->text);
    size_t len = text.len;

    r->facts->failed |= r->text.failed;
    if (len > COMMENT_BYTES_MAX)
        for (len = COMMENT_BYTES_MAX;
             len > 0 && ((unsigned char)text.ptr[len] & 0xC0) == 0x80;)
            len--;
    text = str_cut(text, 0, len);
    if (text.len && !memmem(text.ptr, text.len, "opyright", 8))
        facts_comment(r->facts, line, facts_str(r->facts, text));
}

/* ---- blocks above ---- */

static bool
starts_comment(const struct reading *r, str line)
{
    uint8_t lang = r->facts->lang;

    /* In PHP #[ is an attribute. */
    return (has_hash(lang) && line.ptr[0] == '#' &&
            !(lang == LANG_PHP && str_starts(line, STR("#[")))) ||
           (has_slashes(lang) &&
            (str_starts(line, STR("//")) || str_starts(line, STR("/*"))));
}

static bool
is_attribute(str line)
{
    return line.ptr[0] == '@' || line.ptr[0] == '[' ||
           str_starts(line, STR("#["));
}

static void
see_line(struct reading *r, uint32_t number, str line)
{
    bool is_start = line.len && !r->in_block && starts_comment(r, line);

    if (is_start || r->in_block) {
        bool opens = is_start && str_starts(line, STR("/*"));
        const char *close = opens || r->in_block
                                ? memmem(line.ptr + (opens ? 2 : 0),
                                         line.len - (opens ? 2 : 0), "*/", 2)
                                : NULL;

        r->in_block = (opens || r->in_block) && !close;
        if (close)
            line = str_cut(line, 0, (size_t)(close - line.ptr));
        add_line(r, line);
        return;
    }
    if (line.len && r->wanted[number] && r->text.len)
        keep(r, number);
    if (!line.len || r->wanted[number] || !is_attribute(line))
        buf_reset(&r->text);
}

static str
trim(str line)
{
    while (line.len && isspace((unsigned char)line.ptr[0]))
        line = str_cut(line, 1, line.len);
    while (line.len && isspace((unsigned char)line.ptr[line.len - 1]))
        line.len--;
    return line;
}

static str
line_of(const struct reading *r, uint32_t number)
{
    return str_cut(r->source, r->start_of[number], r->start_of[number + 1]);
}

/* ---- docstrings ---- */

/* Behind the string that begins at |at|; the end if it has none. */
static size_t
skip_string(str source, size_t at, size_t *from, size_t *to)
{
    char quote = source.ptr[at];
    size_t quotes = at + 2 < source.len && source.ptr[at + 1] == quote &&
                            source.ptr[at + 2] == quote
                        ? 3
                        : 1;

    *from = at + quotes;
    for (at = *from; at + quotes <= source.len; at++) {
        if (source.ptr[at] == '\\') {
            at++;
        } else if (source.ptr[at] == quote &&
                   (quotes == 1 || (source.ptr[at + 1] == quote &&
                                    source.ptr[at + 2] == quote))) {
            *to = at;
            return at + quotes;
        }
    }
    *to = source.len;
    return source.len;
}

/* Behind the colon that ends the head of a definition. */
static size_t
skip_head(str source, size_t at)
{
    size_t from;
    size_t to;

    for (int depth = 0; at < source.len;) {
        char c = source.ptr[at];

        if (c == '"' || c == '\'') {
            at = skip_string(source, at, &from, &to);
            continue;
        }
        if (c == '#')
            while (at + 1 < source.len && source.ptr[at + 1] != '\n')
                at++;
        depth += (c == '(' || c == '[' || c == '{') -
                 (c == ')' || c == ']' || c == '}');
        at++;
        if (c == ':' && depth <= 0)
            break;
    }
    return at;
}

static size_t
skip_blank(str source, size_t at)
{
    bool in_comment = false;

    for (; at < source.len; at++) {
        char c = source.ptr[at];

        in_comment = (in_comment || c == '#') && c != '\n';
        if (!in_comment && !isspace((unsigned char)c))
            break;
    }
    return at;
}

static void
see_docstring(struct reading *r, const struct fact_def *def)
{
    uint32_t last = def->end_line < r->lines ? def->end_line : r->lines;
    size_t from;
    size_t to;

    if (def->line == 0 || def->line > last || def->flags & DEF_LAMBDA ||
        (def->kind != CODE_FUNCTION && def->kind != CODE_METHOD &&
         def->kind != CODE_TYPE))
        return;
    str source = str_cut(r->source, 0, r->start_of[last + 1]);
    size_t at = skip_head(source, r->start_of[def->line] + def->col);
    at = skip_blank(source, at);
    if (at < source.len && strchr("rRuU", source.ptr[at]))
        at++;
    if (at >= source.len || (source.ptr[at] != '"' && source.ptr[at] != '\''))
        return;
    skip_string(source, at, &from, &to);
    buf_reset(&r->text);
    for (str rest = str_cut(source, from, to); rest.len;) {
        const char *end = memchr(rest.ptr, '\n', rest.len);
        size_t len = end ? (size_t)(end - rest.ptr) : rest.len;

        add_line(r, trim(str_cut(rest, 0, len)));
        rest = str_cut(rest, end ? len + 1 : len, rest.len);
    }
    keep(r, def->start_line);
}

/* ---- the whole ---- */

static int
by_line(const void *left, const void *right)
{
    const struct fact_comment *a = left;
    const struct fact_comment *b = right;

    if (a->line != b->line)
        return a->line < b->line ? -1 : 1;
    return (a->text > b->text) - (a->text < b->text);
}

static bool
find_lines(struct reading *r)
{
    uint32_t line = 1;

    for (size_t i = 0; i < r->source.len; i++)
        r->lines += r->source.ptr[i] == '\n';
    r->lines++;
    r->wanted = calloc((size_t)r->lines + 2, sizeof(*r->wanted));
    r->start_of = calloc((size_t)r->lines + 2, sizeof(*r->start_of));
    if (!r->wanted || !r->start_of)
        return false;
    for (size_t i = 0; i < r->source.len; i++)
        if (r->source.ptr[i] == '\n')
            r->start_of[++line] = i + 1;
    r->start_of[line + 1] = r->source.len;
    return true;
}

void
comments_find(struct facts *facts, str source)
{
    struct reading r = {.facts = facts, .source = source};

    if (!find_lines(&r)) {
        facts->failed = true;
    } else {
        want_lines(&r);
        for (uint32_t line = 1; line <= r.lines; line++)
            see_line(&r, line, trim(line_of(&r, line)));
        for (uint32_t i = 1; facts->lang == LANG_PYTHON && i < facts->def_len;
             i++)
            see_docstring(&r, &facts->defs[i]);
        if (facts->comment_len > 2)
            qsort(facts->comments + 1, facts->comment_len - 1,
                  sizeof(*facts->comments), by_line);
    }
    free(r.wanted);
    free(r.start_of);
    buf_fini(&r.text);
}
