/*
 * Prints what the resolver makes of the calls of a directory, a line each:
 *
 *     path:line:col  by  path:line,...  name      columns from 0, in bytes
 *
 * |by| is `external`, `none`, or the provenance; FUNCTION lines say where
 * functions are that have a name.
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
print_place(const struct resolver *r, uint32_t file, uint32_t line,
            uint32_t col)
{
    str path = r->sources[file].path;

    printf("%.*s:%" PRIu32 ":%" PRIu32, (int)path.len, path.ptr, line, col);
}

/* A compiler names the type that is made, where we name its constructor. */
static void
print_made(struct resolver *r, uint32_t file, uint32_t expr)
{
    struct val made = eval_callee(r, file, expr);

    if (made.kind != VAL_INSTANCE &&
        (made.kind != VAL_DEF ||
         !is_type_kind(def_at(r, made.file, made.id)->kind)))
        return;
    printf(",");
    print_twins(r, gdef(r, made.file, made.id));
}

static void
print_call(struct resolver *r, uint32_t file, uint32_t expr)
{
    const struct fact_expr *at = expr_at(r, file, expr);
    struct val to = call_target(r, file, expr);

    print_place(r, file, at->line, at->col);
    if (to.kind != VAL_DEF) {
        bool is_outside = to.kind == VAL_EXTERNAL || to.kind == VAL_FOREIGN;
        printf("\t%s\t-\t-\n", is_outside ? "external" : "none");
        return;
    }
    uint32_t target = gdef(r, to.file, to.id);
    str name = sym_str(r, r->qualified[target]);
    printf("\t%s\t", code_provenance_str(to.by));
    print_twins(r, target);
    print_made(r, file, expr);
    printf("\t%.*s\n", (int)name.len, name.ptr);
}

static void
print_file(struct resolver *r, uint32_t file)
{
    const struct facts *facts = r->sources[file].facts;

    for (uint32_t id = 1; id < facts->expr_len; id++)
        if (facts->exprs[id].kind == EXPR_CALL ||
            facts->exprs[id].kind == EXPR_NEW)
            print_call(r, file, id);
    for (uint32_t id = 1; id < facts->def_len; id++) {
        const struct fact_def *def = &facts->defs[id];
        if (!is_function_kind(def->kind) || !def->name)
            continue;
        print_place(r, file, def->line, def->col);
        printf("\tFUNCTION\t-\t-\n");
    }
}

/* How many edges of each type the graph has, and what it took. */
static enum err
measure_graph(struct resolver *r)
{
    struct code_build build;
    uint32_t counts[CODE_EDGE_END] = {0};
    enum err err = code_build_init(&build);

    if (err)
        return err;
    for (uint32_t i = 0; i < r->source_len; i++)
        code_build_file(
            &build, &(struct build_file){
                        .path = texts_add(&build.texts, r->sources[i].path)});
    uint64_t start_ns = clock_mono_ns();
    err = resolve_graph(r, &build, 1);
    uint64_t took_ns = clock_mono_ns() - start_ns;
    for (uint32_t i = 0; i < build.edge_len; i++)
        counts[build.edges[i].type]++;
    fprintf(stderr, "graph: %" PRIu32 " vertices, %.1f ms;", build.node_len - 1,
            (double)took_ns / 1e6);
    for (uint8_t type = 1; type < CODE_EDGE_END; type++)
        if (counts[type])
            fprintf(stderr, " %s %" PRIu32, code_edge_str(type), counts[type]);
    fprintf(stderr, "\n");
    code_build_fini(&build);
    return err;
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
    for (uint32_t file = 0; file < r->source_len; file++)
        print_file(r, file);
    fprintf(stderr,
            "%" PRIu32 " files, %" PRIu32 " calls: %" PRIu32
            " external, %" PRIu32 " unknown; %.1f ms\n",
            sources->len, r->all_calls, r->external_calls, r->unknown_calls,
            (double)took_ns / 1e6);
    err = measure_graph(r);

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
        module.lang = strcmp(argv[2], "go") == 0 ? LANG_GO : LANG_TYPESCRIPT;
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
