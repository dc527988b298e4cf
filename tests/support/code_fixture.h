/*
 * code_fixture - a static graph made row by row, for tests of what reads it.
 *
 *     code_fixture_open(&f, dir);
 *     uint32_t file = fixture_file(&f, "shop/app.py");
 *     uint32_t show = fixture_function(&f, file, "show", 3, 0);
 *     fixture_route(&f, file, "GET", "/x", show, 0);
 *     code = code_fixture_load(&f);            the caller drops it
 *
 * Threads    None.
 */
#ifndef TESTS_SUPPORT_CODE_FIXTURE_H
#define TESTS_SUPPORT_CODE_FIXTURE_H

#include "graph/code.h"
#include "graph/code_build.h"

struct code_fixture {
    struct code_build build;
    char dir[64];
    uint32_t lines; /* of routes, so that no two are the same */
};

void code_fixture_open(struct code_fixture *f, const char *dir);

/* fixture_file adds a file; fixture_module the vertex of its code outside of
 * functions. */
uint32_t fixture_file(struct code_fixture *f, const char *path);
uint32_t fixture_module(struct code_fixture *f, uint32_t file);
/* fixture_function adds one of four lines. */
uint32_t fixture_function(struct code_fixture *f, uint32_t file,
                          const char *name, uint32_t line, uint32_t flags);
void fixture_edge(struct code_fixture *f, uint32_t src, uint32_t dst,
                  enum code_edge type, uint16_t permille);
void fixture_call(struct code_fixture *f, uint32_t src, uint32_t dst);
/* fixture_route adds a route, or with an empty method an RPC. */
void fixture_route(struct code_fixture *f, uint32_t file, const char *method,
                   const char *path, uint32_t handler, uint32_t flags);
void fixture_topic(struct code_fixture *f, uint32_t file, const char *topic,
                   uint32_t handler);
void
fixture_literal(struct code_fixture *f, uint32_t function, const char *text);
/* fixture_words adds what stands at a node: a comment, names. */
void fixture_words(struct code_fixture *f, uint32_t node, const char *text,
                   enum literal_kind kind);
void fixture_service(struct code_fixture *f, const char *name,
                     const char *directory);
void
fixture_owner(struct code_fixture *f, const char *pattern, const char *owner);

/* code_fixture_load stores what was added and loads it; the fixture is done. */
const struct code *code_fixture_load(struct code_fixture *f);

/* fixture_vertex is the only function whose qualified name ends so. */
uint32_t fixture_vertex(const struct code *code, const char *name);

#endif
