/*
 * join - which part of the code an observed node is, and how that is known.
 *
 * Traces and code are kept apart and meet here, on reading: so it does not
 * matter which came first.  A service is the folder that a manifest, a person
 * or its name says; its endpoints are the routes, RPC methods and consumers of
 * that folder, in this order of trust (spec/indexing.md, 3.3): the function
 * that spans name; route and method; RPC; the literal that names the span; a
 * route under a mount prefix, or with ANY method.
 *
 * Memory     join_free.  |code| must be held as long as the join is used.
 * Threads    join_make: as the view.  A made join: any.
 */
#ifndef GRAPH_JOIN_H
#define GRAPH_JOIN_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "graph/code.h"
#include "graph/query.h"

enum join_how {
    JOIN_NONE,
    JOIN_FUNCTION, /* code.* or what the framework says, in a span */
    JOIN_ROUTE,    /* method and canonical route are the same */
    JOIN_ANY,      /* the route takes any method, or HEAD for GET */
    JOIN_RPC,
    JOIN_TOPIC,
    JOIN_LITERAL, /* the span's name is a string of one function */
    JOIN_MOUNTED, /* one of the two has a prefix more */
    JOIN_GUESSED, /* a template that a path fits */
    JOIN_UNIQUE,  /* the service's folder is not known; no other route is so */
    JOIN_HOW_END,
};
const char *join_how_str(uint8_t how);

struct join_row {
    uint32_t vertex;   /* of |code|: the function that handles; 0: not known */
    uint32_t route;    /* index in code->routes + 1; 0: none */
    uint16_t permille; /* how sure */
    uint8_t how;       /* enum join_how */
};

/* A folder of the code that a service is, or one file. */
struct join_folder {
    uint32_t service; /* observed node */
    uint32_t repo;
    str directory;
    str evidence;
};

/* Calls that spans tell to be made in a function. */
struct join_call {
    uint32_t vertex;
    uint32_t target; /* observed node */
    int64_t count;
    int64_t errors;
    uint32_t first_s;
    uint32_t last_s;
};

struct join {
    const struct code *code; /* not held */
    struct join_row *rows;   /* by observed node id */
    uint32_t len;
    struct join_folder *folders; /* by service */
    uint32_t folder_len;
    struct join_call *calls; /* by vertex, then target */
    uint32_t call_len;
    uint32_t *served; /* observed endpoints with a vertex, by vertex */
    uint32_t served_len;
    uint32_t *route_nodes; /* by index in code->routes: an observed endpoint
                              that is it, or 0 */
};

/* join_make: ERR_STORE, ERR_CORRUPT, ERR_NOMEM. */
enum err
join_make(struct join **out, struct query_view *view, const struct code *code);
void join_free(struct join *join);

/* join_of is what |node| is in the code; never NULL. */
const struct join_row *join_of(const struct join *join, uint32_t node);

/* join_served gives the observed endpoints that |vertex| handles. */
const uint32_t *
join_served(const struct join *join, uint32_t vertex, uint32_t *len);

/* join_is_below: |path| lies in |directory|, which may be a file: itself. */
bool join_is_below(str path, str directory);

/* join_holds says whether |file| of the code belongs to |service|: it lies in
 * one of its folders, and in no deeper one of another service. */
bool join_holds(const struct join *join, uint32_t service, uint32_t file);

#endif
