/*
 * context - what settings put before all routes of an application.
 *
 * Reads `src/main/resources/application*.properties`, `.yml` and `.yaml` of
 * Spring, Quarkus and Micronaut, and Quarkus' `microprofile-config.properties`;
 * it holds for the sources of the same `src/main/`.  What is a placeholder, is
 * told twice and differs, or is told for some profiles only, is not known.
 *
 * Symfony's files of routes in YAML are kept as they are; what they say is for
 * index/routes_symfony_yaml.c.  So are serverless.yml and templates of AWS SAM,
 * for index/routes_lambda.c.  Of a project of C# only its folder is.
 *
 * Memory     contexts_fini; the views of contexts_of live as long.
 * Threads    None.
 */
#ifndef INDEX_CONTEXT_H
#define INDEX_CONTEXT_H

#include <stdbool.h>

#include "base/err.h"
#include "base/texts.h"

enum context_kind {
    CONTEXT_ROOT,  /* before all routes */
    CONTEXT_REST,  /* below that, before those of JAX-RS */
    CONTEXT_DATA,  /* below the first, before those of Spring Data REST */
    CONTEXT_OTHER, /* how it is put before them is not read */
    CONTEXT_KINDS,
};

struct contexts {
    struct texts texts;
    struct context_row {
        text_id module;
        text_id text; /* without slashes at its ends */
        uint8_t kind;
        bool is_profile; /* not always */
        bool is_open;    /* a placeholder */
    } * rows;
    size_t len;
    size_t cap;

    struct context_yaml {
        char *path;
        struct cJSON *root;
    } * symfony, *lambda;
    size_t symfony_len;
    size_t symfony_cap;
    size_t lambda_len;
    size_t lambda_cap;

    struct texts projects; /* folders of C#, with the slash at their ends */
};

/* Empty: nothing stands before them. */
struct context {
    str root;
    str rest;
    str data;
    bool is_known; /* |root| and |rest| */
    bool is_data_known;
};

enum err contexts_init(struct contexts *all);
void contexts_fini(struct contexts *all);

/* contexts_wants says whether a file of that path is one. */
bool contexts_wants(str path);

/* contexts_take reads one.  ERR_INVALID: it is malformed; what was read of it
 * before counts.  ERR_NOMEM. */
enum err contexts_take(struct contexts *all, str path, str content);

/* contexts_of is what stands before the routes of the source file |path|. */
struct context contexts_of(const struct contexts *all, str path);

/* contexts_project is the folder of the project of C# that the source file
 * |path| is of, or 0. */
text_id contexts_project(const struct contexts *all, str path);

#endif
