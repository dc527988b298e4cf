#include "cmd/link_gone.h"

#include <stdlib.h>

#include "base/grow.h"

enum err
link_gone_add(struct link_gone *gone, const struct route_row *row)
{
    if (!grow_room(gone->rows, gone->len, gone->cap))
        return ERR_NOMEM;
    gone->rows[gone->len++] = (struct link_gone_row){
        .id = row->id,
        .service = row->service,
        .method_len = row->method.len,
        .pattern_len = row->pattern.len,
    };
    buf_add(&gone->text, row->method);
    buf_add(&gone->text, row->pattern);
    return gone->text.failed ? ERR_NOMEM : OK;
}

enum err
link_gone_remove(const struct link_gone *gone, struct store *store,
                 uint32_t now_s)
{
    enum err err = OK;

    for (size_t i = 0; i < gone->len && !err; i++)
        err = store_remove_route(store, gone->rows[i].id, now_s);
    return err;
}

void
link_gone_withdraw(const struct link_gone *gone, struct routes *routes)
{
    str all = buf_str(&gone->text);
    size_t at = 0;

    for (size_t i = 0; i < gone->len; i++) {
        const struct link_gone_row *row = &gone->rows[i];
        size_t pattern_at = at + row->method_len;
        size_t end = pattern_at + row->pattern_len;

        if (row->method_len > 0) /* an RPC is matched with nothing */
            routes_withdraw(routes, row->service, str_cut(all, at, pattern_at),
                            str_cut(all, pattern_at, end));
        at = end;
    }
}

void
link_gone_fini(struct link_gone *gone)
{
    free(gone->rows);
    buf_fini(&gone->text);
    *gone = (struct link_gone){0};
}
