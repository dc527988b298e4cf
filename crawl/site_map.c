/*
 * No parser of XML: the addresses of a sitemap stand between <loc> and </loc>,
 * and nothing else of it matters here.  So nothing in it can be expanded,
 * nested or referred to.
 */
#include "crawl/site_map.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "crawl/fields.h"
#include "crawl/gunzip.h"

static void
add(struct site_places *out, str place)
{
    while (place.len && strchr(" \t\r\n", place.ptr[0]))
        place = str_cut(place, 1, place.len);
    while (place.len && strchr(" \t\r\n", place.ptr[place.len - 1]))
        place.len--;
    if (place.len == 0 || place.len > URL_MAX || out->len == out->max)
        return;
    field_add(&out->fields, place);
    out->len++;
}

/* Where |words| stand in |text| from |from| on; text.len: nowhere. */
static size_t
find(str text, size_t from, str words)
{
    const char *at = from < text.len ? memmem(text.ptr + from, text.len - from,
                                              words.ptr, words.len)
                                     : NULL;

    return at ? (size_t)(at - text.ptr) : text.len;
}

/* ---- sitemaps ---- */

/* The one character of `&...;` at |text|, and how long that is; 0: none. */
static size_t
read_entity(str text, char *out)
{
    static const struct {
        str name;
        char is;
    } entities[] = {{STR_INIT("&amp;"), '&'},   {STR_INIT("&lt;"), '<'},
                    {STR_INIT("&gt;"), '>'},    {STR_INIT("&quot;"), '"'},
                    {STR_INIT("&apos;"), '\''}, {STR_INIT("&#38;"), '&'},
                    {STR_INIT("&#x26;"), '&'},  {STR_INIT("&#39;"), '\''}};

    for (size_t i = 0; i < sizeof(entities) / sizeof(entities[0]); i++)
        if (str_starts(text, entities[i].name)) {
            *out = entities[i].is;
            return entities[i].name.len;
        }
    return 0;
}

static void
add_decoded(struct site_places *out, str text)
{
    static const str open = STR_INIT("<![CDATA[");
    char place[URL_MAX + 1];
    size_t len = 0;

    while (text.len && strchr(" \t\r\n", text.ptr[0]))
        text = str_cut(text, 1, text.len);
    if (str_starts(text, open)) {
        text = str_cut(text, open.len, text.len);
        add(out, str_cut(text, 0, find(text, 0, STR("]]>"))));
        return;
    }
    while (text.len && len < sizeof(place)) {
        size_t used = read_entity(text, &place[len]);

        if (used == 0) {
            place[len] = text.ptr[0];
            used = 1;
        }
        len++;
        text = str_cut(text, used, text.len);
    }
    if (text.len == 0)
        add(out, (str){place, len});
}

/* One address a line, as sitemaps.org has it for text files. */
static void
read_lines(str text, struct site_places *out)
{
    while (text.len && out->len < out->max) {
        size_t end = find(text, 0, STR("\n"));
        str line = str_cut(text, 0, end);

        if (str_starts(line, STR("http://")) ||
            str_starts(line, STR("https://")))
            add(out, line);
        text = str_cut(text, end + 1, text.len);
    }
}

void
site_map_read(str text, struct site_places *out, bool *is_index)
{
    static const str open = STR_INIT("<loc>");
    static const str close = STR_INIT("</loc>");
    size_t at = find(text, 0, open);

    *is_index = find(text, 0, STR("<sitemapindex")) < text.len;
    if (str_starts(text, STR("\xef\xbb\xbf")))
        text = str_cut(text, 3, text.len);
    if (at >= text.len && !(text.len && text.ptr[0] == '<')) {
        read_lines(text, out);
        return;
    }
    at = find(text, 0, open);
    while (at < text.len && out->len < out->max) {
        size_t end = find(text, at, close);

        if (end >= text.len)
            return; /* cut off */
        add_decoded(out, str_cut(text, at + open.len, end));
        at = find(text, end, open);
    }
}

/* ---- llms.txt ---- */

void
site_map_links(str text, struct site_places *out)
{
    size_t at = find(text, 0, STR("]("));

    while (at < text.len && out->len < out->max) {
        size_t end = at + 2;

        while (end < text.len && !strchr(") \t\r\n", text.ptr[end]))
            end++;
        if (end < text.len)
            add(out, str_cut(text, at + 2, end));
        at = find(text, end, STR("]("));
    }
}

/* ---- asking ---- */

struct finding {
    struct site_fetcher *by;
    uint64_t until_ms;
    struct site_places maps; /* not yet asked for, and those that were */
    struct site_places *out;
};

static bool
is_over(const struct finding *finding)
{
    const struct site_ops *ops = finding->by->ops;

    return finding->by->is_cancelled ||
           ops->now_ms(ops->ctx) >= finding->until_ms;
}

/* Each once: an index may name itself. */
static void
add_map(struct finding *finding, str place)
{
    str rest = buf_str(&finding->maps.fields);
    str one;

    while (field_next(&rest, &one))
        if (str_eq(one, place))
            return;
    add(&finding->maps, place);
}

/* The body of |place|, if it is a page of the site; else |body| stays empty. */
static enum err
get(struct finding *finding, str place, struct site_answer *answer, str *body)
{
    const struct url *start = finding->by->start;
    struct url url;
    enum err err = url_join(start, place, &url);

    *body = (str){"", 0};
    if (err)
        return err == ERR_NOMEM ? err : OK;
    if (url_same_site(start, &url)) {
        err = site_fetch(finding->by, &url, NULL, answer);
        if (!err && answer->end == FETCH_PAGE)
            *body = buf_str(&answer->reply.body);
    }
    url_fini(&url);
    return err;
}

/* A site that has none may answer with its front page. */
static enum err
find_links(struct finding *finding)
{
    struct site_answer answer = {.end = FETCH_FAILED};
    str body;
    enum err err = get(finding, STR("/llms.txt"), &answer, &body);

    if (!err && body.len && body.ptr[0] != '<')
        site_map_links(body, finding->out);
    site_answer_fini(&answer);
    return err;
}

/* By its first bytes: names and types of compressed sitemaps are many.  What is
 * damaged, cut off or too large tells of nothing. */
static enum err
unpack(const struct finding *finding, str *body, struct buf *plain)
{
    enum err err = OK;

    if (gunzip_is(*body)) {
        err = gunzip(*body, finding->by->ask->page_bytes, plain);
        *body = err ? (str){"", 0} : buf_str(plain);
    }
    return err == ERR_NOMEM ? err : OK;
}

static enum err
read_map(struct finding *finding, str place)
{
    struct site_answer answer = {.end = FETCH_FAILED};
    struct buf plain = {0};
    struct site_places found = {.max = SITE_MAP_PAGES};
    bool is_index = false;
    str body;
    str one;
    enum err err = get(finding, place, &answer, &body);

    if (!err)
        err = unpack(finding, &body, &plain);
    site_map_read(body, &found, &is_index);
    str rest = buf_str(&found.fields);
    while (!err && field_next(&rest, &one))
        if (is_index)
            add_map(finding, one);
        else
            add(finding->out, one);
    if (found.fields.failed)
        err = ERR_NOMEM;
    buf_fini(&found.fields);
    buf_fini(&plain);
    site_answer_fini(&answer);
    return err;
}

static enum err
find_maps(struct finding *finding)
{
    const struct robots *robots = NULL;
    char place[URL_MAX + 1];
    size_t at = 0;
    str rest;
    str one;
    enum err err = site_fetch_rules(finding->by, finding->by->start, &robots);

    rest = robots ? buf_str(&robots->sitemaps) : (str){"", 0};
    while (!err && field_next(&rest, &one))
        add_map(finding, one);
    if (finding->maps.len == 0)
        add(&finding->maps, STR("/sitemap.xml"));
    while (!err && !is_over(finding)) {
        rest = str_cut(buf_str(&finding->maps.fields), at,
                       finding->maps.fields.len);
        if (!field_next(&rest, &one))
            break;
        at = finding->maps.fields.len - rest.len;
        /* The list grows, and moves, while it is read. */
        memcpy(place, one.ptr, one.len);
        err = read_map(finding, (str){place, one.len});
    }
    return err;
}

enum err
site_map_find(struct site_fetcher *fetcher, uint64_t until_ms,
              struct site_places *out)
{
    struct finding finding = {
        .by = fetcher,
        .until_ms = until_ms,
        .maps = {.max = SITE_MAPS},
        .out = out,
    };
    enum err err = find_links(&finding);

    if (!err && !is_over(&finding))
        err = find_maps(&finding);
    if (!err && (out->fields.failed || finding.maps.fields.failed))
        err = ERR_NOMEM;
    buf_fini(&finding.maps.fields);
    return err;
}
