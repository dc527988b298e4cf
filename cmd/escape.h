/*
 * escape - names from the network, made harmless for what they are printed in.
 *
 * A span's name is whatever somebody sent.  Each function appends |text| so
 * that the reader of the format sees that text and nothing else: no formula in
 * a spreadsheet, no markup in a comment, no statement in a graph.  All of them
 * also make malformed and invisible characters visible (base/utf8.h).
 *
 * Threads    Any thread; pure functions.
 */
#ifndef CMD_ESCAPE_H
#define CMD_ESCAPE_H

#include "base/buf.h"
#include "base/str.h"

/* escape_csv appends one field, quoted where needed (RFC 4180).  What begins
 * like a formula gets a ' before it. */
void escape_csv(struct buf *out, str text);

/* escape_md appends the text of one cell of a table. */
void escape_md(struct buf *out, str text);

/* escape_xml appends character data, good in attributes too. */
void escape_xml(struct buf *out, str text);

/* escape_graphml appends the value of |key| as an element of GraphML. */
void escape_graphml(struct buf *out, const char *key, str text);

/* escape_dot appends a quoted string of Graphviz. */
void escape_dot(struct buf *out, str text);

/* escape_mermaid appends a quoted text of a Mermaid flowchart. */
void escape_mermaid(struct buf *out, str text);

#endif
