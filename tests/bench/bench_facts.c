/*
 * bench_facts - source turned into facts, MB a second and core, beside the
 * limit: what tree-sitter alone needs to parse it.
 *
 *     bench_facts [FOLDER [ENDING [ROUNDS]]]
 *
 * Each round does both over all files, so that a drifting clock hits them
 * alike; printed is the median, in CPU time of this thread.  Ends with 1 if
 * facts come slower than half of FLOOR.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <tree_sitter/api.h>

#include "index/grammar.h"
#include "index/lang.h"
#include "index/tree.h"
#include "tests/support/cpu.h"

enum { ROUNDS_MAX = 99, FLOOR = 8, BYTES_MAX = 8 << 20 };

struct file {
    const struct lang *lang;
    str path;
    struct buf content;
};

struct bench {
    struct file *files;
    size_t len;
    size_t bytes;
    size_t packed;
};

static void
load(struct bench *b, struct tree *tree, const char *ending)
{
    uint32_t len;
    const struct tree_file *files = tree_files(tree, &len);
    size_t end = strlen(ending);

    b->files = calloc(len + 1, sizeof(*b->files));
    for (uint32_t i = 0; b->files && i < len && b->bytes < BYTES_MAX; i++) {
        struct file file = {.path = files[i].path};
        file.lang = lang_of_path(file.path, (str){"", 0});
        if (!file.lang || !file.lang->grammar || file.path.len < end ||
            memcmp(file.path.ptr + file.path.len - end, ending, end) != 0 ||
            tree_read(tree, i, 2 << 20, &file.content) ||
            lang_is_minified(buf_str(&file.content))) {
            buf_fini(&file.content);
            continue;
        }
        b->bytes += file.content.len;
        b->files[b->len++] = file;
    }
}

static double
parse_all(struct bench *b)
{
    double began = cpu_seconds();

    for (size_t i = 0; i < b->len; i++) {
        TSParser *parser = ts_parser_new();
        ts_parser_set_language(parser,
                               grammar_language(b->files[i].lang->grammar));
        TSTree *tree =
            ts_parser_parse_string(parser, NULL, b->files[i].content.ptr,
                                   (uint32_t)b->files[i].content.len);
        ts_tree_delete(tree);
        ts_parser_delete(parser);
    }
    return cpu_seconds() - began;
}

static double
facts_all(struct bench *b)
{
    struct buf packed = {0};
    double began = cpu_seconds();

    b->packed = 0;
    for (size_t i = 0; i < b->len; i++) {
        struct facts facts;
        buf_reset(&packed);
        if (lang_facts(b->files[i].lang, b->files[i].path,
                       buf_str(&b->files[i].content), &lang_limits_default,
                       &facts) == OK)
            (void)facts_encode(&facts, &packed);
        b->packed += packed.len;
        facts_fini(&facts);
    }
    double took = cpu_seconds() - began;
    buf_fini(&packed);
    return took;
}

static int
compare(const void *a, const void *b)
{
    double x = *(const double *)a;
    double y = *(const double *)b;

    return (x > y) - (x < y);
}

int
main(int argc, char **argv)
{
    const struct tree_ask ask = {.path = argc > 1 ? argv[1] : ".",
                                 .is_worktree = true};
    const char *ending = argc > 2 ? argv[2] : "";
    int rounds = argc > 3 ? atoi(argv[3]) : 5;
    double parse[ROUNDS_MAX];
    double facts[ROUNDS_MAX];
    struct bench b = {0};
    struct tree *tree;
    struct buf why = {0};

    if (rounds < 1 || rounds > ROUNDS_MAX || tree_open(&tree, &ask, &why)) {
        fprintf(stderr, "bench_facts: %s\n", buf_cstr(&why));
        return 2;
    }
    load(&b, tree, ending);
    if (b.bytes == 0) {
        fprintf(stderr, "bench_facts: no source in %s\n", ask.path);
        return 2;
    }
    for (int i = 0; i < rounds; i++) {
        parse[i] = parse_all(&b);
        facts[i] = facts_all(&b);
    }
    qsort(parse, (size_t)rounds, sizeof(*parse), compare);
    qsort(facts, (size_t)rounds, sizeof(*facts), compare);
    double megabytes = (double)b.bytes / 1e6;
    double rate = megabytes / facts[rounds / 2];
    double limit = megabytes / parse[rounds / 2];
    printf("%zu files, %.2f MB, %.2f MB of facts\n", b.len, megabytes,
           (double)b.packed / 1e6);
    printf("parse alone  %6.2f MB/s\n", limit);
    printf("facts        %6.2f MB/s  %.2f of the limit (floor %d MB/s)\n", rate,
           rate / limit, FLOOR);
    for (size_t i = 0; i < b.len; i++)
        buf_fini(&b.files[i].content);
    free(b.files);
    tree_close(tree);
    buf_fini(&why);
    return rate < FLOOR / 2.0;
}
