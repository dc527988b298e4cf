/*
 * node - a vertex of the graph: a service, what it serves, what it talks to.
 *
 * A node is known by (kind, owner, name, env).  Its id is a small integer,
 * given when it is first seen and never reused; 0 is no node.  Kinds from
 * NODE_VERSION on are names that ride in the same table and are never shown
 * as nodes of the graph.
 *
 * Threads    None; plain values.
 */
#ifndef MODEL_NODE_H
#define MODEL_NODE_H

#include <stdint.h>

#include "base/str.h"

/* Stored in the database: never renumber. */
enum node_kind {
    NODE_NONE = 0,
    NODE_SERVICE = 1,  /* `name` or `namespace/name`; the only kind with env */
    NODE_ROUTE = 2,    /* owner: service; `GET /users/{}` */
    NODE_RPC = 3,      /* owner: service; `pkg.Service/Method`, and what else is
                          called by name: `tools/call add`, a function */
    NODE_CONSUMER = 4, /* owner: service; consumption of `kafka:orders` */
    NODE_TOPIC = 5,    /* `kafka:orders` */
    NODE_DATABASE = 6, /* `pg1:5432` */
    NODE_EXTERNAL = 7, /* `stripe`, `user` */
    NODE_SYMBOL = 8,   /* owner: service; a function its spans name */
    NODE_VERSION = 16, /* owner: service; `1.4.2` */
    NODE_SCOPE = 17,   /* an instrumentation scope */
};

/* How the name of a route was found (attributes.md, rules 1 to 7).  Stored:
 * never renumber.  Only ATTR, STATIC and NAME may accuse a route.  An RPC has
 * HEURISTIC where its name is of no RPC service (nodes_intern_asked). */
enum route_source {
    ROUTE_SOURCE_NONE = 0,
    ROUTE_SOURCE_ATTR = 1,
    ROUTE_SOURCE_STATIC = 2,
    ROUTE_SOURCE_NAME = 3,
    ROUTE_SOURCE_HEURISTIC = 4,
    ROUTE_SOURCE_OVERFLOW = 5,
};

enum { NODE_NAME_MAX = 256 }; /* bytes; longer names are cut at a character */

/* Names that are not names of the sender's. */
#define NODE_NAME_USER            "user"
#define NODE_NAME_UNKNOWN_SERVICE "unknown_service"
#define NODE_NAME_OTHER           "{other}"
#define NODE_NAME_UNMATCHED       "{unmatched}"
#define NODE_NAME_OVERFLOW        "__overflow__"

struct node {
    uint32_t id;
    uint32_t owner; /* node id of the service it belongs to, or 0 */
    uint32_t alias; /* not 0: all that is known of this node counts for that
                       one; set when routes are found to be one template */
    uint8_t kind;   /* enum node_kind */
    uint8_t source; /* enum route_source */
    str name;
    str env; /* of a service; empty: none was sent */
};

static inline const char *
node_kind_str(uint8_t kind)
{
    static const char *const names[] = {
        [NODE_SERVICE] = "service",   [NODE_ROUTE] = "route",
        [NODE_RPC] = "rpc",           [NODE_CONSUMER] = "consumer",
        [NODE_TOPIC] = "topic",       [NODE_DATABASE] = "database",
        [NODE_EXTERNAL] = "external", [NODE_SYMBOL] = "symbol",
    };

    return kind >= NODE_SERVICE && kind <= NODE_SYMBOL ? names[kind] : "none";
}

#endif
