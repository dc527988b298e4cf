/*
 * Lines are read once, with a stack of the conditionals that are open, and what
 * their branches are like is noted on the way.  At an `#endif` it is that of
 * the branches as they are by then, those within them settled.  A conditional
 * is left alone if each of its branches has its brackets in pairs and is made
 * of whole declarations or statements: what is in front of it, and what it ends
 * with, ends one.
 */
#include "index/c_settle.h"

#include <stdint.h>
#include <string.h>

#include "index/c_macro.h"
#include "index/facts.h"

enum { DEPTH_MAX = 64, BRANCHES_MAX = 32 };

/* What a stretch of text is like to those around it. */
struct shape {
    int32_t depth;  /* of brackets, at its end */
    int32_t lowest; /* on the way */
    char first;     /* that is no blank, comment or directive; 0: none */
    char last;
    bool begins_else;
    bool ends_else;
};

/* From the line of a directive to the next one of the same conditional. */
struct branch {
    size_t at;   /* its directive */
    size_t body; /* behind that */
    bool is_dead;
    bool is_for_cpp;
    struct shape shape; /* so far, of what is settled */
};

struct conditional {
    struct branch branches[BRANCHES_MAX];
    uint32_t len;
    char before; /* the last character in front of it that says something */
};

struct settling {
    char *text;
    size_t len;
    struct conditional open[DEPTH_MAX];
    uint32_t depth;
    uint32_t beyond; /* open ones that there was no room for */
    char last;       /* so far, that says something */
    bool is_csharp;
};

/* Behind the line that begins at |at|, with those that it goes on in. */
static size_t
line_end(const struct settling *s, size_t at)
{
    while (at < s->len) {
        const char *end = memchr(s->text + at, '\n', s->len - at);
        size_t next = end ? (size_t)(end - s->text) + 1 : s->len;
        size_t last = end ? next - 1 : next;
        if (last > at && s->text[last - 1] == '\r')
            last--;
        if (last == at || s->text[last - 1] != '\\' || s->is_csharp)
            return next;
        at = next;
    }
    return s->len;
}

static void
blank(struct settling *s, size_t from, size_t to)
{
    for (size_t i = from; i < to; i++)
        if (s->text[i] != '\n' && s->text[i] != '\r')
            s->text[i] = ' ';
}

/* `@"..."`, in which `""` is a quote, and `"""..."""` of C#; |at|: neither. */
static size_t
skip_verbatim(const struct settling *s, size_t at, size_t end)
{
    const char *text = s->text;
    size_t quotes = 0;

    while (at + quotes < end && text[at + quotes] == '"')
        quotes++;
    if (quotes >= 3) {
        const char *close =
            memmem(text + at + quotes, end - at - quotes, text + at, quotes);
        return close ? (size_t)(close - text) + quotes : end;
    }
    bool is_verbatim =
        at > 0 && (text[at - 1] == '@' ||
                   (at > 1 && text[at - 1] == '$' && text[at - 2] == '@'));
    if (!is_verbatim)
        return at;
    for (at++; at < end; at++) {
        if (text[at] != '"')
            continue;
        if (at + 1 == end || text[at + 1] != '"')
            return at + 1;
        at++;
    }
    return end;
}

/* Behind the comment or literal that begins at |at|; |at| where none does. */
static size_t
skip_one(const struct settling *s, size_t at, size_t end)
{
    const char *text = s->text;
    char quote = text[at];

    if (quote != '/' && quote != '"' && quote != '\'')
        return at;
    if (quote == '/' && at + 1 < end && text[at + 1] == '*') {
        const char *close = memmem(text + at + 2, end - at - 2, "*/", 2);
        return close ? (size_t)(close - text) + 2 : end;
    }
    if (quote == '/' && at + 1 < end && text[at + 1] == '/') {
        size_t next = line_end(s, at);
        next -= text[next - 1] == '\n';
        return next < end ? next : end;
    }
    if (quote == '/')
        return at;
    size_t verbatim =
        s->is_csharp && quote == '"' ? skip_verbatim(s, at, end) : at;
    if (verbatim > at)
        return verbatim;
    /* 1'000'000 of C++ */
    if (quote == '\'' && at > 0 && text[at - 1] >= '0' && text[at - 1] <= '9')
        return at + 1;
    for (at++; at < end && text[at] != quote && text[at] != '\n'; at++)
        at += text[at] == '\\';
    return at < end ? at + 1 : end;
}

/* Behind the directive that begins at |at|, with the comment that it may end
 * with, which may go on for lines. */
static size_t
directive_end(const struct settling *s, size_t at)
{
    size_t end = line_end(s, at);

    while (at < end && !s->is_csharp) {
        size_t behind = skip_one(s, at, s->len);
        if (behind > end)
            end = line_end(s, behind);
        at = behind > at ? behind : at + 1;
    }
    return end;
}

static bool
is_word_at(const struct settling *s, size_t at, size_t end, str word)
{
    return at + word.len <= end &&
           memcmp(s->text + at, word.ptr, word.len) == 0;
}

static bool
is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f';
}

static void
add_char(struct shape *shape, char c)
{
    if (c == '(' || c == '[' || c == '{')
        shape->depth++;
    if (c == ')' || c == ']' || c == '}')
        shape->depth--;
    if (shape->depth < shape->lowest)
        shape->lowest = shape->depth;
    if (!shape->first)
        shape->first = c;
    shape->last = c;
}

/* |next| stands behind it. */
static void
add_shape(struct shape *shape, const struct shape *next)
{
    if (!next->first)
        return;
    if (!shape->first) {
        *shape = *next;
        return;
    }
    if (shape->depth + next->lowest < shape->lowest)
        shape->lowest = shape->depth + next->lowest;
    shape->depth += next->depth;
    shape->last = next->last;
    shape->ends_else = next->ends_else;
}

/* The branch that is being read; NULL: none is. */
static struct shape *
shape_here(struct settling *s)
{
    struct conditional *c = s->depth > 0 ? &s->open[s->depth - 1] : NULL;

    return c ? &c->branches[c->len - 1].shape : NULL;
}

/* A character that says something. */
static void
note(struct settling *s, size_t at)
{
    struct shape *shape = shape_here(s);
    char c = s->text[at];

    s->last = c;
    if (!shape)
        return;
    if (!shape->first)
        shape->begins_else = is_word_at(s, at, s->len, STR("else"));
    shape->ends_else =
        c == 'e' && at >= 3 && is_word_at(s, at - 3, s->len, STR("else"));
    add_char(shape, c);
}

static bool
ends_one(char c)
{
    return c == 0 || c == ';' || c == '{' || c == '}' || c == ':';
}

/* `a,` in a list: the branches may stand one behind the other. */
static bool
is_list(const struct shape *shape, char before)
{
    return shape->last == ',' && (before == ',' || before == '{');
}

static bool
is_whole(const struct shape *shape)
{
    return shape->depth == 0 && shape->lowest == 0 && !shape->begins_else &&
           !shape->ends_else && ends_one(shape->last) &&
           (!shape->first || !strchr(",)|?=.", shape->first));
}

static size_t
branch_end(const struct conditional *c, uint32_t i, size_t end)
{
    return i + 1 < c->len ? c->branches[i + 1].at : end;
}

/* |end| is where the line of `#endif` begins.  The shape of what is left. */
static struct shape
settle_one(struct settling *s, const struct conditional *c, size_t end)
{
    struct shape all = {0};
    struct shape first = {0};
    char before = c->before;
    bool are_whole = ends_one(before);
    bool are_listed = true;
    uint32_t keep = c->len;

    s->last = before;
    for (uint32_t i = 0; i < c->len; i++) {
        const struct branch *branch = &c->branches[i];
        size_t to = branch_end(c, i, end);
        struct shape shape = branch->shape;
        /* `extern "C" {` */
        if (branch->is_dead || (branch->is_for_cpp && shape.depth != 0)) {
            blank(s, branch->body, to);
            shape = (struct shape){0};
        }
        are_whole = are_whole && is_whole(&shape);
        are_listed = are_listed && (is_list(&shape, before) || !shape.first);
        add_shape(&all, &shape);
        if (shape.first)
            s->last = shape.last;
        if (keep == c->len && shape.first) {
            keep = i;
            first = shape;
        }
    }
    if (are_whole)
        return all;
    for (uint32_t i = 0; i < c->len; i++) {
        blank(s, c->branches[i].at, c->branches[i].body);
        if (i != keep && !are_listed)
            blank(s, c->branches[i].body, branch_end(c, i, end));
    }
    blank(s, end, directive_end(s, end));
    if (are_listed)
        return all;
    s->last = before;
    if (first.first)
        s->last = first.last;
    return first;
}

static void
end_one(struct settling *s, size_t at)
{
    struct shape shape = settle_one(s, &s->open[--s->depth], at);

    if (s->depth > 0)
        add_shape(shape_here(s), &shape);
}

/* ---- directives ---- */

static bool
is_zero(str condition)
{
    str word = str_starts(condition, STR("false")) ? STR("false") : STR("0");

    return str_starts(condition, word) &&
           (condition.len == word.len ||
            (unsigned char)condition.ptr[word.len] <= ' ');
}

static bool
is_for_cpp(str name, str condition)
{
    bool is_not = str_eq(name, STR("ifndef")) ||
                  (condition.len > 0 && condition.ptr[0] == '!');

    return !is_not && memmem(condition.ptr, condition.len, "__cplusplus",
                             sizeof("__cplusplus") - 1) != NULL;
}

static void
begin_branch(struct settling *s, struct branch branch)
{
    struct conditional *c = &s->open[s->depth - 1];

    if (c->len < BRANCHES_MAX)
        c->branches[c->len++] = branch;
}

static void
directive(struct settling *s, size_t at, size_t name_at, size_t end)
{
    size_t name_end = name_at;

    while (name_end < end && s->text[name_end] >= 'a' &&
           s->text[name_end] <= 'z')
        name_end++;
    str name = {s->text + name_at, name_end - name_at};
    while (name_end < end &&
           (s->text[name_end] == ' ' || s->text[name_end] == '\t'))
        name_end++;
    str condition = {s->text + name_end, end - name_end};
    if (str_starts(name, STR("if"))) {
        if (s->depth == DEPTH_MAX || s->beyond > 0) {
            s->beyond++;
            return;
        }
        s->open[s->depth].before = s->last;
        s->open[s->depth++].len = 0;
        begin_branch(
            s,
            (struct branch){
                at, end, is_zero(condition), is_for_cpp(name, condition), {0}});
        return;
    }
    bool is_end = str_eq(name, STR("endif"));
    if (s->beyond > 0)
        s->beyond -= is_end;
    else if (s->depth > 0 && is_end)
        end_one(s, at);
    else if (s->depth > 0 && str_starts(name, STR("el")))
        begin_branch(s,
                     (struct branch){at, end, is_zero(condition), false, {0}});
}

/* Behind a macro that stands in front of a declaration; |at| where none does.
 */
static size_t
macro_end(const struct settling *s, size_t at)
{
    if (s->is_csharp || (s->last && !strchr("{};", s->last)))
        return at;
    return c_macro_end((str){s->text, s->len}, at);
}

static void
blank_macro_of_class(struct settling *s, size_t at)
{
    str inner = c_macro_of_class((str){s->text, s->len}, at);

    blank(s, (size_t)(inner.ptr - s->text),
          (size_t)(inner.ptr - s->text) + inner.len);
}

static void
walk(struct settling *s)
{
    bool at_line = true;

    for (size_t at = 0; at < s->len;) {
        char c = s->text[at];
        if (c == '#' && at_line) {
            size_t end = directive_end(s, at);
            size_t name = at + 1;
            while (name < end &&
                   (s->text[name] == ' ' || s->text[name] == '\t'))
                name++;
            directive(s, at, name, end);
            at = end;
            continue;
        }
        size_t macro = at_line ? macro_end(s, at) : at;
        if (macro > at) {
            blank(s, at, macro);
            at = macro;
            continue;
        }
        if (!s->is_csharp)
            blank_macro_of_class(s, at);
        at_line = c == '\n' || (at_line && (c == ' ' || c == '\t'));
        size_t behind = skip_one(s, at, s->len);
        bool is_comment = c == '/' && behind > at;
        if (!is_comment && !is_blank(c))
            note(s, at);
        at = behind > at ? behind : at + 1;
    }
}

enum err
c_settle(str source, uint8_t lang, struct buf *out)
{
    struct settling s = {.len = source.len, .is_csharp = lang == LANG_CSHARP};

    buf_add(out, source);
    if (out->failed)
        return ERR_NOMEM;
    s.text = out->ptr;
    walk(&s);
    return OK;
}
