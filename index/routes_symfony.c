/*
 * What Symfony's routes are made of: paths, maybe by language, methods, names.
 */
#include "index/routes_symfony_take.h"

#include <string.h>

/* ---- texts ---- */

static bool
is_word(char c)
{
    return c == '_' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') ||
           (c >= 'A' && c <= 'Z') || (unsigned char)c >= 0x80;
}

/* The end of a parameter that begins at |from|, which is `{`, behind its `}`;
 * 0: it is none.  |*name| becomes its name. */
static size_t
param_end(str s, size_t from, str *name)
{
    size_t i = from + 1;
    size_t begin;

    if (i < s.len && s.ptr[i] == '!')
        i++;
    for (begin = i; i < s.len && is_word(s.ptr[i]);)
        i++;
    *name = str_cut(s, begin, i);
    while (i < s.len && (s.ptr[i] == ':' || s.ptr[i] == '.' ||
                         (i > begin && is_word(s.ptr[i]))))
        i++; /* `{post:slug}` */
    if (i < s.len && s.ptr[i] == '<') {
        while (i + 1 < s.len && !(s.ptr[i] == '>' &&
                                  (s.ptr[i + 1] == '}' || s.ptr[i + 1] == '?')))
            i++;
        i++;
    }
    while (i < s.len && s.ptr[i] != '}' && s.ptr[i] != '/')
        i++;
    return i < s.len && s.ptr[i] == '}' && name->len > 0 ? i + 1 : 0;
}

text_id
symfony_text(struct parts *p, str path)
{
    struct buf out = {0};
    str name;

    for (size_t i = 0; i < path.len;) {
        size_t end = path.ptr[i] == '{' ? param_end(path, i, &name) : 0;
        if (end == 0) {
            buf_add_char(&out, path.ptr[i++]);
            continue;
        }
        buf_add_char(&out, '{');
        buf_add(&out, name);
        buf_add_char(&out, '}');
        i = end;
    }
    return part_keep(p, &out, 0);
}

text_id
symfony_slashed(struct parts *p, text_id path)
{
    str s = texts_get(&p->texts, path);

    while (s.len > 0 && s.ptr[0] == '/')
        s = str_cut(s, 1, s.len);
    if (s.len == 0)
        return 0;
    struct buf out = {0};
    buf_add_char(&out, '/');
    buf_add(&out, s);
    return part_keep(p, &out, 0);
}

static bool
read_one(struct parts *p, struct at expr, text_id locale,
         struct symfony_paths *out)
{
    struct buf text = {0};
    struct folded folded = part_text(p, expr, false, &text);

    if (folded.ok && out->len < SYMFONY_PATHS_MAX)
        out->at[out->len++] = (struct symfony_path){
            locale, symfony_text(p, buf_str(&text)), folded.is_tail};
    p->failed |= text.failed;
    buf_fini(&text);
    return folded.ok;
}

bool
symfony_read(struct parts *p, struct at expr, struct symfony_paths *out)
{
    struct at list;
    bool ok = true;

    if (!part_literal(p, expr, &list) || part_kind(p, list) != EXPR_OBJECT)
        return read_one(p, expr, 0, out);
    for (uint32_t i = 0; i < part_expr(p, list)->list_len && ok; i++) {
        struct at pair = part_list(p, list, i);
        struct at value = {pair.file, part_expr(p, pair)->a};
        ok = part_kind(p, pair) == EXPR_PAIR && part_word(p, pair).len > 0 &&
             read_one(p, value, texts_add(&p->texts, part_word(p, pair)), out);
    }
    return ok;
}

/* `'get'`, `Request::METHOD_GET` */
static void
add_verb(struct parts *p, struct at expr, struct symfony_methods *out)
{
    static const char before[] = "METHOD_";
    struct buf text = {0};
    char upper[16];

    expr = part_bare(p, expr);
    bool ok = part_text(p, expr, false, &text).ok;
    str word = ok ? buf_str(&text) : part_word(p, expr);
    if (!ok && str_starts(word, str_of(before)))
        word = str_cut(word, sizeof(before) - 1, word.len);
    else if (!ok)
        word.len = 0;
    word = str_upper(word, upper, sizeof(upper));
    text_id id = word.len > 0 ? texts_add(&p->texts, word) : 0;
    for (unsigned i = 0; i < out->len; i++)
        if (out->at[i] == id)
            id = 0;
    if (id && out->len < SYMFONY_METHODS_MAX)
        out->at[out->len++] = id;
    buf_fini(&text);
}

void
symfony_verbs(struct parts *p, struct at expr, struct symfony_methods *out)
{
    struct at list;

    if (!expr.id)
        return;
    if (!part_literal(p, expr, &list) || part_kind(p, list) != EXPR_ARRAY) {
        add_verb(p, expr, out);
        return;
    }
    for (uint32_t i = 0; i < part_expr(p, list)->list_len; i++)
        add_verb(p, part_list(p, list, i), out);
}

/* ---- routes ---- */

text_id
symfony_joined(struct parts *p, text_id a, text_id b)
{
    struct buf out = {0};

    buf_add(&out, texts_get(&p->texts, a));
    buf_add(&out, texts_get(&p->texts, b));
    return part_keep(p, &out, 0);
}

/* A route for each of the methods. */
static void
enter_methods(struct parts *p, const struct symfony_route *before,
              const struct symfony_route *route, struct route_entry entry)
{
    struct symfony_methods all = before->methods;

    for (unsigned i = 0; i < route->methods.len; i++)
        if (all.len < SYMFONY_METHODS_MAX)
            all.at[all.len++] = route->methods.at[i];
    if (all.len == 0)
        all.at[all.len++] = texts_add(&p->texts, STR("ANY"));
    for (unsigned i = 0; i < all.len; i++) {
        entry.method = all.at[i];
        entry_add(p, &entry);
    }
}

/* By its name and language routes replace one another; 0: by nothing known. */
static text_id
key_of(struct parts *p, const struct symfony_route *before,
       const struct symfony_route *route, text_id locale)
{
    struct buf out = {0};

    if (!route->is_sole || !route->is_named || !before->is_named)
        return 0;
    buf_add(&out, texts_get(&p->texts, before->name));
    buf_add(&out, texts_get(&p->texts, route->name));
    buf_add_char(&out, '\n');
    buf_add(&out, texts_get(&p->texts, locale));
    return part_keep(p, &out, 0);
}

static void
add_locales(const struct parts *p, const struct symfony_paths *paths,
            struct buf *out)
{
    for (unsigned i = 0; i < paths->len; i++) {
        buf_add(out, texts_get(&p->texts, paths->at[i].locale));
        buf_add_char(out, '\n');
    }
}

/* The same of a name, which stands on no router; of those of other languages
 * something is left. */
static text_id
key_in_file(struct parts *p, const struct symfony_route *before,
            const struct symfony_route *route, const struct route_entry *entry)
{
    struct buf out = {0};

    buf_printf(&out, "%u\n", entry->at.file);
    add_locales(p, &before->paths, &out);
    add_locales(p, &route->paths, &out);
    buf_add(&out, texts_get(&p->texts, entry->path));
    return part_keep(p, &out, 0);
}

static void
enter_name(struct parts *p, const struct symfony_route *before,
           const struct symfony_route *route, const struct route_entry *entry,
           text_id names)
{
    struct route_entry one = {
        .flags = ENTRY_NAME,
        .handler = entry->handler,
        .path = symfony_joined(p, names,
                               symfony_joined(p, before->name, route->name)),
        .at = entry->at,
        .at_def = entry->at_def,
        .framework = FW_SYMFONY,
    };

    if (route->is_sole)
        one.key = key_in_file(p, before, route, &one);
    enter_methods(p, before, route, one);
}

void
symfony_enter(struct parts *p, const struct symfony_route *before,
              const struct symfony_route *route,
              const struct route_entry *entry, uint32_t file)
{
    struct route_entry one = *entry;
    text_id names = 0;

    one.framework = FW_SYMFONY;
    for (unsigned i = 0; i < before->paths.len; i++)
        for (unsigned k = 0; k < route->paths.len; k++) {
            const struct symfony_path *a = &before->paths.at[i];
            const struct symfony_path *b = &route->paths.at[k];
            if (a->locale && b->locale && a->locale != b->locale)
                continue;
            one.path =
                b->is_tail ? b->text : symfony_joined(p, a->text, b->text);
            one.key =
                key_of(p, before, route, a->locale ? a->locale : b->locale);
            one.flags =
                entry->flags | (a->is_tail || b->is_tail ? ENTRY_TAIL : 0);
            enter_methods(p, before, route, one);
        }
    if (!route->is_named || !before->is_named)
        return;
    if (file == SYMFONY_NO_FILE)
        enter_name(p, before, route, entry, 0);
    else
        for (unsigned i = 0; symfony_names(p, file, i, &names); i++)
            enter_name(p, before, route, entry, names);
}

bool
symfony_said(struct parts *p, const struct symfony_said *said,
             struct symfony_route *out)
{
    struct buf text = {0};

    *out = (struct symfony_route){0};
    if (!said->path.id)
        out->paths.len = 1;
    else if (!symfony_read(p, said->path, &out->paths))
        return false;
    symfony_verbs(p, said->methods, &out->methods);
    struct folded folded = part_text(p, said->name, false, &text);
    out->is_named = said->name.id && folded.ok && !folded.is_tail;
    if (out->is_named)
        out->name = texts_add(&p->texts, buf_str(&text));
    p->failed |= text.failed || p->texts.failed;
    buf_fini(&text);
    return true;
}
