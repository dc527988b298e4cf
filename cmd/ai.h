/*
 * ai - the model outside that makes vectors of texts, by the configuration:
 * what is asked of it, with which key, and the thread that has texts sent.
 *
 * Off unless ai.base_url is set; then nothing here is made, and no connection.
 *
 *     ai_open(&ai, cfg, is_service, &why)
 *     knowledge_cfg.vectors = ai_vectors(ai)
 *     ai_start(ai, query, code, knowledge)     the thread
 *     ai_stop(ai)                              before those are closed
 *     ai_close(ai)                             after
 *
 * Threads    The owner; ai_start makes one, and vectors another.
 */
#ifndef CMD_AI_H
#define CMD_AI_H

#include "base/buf.h"
#include "base/err.h"
#include "cmd/config.h"
#include "graph/code.h"
#include "graph/query.h"
#include "knowledge/knowledge.h"

struct ai;

/* ai_check: ERR_INVALID, |why|: keys that make no sense, or not together.  No
 * file is read. */
enum err ai_check(const struct config *cfg, struct buf *why);

/*
 * ai_open: NULL in |out| if it is off.  |cfg| must outlive it.  Outside of a
 * service texts are sent only once somebody asks for it (rebuild_index), since
 * the service that writes the same file should.
 *
 * ERR_INVALID, ERR_IO  no key where one is said to be; |why|
 * ERR_NOMEM
 */
enum err ai_open(struct ai **out, const struct config *cfg, bool is_service,
                 struct buf *why);
/* NULL is fine below. */
struct vectors *ai_vectors(struct ai *ai);
enum err ai_start(struct ai *ai, struct query *query, struct code_db *code,
                  struct knowledge *knowledge);
void ai_stop(struct ai *ai);
void ai_close(struct ai *ai);

/* ai_reload reads the key again; on failure the old one stays and |why| says
 * why. */
enum err ai_reload(struct ai *ai, struct buf *why);

/* ai_url appends where texts are sent. */
void ai_url(const struct config *cfg, struct buf *out);

#endif
