/*
 * link_raw - what the routes of the code are in it, as their rows tell.
 *
 * Spans call a route of Symfony by its name, be it registered under one path or
 * several: all of these are the first of them.
 *
 * Memory     link_raw_fini; refers to the code.
 * Threads    None.
 */
#ifndef CMD_LINK_RAW_H
#define CMD_LINK_RAW_H

#include "graph/code.h"

struct link_raw {
    const struct code *code;
    uint32_t *paths; /* routes of Symfony that are paths, by what they are of */
    uint32_t len;
};

/* link_raw_make: ERR_NOMEM. */
enum err link_raw_make(struct link_raw *out, const struct code *code);
void link_raw_fini(struct link_raw *raws);

str link_raw_of(const struct link_raw *raws, const struct code_route *route);

#endif
