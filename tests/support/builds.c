#include "tests/support/builds.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"

uint32_t
program_random(struct program *p, uint32_t below)
{
    p->seed = p->seed * UINT64_C(6364136223846793005) + 1442695040888963407u;
    return (uint32_t)((p->seed >> 33) % below);
}

static void
new_commit(struct program *p)
{
    for (int i = 0; i < 40; i++)
        p->commit[i] = "0123456789abcdef"[program_random(p, 16)];
}

static void
new_function(struct program *p, uint32_t i)
{
    p->functions[i].file = 1 + program_random(p, PROGRAM_FILES);
    p->functions[i].name = program_random(p, PROGRAM_FUNCTIONS / 2);
    p->functions[i].signature = program_random(p, 4);
    p->functions[i].length = 1 + program_random(p, 9);
    p->functions[i].provenance = program_random(p, 3);
    p->functions[i].is_handler = program_random(p, 4) == 0;
    for (int c = 0; c < PROGRAM_CALLS; c++)
        p->functions[i].calls[c] =
            program_random(p, 2) ? 1 + program_random(p, PROGRAM_FUNCTIONS) : 0;
}

void
program_init(struct program *p, uint64_t seed)
{
    *p = (struct program){.seed = seed};
    for (uint32_t i = 0; i < PROGRAM_FILES; i++)
        p->files[i].is_there = true;
    for (uint32_t i = 0; i < PROGRAM_FUNCTIONS; i++)
        if (program_random(p, 4))
            new_function(p, i);
    new_commit(p);
}

void
program_edit(struct program *p)
{
    uint32_t i = program_random(p, PROGRAM_FUNCTIONS);
    uint32_t f = program_random(p, PROGRAM_FILES);
    uint32_t call;

    switch (program_random(p, 9)) {
    case 0:
        p->functions[i].file = 0;
        break;
    case 1:
        new_function(p, i);
        break;
    case 2: /* lines move */
        p->files[f].lines_above = program_random(p, 20);
        break;
    case 3:
        p->files[f].is_there = !p->files[f].is_there;
        break;
    case 4:
        call = program_random(p, PROGRAM_CALLS);
        p->functions[i].calls[call] = program_random(p, PROGRAM_FUNCTIONS + 1);
        break;
    case 5:
        p->functions[i].signature++;
        break;
    case 6:
        p->functions[i].name = program_random(p, PROGRAM_FUNCTIONS / 2);
        break;
    case 7:
        p->files[f].owner = program_random(p, 3);
        break;
    default: /* only the content, or nothing but the commit */
        p->files[f].version += program_random(p, 2);
        break;
    }
    new_commit(p);
}

/* |text| with a number in the place of its `#`. */
static text_id
print(struct code_build *b, const char *text, uint32_t number)
{
    char out[96];
    const char *at = strchr(text, '#');
    int len = snprintf(out, sizeof(out), "%.*s%u%s", (int)(at - text), text,
                       number, at + 1);

    return texts_add(&b->texts, (str){out, (size_t)len});
}

static text_id
word(struct code_build *b, const char *text)
{
    return texts_add(&b->texts, str_of(text));
}

struct maker {
    const struct program *p;
    struct code_build *b;
    uint32_t file[PROGRAM_FILES];
    uint32_t node[PROGRAM_FUNCTIONS];
    uint32_t line[PROGRAM_FUNCTIONS];
};

static bool
is_there(const struct program *p, uint32_t i)
{
    return p->functions[i].file && p->files[p->functions[i].file - 1].is_there;
}

static void
make_files(struct maker *m, uint32_t shuffle)
{
    for (uint32_t n = 0; n < PROGRAM_FILES; n++) {
        uint32_t i = (n + shuffle) % PROGRAM_FILES;
        struct build_file file = {
            .path = print(m->b, "src/file#.go", i),
            .blob = {(unsigned char)i, (unsigned char)m->p->files[i].version,
                     (unsigned char)m->p->files[i].lines_above},
            .lang = 1,
            .bytes = 100 + m->p->files[i].version,
        };
        if (i == 3)
            file.skipped = word(m->b, "too large");
        if (!m->p->files[i].is_there)
            continue;
        m->file[i] = code_build_file(m->b, &file);
        code_build_author(m->b, &(struct build_author){
                                    .file = m->file[i],
                                    .author = print(m->b, "a#@x.org",
                                                    m->p->files[i].version % 3),
                                    .commits = 1 + m->p->files[i].version,
                                    .last_s = 1700000000,
                                });
    }
    /* The order of rules is what they say. */
    for (uint32_t i = 0; i < PROGRAM_FILES; i++)
        if (m->p->files[i].is_there && m->p->files[i].owner)
            code_build_owner(
                m->b, &(struct build_owner){
                          .pattern = print(m->b, "/src/file#.go", i),
                          .owner = print(m->b, "@team#", m->p->files[i].owner),
                          .line = i,
                      });
}

static void
make_functions(struct maker *m, uint32_t shuffle)
{
    const struct program *p = m->p;
    uint32_t bottom[PROGRAM_FILES];

    for (uint32_t f = 0; f < PROGRAM_FILES; f++)
        bottom[f] = 1 + p->files[f].lines_above;
    for (uint32_t i = 0; i < PROGRAM_FUNCTIONS; i++)
        if (is_there(p, i)) {
            m->line[i] = bottom[p->functions[i].file - 1];
            bottom[p->functions[i].file - 1] += p->functions[i].length + 1;
        }
    for (uint32_t n = 0; n < PROGRAM_FUNCTIONS; n++) {
        uint32_t i = (n + 7 * shuffle) % PROGRAM_FUNCTIONS;
        if (!is_there(p, i))
            continue;
        struct build_node node = {
            .kind = CODE_FUNCTION,
            .flags = i % 5 ? 0 : CODE_EXPORTED,
            .file = m->file[p->functions[i].file - 1],
            .line = m->line[i],
            .col = 5,
            .end_line = m->line[i] + p->functions[i].length,
            .package = print(m->b, "src/pkg#", p->functions[i].name % 4),
            .name = print(m->b, "Type.fn#", p->functions[i].name),
            .signature = print(m->b, "func(x int#)", p->functions[i].signature),
        };
        m->node[i] = code_build_node(m->b, &node);
    }
}

static void
make_call(struct maker *m, uint32_t i, uint32_t call)
{
    const struct program *p = m->p;
    uint32_t callee = p->functions[i].calls[call];
    uint32_t types[] = {CODE_CALLS, CODE_CALLS,    CODE_REFERENCES,
                        CODE_TESTS, CODE_MAY_CALL, CODE_CALLS};

    if (!callee || !is_there(p, callee - 1))
        return;
    struct code_site sites[2] = {
        {m->line[i] + call % (p->functions[i].length + 1), 4 + call},
        {m->line[i] + p->functions[i].length, 40},
    };
    struct build_edge edge = {
        .src = m->node[i],
        .dst = m->node[callee - 1],
        .type = (uint8_t)types[call],
        .provenance =
            (uint8_t)(CODE_BY_SCOPE + (p->functions[i].provenance + call) % 2),
        .permille = 990,
        .site_at = m->b->site_len,
        .site_len = 1 + call % 2,
    };
    for (uint32_t s = 0; s < edge.site_len; s++)
        code_build_site(m->b, sites[s]);
    code_build_edge(m->b, &edge);
}

static void
make_routes(struct maker *m)
{
    for (uint32_t i = 0; i < PROGRAM_FUNCTIONS; i++) {
        if (!m->p->functions[i].is_handler || !is_there(m->p, i))
            continue;
        uint32_t file = m->file[m->p->functions[i].file - 1];
        uint32_t node =
            code_build_node(m->b, &(struct build_node){
                                      .kind = CODE_ROUTE,
                                      .file = file,
                                      .line = m->line[i],
                                      .package = word(m->b, "src"),
                                      .name = print(m->b, "GET /r#/{}", i),
                                  });
        code_build_edge(m->b, &(struct build_edge){
                                  .src = node,
                                  .dst = m->node[i],
                                  .type = CODE_HANDLES_ROUTE,
                                  .provenance = CODE_BY_FRAMEWORK,
                                  .permille = 950,
                              });
        code_build_route(m->b, &(struct build_route){
                                   .node = node,
                                   .handler = m->node[i],
                                   .method = word(m->b, "GET"),
                                   .raw = print(m->b, "/r#/:id", i),
                                   .canonical = print(m->b, "/r#/{}", i),
                                   .framework = word(m->b, "gin"),
                                   .file = file,
                                   .line = m->line[i],
                               });
        code_build_literal(
            m->b, &(struct build_literal){.text = print(m->b, "span #", i),
                                          .node = m->node[i]});
    }
}

void
program_build(const struct program *p, const char *url, uint32_t shuffle,
              struct code_build *out)
{
    struct maker m = {.p = p, .b = out};

    if (code_build_init(out))
        abort();
    if (shuffle) /* ids of texts are not the same either */
        word(out, "nothing");
    out->repo_url = word(out, url);
    out->commit = word(out, p->commit);
    out->commit_s = 1700000000;
    make_files(&m, shuffle);
    make_functions(&m, shuffle);
    for (uint32_t n = 0; n < PROGRAM_FUNCTIONS; n++)
        for (uint32_t c = 0; c < PROGRAM_CALLS; c++) {
            uint32_t i = (n + 3 * shuffle) % PROGRAM_FUNCTIONS;
            if (is_there(p, i))
                make_call(&m, i, c);
        }
    make_routes(&m);
    code_build_service(out, &(struct build_service){
                                word(out, "shop"), word(out, "src"),
                                word(out, "compose:docker-compose.yml:3"), 1});
    code_build_exposure(out, &(struct build_exposure){
                                 word(out, "shop.example"), word(out, "/api"),
                                 word(out, "/"), word(out, "shop"),
                                 word(out, "ingress:k8s.yaml:7")});
    if (out->failed || out->texts.failed)
        abort();
}

void
build_large(struct code_build *out, const char *url, uint32_t nodes,
            uint32_t edges)
{
    uint32_t per_node = edges / nodes;
    uint32_t file = 0;
    uint32_t last = 0;

    if (code_build_init(out))
        abort();
    out->repo_url = word(out, url);
    out->commit = word(out, "c0ffee");
    for (uint32_t i = 0; i < nodes; i++) {
        if (i % 20 == 0)
            file = code_build_file(
                out, &(struct build_file){
                         .path = print(out, "src/some/where/file#.go", i / 20),
                         .blob = {(unsigned char)i, (unsigned char)(i >> 8),
                                  (unsigned char)(i >> 16)},
                         .lang = 1,
                         .bytes = 9000});
        last = code_build_node(
            out, &(struct build_node){
                     .kind = CODE_FUNCTION,
                     .file = file,
                     .line = 1 + i % 20 * 15,
                     .end_line = 14 + i % 20 * 15,
                     .package = print(out, "src/some/where#", i / 200),
                     .name = print(out, "Receiver.methodNumber#", i),
                     .signature = print(
                         out, "func(ctx context.Context, id int#) error", i)});
    }
    for (uint32_t i = 1; i <= last; i++)
        for (uint32_t c = 0; c < per_node; c++) {
            uint32_t at = code_build_site(
                out, (struct code_site){2 + (i - 1) % 20 * 15 + c, 8});
            code_build_edge(out, &(struct build_edge){
                                     .src = i,
                                     .dst = 1 + (i * 7919 + c * 104729) % last,
                                     .type = CODE_CALLS,
                                     .provenance = CODE_BY_IMPORT,
                                     .permille = 990,
                                     .site_at = at,
                                     .site_len = 1});
        }
    if (out->failed || out->texts.failed)
        abort();
}
