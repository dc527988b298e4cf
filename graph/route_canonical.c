/*
 * One scanner for every framework's spelling.  A pattern does not say where it
 * comes from, so the spellings are told apart by their brackets and by what
 * stands inside:
 *
 *   {id} {id:int} {id?} {id<\d+>} {id...} {*rest} {$} {/:part}   braces
 *   <id> <int:id> <path:p> <p..>                                 angles
 *   [id] [...slug] [[...slug]] [0-9]+                            brackets
 *   (?P<id>..) ([0-9]+) (.*) (/:part) (.:format)                 groups
 *   :id :id? :id(\d+) :id* :id{\d+} *rest * ** $id<\d+>          signs
 *   ^ $ \d \. \/ /^x$/i                                          regexes
 *
 * A part mixing text and variables keeps its text: `/v{version}/x` is
 * `/v{}/x`, `/{id}.json` is `/{}.json`.  A colon makes a variable only where a
 * name cannot just have ended, so that `/users:batchGet` keeps its verb.
 *
 * Output goes to a buffer on the stack; where the last optional part began is
 * remembered, and the second variant is the output cut there.
 */
#include "graph/routes.h"

#include <string.h>

#include "graph/route_text.h"

enum { IN_MAX = 1024, OUT_MAX = 4 * IN_MAX + 16, DEPTH_MAX = 8 };

struct canon {
    size_t len;
    size_t optional_at;  /* where the last optional part began ... */
    size_t optional_end; /* ... and ended; 0: there is none */
    bool is_regex;
    bool is_inner; /* in a template inside braces: `*` is one segment */
    unsigned depth;
    char out[OUT_MAX];
};

static void scan(struct canon *c, str s);

static void
put(struct canon *c, char byte)
{
    if (byte == '/' && c->len > 0 && c->out[c->len - 1] == '/')
        return;
    if (c->len < OUT_MAX)
        c->out[c->len++] = byte;
}

static bool
ends_with(const struct canon *c, str tail)
{
    return c->len >= tail.len &&
           memcmp(c->out + c->len - tail.len, tail.ptr, tail.len) == 0;
}

static void
put_var(struct canon *c, bool is_rest)
{
    str var = is_rest ? STR("{**}") : STR("{}");

    if (ends_with(c, STR("{**}")))
        return;
    if (ends_with(c, STR("{}")))
        c->len -= 2;
    for (size_t i = 0; i < var.len; i++)
        put(c, var.ptr[i]);
}

static void
mark_optional(struct canon *c, size_t from)
{
    c->optional_at = from;
    c->optional_end = c->len;
}

/* A regex atom at [at, end): one variable, and its quantifier. */
static size_t
put_atom(struct canon *c, str s, size_t end, bool is_rest)
{
    size_t from = c->len;
    bool optional;

    put_var(c, is_rest);
    end = text_skip_quantifier(s, end, &optional);
    if (optional && s.ptr[end - 1] == '?')
        mark_optional(c, from);
    return end;
}

static void
scan_inner(struct canon *c, str s, bool is_template)
{
    bool was_inner = c->is_inner;

    if (c->depth == DEPTH_MAX) {
        put_var(c, false);
        return;
    }
    c->depth++;
    c->is_inner = is_template;
    scan(c, s);
    c->is_inner = was_inner;
    c->depth--;
}

/* `int?` and `min(1)?` of ASP.NET, and a regex that is all of it optional,
 * `(/x)?`; not one that only ends in what is, `[0-9]+(/x)?`. */
static bool
is_optional_constraint(str s)
{
    while (s.len > 0 && s.ptr[0] == ' ')
        s = str_cut(s, 1, s.len);
    if (s.len < 2 || s.ptr[s.len - 1] != '?')
        return false;
    char last = s.ptr[s.len - 2];
    if (s.ptr[0] == '(')
        return text_find_close(s, 0) == s.len - 2;
    return text_is_alnum(s.ptr[0]) && (text_is_alnum(last) || last == ')');
}

/* What stands behind the name inside braces: `:int`, `<\d+>`, `=x`, `?`. */
static void
put_constrained(struct canon *c, str name, str rest)
{
    size_t from = c->len;
    str constraint = str_cut(rest, 1, rest.len);
    bool optional = rest.len > 0 && rest.ptr[rest.len - 1] == '?';
    bool is_rest =
        name.len > 0 && (memchr(name.ptr, '*', name.len) ||
                         name.ptr[name.len - 1] == '+'); /* API Gateway */

    if (rest.len == 0) {
        put_var(c, is_rest);
        return;
    }
    if (rest.ptr[0] == '=' && (memchr(constraint.ptr, '/', constraint.len) ||
                               memchr(constraint.ptr, '*', constraint.len))) {
        scan_inner(c, constraint, true);
        return;
    }
    if (rest.ptr[0] == ':')
        optional = is_optional_constraint(constraint);
    if (rest.ptr[0] == '<') {
        size_t end = text_find_close(rest, 0);
        optional = end + 1 < rest.len && rest.ptr[end + 1] == '?';
        constraint = str_cut(rest, 1, end);
    }
    /* `:*` is fasthttp/router's and go-restful's. */
    is_rest |= text_is_anything(constraint) ||
               str_eq(constraint, STR("path")) || str_eq(constraint, STR("*"));
    put_var(c, is_rest);
    if (optional)
        mark_optional(c, from);
}

static void
put_brace(struct canon *c, str in)
{
    size_t from = c->len;
    size_t end = 0;

    while (in.len > 0 && in.ptr[0] == ' ')
        in = str_cut(in, 1, in.len);
    while (in.len > 0 && in.ptr[in.len - 1] == ' ')
        in.len--;
    char first = 'x';
    if (in.len > 0)
        first = in.ptr[0];
    bool has_dots = in.len >= 3 && memcmp(in.ptr + in.len - 3, "...", 3) == 0;

    if (str_eq(in, STR("$")) || first == '?' || first == '&' || first == '#')
        return;
    if (first == '/' || first == '.') {
        if (!has_dots) {
            scan_inner(c, in, false);
            mark_optional(c, from);
            return;
        }
    }
    if (first == '*' || first == '+' || has_dots) {
        put_var(c, true);
        return;
    }
    while (end < in.len && !strchr(":=<?", in.ptr[end]))
        end++;
    put_constrained(c, str_cut(in, 0, end), str_cut(in, end, in.len));
}

static void
put_angle(struct canon *c, str in)
{
    const char *colon = memchr(in.ptr, ':', in.len);
    size_t at = colon ? (size_t)(colon - in.ptr) : 0;
    str filter = colon ? str_cut(in, at + 1, in.len) : (str){NULL, 0};
    bool is_rest =
        (colon && str_starts(in, STR("path"))) || str_eq(filter, STR("path"));

    if (str_starts(filter, STR("re:")))
        is_rest |= text_is_anything(str_cut(filter, 3, filter.len));
    is_rest |= in.len >= 2 && memcmp(in.ptr + in.len - 2, "..", 2) == 0;
    put_var(c, is_rest);
}

/* `[id]`, `[...slug]`, `[[...slug]]`, or a class of a regex. */
static size_t
put_bracket(struct canon *c, str s, size_t at)
{
    size_t end = c->is_regex ? text_class_end(s, at) : text_find_close(s, at);
    size_t from = c->len;

    if (end == at) {
        put(c, '[');
        return at + 1;
    }
    str in = str_cut(s, at + 1, end);
    bool optional = !c->is_regex && in.len > 1 && in.ptr[0] == '[';
    if (optional)
        in = str_cut(in, 1, in.len - 1);
    size_t next = put_atom(c, s, end + 1, str_starts(in, STR("...")));
    if (optional)
        mark_optional(c, from);
    return next;
}

static bool
is_whole_segment(str s, size_t at, size_t end)
{
    return (at == 0 || s.ptr[at - 1] == '/') &&
           (end + 1 == s.len || s.ptr[end + 1] == '/');
}

/* A group that is no regex: an optional part, a Next.js folder, or text. */
static size_t
put_plain_group(struct canon *c, str s, size_t at, size_t end)
{
    str in = str_cut(s, at + 1, end);
    size_t from = c->len;
    size_t next = end + 1;

    if (str_starts(in, STR(".:")))
        return next;
    if (in.len > 0 && strchr("/:.*", in.ptr[0])) {
        scan_inner(c, in, false);
        next += next < s.len && s.ptr[next] == '?';
        mark_optional(c, from);
    } else if (c->is_regex) {
        bool optional;
        scan_inner(c, in, false);
        next = text_skip_quantifier(s, next, &optional);
        if (optional)
            mark_optional(c, from);
    } else if (!is_whole_segment(s, at, end)) {
        put(c, '(');
        scan_inner(c, in, false);
        put(c, ')');
    }
    return next;
}

static size_t
put_group(struct canon *c, str s, size_t at)
{
    size_t end = text_find_close(s, at);
    str in = str_cut(s, at + 1, end);
    size_t from = c->len;
    bool optional;

    if (end == at) {
        put(c, '(');
        return at + 1;
    }
    if (str_starts(in, STR("?P<")) ||
        (str_starts(in, STR("?<")) && in.len > 2 && !strchr("=!", in.ptr[2]))) {
        size_t name = in.ptr[1] == 'P' ? 2 : 1;
        size_t close = text_find_close(in, name);
        return put_atom(c, s, end + 1,
                        text_is_anything(str_cut(in, close + 1, in.len)));
    }
    if (str_starts(in, STR("?:"))) {
        in = str_cut(in, 2, in.len);
        if (memchr(in.ptr, '|', in.len))
            return put_atom(c, s, end + 1, false);
        scan_inner(c, in, false);
        end = text_skip_quantifier(s, end + 1, &optional);
        if (optional)
            mark_optional(c, from);
        return end;
    }
    if (str_starts(in, STR("?")))
        return end + 1; /* a look-around or flags: matches nothing itself */
    if (text_is_anything(in))
        return put_atom(c, s, end + 1, true);
    if (text_has_regex_sign(in) && !(in.len > 0 && strchr("/:", in.ptr[0])))
        return put_atom(c, s, end + 1, false);
    return put_plain_group(c, s, at, end);
}

/* `:id` and what may follow it. */
static size_t
put_param(struct canon *c, str s, size_t at)
{
    size_t end = at + 1;
    size_t from = c->len;
    bool is_rest = false;
    bool optional = false;

    while (end < s.len && (text_is_alnum(s.ptr[end]) || s.ptr[end] == '_'))
        end++;
    if (end == at + 1 || (at > 0 && (text_is_alnum(s.ptr[at - 1]) ||
                                     strchr("}_>])", s.ptr[at - 1])))) {
        put(c, ':');
        return at + 1;
    }
    if (end + 1 < s.len &&
        (s.ptr[end] == '(' || (s.ptr[end] == '{' && s.ptr[end + 1] != '/'))) {
        size_t close = text_find_close(s, end);
        if (close > end && s.ptr[end + 1] != '.')
            end = close + 1;
        else if (close > end && text_is_anything(str_cut(s, end + 1, close))) {
            is_rest = true;
            end = close + 1;
        }
    }
    if (end < s.len && strchr("?*+", s.ptr[end])) {
        is_rest |= s.ptr[end] != '?';
        optional = s.ptr[end] != '+';
        end++;
    }
    put_var(c, is_rest);
    if (optional)
        mark_optional(c, from);
    return end;
}

/* `*`, `**`, `*rest`. */
static size_t
put_star(struct canon *c, str s, size_t at)
{
    size_t end = at;
    bool starts = at == 0 || s.ptr[at - 1] == '/';

    while (end < s.len && s.ptr[end] == '*')
        end++;
    size_t stars = end - at;
    while (end < s.len && (text_is_alnum(s.ptr[end]) || s.ptr[end] == '_') &&
           starts)
        end++;
    bool is_named = end > at + stars;
    bool is_last = end == s.len && !c->is_inner;
    put_var(c, starts && (stars > 1 || is_named || is_last));
    return end;
}

static size_t
put_escape(struct canon *c, str s, size_t at)
{
    if (at + 1 >= s.len)
        return at + 1;
    char next = s.ptr[at + 1];
    if (strchr("dwsDWSpP", next))
        return put_atom(c, s, at + 2, false);
    if (!strchr("AZzbBG", next))
        put(c, next);
    return at + 2;
}

/* `$` is the end of a regex, or Play's `$id<[0-9]+>`, or text. */
static size_t
put_dollar(struct canon *c, str s, size_t at)
{
    size_t end = at + 1;

    while (end < s.len && (text_is_alnum(s.ptr[end]) || s.ptr[end] == '_'))
        end++;
    if (end > at + 1 && end < s.len && s.ptr[end] == '<') {
        size_t close = text_find_close(s, end);
        put_var(c, text_is_anything(str_cut(s, end + 1, close)));
        return close + 1;
    }
    if (!c->is_regex)
        put(c, '$');
    return at + 1;
}

static size_t
put_bracketed(struct canon *c, str s, size_t at)
{
    size_t end = text_find_close(s, at);
    str in = str_cut(s, at + 1, end);

    if (end == at) {
        put(c, s.ptr[at]);
        return at + 1;
    }
    if (s.ptr[at] == '{')
        put_brace(c, in);
    else
        put_angle(c, in);
    return end + 1;
}

static size_t
put_regex_sign(struct canon *c, str s, size_t at)
{
    bool repeats =
        at + 1 < s.len && (s.ptr[at + 1] == '*' || s.ptr[at + 1] == '+');

    if (s.ptr[at] == '.' && repeats)
        return put_atom(c, s, at + 1, true);
    if (s.ptr[at] == '.')
        put(c, '.');
    return at + 1;
}

static size_t
put_next(struct canon *c, str s, size_t at)
{
    switch (s.ptr[at]) {
    case '{':
    case '<':
        return put_bracketed(c, s, at);
    case '[':
        return put_bracket(c, s, at);
    case '(':
        return put_group(c, s, at);
    case ':':
        return put_param(c, s, at);
    case '\\':
        return put_escape(c, s, at);
    case '$':
        return put_dollar(c, s, at);
    default:
        break;
    }
    if (s.ptr[at] == '^' && at > 0 && s.ptr[at - 1] == '/' && s.ptr[0] != '/')
        return at + 1; /* Django's patterns below others: `shop/^list` */
    bool is_any = s.ptr[at] == '.' && at + 1 < s.len &&
                  strchr("*+", s.ptr[at + 1]) &&
                  is_whole_segment(s, at, at + 1);
    if (is_any || (c->is_regex && strchr("^.+*?", s.ptr[at])))
        return put_regex_sign(c, s, at);
    if (s.ptr[at] == '*')
        return put_star(c, s, at);
    if (s.ptr[at] == '?')
        return s.len; /* a query, or an optional last slash */
    put(c, s.ptr[at]);
    return at + 1;
}

static void
scan(struct canon *c, str s)
{
    for (size_t at = 0; at < s.len;)
        at = put_next(c, s, at);
}

bool
route_canonical(str pattern, unsigned variant, struct buf *out)
{
    struct canon c = {.len = 1, .out = "/"};
    str method;
    str s = str_cut(text_strip_method(pattern, &method), 0, IN_MAX);

    s = text_strip_host(s);
    if (method.len > 0 && s.len > 0 && s.ptr[0] != '/') {
        size_t slash = 0; /* "GET example.com/p": a host of Go's ServeMux */
        while (slash < s.len && s.ptr[slash] != '/')
            slash++;
        if (memchr(s.ptr, '.', slash) && s.ptr[0] != '^')
            s = str_cut(s, slash, s.len);
    }
    str regex = text_script_regex(s);
    if (regex.len > 0) {
        scan(&c, str_cut(s, 0, (size_t)(regex.ptr - s.ptr)));
        s = regex;
    }
    c.is_regex = s.len > 0 && (s.ptr[0] == '^' || s.ptr[s.len - 1] == '$' ||
                               memmem(s.ptr, s.len, "(?", 2));
    scan(&c, s);

    while (c.len > 1 && c.out[c.len - 1] == '/')
        c.len--;
    if (variant > 1 ||
        (variant == 1 && (c.optional_end < c.len || c.optional_at >= c.len)))
        return false;
    if (variant == 1) {
        c.len = c.optional_at;
        while (c.len > 1 &&
               (c.out[c.len - 1] == '/' || c.out[c.len - 1] == '.'))
            c.len--;
    }
    buf_add(out, (str){c.out, c.len});
    return true;
}
