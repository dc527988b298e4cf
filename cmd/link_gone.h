/*
 * link_gone - the declared routes that the code does not have any more.
 *
 *     link_gone_add(&gone, row) ...           while the rows are walked
 *     link_gone_remove(&gone, store, now_s)   in the transaction
 *     link_gone_withdraw(&gone, routes)       once that is committed
 *
 * Threads    None.
 */
#ifndef CMD_LINK_GONE_H
#define CMD_LINK_GONE_H

#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "graph/routes.h"
#include "store/node_rows.h"

struct link_gone_row {
    uint32_t id;
    uint32_t service;
    size_t method_len; /* in |text|, behind those of the rows before */
    size_t pattern_len;
};

/* Zero-initialise to start. */
struct link_gone {
    struct link_gone_row *rows;
    size_t len;
    size_t cap;
    struct buf text;
};

/* link_gone_add: ERR_NOMEM. */
enum err link_gone_add(struct link_gone *gone, const struct route_row *row);
enum err link_gone_remove(const struct link_gone *gone, struct store *store,
                          uint32_t now_s);
/* link_gone_withdraw: raw paths of spans are matched with them no more. */
void link_gone_withdraw(const struct link_gone *gone, struct routes *routes);
void link_gone_fini(struct link_gone *gone);

#endif
