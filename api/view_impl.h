/*
 * view_impl - what the answers of api/view.h share.
 *
 * Threads    A run belongs to one thread.
 */
#ifndef API_VIEW_IMPL_H
#define API_VIEW_IMPL_H

#include "api/params.h"
#include "api/view.h"
#include "api/view_part.h"
#include "api/write.h"
#include "base/ids.h"

struct view_run {
    const struct view_cfg *cfg;
    struct view_state state;
    struct query_view *view;
    const struct joined *joined; /* NULL: there is none; see joined_why */
    struct buf joined_why;
    struct params params;
    struct buf *out;
    struct buf *why;
};

typedef enum err view_fn(struct view_run *run);
view_fn view_graph;
view_fn view_search;
view_fn view_dead;
view_fn view_health;

/* view_fail says |why| and returns |err|. */
enum err view_fail(struct view_run *run, enum err err, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* view_join puts the joined graph at run->joined; what keeps it from being
 * there is kept in joined_why, and is no error: traces have their own answer.
 */
void view_join(struct view_run *run);
/* view_join_code does so only where code was indexed. */
void view_join_code(struct view_run *run);
/* view_write_has_code says whether there is code, and what keeps it from being
 * read. */
void view_write_has_code(struct view_run *run);

/* view_write_key writes what names a node in a link: `route:orders GET /x`. */
void view_write_key(struct view_run *run, const char *name, uint32_t id);
/* view_write_names writes the members that tell an observed node: its key,
 * kind, name, service and environment. */
void view_write_names(struct view_run *run, uint32_t id);

/* ---- calls between services that the code tells of (view_static.c) ---- */

/* |source| is a service. */
struct static_call {
    uint32_t source;
    uint32_t target; /* service, endpoint or topic */
    uint8_t kind;    /* enum edge_kind: call, msg_pub, msg_sub */
    bool is_seen;    /* for the reader: observed, too */
};

struct static_calls {
    struct static_call *rows; /* by source, then target; each once */
    size_t len, cap;
};
void static_calls_fini(struct static_calls *calls);
/* static_calls_read lists them; none if there is no code.  At service level
 * targets are services and topics. */
enum err static_calls_read(struct view_run *run, enum query_level level,
                           struct static_calls *out);
/* static_calls_find is NULL if there is none. */
struct static_call *static_calls_find(const struct static_calls *calls,
                                      uint32_t source, uint32_t target);

/* ---- names (view_search.c) ---- */

/* view_find_nodes appends the observed nodes that |focus| names: `kind:name`,
 * a name, a qualified name, or a function of the code that handles some; those
 * of |env| if there are any in it. */
enum err
view_find_nodes(struct view_run *run, str focus, str env, struct ids *out);

/* view_code answers a graph of functions and endpoints (view_code.c). */
struct graph_ask {
    enum query_level level;
    uint32_t depth;
    uint32_t from_s;
    uint32_t to_s;
    size_t limit;
    str focus;
    str env;
};
/* view_read_ask: ERR_INVALID (view_ask.c). */
enum err view_read_ask(struct view_run *run, struct graph_ask *ask);
enum err view_code(struct view_run *run, const struct graph_ask *ask);

#endif
