#include "tests/support/site_table.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "crawl/reader.h"

static enum err
get(void *ctx, const struct http_ask *ask, struct http_reply *reply)
{
    struct site_world *world = ctx;
    str url = buf_str(&ask->url->text);

    buf_printf(&world->log, "%.*s%s%s\n", (int)url.len, url.ptr,
               ask->etag ? " if " : "", ask->etag ? ask->etag : "");
    world->now_ms += 10;
    *reply = (struct http_reply){.status = 404};
    if (world->cancel_after && ++world->asked > world->cancel_after) {
        reply->end = HTTP_CANCELLED;
        return OK;
    }
    for (size_t i = 0; i < world->answer_len; i++) {
        const struct site_answer *answer = &world->answers[i];

        if (!str_eq(str_of(answer->url), url))
            continue;
        reply->end = answer->end;
        reply->status = answer->status ? answer->status : 200;
        reply->retry_s = answer->retry_s;
        if (answer->etag && ask->etag && strcmp(answer->etag, ask->etag) == 0)
            reply->status = 304;
        else
            buf_add(&reply->body, str_of(answer->body));
        buf_add(&reply->location, str_of(answer->location));
        buf_add(&reply->type,
                str_of(answer->type ? answer->type : "text/html"));
        buf_add(&reply->etag, str_of(answer->etag));
        if (answer->end)
            buf_add(&reply->why, STR("made to fail"));
        return OK;
    }
    return OK;
}

static enum err
read_page(void *ctx, bool is_html, str type, str bytes, struct html_page *out)
{
    (void)ctx;
    if (str_eq(bytes, STR("crash")))
        return ERR_CORRUPT;
    return reader_work(is_html, type, bytes, out);
}

static enum err
emit(void *ctx, const struct site_page *page)
{
    static const char *const whats[] = {"text", "same", "gone", "failed"};
    struct site_world *world = ctx;

    buf_printf(&world->told, "%s %.*s%s%.*s\n", whats[page->what],
               (int)page->url.len, page->url.ptr,
               page->what == SITE_TEXT ? " " : "",
               page->what == SITE_TEXT ? (int)page->text.len : 0,
               page->text.ptr ? page->text.ptr : "");
    return OK;
}

static bool
wait_ms(void *ctx, uint32_t ms)
{
    struct site_world *world = ctx;

    world->now_ms += ms;
    world->waited_ms += ms;
    return true;
}

static uint64_t
now_ms(void *ctx)
{
    const struct site_world *world = ctx;

    return world->now_ms;
}

struct site_outcome
site_table_walk(const struct site_answer *answers, const struct site_ask *asked)
{
    struct site_outcome out = {.world = {.answers = answers, .now_ms = 1000}};
    struct site_ask ask = *asked;
    const struct site_ops ops = {&out.world, get,     read_page,
                                 emit,       wait_ms, now_ms};

    while (answers[out.world.answer_len].url)
        out.world.answer_len++;
    if (!ask.start.ptr)
        ask.start = STR("http://a/");
    ask.depth = ask.depth ? ask.depth : 5;
    ask.max_pages = ask.max_pages ? ask.max_pages : 50;
    ask.max_ms = ask.max_ms ? ask.max_ms : 1000000;
    ask.page_bytes = 1 << 20;
    if (asked->delay_ms == UINT32_MAX) { /* a sign of a test: cancel */
        ask.delay_ms = 0;
        out.world.cancel_after = 2;
    }
    assert_int_equal(site_walk(&ask, &ops, &out.sum), OK);
    return out;
}

void
site_outcome_fini(struct site_outcome *out)
{
    buf_fini(&out->world.log);
    buf_fini(&out->world.told);
    buf_fini(&out->sum.why);
}

void
site_table_expect(const struct site_answer *answers, const struct site_ask *ask,
                  const char *told, const char *why)
{
    struct site_outcome out = site_table_walk(answers, ask);

    assert_string_equal(buf_cstr(&out.world.told), told);
    if (why)
        assert_non_null(strstr(buf_cstr(&out.sum.why), why));
    else
        assert_string_equal(buf_cstr(&out.sum.why), "");
    site_outcome_fini(&out);
}
