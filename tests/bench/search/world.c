/*
 * A store of many objects for bench_search.sh: functions that call and say
 * something, patterns and episodes with words.  Words come as in language, few
 * very often and most rarely (rank r as 1 / r), from the same fixed sequence.
 *
 *     world DIR OBJECTS      then prints a question a line, 200 of them, and
 *                            last how many ms reading all texts once takes
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "graph/code_build.h"
#include "graph/code_write.h"
#include "knowledge/entity.h"
#include "store/code_store.h"
#include "store/knowledge_store.h"

enum { WORDS = 20000, QUESTIONS = 200, TEXT_WORDS = 60, AT_ONCE = 2000 };

struct maker {
    uint64_t state;
    double sums[WORDS]; /* of 1 / rank */
};

static uint32_t
draw(struct maker *m)
{
    m->state ^= m->state << 13;
    m->state ^= m->state >> 7;
    m->state ^= m->state << 17;
    return (uint32_t)(m->state >> 32);
}

static void
check(enum err err, const char *what, struct buf *why)
{
    if (!err)
        return;
    fprintf(stderr, "world: %s: %s %s\n", what, err_str(err), buf_cstr(why));
    exit(1);
}

/* Three syllables from sixteen consonants and five vowels. */
static void
add_word(struct maker *m, struct buf *out, bool is_capital)
{
    double at = m->sums[WORDS - 1] * draw(m) / UINT32_MAX;
    uint32_t low = 0;
    uint32_t high = WORDS - 1;

    while (low < high) {
        uint32_t middle = (low + high) / 2;
        if (m->sums[middle] < at)
            low = middle + 1;
        else
            high = middle;
    }
    uint32_t word = low * 2654435761U % 512000;
    for (int i = 0; i < 3; i++, word /= 80) {
        char c = "bdfgklmnprstvwxz"[word % 16];
        buf_add_char(out, is_capital && !i ? (char)(c - 'a' + 'A') : c);
        buf_add_char(out, "aeiou"[word / 16 % 5]);
    }
}

static void
add_words(struct maker *m, struct buf *out, size_t len)
{
    for (size_t i = 0; i < len; i++) {
        add_word(m, out, false);
        buf_add_char(out, i + 1 < len ? ' ' : '.');
    }
}

static text_id
keep(struct code_build *build, struct buf *text)
{
    text_id id = texts_add(&build->texts, buf_str(text));

    buf_reset(text);
    return id;
}

static void
make_function(struct maker *m, struct code_build *build, uint32_t i,
              uint32_t *file)
{
    struct buf text = {0};

    if (i % 20 == 0) {
        buf_printf(&text, "src/");
        add_word(m, &text, false);
        buf_printf(&text, "/file%u.go", i / 20);
        *file = code_build_file(
            build, &(struct build_file){.path = keep(build, &text),
                                        .blob = {(unsigned char)i,
                                                 (unsigned char)(i >> 8),
                                                 (unsigned char)(i >> 16)},
                                        .lang = 1,
                                        .bytes = 9000});
    }
    add_word(m, &text, false);
    add_word(m, &text, true);
    add_word(m, &text, true);
    buf_printf(&text, "%u", i);
    text_id name = keep(build, &text);
    buf_printf(&text, "func(ctx context.Context, ");
    add_word(m, &text, false);
    buf_printf(&text, " string) error");
    text_id signature = keep(build, &text);
    buf_printf(&text, "src/p%u", i / 200);
    uint32_t node = code_build_node(
        build, &(struct build_node){.kind = CODE_FUNCTION,
                                    .file = *file,
                                    .line = 1 + i % 20 * 15,
                                    .end_line = 14 + i % 20 * 15,
                                    .package = keep(build, &text),
                                    .name = name,
                                    .signature = signature});
    if (i % 3 == 0) {
        add_words(m, &text, 6);
        code_build_literal(build,
                           &(struct build_literal){.text = keep(build, &text),
                                                   .node = node,
                                                   .kind = LITERAL_SAID});
    }
    buf_fini(&text);
}

static void
make_code(struct maker *m, const char *dir, uint32_t len)
{
    struct code_build build;
    struct code_store *cs = NULL;
    struct code_written written;
    struct buf why = {0};
    uint32_t file = 0;

    check(code_build_init(&build), "code", &why);
    build.repo_url = texts_add(&build.texts, STR("example.org/large"));
    build.commit = texts_add(&build.texts, STR("c0ffee"));
    for (uint32_t i = 0; i < len; i++)
        make_function(m, &build, i, &file);
    for (uint32_t i = 0; i < 3 * len; i++) {
        uint32_t at = code_build_site(&build, (struct code_site){2 + i % 9, 8});
        code_build_edge(&build,
                        &(struct build_edge){.src = 1 + i / 3,
                                             .dst = 1 + draw(m) % len,
                                             .type = CODE_CALLS,
                                             .provenance = CODE_BY_IMPORT,
                                             .permille = 990,
                                             .site_at = at,
                                             .site_len = 1});
    }
    check(code_store_open(&cs, dir, clock_wall_ns(), &why), "open", &why);
    check(code_write(cs, &build, 1700000000, &written, &why), "write", &why);
    code_store_close(cs);
    code_build_fini(&build);
}

static void
make_entity(struct maker *m, struct moment *moment, uint32_t i)
{
    struct object made = {0};
    struct buf title = {0};
    struct buf text = {0};
    bool is_new;

    buf_printf(&title, "%u ", i);
    add_words(m, &title, 5);
    add_words(m, &text, TEXT_WORDS);
    const struct entity_new add = {.type = i % 2 ? "pattern" : "episode",
                                   .title = buf_str(&title),
                                   .content = buf_str(&text)};
    enum err err = entity_add(moment, &add, &made, &is_new);
    check(err ? err : entity_index(moment, made.oid), "add", moment->why);
    object_fini(&made);
    buf_fini(&title);
    buf_fini(&text);
}

static void
make_knowledge(struct maker *m, const char *dir, uint32_t len)
{
    struct knowledge *knowledge = NULL;
    struct buf why = {0};
    struct moment moment = {.now_s = (uint32_t)(clock_wall_ns() / NS_PER_S),
                            .why = &why};

    check(knowledge_open(&knowledge, dir, &knowledge_cfg_default), "open",
          &why);
    for (uint32_t i = 0; i < len;) {
        check(knowledge_write(knowledge, &moment), "begin", &why);
        for (uint32_t k = 0; k < AT_ONCE && i < len; k++, i++)
            make_entity(m, &moment, i);
        check(knowledge_end(knowledge, &moment, OK), "commit", &why);
    }
    knowledge_close(knowledge);
}

static double
read_once(const char *dir)
{
    struct knowledge_store *ks = NULL;
    struct buf why = {0};
    int64_t bytes = 0;

    check(knowledge_store_open_read(&ks, dir, &why), "read", &why);
    uint64_t begin = clock_mono_ns();
    check(ks_number(ks, KS_DOC_BYTES, NULL, 0, &bytes), "read", &why);
    double ms = (double)(clock_mono_ns() - begin) / 1e6;
    knowledge_store_close(ks);
    return ms;
}

int
main(int argc, char **argv)
{
    struct maker *m = calloc(1, sizeof(*m));
    uint32_t objects = argc > 2 ? (uint32_t)strtoul(argv[2], NULL, 10) : 0;
    struct buf question = {0};

    if (!m || objects < 100) {
        fprintf(stderr, "usage: world DIR OBJECTS\n");
        return 2;
    }
    m->state = UINT64_C(0x20261122);
    for (uint32_t i = 0; i < WORDS; i++)
        m->sums[i] = (i ? m->sums[i - 1] : 0) + 1.0 / (i + 1);
    make_code(m, argv[1], objects / 20 * 12);
    make_knowledge(m, argv[1], objects / 20 * 7);
    for (int i = 0; i < QUESTIONS; i++) {
        buf_reset(&question);
        add_words(m, &question, 2 + (size_t)i % 6);
        printf("%s\n", buf_cstr(&question));
    }
    printf("%.1f\n", read_once(argv[1]));
    buf_fini(&question);
    free(m);
    return 0;
}
