/*
 * audit_candidate - what is judged: a route, the traffic that was found to be
 * its, and how names of routes are compared for that.
 *
 * Threads    None.
 */
#ifndef GRAPH_AUDIT_CANDIDATE_H
#define GRAPH_AUDIT_CANDIDATE_H

#include "graph/audit_parts.h"

/* How an observed endpoint fits a declared route. */
enum fit { FIT_NONE, FIT_EXACT, FIT_MOUNTED, FIT_GUESSED };

/* A route's name, taken apart: `GET /users/{}`. */
struct route_name {
    str method; /* empty: RPC */
    str path;   /* without slashes at its ends */
};
struct route_name route_name_of(str name);
str route_path_trim(str path);
/* route_path_compare orders by bytes: less than, 0, or more. */
int route_path_compare(str a, str b);
/* route_is_catch_all: traffic there is no traffic of a route. */
bool route_is_catch_all(const struct query_node *node);
/* route_is_unmatched: of them, where 404s go that no route was told of. */
bool route_is_unmatched(const struct query_node *node);
/* route_is_named: spans said the name; it is no path that was matched. */
bool route_is_named(const struct query_node *node);
/* route_is_asked: |node| is called and no method of an RPC service: a tool of
 * MCP, a function, a method of JSON-RPC.  It says nothing of what the code
 * declares but a method of the same name, nor that of it. */
bool route_is_asked(const struct query_node *node);
bool route_method_fits(str declared, str observed);
enum fit route_fits(struct route_name declared, struct route_name observed,
                    bool is_guess);
/* route_clears: route_fits, and a guess fits what it may have been told of:
 * what was learnt to be a value may have been the declared word before, and a
 * framework may have served the path in another case, or by a variable beside a
 * word; and what spans name `/{}` may be the `/items/{}` of a plugin that does
 * not tell its prefix.  Enough not to accuse, not to say who was called. */
enum fit route_clears(struct route_name declared, struct route_name observed,
                      bool is_guess);
/* route_covers: every path that fits |b| fits |a| as well. */
bool route_covers(str a, str b);

struct candidate {
    struct audit_route route;
    struct traffic traffic;
    str raw;          /* as declared */
    uint32_t service; /* index */
    uint32_t id;      /* of the declaration, in order */
    bool is_guess;    /* not declared, and its name is a guess */
    bool is_asked;    /* called by what is no RPC service (route_is_asked) */
    bool is_implied;
    bool is_named;  /* by spans; it is no path that was matched */
    bool is_shared; /* its traffic is of another route of its pattern */
    bool is_hidden; /* spans tell no more than where it is mounted */
    bool is_mount;  /* not declared, and seems where those are */
    bool is_spread; /* declared for its service in another environment */
    bool is_code;   /* the code declares it, ... */
    bool is_below;  /* ... and below an application that is mounted */
};

/* candidates_from is the first of the |declared| rows, in the order of their
 * services and paths, that is of |service| and whose path is not before |path|;
 * or of a later service, or |declared|. */
size_t candidates_from(const struct candidate *rows, size_t declared,
                       uint32_t service, str path);

/* audit_drop_twice leaves one row of those that declare the same for a service,
 * of |len| in the order of their services, paths and methods, and returns how
 * many are left: a document names no environment, and is spread to those for
 * which the code is declared. */
size_t
audit_drop_twice(struct audit_facts *facts, struct candidate *rows, size_t len);

/* audit_share_patterns gives silent ones among the |declared| first |rows| the
 * calls of the same pattern by another name.  ERR_NOMEM. */
enum err audit_share_patterns(struct candidate *rows, size_t declared);
/* audit_find_mounts: whether |seen| - not declared, or the root of what is
 * mounted - is all that spans ever told of what is declared below it: of what
 * the code says is mounted, or, as a document does not say, of several paths of
 * such.  Those never called are hidden.  |rows| are in the order of their
 * services and paths.  ERR_NOMEM. */
enum err
audit_find_mounts(const struct audit_facts *facts, struct candidate *rows,
                  size_t declared, struct candidate *seen);

/* audit_judge fills verdict, trust and reasons from what is known. */
void audit_judge(const struct audit_facts *facts, struct candidate *candidate);

#endif
