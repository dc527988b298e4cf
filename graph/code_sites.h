/*
 * code_sites - where an edge stands in the code, packed.
 *
 * Lines are kept from the line of the source vertex on: code that moves down
 * the file as a whole does not change its edges.
 *
 * Threads    None.
 */
#ifndef GRAPH_CODE_SITES_H
#define GRAPH_CODE_SITES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/str.h"
#include "model/code.h"

/* code_sites_pack appends |len| sites, which are sorted. */
void code_sites_pack(const struct code_site *sites, uint32_t len,
                     uint32_t src_line, struct buf *out);

/* code_sites_next takes one off the front of |packed|; the first with |site|
 * at {src_line, 0}.  False at the end, or where it is malformed (|packed| is
 * not empty then). */
bool code_sites_next(str *packed, struct code_site *site);

#endif
