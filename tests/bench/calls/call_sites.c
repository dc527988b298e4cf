/*
 * Prints what the resolver makes of the calls of a directory, a line each:
 *
 *     path:line:col  by  path:line  name      columns from 0, in bytes
 *
 *     call_sites DIRECTORY [go MODULE | js NAME]
 *
 * For compare.py, which holds it against what compilers say.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "index/lang.h"
#include "index/resolve_impl.h"
#include "index/tree.h"

struct sources {
    struct resolve_file *files;
    struct facts *facts;
    uint32_t len;
};

static enum err
read_sources(struct tree *tree, struct sources *sources)
{
    uint32_t len;
    const struct tree_file *listed = tree_files(tree, &len);
    struct buf content = {0};

    sources->files = calloc((size_t)len + 1, sizeof(*sources->files));
    sources->facts = calloc((size_t)len + 1, sizeof(*sources->facts));
    if (!sources->files || !sources->facts)
        return ERR_NOMEM;
    for (uint32_t i = 0; i < len; i++) {
        uint32_t at = sources->len;
        buf_reset(&content);
        if (tree_read(tree, i, 2 << 20, &content) != OK)
            continue;
        const struct lang *lang =
            lang_of_path(listed[i].path, buf_str(&content));
        if (!lang)
            continue;
        if (lang_facts(lang, listed[i].path, buf_str(&content),
                       &lang_limits_default, &sources->facts[at]) != OK) {
            facts_fini(&sources->facts[at]);
            continue;
        }
        sources->files[at] =
            (struct resolve_file){listed[i].path, &sources->facts[at]};
        sources->len++;
    }
    buf_fini(&content);
    return OK;
}

/* All definitions that are one vertex: of other build tags, overloads. */
static void
print_twins(const struct resolver *r, uint32_t target)
{
    bool is_first = true;

    for (uint32_t file = 0; file < r->source_len; file++) {
        const struct source *source = &r->sources[file];
        if (file != r->owner_file[target] &&
            (!source->unit ||
             source->unit != r->sources[r->owner_file[target]].unit))
            continue;
        for (uint32_t id = 1; id < source->facts->def_len; id++) {
            uint32_t at = source->def_base + id;
            if (r->qualified[at] != r->qualified[target] ||
                r->packages[at] != r->packages[target])
                continue;
            printf("%s%.*s:%" PRIu32, is_first ? "" : ",",
                   (int)source->path.len, source->path.ptr,
                   source->facts->defs[id].line);
            is_first = false;
        }
    }
}

static void
print_call(struct resolver *r, const struct call_site *call)
{
    const struct fact_expr *at = expr_at(r, call->file, call->expr);
    str path = r->sources[call->file].path;

    printf("%.*s:%" PRIu32 ":%" PRIu32 "\t", (int)path.len, path.ptr, at->line,
           at->col);
    if (call->target >= r->def_len) {
        printf("none\t-\t-\n");
        return;
    }
    str name = sym_str(r, r->qualified[call->target]);
    printf("%s\t", code_provenance_str(call->by));
    print_twins(r, call->target);
    printf("\t%.*s\n", (int)name.len, name.ptr);
}

static enum err
print_calls(const struct sources *sources,
            const struct resolve_settings *settings)
{
    struct resolver *r = NULL;
    uint64_t start_ns = clock_mono_ns();
    enum err err = resolver_new(&r, sources->files, sources->len, settings);

    if (!err && !calls_prepare(r))
        err = ERR_NOMEM;
    if (err)
        goto out;
    uint64_t took_ns = clock_mono_ns() - start_ns;
    for (uint32_t i = 0; i < r->call_len; i++)
        print_call(r, &r->calls[i]);
    fprintf(stderr,
            "%" PRIu32 " files, %" PRIu32 " calls: %" PRIu32 " external, %" PRIu32
            " unknown; %.1f ms\n",
            sources->len, r->all_calls, r->external_calls, r->unknown_calls,
            (double)took_ns / 1e6);

out:
    resolver_free(r);
    return err;
}

int
main(int argc, char **argv)
{
    struct tree *tree = NULL;
    struct buf why = {0};
    struct sources sources = {0};
    struct resolve_module module = {.lang = LANG_GO};
    struct resolve_settings settings = {.modules = &module};
    enum err err;

    if (argc != 2 && argc != 4) {
        fprintf(stderr, "usage: call_sites DIRECTORY [go MODULE | js NAME]\n");
        return 2;
    }
    if (argc == 4) {
        module.lang =
            strcmp(argv[2], "go") == 0 ? LANG_GO : LANG_TYPESCRIPT;
        module.module = str_of(argv[3]);
        settings.module_len = 1;
    }
    err = tree_open(&tree, &(struct tree_ask){argv[1], NULL, true}, &why);
    if (!err)
        err = read_sources(tree, &sources);
    if (!err)
        err = print_calls(&sources, &settings);
    if (err)
        fprintf(stderr, "call_sites: %s %s\n", err_str(err), buf_cstr(&why));
    for (uint32_t i = 0; i < sources.len; i++)
        facts_fini(&sources.facts[i]);
    free(sources.facts);
    free(sources.files);
    tree_close(tree);
    buf_fini(&why);
    return err ? 1 : 0;
}
