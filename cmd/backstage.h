/*
 * backstage - the graph as a catalog of Backstage, in YAML.
 *
 * Services are Components, with the API their endpoints make up; databases,
 * topics and what is outside are Resources.  A name in several environments is
 * one entity.  Backstage allows few characters in names: others are replaced,
 * and what is then not the same has a digest behind it, and its true name in
 * metadata.title.
 *
 * Threads    None.
 */
#ifndef CMD_BACKSTAGE_H
#define CMD_BACKSTAGE_H

#include "base/buf.h"
#include "base/err.h"
#include "graph/query_edges.h"

/* backstage_print appends the ends of |edges|; |owner| is a reference to an
 * entity.  As graph/query.h. */
enum err
backstage_print(struct query_view *view, const struct query_edges *edges,
                const char *owner, struct buf *out);

#endif
