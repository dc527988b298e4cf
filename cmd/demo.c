/*
 * Ids and times are told by their keys, in the text: what OTLP/JSON has between
 * `"traceId":"` and the next quote is an id wherever it stands, in spans and in
 * links, so one pass over the bytes does it.  A new id is a hash of the old one
 * under a seed that is new in each round: parents, children and links find each
 * other, and no two rounds meet.
 */
#include "cmd/demo.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/hash.h"
#include "base/log.h"
#include "base/metrics.h"
#include "base/steady.h"
#include "base/thread.h"
#include "net/request.h"
#include "otlp/decode.h"

enum { ID_HEX = 16, DIGITS_MAX = 19 };

/* ---- a text of now ---- */

/* A member of an object: its key, and what stands between its quotes. */
struct member {
    str key;
    str value;
    const char *next; /* the closing quote */
};

static bool
find_member(str json, const char *from, struct member *out)
{
    static const char middle[] = "\":\"";
    const char *end = json.ptr + json.len;
    const char *at = memmem(from, (size_t)(end - from), middle, 3);
    const char *key = at;

    if (!at)
        return false;
    while (key > json.ptr && key[-1] != '"')
        key--;
    const char *value = at + 3;
    const char *close = memchr(value, '"', (size_t)(end - value));
    if (!close)
        return false;
    *out = (struct member){.key = {key, (size_t)(at - key)},
                           .value = {value, (size_t)(close - value)},
                           .next = close};
    return true;
}

static bool
is_id(const struct member *member)
{
    static const char hex[] = "0123456789abcdefABCDEF";
    size_t len = member->value.len;

    return (str_eq(member->key, STR("traceId")) ||
            str_eq(member->key, STR("spanId")) ||
            str_eq(member->key, STR("parentSpanId"))) &&
           len && len % ID_HEX == 0 && strspn(member->value.ptr, hex) >= len;
}

static bool
read_time(const struct member *member, uint64_t *out)
{
    static const str tail = {"imeUnixNano", sizeof("imeUnixNano") - 1};
    str key = member->key;
    size_t len = member->value.len;

    if (key.len < tail.len || len == 0 || len > DIGITS_MAX ||
        !str_eq(str_cut(key, key.len - tail.len, key.len), tail) ||
        strspn(member->value.ptr, "0123456789") < len)
        return false;
    *out = strtoull(member->value.ptr, NULL, 10);
    return true;
}

void
demo_freshen(str json, uint64_t seed, uint64_t shift_ns, struct buf *out)
{
    const char *from = json.ptr;
    struct member member;
    uint64_t time_ns;

    while (json.len && find_member(json, from, &member)) {
        buf_add(out, (str){from, (size_t)(member.value.ptr - from)});
        if (is_id(&member)) {
            for (size_t i = 0; i < member.value.len / ID_HEX; i++)
                buf_printf(out, "%016" PRIx64,
                           hash_bytes(member.value, seed + i));
        } else if (read_time(&member, &time_ns)) {
            buf_add_u64(out, time_ns + shift_ns);
        } else {
            buf_add(out, member.value);
        }
        from = member.next;
    }
    buf_add(out, (str){from, (size_t)(json.ptr + json.len - from)});
}

uint64_t
demo_last_end_ns(str trace)
{
    const char *from = trace.ptr;
    struct member member;
    uint64_t last_ns = 0;
    uint64_t time_ns;

    while (trace.len && find_member(trace, from, &member)) {
        if (str_eq(member.key, STR("endTimeUnixNano")) &&
            read_time(&member, &time_ns) && time_ns > last_ns)
            last_ns = time_ns;
        from = member.next;
    }
    return last_ns;
}

/* ---- replaying ---- */

struct demo {
    const struct trace_sink *sink;
    size_t lane;
    struct decode_scratch *scratch;
    uint64_t last_end_ns; /* of the recording */
    pthread_t thread;
    bool has_thread;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    bool is_stopped;
    size_t waiting; /* for an answer */
};

/* What the answer to one request needs. */
struct sent {
    struct demo *demo;
    uint32_t spans;
};

static void
note_done(void *ctx, enum err err)
{
    struct sent *sent = ctx;
    struct demo *demo = sent->demo;

    if (!err)
        metrics_add(METRIC_SPANS_ACCEPTED, sent->spans);
    free(sent);
    pthread_mutex_lock(&demo->lock);
    demo->waiting--;
    pthread_cond_broadcast(&demo->changed);
    pthread_mutex_unlock(&demo->lock);
}

/* A request that there is no room for is left out; others will come. */
static enum err
play_request(struct demo *demo, str bytes)
{
    struct decode_result result = {0};
    struct span_visitor visitor;
    enum err err = demo->sink->begin(demo->sink->ctx, demo->lane, &visitor);

    if (err)
        return err;
    err = decode_json(demo->scratch, bytes, false, &visitor, &result);
    struct sent *sent = err ? NULL : malloc(sizeof(*sent));
    if (!sent) {
        demo->sink->abort(demo->sink->ctx, demo->lane);
        return err ? err : ERR_NOMEM;
    }
    *sent = (struct sent){demo, result.accepted};
    pthread_mutex_lock(&demo->lock);
    demo->waiting++;
    pthread_mutex_unlock(&demo->lock);
    demo->sink->submit(demo->sink->ctx, demo->lane, bytes, result.rejected,
                       note_done, sent);
    return OK;
}

static enum err
play_round(struct demo *demo, struct buf *text)
{
    static const char pad[REQUEST_PAD];
    uint64_t seed = hash_seed();
    uint64_t shift_ns = clock_wall_ns() - demo->last_end_ns;
    str trace = demo_trace();
    enum err err = OK;

    while (trace.len && !err) {
        const char *end = memchr(trace.ptr, '\n', trace.len);
        size_t len = end ? (size_t)(end - trace.ptr) : trace.len;

        buf_reset(text);
        demo_freshen(str_cut(trace, 0, len), seed, shift_ns, text);
        buf_add(text, (str){pad, sizeof(pad)});
        err =
            text->failed
                ? ERR_NOMEM
                : play_request(demo, (str){text->ptr, text->len - sizeof(pad)});
        trace = str_cut(trace, len + 1, trace.len);
    }
    return err;
}

static void *
run(void *ctx)
{
    struct demo *demo = ctx;
    struct buf text = {0};
    uint64_t next_ns = clock_mono_ns();

    thread_set_name("demo");
    pthread_mutex_lock(&demo->lock);
    while (!demo->is_stopped) {
        pthread_mutex_unlock(&demo->lock);
        enum err err = play_round(demo, &text);
        if (err)
            log_warn("part of the demo was left out", "why", "%s",
                     err_str(err));
        pthread_mutex_lock(&demo->lock);
        next_ns += DEMO_EVERY_NS;
        while (!demo->is_stopped &&
               steady_wait(&demo->changed, &demo->lock, next_ns))
            continue;
    }
    while (demo->waiting)
        pthread_cond_wait(&demo->changed, &demo->lock);
    pthread_mutex_unlock(&demo->lock);
    buf_fini(&text);
    return NULL;
}

enum err
demo_start(struct demo **out, const struct trace_sink *sink, size_t lane)
{
    struct demo *demo = calloc(1, sizeof(*demo));

    *out = NULL;
    if (!demo)
        return ERR_NOMEM;
    *demo = (struct demo){.sink = sink,
                          .lane = lane,
                          .scratch = decode_scratch_new(),
                          .last_end_ns = demo_last_end_ns(demo_trace())};
    pthread_mutex_init(&demo->lock, NULL);
    steady_init(&demo->changed);
    demo->has_thread =
        demo->scratch && pthread_create(&demo->thread, NULL, run, demo) == 0;
    if (!demo->has_thread) {
        demo_stop(demo);
        return ERR_NOMEM;
    }
    *out = demo;
    return OK;
}

void
demo_stop(struct demo *demo)
{
    if (!demo)
        return;
    pthread_mutex_lock(&demo->lock);
    demo->is_stopped = true;
    pthread_cond_broadcast(&demo->changed);
    pthread_mutex_unlock(&demo->lock);
    if (demo->has_thread)
        (void)pthread_join(demo->thread, NULL);
    pthread_cond_destroy(&demo->changed);
    pthread_mutex_destroy(&demo->lock);
    decode_scratch_free(demo->scratch);
    free(demo);
}
