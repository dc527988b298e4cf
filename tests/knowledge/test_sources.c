/*
 * What may be crawled of this machine, and when sources are due.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "knowledge/source.h"
#include "tests/support/dir.h"

enum { NOW_S = 1800000000 };

static struct {
    char store[64];
    char files[64];
    struct source_rules rules;
    struct knowledge *knowledge;
    struct buf why;
    uint32_t now_s;
    const char *roots[1];
    char root[96];
} it;

static void
put(const char *name, const char *text)
{
    char path[256];
    FILE *file;

    snprintf(path, sizeof(path), "%s/%s", it.files, name);
    file = fopen(path, "w");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
}

static void
make_folder(const char *name)
{
    char path[256];

    snprintf(path, sizeof(path), "%s/%s", it.files, name);
    assert_int_equal(mkdir(path, 0755), 0);
}

static void
make_link(const char *target, const char *name)
{
    char from[256];
    char to[256];

    snprintf(from, sizeof(from), "%s/%s", it.files, target);
    snprintf(to, sizeof(to), "%s/%s", it.files, name);
    assert_int_equal(symlink(from, to), 0);
}

static int
open_it(void **state)
{
    struct knowledge_cfg cfg = {.sources = &it.rules};

    (void)state;
    memset(&it, 0, sizeof(it));
    it.now_s = NOW_S;
    dir_make(it.store);
    dir_make(it.files);
    make_folder("root");
    make_folder("root/docs");
    make_folder("other");
    put("root/docs/a.md", "# A\n\ninside\n");
    put("other/secret.md", "# S\n\noutside\n");
    snprintf(it.root, sizeof(it.root), "%s/root", it.files);
    it.roots[0] = it.root;
    it.rules = (struct source_rules){.roots = it.roots, .root_len = 1};
    assert_int_equal(knowledge_open(&it.knowledge, it.store, &cfg), OK);
    return 0;
}

static int
close_it(void **state)
{
    (void)state;
    knowledge_close(it.knowledge);
    buf_fini(&it.why);
    dir_remove(it.store);
    dir_remove(it.files);
    return 0;
}

static enum err
begin(void *ctx, struct moment *moment, bool writes)
{
    (void)ctx;
    moment->now_s = it.now_s;
    return writes ? knowledge_write(it.knowledge, moment)
                  : knowledge_read(it.knowledge, moment);
}

static enum err
end(void *ctx, struct moment *moment, enum err err)
{
    (void)ctx;
    return knowledge_end(it.knowledge, moment, err);
}

static struct source_host
host(void)
{
    return (struct source_host){
        .knowledge = it.knowledge, .why = &it.why, .begin = begin, .end = end};
}

/* A source of |name| below the files; 0: refused, and it.why says why. */
static int64_t
add_source(const char *name)
{
    struct moment moment = {.why = &it.why};
    struct object object = {0};
    char path[256];
    enum err err;
    int64_t oid;

    snprintf(path, sizeof(path), "%s/%s", it.files, name);
    buf_reset(&it.why);
    assert_int_equal(begin(NULL, &moment, true), OK);
    err = source_of_url(&moment, str_of(path), &object);
    oid = err ? 0 : object.oid;
    object_fini(&object);
    assert_int_equal(end(NULL, &moment, err), err);
    return oid;
}

static void
apply(int64_t oid, const char *schedule)
{
    const struct source_ask ask = {.schedule = str_of(schedule)};
    struct moment moment = {.why = &it.why};

    assert_int_equal(begin(NULL, &moment, true), OK);
    assert_int_equal(end(NULL, &moment, source_apply(&moment, oid, &ask)), OK);
}

static enum err
crawl(int64_t oid, cJSON **out)
{
    const struct source_host as = host();
    cJSON *data = cJSON_CreateObject();
    enum err err;

    buf_reset(&it.why);
    err = source_crawl(&as, oid, data);
    if (out)
        *out = data;
    else
        cJSON_Delete(data);
    return err;
}

static int64_t
due(void)
{
    struct moment moment = {.why = &it.why};
    int64_t oid;

    assert_int_equal(begin(NULL, &moment, false), OK);
    assert_int_equal(end(NULL, &moment, source_due(&moment, NULL, 0, &oid)),
                     OK);
    return oid;
}

static void
a_folder_within_the_roots_is_crawled(void **state)
{
    int64_t oid = add_source("root/docs");
    cJSON *data;

    (void)state;
    assert_true(oid);
    assert_int_equal(crawl(oid, &data), OK);
    assert_int_equal(cJSON_GetObjectItem(data, "added")->valueint, 1);
    cJSON_Delete(data);
    assert_true(add_source("root"));
}

static void
a_folder_outside_of_them_is_not_and_is_not_told_of(void **state)
{
    static const char *const names[] = {
        "other",   "root/../other",   "root/docs/../../other", "rooted",
        "no-such", "root/../no-such", "../../../../../../etc"};

    (void)state;
    make_folder("rooted");
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        if (add_source(names[i]))
            fail_msg("%s is taken", names[i]);
        assert_non_null(strstr(buf_cstr(&it.why), "knowledge.roots"));
    }
}

static void
a_link_leads_nowhere(void **state)
{
    (void)state;
    make_link("other", "root/link");
    make_link("other/secret.md", "root/docs/b.md");
    assert_int_equal(add_source("root/link"), 0);
    int64_t oid = add_source("root");
    cJSON *data;

    assert_int_equal(crawl(oid, &data), OK);
    assert_int_equal(cJSON_GetObjectItem(data, "documents")->valueint, 1);
    cJSON_Delete(data);
}

static void
a_folder_that_became_a_link_is_refused(void **state)
{
    int64_t oid = add_source("root/docs");
    char path[256];
    char aside[256];

    (void)state;
    assert_int_equal(crawl(oid, NULL), OK);
    snprintf(path, sizeof(path), "%s/root/docs", it.files);
    snprintf(aside, sizeof(aside), "%s/root/aside", it.files);
    assert_int_equal(rename(path, aside), 0);
    make_link("other", "root/docs");
    assert_int_equal(crawl(oid, NULL), ERR_INVALID);
    assert_non_null(strstr(buf_cstr(&it.why), "cannot read directory"));
    /* The same one folder above. */
    assert_int_equal(unlink(path), 0);
    snprintf(path, sizeof(path), "%s/root", it.files);
    snprintf(aside, sizeof(aside), "%s/moved", it.files);
    assert_int_equal(rename(path, aside), 0);
    make_folder("other/docs");
    make_link("other", "root");
    assert_int_equal(crawl(oid, NULL), ERR_INVALID);
}

static void
without_roots_nothing_is_crawled_but_by_who_may_read_anything(void **state)
{
    (void)state;
    it.rules.root_len = 0;
    assert_int_equal(add_source("root/docs"), 0);
    it.rules.anywhere = true;
    assert_true(add_source("root/docs"));
    assert_true(add_source("other"));
    it.rules.root_len = 1;
    make_folder("third");
    assert_int_equal(add_source("third"), 0);
}

static void
roots_taken_away_close_what_was_open(void **state)
{
    int64_t oid = add_source("root/docs");

    (void)state;
    assert_int_equal(crawl(oid, NULL), OK);
    it.rules.root_len = 0;
    assert_int_equal(crawl(oid, NULL), ERR_INVALID);
    assert_non_null(strstr(buf_cstr(&it.why), "knowledge.roots"));
}

static void
a_source_is_due_when_its_schedule_says_so(void **state)
{
    int64_t oid = add_source("root/docs");

    (void)state;
    assert_int_equal(due(), 0);
    apply(oid, "1h");
    assert_int_equal(due(), oid); /* it never was crawled */
    assert_int_equal(crawl(oid, NULL), OK);
    assert_int_equal(due(), 0);
    it.now_s = NOW_S + 3599;
    assert_int_equal(due(), 0);
    it.now_s = NOW_S + 3600 + 300; /* with the longest delay of its own */
    assert_int_equal(due(), oid);
    apply(oid, "");
    assert_int_equal(due(), 0);
}

static void
an_interrupted_crawl_is_due_at_once(void **state)
{
    int64_t oid = add_source("root/docs");
    struct moment moment = {.why = &it.why};
    bool is_torn;

    (void)state;
    apply(oid, "1h");
    assert_int_equal(crawl(oid, NULL), OK);
    assert_int_equal(begin(NULL, &moment, true), OK);
    assert_int_equal(source_is_torn(&moment, &is_torn), OK);
    assert_false(is_torn);
    assert_int_equal(end(NULL, &moment, source_mend(&moment)), OK);
    assert_int_equal(due(), 0);
}

static void
one_crawl_at_a_time_of_a_source(void **state)
{
    int64_t oid = add_source("root/docs");

    (void)state;
    assert_true(knowledge_claim(it.knowledge, oid));
    assert_int_equal(crawl(oid, NULL), ERR_BUSY);
    assert_non_null(strstr(buf_cstr(&it.why), "being crawled now"));
    knowledge_unclaim(it.knowledge, oid);
    assert_int_equal(crawl(oid, NULL), OK);
    for (int64_t i = 1; i <= KNOWLEDGE_CLAIMS; i++)
        assert_true(knowledge_claim(it.knowledge, 1000 + i));
    assert_false(knowledge_claim(it.knowledge, oid));
}

static void
a_schedule_that_is_none_is_refused(void **state)
{
    int64_t oid = add_source("root/docs");
    const struct source_ask ask = {.schedule = STR("sometimes")};
    struct moment moment = {.why = &it.why};

    (void)state;
    assert_int_equal(begin(NULL, &moment, true), OK);
    assert_int_equal(end(NULL, &moment, source_apply(&moment, oid, &ask)),
                     ERR_INVALID);
    assert_non_null(strstr(buf_cstr(&it.why), "sometimes"));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, open_it, close_it)

int
main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_folder_within_the_roots_is_crawled),
        TEST(a_folder_outside_of_them_is_not_and_is_not_told_of),
        TEST(a_link_leads_nowhere),
        TEST(a_folder_that_became_a_link_is_refused),
        TEST(without_roots_nothing_is_crawled_but_by_who_may_read_anything),
        TEST(roots_taken_away_close_what_was_open),
        TEST(a_source_is_due_when_its_schedule_says_so),
        TEST(an_interrupted_crawl_is_due_at_once),
        TEST(one_crawl_at_a_time_of_a_source),
        TEST(a_schedule_that_is_none_is_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
