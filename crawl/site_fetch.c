/*
 * Each hop of a redirect is a new request: looked at as the first one was,
 * with the same patience, and counted.
 */
#include "crawl/site_fetch.h"

#include <string.h>

/* One fetch under way. */
struct fetch {
    struct site_fetcher *by;
    const struct site_known *known;
    struct http_reply *reply;
    struct url *at; /* the URL of this hop */
    struct buf *why;
    size_t max_bytes;
    bool anywhere; /* redirects may leave the site: of robots.txt */
    bool is_rules;
    uint32_t delay_ms;
    enum fetch_end end;
};

static bool
is_redirect(long status)
{
    return status == 301 || status == 302 || status == 303 || status == 307 ||
           status == 308;
}

static bool
pause_for(struct fetch *fetch, uint32_t ms)
{
    struct site_fetcher *by = fetch->by;
    uint64_t now = by->ops->now_ms(by->ops->ctx);
    uint64_t until = by->last_ms + ms;

    if (by->last_ms == 0 || now >= until)
        return true;
    if (by->ops->wait(by->ops->ctx, (uint32_t)(until - now)))
        return true;
    by->is_cancelled = true;
    fetch->end = FETCH_STOPPED;
    return false;
}

static enum err
get(struct fetch *fetch)
{
    struct site_fetcher *by = fetch->by;
    char etag[512] = "";
    char modified[128] = "";
    const struct site_known *known = fetch->known;
    struct http_ask ask = {
        .url = fetch->at,
        .max_bytes = fetch->max_bytes,
    };

    if (known && known->etag.len && known->etag.len < sizeof(etag)) {
        memcpy(etag, known->etag.ptr, known->etag.len);
        ask.etag = etag;
    }
    if (known && known->modified.len &&
        known->modified.len < sizeof(modified)) {
        memcpy(modified, known->modified.ptr, known->modified.len);
        ask.modified = modified;
    }
    http_reply_fini(fetch->reply);
    enum err err = by->ops->get(by->ops->ctx, &ask, fetch->reply);
    by->last_ms = by->ops->now_ms(by->ops->ctx);
    by->last_ms += by->last_ms == 0;
    if (fetch->reply->end == HTTP_CANCELLED)
        by->is_cancelled = true;
    return err;
}

/* Asks again once, where the server says when. */
static enum err
get_patiently(struct fetch *fetch)
{
    struct http_reply *reply = fetch->reply;
    enum err err = OK;

    if (pause_for(fetch, fetch->delay_ms))
        err = get(fetch);
    if (err || fetch->by->is_cancelled || reply->end != HTTP_OK ||
        (reply->status != 429 && reply->status != 503) || reply->retry_s == 0 ||
        reply->retry_s > SITE_RETRY_MAX_S)
        return err;
    return pause_for(fetch, 1000 * reply->retry_s) ? get(fetch) : OK;
}

/* The next hop; false: there is none, and fetch->end says what that means. */
static enum err
follow(struct fetch *fetch, bool *goes_on)
{
    struct url next;
    enum err err = url_join(fetch->at, buf_str(&fetch->reply->location), &next);

    *goes_on = false;
    if (err == ERR_NOMEM)
        return err;
    fetch->end = FETCH_FAILED;
    if (err) {
        buf_add(fetch->why, STR("it redirects to something that is no page"));
        return OK;
    }
    if (!fetch->anywhere && !url_same_site(fetch->by->start, &next)) {
        buf_printf(fetch->why, "it redirects to another site: %s",
                   buf_cstr(&next.text));
        url_fini(&next);
        return OK;
    }
    url_fini(fetch->at);
    *fetch->at = next;
    fetch->known = NULL;
    *goes_on = true;
    return OK;
}

static void
judge(struct fetch *fetch)
{
    struct http_reply *reply = fetch->reply;

    if (fetch->by->is_cancelled) {
        fetch->end = FETCH_STOPPED;
    } else if (reply->end != HTTP_OK) {
        fetch->end = FETCH_FAILED;
        buf_add(fetch->why, buf_str(&reply->why));
    } else if (reply->status == 200) {
        fetch->end = FETCH_PAGE;
    } else if (reply->status == 304 && fetch->known) {
        fetch->end = FETCH_SAME;
    } else if (reply->status == 404 || reply->status == 410) {
        fetch->end = FETCH_GONE;
        buf_printf(fetch->why, "HTTP %ld", reply->status);
    } else {
        fetch->end = FETCH_FAILED;
        buf_printf(fetch->why, "HTTP %ld", reply->status);
    }
}

/* ---- robots.txt ---- */

static enum err run(struct fetch *fetch);

/* RFC 9309, 2.3.1: what is not there forbids nothing, what cannot be had now
 * forbids all. */
static enum err
read_rules(struct site_fetcher *by, struct site_rules *rules,
           const struct url *origin)
{
    struct http_reply reply = {0};
    struct url at;
    struct fetch fetch = {
        .by = by,
        .reply = &reply,
        .at = &at,
        .why = &rules->why,
        .max_bytes = (size_t)4 * ROBOTS_BYTES,
        .anywhere = true,
        .is_rules = true,
        .delay_ms = by->ask->delay_ms,
    };
    enum err err = url_join(origin, STR("/robots.txt"), &at);

    if (!err)
        err = run(&fetch);
    bool is_missing = fetch.end == FETCH_GONE ||
                      (fetch.end == FETCH_FAILED && reply.end == HTTP_OK &&
                       reply.status < 500 && reply.status != 429);
    bool is_there = fetch.end == FETCH_PAGE || reply.end == HTTP_LARGE;

    if (!err)
        err = robots_read(&rules->robots,
                          is_there ? buf_str(&reply.body) : (str){"", 0},
                          STR("spangraph"));
    rules->is_closed = !is_there && !is_missing;
    if (is_there || is_missing)
        buf_reset(&rules->why);
    url_fini(&at);
    http_reply_fini(&reply);
    return err;
}

static enum err
rules_of(struct site_fetcher *by, const struct url *url,
         struct site_rules **out)
{
    size_t len = (size_t)(url->path.ptr - url->text.ptr);
    str origin = str_cut(buf_str(&url->text), 0, len);
    struct site_rules *rules;

    for (size_t i = 0; i < by->rule_len; i++)
        if (str_eq(buf_str(&by->rules[i].origin), origin)) {
            *out = &by->rules[i];
            return OK;
        }
    if (by->rule_len == sizeof(by->rules) / sizeof(by->rules[0]))
        return ERR_NOMEM;
    rules = &by->rules[by->rule_len++];
    buf_add(&rules->origin, origin);
    *out = rules;
    return rules->origin.failed ? ERR_NOMEM : read_rules(by, rules, url);
}

/* Whether |fetch->at| may be read, and how slowly. */
static enum err
ask_rules(struct fetch *fetch, bool *may)
{
    struct site_fetcher *by = fetch->by;
    struct site_rules *rules;
    enum err err;

    *may = true;
    if (fetch->is_rules || by->ask->ignores_robots)
        return OK;
    if ((err = rules_of(by, fetch->at, &rules)))
        return err;
    uint32_t delay = rules->robots.delay_ms;
    if (delay > SITE_DELAY_MAX_MS)
        delay = SITE_DELAY_MAX_MS;
    fetch->delay_ms = delay > by->ask->delay_ms ? delay : by->ask->delay_ms;
    if (by->is_cancelled) {
        fetch->end = FETCH_STOPPED;
        *may = false;
    } else if (rules->is_closed) {
        fetch->end = FETCH_FATAL;
        buf_printf(fetch->why,
                   "its robots.txt cannot be had (%s), so nothing is read",
                   buf_cstr(&rules->why));
        *may = false;
    } else if (!robots_allows(&rules->robots, str_cut(buf_str(&fetch->at->text),
                                                      rules->origin.len,
                                                      fetch->at->text.len))) {
        fetch->end = FETCH_OUT;
        buf_add(fetch->why, STR("robots.txt does not allow it"));
        *may = false;
    }
    return OK;
}

/* ---- all of it ---- */

static enum err
run(struct fetch *fetch)
{
    enum err err = OK;
    bool goes_on = true;

    for (int hop = 0; !err && goes_on; hop++) {
        if ((err = ask_rules(fetch, &goes_on)) || !goes_on)
            return err;
        if ((err = get_patiently(fetch)) || fetch->end == FETCH_STOPPED)
            return err;
        goes_on = fetch->reply->end == HTTP_OK &&
                  is_redirect(fetch->reply->status) &&
                  fetch->reply->location.len > 0;
        if (!goes_on) {
            judge(fetch);
        } else if (hop == SITE_REDIRECTS) {
            fetch->end = FETCH_FAILED;
            buf_printf(fetch->why, "it redirects more than %d times",
                       SITE_REDIRECTS);
            goes_on = false;
        } else {
            err = follow(fetch, &goes_on);
        }
    }
    return err;
}

enum err
site_fetch(struct site_fetcher *fetcher, const struct url *url,
           const struct site_known *known, struct site_answer *out)
{
    struct fetch fetch = {
        .by = fetcher,
        .known = known,
        .reply = &out->reply,
        .at = &out->at,
        .why = &out->why,
        .max_bytes = fetcher->ask->page_bytes,
        .delay_ms = fetcher->ask->delay_ms,
        .end = FETCH_FAILED,
    };
    enum err err = url_parse(buf_str(&url->text), &out->at, NULL);

    if (!err)
        err = run(&fetch);
    out->end = fetch.end;
    return err;
}

enum err
site_fetch_rules(struct site_fetcher *fetcher, const struct url *url,
                 const struct robots **out)
{
    struct site_rules *rules = NULL;
    enum err err = OK;

    *out = NULL;
    if (!fetcher->ask->ignores_robots)
        err = rules_of(fetcher, url, &rules);
    if (!err && rules && !rules->is_closed)
        *out = &rules->robots;
    return err;
}

void
site_answer_fini(struct site_answer *answer)
{
    url_fini(&answer->at);
    http_reply_fini(&answer->reply);
    buf_fini(&answer->why);
}

void
site_fetcher_fini(struct site_fetcher *fetcher)
{
    for (size_t i = 0; i < fetcher->rule_len; i++) {
        buf_fini(&fetcher->rules[i].origin);
        buf_fini(&fetcher->rules[i].why);
        robots_fini(&fetcher->rules[i].robots);
    }
    fetcher->rule_len = 0;
}
