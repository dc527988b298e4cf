/*
 * object - whatever an id of ours can name, of all worlds.
 *
 * Services, routes and topics that traces name, functions and files of the
 * code, and what was added here have one form of id, `type:rest` or
 * `type_hex`, and one resolver (knowledge/resolve.h).  What links point at is
 * registered in the file of knowledge by that id, so it is found again after
 * the code was indexed anew; if it is gone, it says so.
 *
 * Ids        service:<name>[@env]  route:<service>[@env]:<METHOD> <pattern>
 *            rpc: consumer: symbol:<service>[@env]:<name>
 *            topic: database: external:<name>
 *            func:<qualified> for functions and methods, class: interface:
 *            const: var: field: package: file:<qualified>  repo:<url>
 *            <type>_<16 hex> for what was added
 *            An `@env` is only there when the service tells its environment.
 * Memory     object_fini.
 * Threads    As the moment.
 */
#ifndef KNOWLEDGE_OBJECT_H
#define KNOWLEDGE_OBJECT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/str.h"
#include "knowledge/knowledge.h"

/* Stored: never renumber; those up to 3 were added here. */
enum object_world {
    WORLD_NONE = 0,
    WORLD_KNOWLEDGE = 1,
    WORLD_DOC = 2, /* sources, documents, their chunks */
    WORLD_COMMUNITY = 3,
    WORLD_RUNTIME = 4,
    WORLD_CODE = 5,
};
const char *object_world_str(enum object_world world);

struct object {
    enum object_world world;
    int64_t oid;     /* in the file of knowledge; 0: not registered */
    uint32_t node;   /* observed node; 0: none */
    uint32_t vertex; /* of the code; 0: none */
    uint32_t repo;   /* index in code->repos, of a repository; 0: none */
    bool is_gone;    /* registered, and the graph has it no longer */
    uint32_t created_s;
    uint32_t updated_s;
    struct buf gid;
    struct buf name;
    struct buf domain; /* service, package or facet */
    char type[32];
};
void object_fini(struct object *object);

struct object_list {
    struct object *items;
    size_t len;
    size_t cap;
};
void object_list_fini(struct object_list *list);
/* object_list_add takes |object| over.  ERR_NOMEM. */
enum err object_list_add(struct object_list *list, struct object *object);

/* Each fills an empty object; an id that names nothing leaves it WORLD_NONE.
 * object_of_oid finds what the row stands for in the graphs, too. */
enum err object_of_node(struct moment *moment, uint32_t id, struct object *out);
enum err
object_of_vertex(struct moment *moment, uint32_t id, struct object *out);
enum err object_of_repo(struct moment *moment, uint32_t id, struct object *out);
enum err object_of_oid(struct moment *moment, int64_t oid, struct object *out);
/* object_of_place is that of a place of moment->joined. */
enum err
object_of_place(struct moment *moment, uint32_t place, struct object *out);
/* object_place is its place in moment->joined; 0: none. */
uint32_t object_place(const struct moment *moment, const struct object *object);

/* object_look fills |oid| and its times from the file, if it is there. */
enum err object_look(struct moment *moment, struct object *object);
/* object_register makes sure that |object| has an oid.  Writing moments. */
enum err object_register(struct moment *moment, struct object *object);

/* object_hash is the hash of the node or vertex: 32 bytes; NULL: none. */
const unsigned char *
object_hash(const struct moment *moment, const struct object *object);

#endif
