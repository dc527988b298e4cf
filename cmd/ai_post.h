/*
 * ai_post - one connection to the endpoint of vectors.
 *
 * Threads    ai_post_ops: one at a time.  ai_post_set_key: any.
 */
#ifndef CMD_AI_POST_H
#define CMD_AI_POST_H

#include "base/buf.h"
#include "base/err.h"
#include "cmd/config.h"
#include "knowledge/embed.h"

struct ai_post;

/* ai_key reads the key, empty if there is none.  ERR_INVALID, ERR_IO: |why|. */
enum err ai_key(const struct config *cfg, struct buf *out, struct buf *why);

/* ai_post_open does not connect.  |stop_fd|, when it can be read, ends a
 * request.  ERR_INVALID, ERR_NOMEM. */
enum err ai_post_open(struct ai_post **out, const struct config *cfg,
                      int stop_fd, struct buf *why);
void ai_post_close(struct ai_post *post);
enum err ai_post_set_key(struct ai_post *post, str key);
struct embed_ops ai_post_ops(struct ai_post *post);

#endif
