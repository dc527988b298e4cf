/*
 * One walk over the name.  Where a word begins it may be a token, a word that
 * announces one, or a key whose value follows; where a part between slashes
 * begins there may be a user before an `@`; and a query may begin anywhere.
 * What was looked for up to the end of a word, and is not there, is not looked
 * for again before it: so a name of a thousand `?` is no work either.
 */
#include "base/redact.h"

#include <ctype.h>

#include "base/redact_word.h"

enum { MAIL_LETTERS = 2 }; /* of the last part of a domain */

struct walk {
    str s;
    size_t at;
    size_t no_query; /* there is none that begins before */
    size_t no_user;  /* nor a user whose password has a slash */
    struct buf *out; /* NULL: only asked whether something is found */
    bool has_found;
};

/* ---- words ---- */

static bool
is_space(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

static bool
is_quote(char c)
{
    return c == '"' || c == '\'' || c == '`';
}

/* What a value of a query, of a header or of a connection string ends with. */
static bool
is_end(char c)
{
    return is_space(c) || is_quote(c) || strchr("&;,<>|", c);
}

/* Of names of keys, and of tokens. */
static bool
is_word(char c)
{
    return isalnum((unsigned char)c) || c == '_' || c == '-' || c == '.';
}

static size_t
word_end(str s, size_t at)
{
    while (at < s.len && is_word(s.ptr[at]))
        at++;
    return at;
}

static size_t
skip_spaces(str s, size_t at)
{
    while (at < s.len && is_space(s.ptr[at]))
        at++;
    return at;
}

static size_t
value_end(str s, size_t at)
{
    while (at < s.len && !is_end(s.ptr[at]))
        at++;
    return at;
}

/* Where the text goes on that is neither space nor quote. */
static size_t
text_end(str s, size_t at)
{
    while (at < s.len && !is_space(s.ptr[at]) && !is_quote(s.ptr[at]))
        at++;
    return at;
}

/* ---- what was found ---- */

static void
keep(struct walk *w, size_t end)
{
    if (w->out)
        buf_add(w->out, str_cut(w->s, w->at, end));
    w->at = end;
}

static void
take_away(struct walk *w, size_t end)
{
    if (end == w->at || str_eq(str_cut(w->s, w->at, end), STR("{}"))) {
        keep(w, end);
        return;
    }
    if (w->out)
        buf_add(w->out, STR("{}"));
    w->at = end;
    w->has_found = true;
}

/* ---- words before tokens ---- */

/* `Bearer xY7Zpq0aab`: up to the credential. */
static bool
take_scheme(struct walk *w, size_t end)
{
    static const str schemes[] = {STR_INIT("bearer"), STR_INIT("basic")};
    size_t at = skip_spaces(w->s, end);

    if (at == end || !redact_is_any_of(str_cut(w->s, w->at, end), schemes, 2))
        return false;
    size_t to = value_end(w->s, at);
    str value = str_cut(w->s, at, to);
    if (!redact_is_credential(value))
        return false;
    keep(w, at);
    take_away(w, to);
    return true;
}

/* ---- keys ---- */

/* Where the value of the key begins that ends at |end|; 0: it is no key.  With
 * a colon only where a space or a quote tells it from `session:refresh`. */
static size_t
value_of(str s, size_t end)
{
    bool is_quoted = end < s.len && is_quote(s.ptr[end]);
    size_t at = skip_spaces(s, end + is_quoted);
    size_t to;

    if (at >= s.len || (s.ptr[at] != '=' && s.ptr[at] != ':'))
        return 0;
    to = skip_spaces(s, at + 1);
    return s.ptr[at] == '=' || is_quoted || to > at + 1 ? to : 0;
}

/* Headers have spaces in their values. */
static size_t
secret_end(str s, size_t at, bool is_of_header)
{
    if (!is_of_header)
        return value_end(s, at);
    while (at < s.len && !is_quote(s.ptr[at]))
        at++;
    return at;
}

static bool
take_key(struct walk *w, size_t end)
{
    str key = str_cut(w->s, w->at, end);
    size_t at = value_of(w->s, end);
    size_t to;

    if (at == 0 || at >= w->s.len || !redact_is_secret_key(key))
        return false;
    if (is_quote(w->s.ptr[at])) {
        const char *quote =
            memchr(w->s.ptr + at + 1, w->s.ptr[at], w->s.len - at - 1);
        to = quote ? (size_t)(quote - w->s.ptr) : w->s.len;
        at++;
    } else {
        to = secret_end(w->s, at, redact_is_header(key));
    }
    keep(w, at);
    take_away(w, to);
    return true;
}

static bool
take_word(struct walk *w)
{
    size_t end;

    if (w->at > 0 && is_word(w->s.ptr[w->at - 1]))
        return false;
    end = word_end(w->s, w->at);
    if (end == w->at)
        return false;
    if (redact_is_token(str_cut(w->s, w->at, end))) {
        take_away(w, end);
        return true;
    }
    return take_scheme(w, end) || take_key(w, end);
}

/* ---- users ---- */

/* `shop.example`, of a mail address; `1.2.3` is a version. */
static bool
is_domain(str s)
{
    size_t end = 0;
    size_t dot = 0;

    while (end < s.len && is_word(s.ptr[end]) && s.ptr[end] != '_')
        end++;
    while (end > 0 && s.ptr[end - 1] == '.')
        end--;
    for (size_t i = 0; i < end; i++)
        if (s.ptr[i] == '.')
            dot = i;
    if (dot == 0 || end - dot <= MAIL_LETTERS)
        return false;
    for (size_t i = dot + 1; i < end; i++)
        if (!isalpha((unsigned char)s.ptr[i]))
            return false;
    return true;
}

/* The last `@` in |from| to |to|; |to|: there is none. */
static size_t
last_at(str s, size_t from, size_t to)
{
    const char *at = to > from ? memrchr(s.ptr + from, '@', to - from) : NULL;

    return at ? (size_t)(at - s.ptr) : to;
}

/* `joe:hun` of `joe:hun/ter2@db`: a colon, and no port behind it, nor what one
 * is put in for. */
static bool
is_half_password(str s)
{
    const char *colon = s.len ? memchr(s.ptr, ':', s.len) : NULL;

    if (!colon || s.ptr[0] == '[' || colon + 1 == s.ptr + s.len ||
        colon[1] == '{' || colon[1] == '$')
        return false;
    for (const char *c = colon + 1; c < s.ptr + s.len; c++)
        if (!isdigit((unsigned char)*c))
            return true;
    return false;
}

/* `v1.2`, which is no host. */
static bool
is_version(str s)
{
    size_t end = 1;

    while (end < s.len && (isdigit((unsigned char)s.ptr[end]) ||
                           (end > 1 && s.ptr[end] == '.')))
        end++;
    return end > 1 && s.ptr[0] == 'v' && (end == s.len || !is_word(s.ptr[end]));
}

static size_t
digits_at(str s, size_t at)
{
    size_t end = at;

    while (end < s.len && isdigit((unsigned char)s.ptr[end]))
        end++;
    return end - at;
}

/* `4.1.100.Final`, `v1.beta`; `163.com` is a domain. */
static bool
is_release(str s)
{
    size_t at = s.len > 0 && s.ptr[0] == 'v';
    size_t end = at + digits_at(s, at);

    return end > at && end < s.len && s.ptr[end] == '.' &&
           (at > 0 || digits_at(s, end + 1) > 0);
}

/* Where the user ends that a URL has before its host; |end| is where that part
 * of it does.  0: it has none. */
static size_t
url_user(struct walk *w, size_t end)
{
    size_t at = last_at(w->s, w->at, end);

    if (at < end)
        return at;
    if (w->at < w->no_user || !is_half_password(str_cut(w->s, w->at, end)))
        return 0;
    w->no_user = text_end(w->s, w->at);
    at = last_at(w->s, w->at, w->no_user);
    if (at == w->no_user || is_version(str_cut(w->s, at + 1, w->no_user)))
        return 0;
    return at;
}

/* `joe:hunter2`: a colon that is not one of `Orders::Import`, nor those of
 * `urn:service:orders`. */
static bool
has_password(str s)
{
    static const str schemes[] = {STR_INIT("urn:"), STR_INIT("arn:")};

    if (redact_is_any_of(str_cut(s, 0, 4), schemes, 2))
        return false;
    for (size_t i = 0; i < s.len; i++)
        if (s.ptr[i] == ':' && (i == 0 || s.ptr[i - 1] != ':') &&
            (i + 1 == s.len || s.ptr[i + 1] != ':'))
            return true;
    return false;
}

/* Who is nobody: Celery and Erlang name a process and its host so. */
static bool
is_process(str user)
{
    static const str processes[] = {STR_INIT("celery"), STR_INIT("rabbit")};

    return redact_is_any_of(user, processes, 2);
}

/* The same for `joe@shop.example` and `joe:hunter2@db`. */
static size_t
plain_user(const struct walk *w, size_t end)
{
    size_t at = last_at(w->s, w->at, end);
    str user = str_cut(w->s, w->at, at);

    if (at == end)
        return 0;
    str host = str_cut(w->s, at + 1, end);
    if (has_password(user))
        return is_version(host) ? 0 : at;
    return is_domain(host) && !is_release(host) && !is_process(user) ? at : 0;
}

static bool
take_user(struct walk *w)
{
    str s = w->s;
    bool is_part = w->at == 0 || s.ptr[w->at - 1] == '/';
    bool is_url = w->at >= 2 && is_part && s.ptr[w->at - 2] == '/';
    size_t end = w->at;

    if (!is_part && !is_end(s.ptr[w->at - 1]))
        return false;
    while (end < s.len && !strchr("/?#", s.ptr[end]) &&
           !(is_url ? is_space(s.ptr[end]) : is_end(s.ptr[end])))
        end++;
    size_t at = is_url ? url_user(w, end) : plain_user(w, end);
    /* Behind the `@` of an image is its digest. */
    if (at <= w->at || str_starts(str_cut(s, at + 1, end), STR("sha256:")))
        return false;
    take_away(w, at);
    return true;
}

/* ---- queries ---- */

static bool
take_query(struct walk *w)
{
    size_t end;

    if (w->s.ptr[w->at] != '?' || w->at < w->no_query)
        return false;
    end = text_end(w->s, w->at);
    w->no_query = end;
    if (!memchr(w->s.ptr + w->at, '=', end - w->at))
        return false;
    keep(w, w->at + 1);
    take_away(w, end);
    return true;
}

/* Most names have none of the signs. */
static bool
may_have(str s)
{
    bool has_digit = false;
    bool has_upper = false;

    for (size_t i = 0; i < s.len; i++) {
        char c = s.ptr[i];

        if (c == '@' || c == '=' || c == '?' || c == ' ' || c == '"')
            return true;
        has_digit |= c >= '0' && c <= '9';
        has_upper |= c >= 'A' && c <= 'Z';
    }
    return has_digit && has_upper && s.len > REDACT_TOKEN_MIN;
}

static void
walk(struct walk *w)
{
    while (w->at < w->s.len)
        if (!take_user(w) && !take_word(w) && !take_query(w))
            keep(w, w->at + 1);
}

static str
beginning(str name)
{
    return name.len > REDACT_MAX ? str_cut(name, 0, REDACT_MAX) : name;
}

void
redact_add(struct buf *out, str name)
{
    struct walk w = {.s = beginning(name), .out = out};

    if (may_have(w.s))
        walk(&w);
    else
        buf_add(out, w.s);
}

bool
redact_has(str name)
{
    struct walk w = {.s = beginning(name)};

    if (may_have(w.s))
        walk(&w);
    return w.has_found;
}
