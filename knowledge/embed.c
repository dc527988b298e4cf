#include "knowledge/embed.h"

static enum err
judge(const struct embed_answer *answer, struct buf *why)
{
    int status = answer->status;

    buf_printf(why, "the endpoint answered %d", status);
    /* What is said of a key may hold it. */
    if (status != 401 && status != 403) {
        struct buf said = {0};

        embed_wire_said(buf_str(&answer->body), &said);
        if (said.len)
            buf_printf(why, ": %s", buf_cstr(&said));
        buf_fini(&said);
    } else {
        buf_add(why, STR(": it does not take the key"));
    }
    if (status == 408 || status == 429 || status >= 500)
        return ERR_BUSY;
    return status == 400 || status == 413 || status == 422 ? ERR_INVALID
                                                           : ERR_DENIED;
}

/* The reader wants a 0 behind what it reads. */
static enum err
read_answer(struct embed_answer *answer, size_t len, uint32_t dim,
            struct embed_vectors *out, struct buf *why)
{
    (void)buf_cstr(&answer->body);
    return answer->body.failed
               ? ERR_NOMEM
               : embed_wire_read(buf_str(&answer->body), len, dim, out, why);
}

enum err
embed_texts(const struct embed_ops *ops, const struct embed_model *model,
            const struct embed_ask *ask, struct embed_reply *out,
            struct buf *why)
{
    struct embed_answer answer = {0};
    struct buf body = {0};
    enum err err = OK;

    *out = (struct embed_reply){0};
    embed_wire_ask(model->name, model->ask_dim, ask->texts, ask->len, &body);
    err = body.failed ? ERR_NOMEM
                      : ops->post(ops->ctx, buf_str(&body), ask->timeout_ms,
                                  &answer, why);
    if (err == ERR_TOO_LARGE) {
        buf_add(why, STR("the answer is too large"));
        err = ERR_CORRUPT;
    } else if (err == ERR_IO) {
        err = ERR_BUSY;
    } else if (!err && answer.status != 200) {
        err = judge(&answer, why);
    } else if (!err) {
        err = read_answer(&answer, ask->len, model->dim, &out->vectors, why);
    }
    out->retry_s = answer.retry_s;
    buf_fini(&answer.body);
    buf_fini(&body);
    return err;
}
