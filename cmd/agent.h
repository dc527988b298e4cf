/*
 * agent - the MCP server over this process's graph.
 *
 * Threads    agent_handle: a request_handler.  The rest: the owner.
 */
#ifndef CMD_AGENT_H
#define CMD_AGENT_H

#include <stdbool.h>

#include "base/buf.h"
#include "base/err.h"
#include "cmd/config.h"
#include "cmd/tokens.h"
#include "graph/confidence.h"
#include "net/server.h"

struct agent;
struct changes;
struct knowledge;
struct source_rules;
struct vectors;

/* What an agent works with; each may be NULL and outlives the agent. */
struct agent_parts {
    const struct source_rules *sources; /* what may be crawled */
    struct vectors *vectors;            /* what search finds by meaning */
    struct changes *changes; /* whether answers are still good; NULL: none is
                                kept */
};

/* agent_check_exposure: ERR_DENIED, |cfg| would answer other machines without a
 * token; |why| says what to set. */
enum err agent_check_exposure(const struct config *cfg, bool has_tokens,
                              struct buf *why);

/* agent_check says before anything is opened what agent_new will refuse in
 * |cfg|: ERR_DENIED as there, others as tokens_read. */
enum err agent_check(const struct config *cfg, struct buf *why);

/*
 * agent_new opens the graph in cfg->dir for reading.
 *
 * ERR_DENIED  as agent_check_exposure.  With |is_local| (stdio) there are no
 *             other machines.
 * others      as query_open
 */
enum err
agent_new(struct agent **out, const struct config *cfg,
          const struct agent_parts *parts, bool is_local, struct buf *why);
void agent_free(struct agent *agent);

/* agent_set_tokens takes others from now on.  ERR_INVALID: an empty one;
 * ERR_NOMEM.  On failure the old ones stay. */
enum err agent_set_tokens(struct agent *agent, const struct tokens *tokens);

/* agent_set_server tells where calls may block. */
void agent_set_server(struct agent *agent, struct server *server);

/* agent_stop ends what stays open; before server_stop. */
void agent_stop(struct agent *agent);

void agent_handle(struct agent *agent, struct request *req);

/* agent_serve_stdio answers one client until its input ends. */
enum err agent_serve_stdio(struct agent *agent);

/* agent_world is the graph of code and traces, shared. */
struct world *agent_world(struct agent *agent);

struct knowledge *agent_knowledge(struct agent *agent);
struct query *agent_query(struct agent *agent);

/* agent_ages is how old an edge may be for each class. */
struct confidence_cfg agent_ages(const struct config *cfg);

#endif
