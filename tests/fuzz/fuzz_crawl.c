/*
 * Any bytes as what a stranger's server sends: the first byte says what, the
 * rest is a page, a robots.txt, an address, or what a process of ours says.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/utf8.h"
#include "crawl/crawler_parts.h"
#include "crawl/reader.h"
#include "crawl/robots.h"
#include "crawl/site_map.h"
#include "crawl/url.h"
#include "knowledge/schedule.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void
require(bool condition, const char *what)
{
    if (condition)
        return;
    fprintf(stderr, "%s\n", what);
    abort();
}

static void
read_page(bool is_html, str bytes)
{
    struct html_page page = {.text = {.cap_max = 1 << 20}};

    /* Deep trees cost the square of their depth; who reads a page has a clock
     * over it, a fuzzer has not. */
    if (bytes.len < 20000 &&
        reader_work(is_html, (str){"", 0}, bytes, &page) == OK)
        require(utf8_valid(buf_str(&page.text)) &&
                    utf8_valid(buf_str(&page.title)),
                "it is no text");
    html_page_fini(&page);
}

/* What a site tells of itself; every place is one of those bytes. */
static void
read_places(str bytes)
{
    struct site_places places = {.max = 1000};
    bool is_index;

    site_map_read(bytes, &places, &is_index);
    site_map_links(bytes, &places);
    if (places.len > places.max)
        abort();
    buf_fini(&places.fields);
}

static void
read_robots(str bytes)
{
    struct robots robots;

    if (robots_read(&robots, bytes, STR("spangraph")))
        return;
    (void)robots_allows(&robots, STR("/"));
    (void)robots_allows(&robots, STR("/a/b.html?c=d"));
    (void)robots_allows(&robots, str_cut(bytes, 0, 200));
    robots_fini(&robots);
}

/* An address in its one spelling is spelt so again. */
static void
read_url(str bytes)
{
    struct url base;
    struct url url;
    struct url again;

    if (url_parse(STR("https://a.example/b/c?d"), &base, NULL))
        return;
    if (url_join(&base, bytes, &url) == OK) {
        require(url_parse(buf_str(&url.text), &again, NULL) == OK,
                "its spelling is refused");
        require(str_eq(buf_str(&again.text), buf_str(&url.text)) &&
                    str_eq(again.host, url.host),
                "it has two spellings");
        url_fini(&again);
        url_fini(&url);
    }
    url_fini(&base);
}

static void
read_frames(str bytes)
{
    struct walk_ask ask;
    struct site_page page;
    struct site_sum sum = {0};

    if (walk_ask_unpack(bytes, &ask) == OK)
        walk_ask_fini(&ask);
    (void)walk_page_unpack(bytes, SITE_TEXT, &page);
    (void)walk_sum_unpack(bytes, &sum);
    buf_fini(&sum.why);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct schedule schedule;

    if (size == 0)
        return 0;
    str bytes = {(const char *)data + 1, size - 1};
    switch (data[0] % 6) {
    case 0:
        read_page(false, bytes);
        break;
    case 1:
        read_robots(bytes);
        read_places(bytes);
        break;
    case 2:
        read_url(bytes);
        break;
    case 3:
        read_frames(bytes);
        break;
    case 4:
        if (schedule_parse(str_cut(bytes, 0, 80), &schedule) == OK)
            (void)schedule_next(&schedule, 1800000000);
        break;
    default:
        read_page(true, bytes);
        break;
    }
    return 0;
}
