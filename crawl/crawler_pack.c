#include <stdlib.h>

#include "base/utf8.h"
#include "crawl/crawler_parts.h"
#include "crawl/fields.h"

enum { LIST_MAX = 100000 };

void
walk_ask_pack(const struct site_ask *ask, struct buf *out)
{
    field_add(out, ask->start);
    field_add_u32(out, ask->depth);
    field_add_u32(out, ask->max_pages);
    field_add_u32(out, ask->delay_ms);
    field_add_u32(out, ask->max_ms);
    field_add_u32(out, (uint32_t)ask->page_bytes);
    field_add_u32(out, ask->ignores_robots);
    field_add_u32(out, ask->discovers);
    field_add_u32(out, (uint32_t)ask->include_len);
    field_add_u32(out, (uint32_t)ask->exclude_len);
    field_add_u32(out, (uint32_t)ask->known_len);
    for (size_t i = 0; i < ask->include_len; i++)
        field_add(out, ask->include[i]);
    for (size_t i = 0; i < ask->exclude_len; i++)
        field_add(out, ask->exclude[i]);
    for (size_t i = 0; i < ask->known_len; i++) {
        field_add(out, ask->known[i].url);
        field_add(out, ask->known[i].etag);
        field_add(out, ask->known[i].modified);
    }
}

static bool
next_size(str *rest, size_t *out)
{
    uint32_t number;
    bool is_there = field_next_u32(rest, &number);

    *out = number;
    return is_there;
}

static bool
unpack_head(str *rest, struct site_ask *ask)
{
    uint32_t ignores, discovers;

    return field_next(rest, &ask->start) && field_next_u32(rest, &ask->depth) &&
           field_next_u32(rest, &ask->max_pages) &&
           field_next_u32(rest, &ask->delay_ms) &&
           field_next_u32(rest, &ask->max_ms) &&
           next_size(rest, &ask->page_bytes) &&
           field_next_u32(rest, &ignores) &&
           ((ask->ignores_robots = ignores), true) &&
           field_next_u32(rest, &discovers) &&
           ((ask->discovers = discovers), true) &&
           next_size(rest, &ask->include_len) &&
           next_size(rest, &ask->exclude_len) &&
           next_size(rest, &ask->known_len) && ask->include_len <= LIST_MAX &&
           ask->exclude_len <= LIST_MAX && ask->known_len <= LIST_MAX;
}

enum err
walk_ask_unpack(str packed, struct walk_ask *out)
{
    struct site_ask *ask = &out->ask;
    bool ok;

    *out = (struct walk_ask){0};
    if (!unpack_head(&packed, ask))
        return ERR_CORRUPT;
    out->patterns =
        calloc(ask->include_len + ask->exclude_len + 1, sizeof(*out->patterns));
    out->known = calloc(ask->known_len + 1, sizeof(*out->known));
    if (!out->patterns || !out->known) {
        walk_ask_fini(out);
        return ERR_NOMEM;
    }
    ok = true;
    for (size_t i = 0; i < ask->include_len + ask->exclude_len && ok; i++)
        ok = field_next(&packed, &out->patterns[i]);
    for (size_t i = 0; i < ask->known_len && ok; i++)
        ok = field_next(&packed, &out->known[i].url) &&
             field_next(&packed, &out->known[i].etag) &&
             field_next(&packed, &out->known[i].modified);
    ask->include = out->patterns;
    ask->exclude = out->patterns + ask->include_len;
    ask->known = out->known;
    if (!ok)
        walk_ask_fini(out);
    return ok ? OK : ERR_CORRUPT;
}

void
walk_ask_fini(struct walk_ask *ask)
{
    free(ask->patterns);
    free(ask->known);
    *ask = (struct walk_ask){0};
}

void
walk_page_pack(const struct site_page *page, struct buf *out)
{
    field_add(out, page->url);
    field_add(out, page->parent);
    field_add(out, page->title);
    field_add(out, page->text);
    field_add(out, page->etag);
    field_add(out, page->modified);
    field_add(out, page->why);
}

enum err
walk_page_unpack(str packed, uint32_t what, struct site_page *out)
{
    str *const fields[] = {&out->url,  &out->parent,   &out->title, &out->text,
                           &out->etag, &out->modified, &out->why};

    *out = (struct site_page){.what = (enum site_what)what};
    if (what > SITE_FAILED)
        return ERR_CORRUPT;
    for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++)
        if (!field_next(&packed, fields[i]))
            return ERR_CORRUPT;
    /* Validators are bytes of a stranger, only ever sent back. */
    if (!utf8_valid(out->etag))
        out->etag = STR("");
    if (!utf8_valid(out->modified))
        out->modified = STR("");
    return utf8_valid(out->url) && utf8_valid(out->parent) &&
                   utf8_valid(out->title) && utf8_valid(out->text) &&
                   utf8_valid(out->why)
               ? OK
               : ERR_CORRUPT;
}

void
walk_sum_pack(const struct site_sum *sum, struct buf *out)
{
    field_add_u32(out, sum->asked);
    field_add_u32(out, sum->skipped);
    field_add_u32(out, sum->is_truncated);
    field_add_u32(out, sum->is_cancelled);
    field_add(out, buf_str(&sum->why));
}

enum err
walk_sum_unpack(str packed, struct site_sum *out)
{
    uint32_t is_truncated;
    uint32_t is_cancelled;
    str why;

    if (!field_next_u32(&packed, &out->asked) ||
        !field_next_u32(&packed, &out->skipped) ||
        !field_next_u32(&packed, &is_truncated) ||
        !field_next_u32(&packed, &is_cancelled) || !field_next(&packed, &why))
        return ERR_CORRUPT;
    out->is_truncated = is_truncated;
    out->is_cancelled = is_cancelled;
    utf8_clean(&out->why, why, 1000);
    return out->why.failed ? ERR_NOMEM : OK;
}
