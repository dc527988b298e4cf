/*
 * One step at a time, with the time as a parameter.  Texts are read in one
 * moment, sent in none, and their vectors written in another, so the endpoint
 * holds up nobody.  A batch that is refused is tried by halves, down to the
 * text that is not taken; eight such in a row say that it is not the texts.
 */
#include "knowledge/vectors_parts.h"

#include <stdlib.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/metrics.h"
#include "store/knowledge_store.h"

enum {
    LOOK_MS = 5000,
    LOOK_SHARE = 20, /* of the time, one in so many is for looking */
    REST_MS = 5000,
    REST_MOST_MS = 300000,
    DENIED_MS = 60000,
    REFUSALS_MAX = 8,
    BATCH_BYTES = 256 << 10,
};

struct batch {
    struct buf text;
    size_t *ends; /* in |text| */
    str *texts;
    size_t *which; /* texts of the index */
    size_t len;
};

static void
batch_fini(struct batch *b)
{
    buf_fini(&b->text);
    free(b->ends);
    free(b->texts);
    free(b->which);
}

static enum err
batch_init(struct batch *b, size_t most)
{
    *b = (struct batch){0};
    b->ends = calloc(most, sizeof(*b->ends));
    b->texts = calloc(most, sizeof(*b->texts));
    b->which = calloc(most, sizeof(*b->which));
    return b->ends && b->texts && b->which ? OK : ERR_NOMEM;
}

static uint32_t
wall_s(void)
{
    return (uint32_t)(clock_wall_ns() / NS_PER_S);
}

/* ---- gathering ---- */

/* A text that is another by now is looked at again when the change is. */
static enum err
gather_one(struct vectors *v, const struct vector_place *place, size_t which,
           struct batch *b)
{
    struct vector_text *text = &v->index->texts[which];
    struct buf now = {0};
    enum err err = vector_texts_of(place, &v->index->items[text->first], &now);
    struct digest128 hash = hash_digest(buf_str(&now));

    text->is_skipped = hash.hi != text->hash.hi || hash.lo != text->hash.lo;
    if (!err && !text->is_skipped) {
        buf_add(&b->text, buf_str(&now));
        b->ends[b->len] = b->text.len;
        b->which[b->len++] = which;
        err = b->text.failed ? ERR_NOMEM : OK;
    }
    buf_fini(&now);
    return err;
}

static enum err
gather(struct vectors *v, const struct vectors_host *host, struct batch *b,
       struct buf *why)
{
    struct moment moment = {.why = why};
    const struct vector_index *index = v->index;
    enum err err = host->begin(host->ctx, &moment, false, NULL);

    if (err)
        return err;
    const struct vector_place place = {&moment, index->code, v->cfg.max_text};
    for (size_t i = v->cursor; i < index->text_len && b->len < v->batch && !err;
         i++) {
        const struct vector_text *text = &index->texts[i];

        if (text->row || text->is_refused || text->is_skipped)
            v->cursor += i == v->cursor;
        else if (b->text.len < BATCH_BYTES)
            err = gather_one(v, &place, i, b);
    }
    for (size_t i = 0; i < b->len; i++)
        b->texts[i] =
            str_cut(buf_str(&b->text), i ? b->ends[i - 1] : 0, b->ends[i]);
    return host->end(host->ctx, &moment, err);
}

/* ---- storing ---- */

static enum err
write_batch(struct vectors *v, const struct vectors_host *host,
            const struct batch *b, const struct embed_vectors *vectors,
            int64_t *ids, struct buf *why)
{
    struct moment moment = {.why = why};
    int64_t revision = 0;
    enum err err = host->begin(host->ctx, &moment, true, NULL);

    if (err)
        return err;
    err = ks_number(moment.store, KS_REVISION, NULL, 0, &revision);
    for (size_t i = 0; i < b->len && !err; i++) {
        const struct vector_text *text = &v->index->texts[b->which[i]];

        err = ks_run(moment.store, KS_EMBEDDING_SET,
                     KS_ARGS(ks_blob(&text->hash, sizeof(text->hash)),
                             ks_cstr(v->cfg.model), ks_int(vectors->dim),
                             ks_blob(vectors->values + i * vectors->dim,
                                     vectors->dim * sizeof(float))));
        ids[i] = ks_last_id(moment.store);
    }
    err = host->end(host->ctx, &moment, err);
    if (!err)
        vectors_wrote(v, revision);
    return err;
}

static enum err
store(struct vectors *v, const struct vectors_host *host, const struct batch *b,
      const struct embed_vectors *vectors, struct buf *why)
{
    int64_t *ids = calloc(b->len, sizeof(*ids));
    enum err err = ids ? write_batch(v, host, b, vectors, ids, why) : ERR_NOMEM;

    if (!err && !v->matrix.dim)
        vectors_set_dim(v, vectors->dim);
    /* v->last_id stays: another process may have stored some before these. */
    for (size_t i = 0; i < b->len && !err; i++)
        err = vectors_keep(v, ids[i], v->index->texts[b->which[i]].hash,
                           vectors->values + i * vectors->dim);
    free(ids);
    return err == ERR_FULL ? OK : err;
}

/* The lock of the file comes first: what is paid for must be kept. */
static enum err
try_writing(const struct vectors_host *host, struct buf *why)
{
    struct moment moment = {.why = why};
    enum err err = host->begin(host->ctx, &moment, true, NULL);

    if (!err)
        (void)host->end(host->ctx, &moment, ERR_CANCELLED);
    return err;
}

/* ---- what became of a request ---- */

static void
fail(struct vectors *v, enum err err, uint32_t retry_s, uint64_t now_ms,
     const struct buf *why)
{
    uint64_t rest_ms = err == ERR_DENIED ? DENIED_MS : REST_MS;
    str said = why->len ? buf_str(why) : str_of(err_str(err));

    for (uint32_t i = 0; i < v->failures && rest_ms < REST_MOST_MS; i++)
        rest_ms *= 2;
    if (rest_ms < retry_s * UINT64_C(1000))
        rest_ms = retry_s * UINT64_C(1000);
    rest_ms = rest_ms < REST_MOST_MS ? rest_ms : REST_MOST_MS;
    if (!v->failures)
        log_warn("texts get no vectors for now", "why", "%.*s", (int)said.len,
                 said.ptr);
    v->failures++;
    v->ask_ms = now_ms + rest_ms;
    vectors_fail(v, wall_s(), said);
    metrics_add(METRIC_EMBED_REQUEST_FAILED, 1);
}

static void
succeed(struct vectors *v, uint64_t now_ms)
{
    if (v->failures)
        log_info("texts get vectors again", "model", "%s", v->cfg.model);
    v->failures = 0;
    v->refusals = 0;
    v->batch = 2 * v->batch < v->cfg.batch ? 2 * v->batch : v->cfg.batch;
    v->ask_ms = now_ms + v->cfg.pause_ms;
    vectors_fail(v, 0, STR(""));
    metrics_add(METRIC_EMBED_REQUEST_OK, 1);
}

static void
forgive(struct vectors *v)
{
    vector_table_fini(&v->refused);
    for (size_t i = 0; v->index && i < v->index->text_len; i++)
        v->index->texts[i].is_refused = false;
    v->refusals = 0;
    v->cursor = 0;
}

static void
refuse(struct vectors *v, const struct batch *b, uint64_t now_ms,
       struct buf *why)
{
    struct vector_text *text = &v->index->texts[b->which[0]];

    metrics_add(METRIC_EMBED_REQUEST_FAILED, 1);
    v->ask_ms = now_ms + v->cfg.pause_ms;
    if (b->len > 1) {
        v->batch = b->len / 2;
        return;
    }
    if (++v->refusals >= REFUSALS_MAX) {
        forgive(v);
        fail(v, ERR_DENIED, 0, now_ms, why);
        return;
    }
    text->is_refused = true;
    (void)vector_table_set(&v->refused, text->hash, 1);
    log_warn("a text gets no vector", "why", "%s", buf_cstr(why));
    vectors_fail(v, wall_s(), buf_str(why));
}

static void
send_batch(struct vectors *v, const struct vectors_host *host,
           const struct batch *b, uint64_t now_ms, struct buf *why)
{
    const struct embed_model model = {
        v->cfg.model, v->cfg.dim, v->matrix.dim ? v->matrix.dim : v->cfg.dim};
    const struct embed_ask request = {b->texts, b->len, v->cfg.timeout_ms};
    struct embed_reply reply;
    enum err err = embed_texts(&v->cfg.fill, &model, &request, &reply, why);

    if (!err)
        err = store(v, host, b, &reply.vectors, why);
    embed_vectors_fini(&reply.vectors);
    if (!err)
        succeed(v, now_ms);
    else if (err == ERR_INVALID)
        refuse(v, b, now_ms, why);
    else if (err == ERR_CANCELLED)
        v->ask_ms = now_ms + REST_MS;
    else
        fail(v, err, reply.retry_s, now_ms, why);
    vectors_count(v);
}

static void
ask(struct vectors *v, const struct vectors_host *host, uint64_t now_ms,
    struct buf *why)
{
    struct batch b;
    enum err err = batch_init(&b, v->batch);

    if (!err)
        err = try_writing(host, why);
    if (!err)
        err = gather(v, host, &b, why);
    if (err)
        fail(v, err, 0, now_ms, why);
    else if (b.len)
        send_batch(v, host, &b, now_ms, why);
    else /* all were skipped: until the next look */
        v->ask_ms = now_ms + LOOK_MS;
    batch_fini(&b);
}

/* ---- steps ---- */

static void
take_poke(struct vectors *v)
{
    if (!atomic_exchange(&v->is_poked, false))
        return;
    forgive(v);
    v->may_write = true;
    v->has_foreign = true;
    v->look_ms = 0;
    v->ask_ms = 0;
    v->batch = v->cfg.batch;
    for (int i = 0; i < VECTOR_LISTS; i++)
        v->is_read[i] = false;
}

static void
look(struct vectors *v, const struct vectors_host *host, uint64_t now_ms,
     struct buf *why)
{
    uint64_t begin_ns = clock_mono_ns();
    enum err err = vectors_look(v, host, now_ms, why);
    uint64_t rest_ms = (clock_mono_ns() - begin_ns) / NS_PER_MS * LOOK_SHARE;

    v->look_ms = now_ms + (rest_ms > LOOK_MS ? rest_ms : LOOK_MS);
    if (err && err != ERR_CANCELLED)
        vectors_fail(v, wall_s(),
                     why->len ? buf_str(why) : str_of(err_str(err)));
}

uint32_t
vectors_step(struct vectors *v, const struct vectors_host *host,
             uint64_t now_ms)
{
    struct buf why = {0};

    take_poke(v);
    if (now_ms >= v->look_ms)
        look(v, host, now_ms, &why);
    buf_reset(&why);
    if (v->may_write && v->status.pending && now_ms >= v->ask_ms)
        ask(v, host, now_ms, &why);
    buf_fini(&why);
    uint64_t next_ms = v->look_ms;
    if (v->may_write && v->status.pending && v->ask_ms < next_ms)
        next_ms = v->ask_ms;
    return next_ms > now_ms ? (uint32_t)(next_ms - now_ms) : 0;
}
