/*
 * Each address has a number (base/texts.h) and, by it, a row that says where
 * it was found and whether it was dealt with; the queue is a list of numbers.
 */
#include "crawl/site.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/match.h"
#include "base/texts.h"
#include "crawl/fields.h"
#include "crawl/site_fetch.h"
#include "crawl/site_map.h"

enum { TEXT_BYTES = 1 << 20 }; /* of one page, as Markdown */

struct spot {
    text_id parent;
    uint32_t known; /* index + 1 in ask->known */
    uint8_t depth;
    bool is_queued;
    bool is_done;
};

struct site {
    const struct site_ask *ask;
    const struct site_ops *ops;
    struct site_sum *sum;
    struct url start;
    struct site_fetcher fetcher;
    struct texts urls;
    struct spot *spots; /* SITE_FRONTIER and more, by number of text */
    text_id *queue;
    size_t head;
    size_t len;
    uint32_t failures; /* in a row */
    uint64_t until_ms;
};

/* ---- what is wanted ---- */

/* To a pattern `docs/` is the page within that folder. */
static bool
fits_any(const str *patterns, size_t len, const struct url *url)
{
    char text[URL_MAX + sizeof("index.html")];
    int path_len = snprintf(
        text, sizeof(text), "%.*s%s", (int)url->path.len - 1, url->path.ptr + 1,
        url->path.ptr[url->path.len - 1] == '/' ? "index.html" : "");
    str path = {text, (size_t)path_len};

    for (size_t i = 0; i < len; i++) {
        bool is_whole = memmem(patterns[i].ptr, patterns[i].len, "://", 3);

        if (is_whole ? match_glob(patterns[i], buf_str(&url->text))
                     : match_path(patterns[i], path))
            return true;
    }
    return false;
}

bool
site_wants(const struct site_ask *ask, const struct url *url)
{
    return (ask->include_len == 0 ||
            fits_any(ask->include, ask->include_len, url)) &&
           !fits_any(ask->exclude, ask->exclude_len, url);
}

/* Names of files that are no text, so that they are not fetched to find out. */
static bool
is_no_page(const struct url *url)
{
    static const char *const ends[] = {
        ".png", ".jpg", ".jpeg", ".gif",  ".svg",  ".webp", ".ico",
        ".css", ".js",  ".json", ".xml",  ".pdf",  ".zip",  ".gz",
        ".tgz", ".bz2", ".xz",   ".7z",   ".exe",  ".dmg",  ".deb",
        ".rpm", ".jar", ".mp3",  ".mp4",  ".webm", ".woff", ".woff2",
        ".ttf", ".iso", ".tar",  ".avif", ".map",  ".bin"};

    for (size_t i = 0; i < sizeof(ends) / sizeof(ends[0]); i++) {
        size_t len = strlen(ends[i]);

        if (url->path.len > len &&
            strncasecmp(url->path.ptr + url->path.len - len, ends[i], len) == 0)
            return true;
    }
    return false;
}

/* ---- the queue ---- */

/* The number of |url|; 0: there are too many. */
static text_id
number_of(struct site *site, str url)
{
    text_id id = texts_find(&site->urls, url);

    if (id || site->urls.len > SITE_FRONTIER)
        return id;
    return texts_add(&site->urls, url);
}

static void
push(struct site *site, text_id id, text_id parent, uint32_t depth)
{
    struct spot *spot = &site->spots[id];

    if (id == 0 || spot->is_queued || spot->is_done)
        return;
    spot->is_queued = true;
    spot->parent = parent;
    spot->depth = (uint8_t)depth;
    site->queue[site->len++] = id;
}

static enum err
add_known(struct site *site)
{
    for (size_t i = 0; i < site->ask->known_len; i++) {
        text_id id = number_of(site, site->ask->known[i].url);

        if (id)
            site->spots[id].known = (uint32_t)i + 1;
    }
    return site->urls.failed ? ERR_NOMEM : OK;
}

/* Those that no link led to, behind all others. */
static void
push_known(struct site *site)
{
    for (size_t i = 0; i < site->ask->known_len; i++) {
        text_id id = texts_find(&site->urls, site->ask->known[i].url);

        push(site, id, 0, site->ask->depth);
    }
}

static const struct site_known *
known_of(const struct site *site, text_id id)
{
    uint32_t known = site->spots[id].known;

    return known ? &site->ask->known[known - 1] : NULL;
}

/* ---- one page ---- */

static enum err
tell(struct site *site, text_id id, enum site_what what, str why)
{
    const struct site_page page = {
        .what = what,
        .url = texts_get(&site->urls, id),
        .why = why,
    };

    site->spots[id].is_done = true;
    /* Of what is not known it need not be said that it is not there. */
    if (what == SITE_GONE && !site->spots[id].known)
        return OK;
    return site->ops->emit(site->ops->ctx, &page);
}

static void
add_links(struct site *site, const struct url *at, text_id id,
          const struct html_page *page)
{
    str rest = buf_str(&page->links);
    str href;
    uint32_t depth = site->spots[id].depth;
    struct url base = {0};
    bool has_base =
        page->base.len > 0 && url_join(at, buf_str(&page->base), &base) == OK;

    while (depth < site->ask->depth && field_next(&rest, &href)) {
        struct url url;

        if (url_join(has_base ? &base : at, href, &url))
            continue;
        if (url_same_site(&site->start, &url) && !is_no_page(&url) &&
            site_wants(site->ask, &url))
            push(site, number_of(site, buf_str(&url.text)), id, depth + 1);
        url_fini(&url);
    }
    url_fini(&base);
}

/* A page may name its address without a query, or with or without the slash at
 * its end; anything bolder is a mistake more often than not. */
static text_id
canonical_of(struct site *site, const struct url *at,
             const struct html_page *page, text_id id)
{
    struct url url;
    text_id out = id;

    if (page->canonical.len == 0 ||
        url_join(at, buf_str(&page->canonical), &url) != OK)
        return id;
    str a = url.path;
    str b = at->path;
    a.len -= a.len > 1 && a.ptr[a.len - 1] == '/';
    b.len -= b.len > 1 && b.ptr[b.len - 1] == '/';
    if (url_same_site(&site->start, &url) && str_eq(a, b) &&
        site_wants(site->ask, &url))
        out = number_of(site, buf_str(&url.text));
    url_fini(&url);
    return out ? out : id;
}

static bool
is_type(str type, const char *name)
{
    size_t len = strlen(name);

    return type.len >= len && strncasecmp(type.ptr, name, len) == 0 &&
           (type.len == len || strchr("; \t", type.ptr[len]));
}

/* 1: HTML, 0: text, -1: neither. */
static int
form_of(const struct http_reply *reply)
{
    str type = buf_str(&reply->type);
    str body = buf_str(&reply->body);

    if (is_type(type, "text/html") || is_type(type, "application/xhtml+xml"))
        return 1;
    if (is_type(type, "text/plain") || is_type(type, "text/markdown") ||
        is_type(type, "text/x-markdown") || is_type(type, "text/x-rst") ||
        is_type(type, "text/asciidoc"))
        return 0;
    return type.len ? -1 : body.len && body.ptr[0] == '<';
}

static str
reason_of(enum err err)
{
    switch (err) {
    case ERR_TOO_LARGE:
        return STR("its text is too large");
    case ERR_UNSUPPORTED:
        return STR("its charset is not supported");
    case ERR_CORRUPT:
        return STR("it crashed or held up its reader");
    default:
        return STR("it cannot be read");
    }
}

static enum err
tell_text(struct site *site, text_id id, text_id asked,
          const struct html_page *page, const struct http_reply *reply)
{
    const struct site_page out = {
        .what = SITE_TEXT,
        .url = texts_get(&site->urls, id),
        .parent = texts_get(&site->urls, site->spots[asked].parent),
        .title = buf_str(&page->title),
        .text = buf_str(&page->text),
        .etag = buf_str(&reply->etag),
        .modified = buf_str(&reply->modified),
    };

    site->spots[id].is_done = true;
    return site->ops->emit(site->ops->ctx, &out);
}

/* |id| was asked for; |at| is where the answer came from. */
static enum err
take_page(struct site *site, text_id id, const struct url *at,
          const struct http_reply *reply)
{
    struct html_page page = {.text = {.cap_max = TEXT_BYTES}};
    int form = form_of(reply);
    enum err err = OK;

    if (form < 0) {
        site->sum->skipped++;
        return tell(site, id, SITE_GONE, STR("it is no text"));
    }
    err = site->ops->read(site->ops->ctx, form == 1, buf_str(&reply->type),
                          buf_str(&reply->body), &page);
    bool obeys = !site->ask->ignores_robots;
    text_id real = number_of(site, buf_str(&at->text));
    if (!err)
        real = canonical_of(site, at, &page, real ? real : id);
    if (!err && !(page.no_follow && obeys))
        add_links(site, at, id, &page);
    if (err && err != ERR_NOMEM) {
        err = tell(site, id, SITE_FAILED, reason_of(err));
    } else if (!err && page.no_index && obeys) {
        site->sum->skipped++;
        err = tell(site, id, SITE_GONE, STR("it asks not to be kept"));
    } else if (!err && real != id && site->spots[real].is_done) {
        err = tell(site, id, SITE_GONE, STR("it is another page again"));
    } else if (!err && (!site_wants(site->ask, at) || page.text.len == 0)) {
        site->sum->skipped++;
        err = tell(site, id, SITE_GONE, STR("it is empty, or not wanted"));
    } else if (!err) {
        err = tell_text(site, real, id, &page, reply);
        if (!err && real != id)
            err = tell(site, id, SITE_GONE, STR("it has moved"));
    }
    html_page_fini(&page);
    return err;
}

/* Why the walk ends here, if it does. */
static void
judge(struct site *site, text_id id, struct site_answer *answer)
{
    bool is_failure = answer->end == FETCH_FAILED || answer->end == FETCH_FATAL;
    bool is_first = site->sum->asked == 1 && answer->end != FETCH_PAGE &&
                    answer->end != FETCH_SAME;
    str url = texts_get(&site->urls, id);

    site->failures = is_failure ? site->failures + 1 : 0;
    if (answer->end == FETCH_FATAL || is_first)
        buf_printf(&site->sum->why, "%.*s: %s", (int)url.len, url.ptr,
                   buf_cstr(&answer->why));
    else if (site->failures == SITE_FAILURES)
        buf_printf(&site->sum->why, "%d pages in a row failed, the last: %s",
                   SITE_FAILURES, buf_cstr(&answer->why));
}

static enum err
take_answer(struct site *site, text_id id, struct site_answer *answer)
{
    switch (answer->end) {
    case FETCH_PAGE:
        return take_page(site, id, &answer->at, &answer->reply);
    case FETCH_SAME:
        return tell(site, id, SITE_SAME, STR(""));
    case FETCH_FAILED:
        return tell(site, id, SITE_FAILED, buf_str(&answer->why));
    case FETCH_OUT:
        site->sum->skipped++;
        break;
    case FETCH_GONE:
        break;
    case FETCH_STOPPED:
        site->sum->is_cancelled = true;
        return OK;
    case FETCH_FATAL:
        return OK;
    }
    return tell(site, id, SITE_GONE, buf_str(&answer->why));
}

static enum err
visit(struct site *site, text_id id)
{
    struct site_answer answer = {.end = FETCH_FAILED};
    struct url url = {0};
    enum err err = url_parse(texts_get(&site->urls, id), &url, NULL);

    if (err == ERR_NOMEM)
        return err;
    if (err || !url_same_site(&site->start, &url) ||
        (id != site->queue[0] && !site_wants(site->ask, &url))) {
        err = tell(site, id, SITE_GONE, STR("it is not wanted any more"));
        goto out;
    }
    site->sum->asked++;
    err = site_fetch(&site->fetcher, &url, known_of(site, id), &answer);
    if (!err && answer.end != FETCH_STOPPED)
        judge(site, id, &answer);
    if (!err)
        err = take_answer(site, id, &answer);
out:
    url_fini(&url);
    site_answer_fini(&answer);
    return err;
}

/* ---- what the site tells of itself ---- */

/* Pages below the start's folder: who crawls a part of a site wants no other.
 */
static bool
is_below(const struct site *site, const struct url *url)
{
    str folder = site->start.path;

    while (folder.len && folder.ptr[folder.len - 1] != '/')
        folder.len--;
    return str_starts(url->path, folder);
}

static enum err
discover(struct site *site)
{
    struct site_places places = {.max = SITE_MAP_PAGES};
    enum err err = site_map_find(&site->fetcher, site->until_ms, &places);
    str rest = buf_str(&places.fields);
    str place;

    while (!err && field_next(&rest, &place)) {
        struct url url;

        if (url_join(&site->start, place, &url))
            continue;
        if (url_same_site(&site->start, &url) && is_below(site, &url) &&
            !is_no_page(&url) && site_wants(site->ask, &url))
            push(site, number_of(site, buf_str(&url.text)), 0, 1);
        url_fini(&url);
    }
    buf_fini(&places.fields);
    site->sum->is_cancelled = site->fetcher.is_cancelled;
    return err ? err : site->urls.failed ? ERR_NOMEM : OK;
}

/* ---- the walk ---- */

static enum err
walk(struct site *site)
{
    bool has_known = false;
    enum err err = OK;

    while (!err) {
        if (site->head == site->len && !has_known) {
            has_known = true;
            push_known(site);
        }
        if (site->head == site->len || site->sum->is_cancelled)
            break;
        if (site->sum->why.len)
            break;
        if (site->sum->asked == site->ask->max_pages) {
            site->sum->is_truncated = true;
            break;
        }
        if (site->ops->now_ms(site->ops->ctx) >= site->until_ms) {
            buf_add(&site->sum->why, STR("the time for it is over"));
            break;
        }
        text_id id = site->queue[site->head++];
        if (!site->spots[id].is_done)
            err = visit(site, id);
    }
    return err;
}

static enum err
prepare(struct site *site)
{
    size_t cap = (size_t)SITE_FRONTIER + 2;
    enum err err = url_parse(site->ask->start, &site->start, &site->sum->why);

    if (err)
        return err;
    if ((err = texts_init(&site->urls, 0)))
        return err;
    site->spots = calloc(cap, sizeof(*site->spots));
    site->queue = calloc(cap, sizeof(*site->queue));
    if (!site->spots || !site->queue)
        return ERR_NOMEM;
    site->fetcher = (struct site_fetcher){
        .ask = site->ask, .ops = site->ops, .start = &site->start};
    site->until_ms = site->ops->now_ms(site->ops->ctx) + site->ask->max_ms;
    push(site, number_of(site, buf_str(&site->start.text)), 0, 0);
    return add_known(site);
}

enum err
site_walk(const struct site_ask *ask, const struct site_ops *ops,
          struct site_sum *sum)
{
    struct site site = {.ask = ask, .ops = ops, .sum = sum};
    enum err err;

    *sum = (struct site_sum){0};
    err = prepare(&site);
    if (!err && ask->discovers && ask->depth > 0)
        err = discover(&site);
    if (!err)
        err = walk(&site);
    site_fetcher_fini(&site.fetcher);
    texts_fini(&site.urls);
    url_fini(&site.start);
    free(site.spots);
    free(site.queue);
    return err;
}
