/*
 * Each compiler writes what has no name of its own in its way, most of them
 * with letters that stand in no name: parts that begin with `<` or `{` are
 * such, and what is between the brackets is the name where it is one.
 */
#include "graph/join_name.h"

#include <string.h>

#include "graph/route_text.h"

struct naming {
    str name;
    size_t at;
    size_t from; /* in |out| */
    struct buf *out;
};

static bool
begins(const struct naming *n, size_t at, str with)
{
    return str_starts(str_cut(n->name, at, n->name.len), with);
}

static size_t
find(str s, size_t at, char c)
{
    while (at < s.len && s.ptr[at] != c)
        at++;
    return at;
}

/* Where the bracket at |at| is closed, by those of its kind; the arrow of what
 * a function returns closes none.  The length of |s|: nowhere. */
static size_t
find_close(str s, size_t at)
{
    char open = s.ptr[at];
    char close = (char)(open == '<' ? '>' : open == '{' ? '}' : ']');
    size_t depth = 0;

    for (; at < s.len; at++) {
        bool is_arrow = close == '>' && (s.ptr[at - (at > 0)] == '-' ||
                                         s.ptr[at - (at > 0)] == '=');
        if (s.ptr[at] == open)
            depth++;
        else if (s.ptr[at] == close && !is_arrow && --depth == 0)
            break;
    }
    return at;
}

/* Where the type ends in `Cart<T> as Basket`; 0: there is no `as`. */
static size_t
find_as(str inner)
{
    for (size_t at = 0; at < inner.len; at++) {
        if (str_starts(str_cut(inner, at, inner.len), STR(" as ")))
            return at;
        if (inner.ptr[at] == '<')
            at = find_close(inner, at);
    }
    return 0;
}

static bool
ends_part(const struct naming *n)
{
    return n->out->len == n->from || n->out->ptr[n->out->len - 1] == '.';
}

static void
end_part(struct naming *n)
{
    if (!ends_part(n))
        buf_add_char(n->out, '.');
}

/* `<Add>d__1.MoveNext` and `<Add>b__0` of C# are of Add, the rest says no more;
 * `<Cart as Basket>` of Rust is Cart; all else has no name. */
static void
take_bracketed(struct naming *n)
{
    size_t end = find_close(n->name, n->at);
    str inner = str_cut(n->name, n->at + 1, end);
    size_t as = find_as(inner);

    if (as > 0)
        join_name_plain(str_cut(inner, 0, as), n->out);
    if (end + 2 < n->name.len && begins(n, end + 2, STR("__"))) {
        buf_add(n->out, inner);
        end = n->name.len;
    }
    n->at = end + (end < n->name.len);
}

/* `$1` of Java is a class without a name, `$$` and what is behind it a class
 * that was made of another; what else has a `$` before it is a part. */
static void
take_dollar(struct naming *n)
{
    size_t at = n->at + 1;

    if (begins(n, at, STR("$")))
        at = find(n->name, at, '.');
    while (at < n->name.len && text_is_digit(n->name.ptr[at]))
        at++;
    end_part(n);
    n->at = at;
}

/* `lambda$get$0` of Java is of get. */
static bool
take_lambda(struct naming *n)
{
    str word = STR("lambda$");

    if (!ends_part(n) || !begins(n, n->at, word))
        return false;
    size_t begin = n->at + word.len;
    buf_add(n->out, str_cut(n->name, begin, find(n->name, begin, '$')));
    n->at = n->name.len;
    return true;
}

/* Go's `(*Cart)` is no list of parameters. */
static void
take_parenthesis(struct naming *n)
{
    bool is_empty = begins(n, n->at, STR("()"));

    if (!ends_part(n) && !begins(n, n->at, STR("(*")) && !is_empty)
        n->at = n->name.len;
    else
        n->at += is_empty ? 2 : 1;
}

static void
take(struct naming *n)
{
    char c = n->name.ptr[n->at];

    if (take_lambda(n))
        return;
    if (c == '<' || c == '{')
        take_bracketed(n);
    else if (c == '[')
        n->at = find_close(n->name, n->at) + 1;
    else if (c == '(')
        take_parenthesis(n);
    else if (c == '$')
        take_dollar(n);
    else if (strchr(".:\\#+", c))
        end_part(n), n->at++;
    else if (c != ')' && c != '*')
        buf_add_char(n->out, c), n->at++;
    else
        n->at++;
}

/* `add/2` of Erlang and Elixir has two parameters. */
static str
without_arity(str name)
{
    size_t at = name.len;

    while (at > 0 && text_is_digit(name.ptr[at - 1]))
        at--;
    return at > 1 && at < name.len && name.ptr[at - 1] == '/'
               ? str_cut(name, 0, at - 1)
               : name;
}

void
join_name_plain(str name, struct buf *out)
{
    struct naming n = {
        .name = without_arity(name), .from = out->len, .out = out};
    str bound = STR("-fm"); /* Go's method value */

    if (n.name.len > bound.len && begins(&n, n.name.len - bound.len, bound))
        n.name.len -= bound.len;
    while (n.at < n.name.len && n.name.ptr[n.at] != '\0')
        take(&n);
    if (out->len > n.from && ends_part(&n))
        out->len--;
}

size_t
join_name_next(str name, size_t from)
{
    while (from < name.len && !strchr("./", name.ptr[from]))
        from++;
    return from < name.len ? from + 1 : name.len;
}

size_t
join_name_parts(str name)
{
    size_t len = 0;

    for (size_t at = 0; at < name.len; at = join_name_next(name, at))
        len++;
    return len;
}

bool
join_name_passes(str path, str folder)
{
    str rest = path;
    const char *at;

    while (rest.len > 0 &&
           (at = memmem(rest.ptr, rest.len, folder.ptr, folder.len)) != NULL) {
        if (at == path.ptr || at[-1] == '/')
            return true;
        rest = str_cut(rest, (size_t)(at + 1 - rest.ptr), rest.len);
    }
    return false;
}

/* Every span that tells its file is asked this: one look at each folder. */
size_t
join_name_installed(str path)
{
    static const str folders[] = {
        STR_INIT("node_modules/"),  STR_INIT("site-packages/"),
        STR_INIT("dist-packages/"), STR_INIT("registry/src/"),
        STR_INIT("pkg/mod/"),       STR_INIT("rustc/"),
        STR_INIT("usr/lib/"),       STR_INIT("usr/local/lib/"),
        STR_INIT("usr/local/go/"),
    };
    size_t found = 0;

    for (size_t at = 0; at < path.len;) {
        str rest = str_cut(path, at, path.len);
        const char *slash = memchr(rest.ptr, '/', rest.len);
        if (!slash)
            break;
        for (size_t i = 0; i < sizeof(folders) / sizeof(folders[0]); i++)
            if (rest.ptr[0] == folders[i].ptr[0] &&
                str_starts(rest, folders[i]))
                found = at + folders[i].len;
        at = (size_t)(slash + 1 - path.ptr);
    }
    return found;
}

bool
join_name_is_like(str a, str b)
{
    for (size_t i = 0; i < a.len && a.len == b.len; i++) {
        char x = (char)(text_is_alnum(a.ptr[i]) ? a.ptr[i] | 0x20 : '_');
        char y = (char)(text_is_alnum(b.ptr[i]) ? b.ptr[i] | 0x20 : '_');
        if (x != y)
            return false;
    }
    return a.len > 0 && a.len == b.len;
}
