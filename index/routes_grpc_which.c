/*
 * Services of one name in several packages, `users.v1.Users` and `.v2.Users`:
 * which is meant is told by where what is generated of it comes from.  That
 * has the package in it, or its last parts, however a language writes it; or
 * what the .proto file says of Go's package; or is beside that file.
 */
#include <string.h>

#include "index/routes_files.h"
#include "index/routes_grpc.h"

enum { PLAIN_MAX = 256 };

/* Letters and digits alone, small. */
struct plain {
    char text[PLAIN_MAX];
    size_t len;
};

static void
add_plain(struct plain *out, str s)
{
    for (size_t i = 0; i < s.len && out->len < PLAIN_MAX; i++) {
        char c = s.ptr[i];
        if (c >= 'A' && c <= 'Z')
            c = (char)(c + 32);
        if ((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'))
            out->text[out->len++] = c;
    }
}

static bool
has(const struct plain *from, str part)
{
    struct plain plain = {.len = 0};

    add_plain(&plain, part);
    return plain.len > 0 &&
           memmem(from->text, from->len, plain.text, plain.len) != NULL;
}

/* Where a name comes from. */
struct source {
    struct plain from;
    uint32_t file;  /* that it stands in, or that uses it */
    bool is_inside; /* it stands in a file of the repository */
};

static struct source
source_of(struct parts *p, struct at expr)
{
    struct source source = {.file = expr.file};
    struct origin origin;
    struct value value;

    if (!resolve_value(p->r, expr, &value)) {
        if (part_origin(p, expr, &origin))
            add_plain(&source.from, origin.path);
    } else if (value.kind == VALUE_EXTERNAL) {
        add_plain(&source.from, value.module);
        add_plain(&source.from, value.name);
    } else if (value.kind == VALUE_DEF) {
        source = (struct source){.file = value.at.file, .is_inside = true};
        add_plain(&source.from, p->files[source.file].path);
    }
    return source;
}

/* `a/b` of `option go_package = "a/b;c";` */
static str
go_package(const struct parts *p, uint32_t file)
{
    const struct facts *facts = part_facts(p, file);

    for (uint32_t i = 1; i < facts->bind_len; i++) {
        const struct fact_bind *bind = &facts->binds[i];
        if (!str_eq(facts_text(facts, bind->name), STR("go_package")))
            continue;
        str path = part_word(p, (struct at){file, bind->value});
        const char *end = path.len ? memchr(path.ptr, ';', path.len) : NULL;
        return end ? str_cut(path, 0, (size_t)(end - path.ptr)) : path;
    }
    return (str){NULL, 0};
}

/* How much of the package of |service| is in |from|. */
static size_t
likeness(const struct parts *p, const struct grpc_service *service,
         const struct plain *from)
{
    str package = part_str(p, service->def.file,
                           part_facts(p, service->def.file)->package);
    str go = go_package(p, service->def.file);
    size_t best = has(from, go) ? PLAIN_MAX + go.len : 0;

    for (size_t at = package.len; at > 0 && best < PLAIN_MAX; at--) {
        if (at > 1 && package.ptr[at - 1] != '.')
            continue;
        str end = str_cut(package, at - (at == 1), package.len);
        if (!has(from, end))
            break;
        best = end.len;
    }
    return best;
}

static str
package_of(const struct parts *p, uint32_t service)
{
    uint32_t file = p->services[service].def.file;

    return part_str(p, file, part_facts(p, file)->package);
}

static bool
is_called_as(const struct parts *p, uint32_t service, uint32_t other)
{
    struct at a = p->services[service].def;
    struct at b = p->services[other].def;

    return str_eq(part_str(p, a.file, part_def(p, a)->name),
                  part_str(p, b.file, part_def(p, b)->name));
}

static bool
is_beside(const struct parts *p, uint32_t file, uint32_t other)
{
    size_t near = files_common(p, file, other);
    str a = p->files[file].path;
    str b = p->files[other].path;

    return !(a.len > near && memchr(a.ptr + near, '/', a.len - near)) &&
           !(b.len > near && memchr(b.ptr + near, '/', b.len - near));
}

/* A .proto file beside the source is meant first, then that whose package is
 * most like it, of those that are as like the nearest. */
static uint32_t
most_like(const struct parts *p, uint32_t first, const struct source *source)
{
    uint32_t found = first;
    size_t best_like = 0;
    size_t best_near = 0;
    bool is_tie = false;

    for (uint32_t i = first; i < p->service_len; i++) {
        uint32_t proto = p->services[i].def.file;
        if (!is_called_as(p, i, first))
            continue;
        size_t like = likeness(p, &p->services[i], &source->from);
        size_t near = files_common(p, source->file, proto);
        if (source->is_inside && is_beside(p, source->file, proto))
            like += SIZE_MAX / 2;
        if (like < best_like || (like == best_like && near < best_near))
            continue;
        bool is_same = like == best_like && near == best_near;
        bool is_copy = str_eq(package_of(p, i), package_of(p, found));
        is_tie = is_same && (is_tie || !is_copy);
        found = is_same ? found : i;
        best_like = like;
        best_near = near;
    }
    return is_tie ? UINT32_MAX : found;
}

uint32_t
grpc_service_from(struct parts *p, struct at expr, uint32_t first)
{
    struct source source;

    if (first == UINT32_MAX)
        return first;
    source = source_of(p, expr);
    return most_like(p, first, &source);
}

uint32_t
grpc_service_in(struct parts *p, uint32_t file, uint32_t first)
{
    struct source source = {.file = file, .is_inside = true};

    if (first == UINT32_MAX)
        return first;
    add_plain(&source.from, p->files[file].path);
    return most_like(p, first, &source);
}
