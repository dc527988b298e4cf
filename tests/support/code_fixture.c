#include "tests/support/code_fixture.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "graph/code_find.h"
#include "graph/code_write.h"

static text_id
word(struct code_fixture *f, const char *text)
{
    return texts_add(&f->build.texts, str_of(text));
}

void
code_fixture_open(struct code_fixture *f, const char *dir)
{
    *f = (struct code_fixture){0};
    (void)snprintf(f->dir, sizeof(f->dir), "%s", dir);
    assert_int_equal(code_build_init(&f->build), OK);
    f->build.repo_url = word(f, "https://example.com/org/shop");
    f->build.commit = word(f, "0123456789012345678901234567890123456789");
}

uint32_t
fixture_file(struct code_fixture *f, const char *path)
{
    return code_build_file(
        &f->build, &(struct build_file){
                       .path = word(f, path),
                       .blob = {(unsigned char)f->build.file_len,
                                (unsigned char)(f->build.file_len >> 8)},
                       .lang = 1,
                       .bytes = 100,
                   });
}

/* The folder that |file| lies in. */
static text_id
package_of(struct code_fixture *f, uint32_t file)
{
    char path[256];
    str full = texts_get(&f->build.texts, f->build.files[file].path);

    (void)snprintf(path, sizeof(path), "%.*s", (int)full.len, full.ptr);
    char *slash = strrchr(path, '/');
    if (!slash)
        return 0;
    *slash = '\0';
    return word(f, path);
}

uint32_t
fixture_module(struct code_fixture *f, uint32_t file)
{
    return code_build_node(&f->build, &(struct build_node){
                                          .kind = CODE_FILE,
                                          .file = file,
                                          .line = 1,
                                          .end_line = 1000,
                                          .name = f->build.files[file].path,
                                      });
}

uint32_t
fixture_function(struct code_fixture *f, uint32_t file, const char *name,
                 uint32_t line, uint32_t flags)
{
    return code_build_node(&f->build, &(struct build_node){
                                          .kind = CODE_FUNCTION,
                                          .flags = flags,
                                          .file = file,
                                          .line = line,
                                          .end_line = line + 3,
                                          .package = package_of(f, file),
                                          .name = word(f, name),
                                      });
}

void
fixture_edge(struct code_fixture *f, uint32_t src, uint32_t dst,
             enum code_edge type, uint16_t permille)
{
    uint32_t line = f->build.nodes[src].line;
    uint32_t site = code_build_site(&f->build, (struct code_site){line, 4});

    code_build_edge(&f->build, &(struct build_edge){
                                   .src = src,
                                   .dst = dst,
                                   .type = (uint8_t)type,
                                   .provenance = CODE_BY_SCOPE,
                                   .permille = permille,
                                   .site_at = site,
                                   .site_len = 1,
                               });
}

void
fixture_call(struct code_fixture *f, uint32_t src, uint32_t dst)
{
    fixture_edge(f, src, dst, CODE_CALLS, 990);
}

static void
add_route(struct code_fixture *f, uint8_t kind, struct build_route row,
          enum code_edge type)
{
    char name[300];
    str method = texts_get(&f->build.texts, row.method);
    str path = texts_get(&f->build.texts, row.canonical);
    uint32_t line = ++f->lines;

    (void)snprintf(name, sizeof(name), "%.*s%s%.*s", (int)method.len,
                   method.ptr, method.len ? " " : "", (int)path.len, path.ptr);
    row.node =
        code_build_node(&f->build, &(struct build_node){
                                       .kind = kind,
                                       .file = row.file,
                                       .line = line,
                                       .package = package_of(f, row.file),
                                       .name = word(f, name),
                                   });
    row.raw = row.canonical;
    row.framework = word(f, "flask");
    row.line = line;
    if (row.handler && row.flags & ROUTE_IS_CLIENT)
        fixture_edge(f, row.handler, row.node, CODE_CONSUMES, 950);
    else if (row.handler)
        fixture_edge(f, row.node, row.handler, type, 950);
    code_build_route(&f->build, &row);
}

void
fixture_route(struct code_fixture *f, uint32_t file, const char *method,
              const char *path, uint32_t handler, uint32_t flags)
{
    add_route(f, *method ? CODE_ROUTE : CODE_RPC,
              (struct build_route){
                  .handler = handler,
                  .flags = flags,
                  .method = word(f, method),
                  .canonical = word(f, path),
                  .file = file,
              },
              CODE_HANDLES_ROUTE);
}

void
fixture_topic(struct code_fixture *f, uint32_t file, const char *topic,
              uint32_t handler)
{
    add_route(f, CODE_TOPIC,
              (struct build_route){.handler = handler,
                                   .canonical = word(f, topic),
                                   .file = file},
              CODE_SUBSCRIBES);
}

void
fixture_literal(struct code_fixture *f, uint32_t function, const char *text)
{
    code_build_literal(&f->build, &(struct build_literal){.text = word(f, text),
                                                          .node = function});
}

void
fixture_words(struct code_fixture *f, uint32_t node, const char *text,
              enum literal_kind kind)
{
    code_build_literal(&f->build,
                       &(struct build_literal){.text = word(f, text),
                                               .node = node,
                                               .kind = (uint8_t)kind});
}

void
fixture_service(struct code_fixture *f, const char *name, const char *directory)
{
    code_build_service(&f->build, &(struct build_service){
                                      .name = word(f, name),
                                      .directory = word(f, directory),
                                      .evidence = word(f, "compose.yaml:1"),
                                      .rank = 1,
                                  });
}

void
fixture_owner(struct code_fixture *f, const char *pattern, const char *owner)
{
    const struct build_owner *last = f->build.owners + f->build.owner_len;
    text_id of = word(f, pattern);
    uint32_t line = f->build.owner_len + 1;

    /* Owners of one pattern stand on one line. */
    if (f->build.owner_len && last[-1].pattern == of)
        line = last[-1].line;
    code_build_owner(&f->build,
                     &(struct build_owner){of, word(f, owner), line});
}

const struct code *
code_fixture_load(struct code_fixture *f)
{
    struct code_store *cs = NULL;
    struct code_db *db = NULL;
    const struct code *code = NULL;
    struct code_written written;
    struct buf why = {0};

    assert_false(f->build.failed);
    assert_int_equal(code_store_open(&cs, f->dir, 1, &why), OK);
    enum err err = code_write(cs, &f->build, 1700000000, &written, &why);
    if (err)
        fail_msg("code_write: %s %s", err_str(err), buf_cstr(&why));
    code_store_close(cs);
    code_build_fini(&f->build);
    assert_int_equal(code_db_open(&db, f->dir), OK);
    assert_int_equal(code_db_hold(db, &code, &why), OK);
    code_db_close(db);
    buf_fini(&why);
    return code;
}

uint32_t
fixture_vertex(const struct code *code, const char *name)
{
    struct ids ids = {0};

    assert_int_equal(code_by_suffix(code, str_of(name),
                                    1 << CODE_FUNCTION | 1 << CODE_METHOD,
                                    &ids),
                     OK);
    assert_int_equal(ids.len, 1);
    uint32_t id = ids.ids[0];
    ids_fini(&ids);
    return id;
}
