/*
 * A path is held against a pattern from the left, without going back further
 * than to the last `*` and the last `**`: what comes before them has been met
 * as early as it can be, which leaves the most to what comes behind.
 */
#include "index/routes_symfony_glob.h"

#include <string.h>

/* ---- choices ---- */

/* Appends |pattern| with choice |n| of all that its braces make; false: there
 * are no so many. */
static bool
add_choice(str pattern, unsigned n, struct buf *out)
{
    for (size_t i = 0; i < pattern.len; i++) {
        const char *end = pattern.ptr[i] == '{'
                              ? memchr(pattern.ptr + i, '}', pattern.len - i)
                              : NULL;
        if (!end) {
            buf_add_char(out, pattern.ptr[i]);
            continue;
        }
        size_t close = (size_t)(end - pattern.ptr);
        unsigned texts = 1;
        for (size_t k = i + 1; k < close; k++)
            texts += pattern.ptr[k] == ',';
        unsigned at = 0;
        for (size_t k = i + 1; k < close; k++) {
            if (pattern.ptr[k] == ',')
                at++;
            else if (at == n % texts)
                buf_add_char(out, pattern.ptr[k]);
        }
        n /= texts;
        i = close;
    }
    return n == 0;
}

bool
glob_read(str pattern, uint32_t *left, struct glob *out)
{
    size_t starts[GLOB_CHOICES_MAX + 1];
    bool is_more = true;

    *out = (struct glob){.len = 0};
    if (pattern.len == 0 || pattern.len > GLOB_LEN_MAX)
        return false;
    buf_add(&out->texts, pattern);
    for (unsigned n = 0; is_more; n++) {
        size_t start = out->texts.len;
        is_more = add_choice(pattern, n, &out->texts);
        if (!is_more) {
            out->texts.len = start;
        } else if (n == GLOB_CHOICES_MAX || *left < pattern.len) {
            *left = n == GLOB_CHOICES_MAX ? *left : 0;
            return false;
        } else {
            *left -= (uint32_t)pattern.len;
            starts[out->len++] = start;
        }
        starts[out->len] = out->texts.len;
    }
    out->failed = out->texts.failed;
    if (out->failed)
        return false;
    out->whole = str_cut(buf_str(&out->texts), 0, pattern.len);
    for (unsigned i = 0; i < out->len; i++)
        out->choices[i] =
            str_cut(buf_str(&out->texts), starts[i], starts[i + 1]);
    return true;
}

void
glob_fini(struct glob *g)
{
    buf_fini(&g->texts);
}

str
glob_front(const struct glob *g)
{
    size_t len = 0;

    while (len < g->whole.len && !strchr("*?{", g->whole.ptr[len]))
        len++;
    return str_cut(g->whole, 0, len);
}

/* ---- a path ---- */

/* A star that was met: what is behind it, and where it ends so far. */
struct star {
    bool is_met;
    bool is_folders; /* it ends where a folder does */
    size_t pattern, path;
};

struct match {
    str pattern, path;
    size_t i, k; /* in both */
    struct star one, deep;
};

static void
meet_star(struct match *m)
{
    str rest = str_cut(m->pattern, m->i, m->pattern.len);

    if (!str_starts(rest, STR("**"))) {
        m->one = (struct star){true, false, ++m->i, m->k};
        return;
    }
    bool is_folders = str_starts(rest, STR("**/")) &&
                      (m->i == 0 || m->pattern.ptr[m->i - 1] == '/');
    m->i += is_folders ? 3 : 2;
    m->deep = (struct star){true, is_folders, m->i, m->k};
    m->one.is_met = false;
}

/* Lets the last star that can take a letter more do so. */
static bool
go_back(struct match *m)
{
    struct star *star = &m->one;
    const char *path = m->path.ptr;

    if (!star->is_met || star->path == m->path.len || path[star->path] == '/') {
        star = &m->deep;
        m->one.is_met = false;
    }
    if (!star->is_met || star->path == m->path.len)
        return false;
    star->path++;
    while (star->is_folders && star->path < m->path.len &&
           path[star->path - 1] != '/')
        star->path++;
    m->i = star->pattern;
    m->k = star->path;
    return true;
}

static bool
choice_fits(str pattern, str path, bool is_below, uint32_t *left)
{
    struct match m = {.pattern = pattern, .path = path};

    for (; *left > 0; --*left) {
        bool is_over = m.k == path.len;
        if (m.i == pattern.len) {
            if (is_over || (is_below && path.ptr[m.k] == '/'))
                return true;
        } else if (pattern.ptr[m.i] == '*') {
            meet_star(&m);
            continue;
        } else if (!is_over &&
                   (pattern.ptr[m.i] == path.ptr[m.k] ||
                    (pattern.ptr[m.i] == '?' && path.ptr[m.k] != '/'))) {
            m.i++;
            m.k++;
            continue;
        }
        if (!go_back(&m))
            return false;
    }
    return false;
}

bool
glob_fits(const struct glob *g, str path, bool is_below, uint32_t *left)
{
    bool fits = false;

    for (unsigned i = 0; i < g->len && !fits && *left > 0; i++) {
        --*left;
        fits = g->choices[i].len > 0 &&
               choice_fits(g->choices[i], path, is_below, left);
    }
    return fits;
}
