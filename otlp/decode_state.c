#include "otlp/decode_state.h"

#include <stdlib.h>
#include <string.h>

#if defined(__x86_64__) && !defined(BYTES64_PLAIN)

/* AMD's have PEXT since Zen, but only since Zen 3 as one instruction; of others
 * that are like them we do not know. */
static bool
has_fast_pext(void)
{
    return __builtin_cpu_is("intel") ||
           (__builtin_cpu_is("amd") && !__builtin_cpu_is("amdfam15h") &&
            !__builtin_cpu_is("amdfam17h"));
}

#endif

size_t
decode_span_fns(decode_span_fn *out[DECODE_SPAN_FNS])
{
    size_t len = 0;

#if defined(__x86_64__) && !defined(BYTES64_PLAIN)
    bool has_avx2 = __builtin_cpu_supports("avx2") &&
                    __builtin_cpu_supports("bmi") &&
                    __builtin_cpu_supports("bmi2");

    /* VBMI is not needed, but came with the processors that do not slow down
     * for vectors of 64 bytes. */
    if (has_avx2 && __builtin_cpu_supports("avx512f") &&
        __builtin_cpu_supports("avx512dq") &&
        __builtin_cpu_supports("avx512bw") &&
        __builtin_cpu_supports("avx512vl") &&
        __builtin_cpu_supports("avx512vbmi"))
        out[len++] = decode_span_fast_avx512;
    if (has_avx2 && has_fast_pext())
        out[len++] = decode_span_fast_pext;
    if (has_avx2)
        out[len++] = decode_span_fast_avx2;
#endif
    out[len++] = decode_span_fast;
    out[len++] = decode_span_exact;
    return len;
}

struct decode_scratch *
decode_scratch_new(void)
{
    /* Keys lie on lines of the cache of their own. */
    struct decode_scratch *s =
        aligned_alloc(_Alignof(struct decode_scratch), sizeof(*s));
    decode_span_fn *fns[DECODE_SPAN_FNS];

    if (!s)
        return NULL;
    memset(s, 0, sizeof(*s));
    if (!attr_index_build(&s->index, ATTR_HASH_SEED))
        abort(); /* a key was added without a new seed */
    decode_fast_init(&s->fast);
    decode_span_fns(fns);
    s->span_fn = fns[0];
    s->span.attrs = &s->attrs;
    s->span.links = s->links;
    return s;
}

void
decode_scratch_free(struct decode_scratch *s)
{
    free(s);
}

bool
decode_fail(struct decode_scratch *s, const uint8_t *at, const char *what)
{
    if (!s->result->error) {
        s->result->error = what;
        s->result->error_at = (size_t)(at - s->base);
    }
    return false;
}

void
decode_span_reset(struct decode_scratch *s)
{
    struct span *span = &s->span;

    span->trace_hi = 0;
    span->trace_lo = 0;
    span->span_id = 0;
    span->parent_id = 0;
    span->start_ns = 0;
    span->end_ns = 0;
    span->flags = 0;
    span->kind = SPAN_UNSPECIFIED;
    span->status = SPAN_UNSET;
    span->link_len = 0;
    span->links_dropped = 0;
    span->name = (str){NULL, 0};
    span->trace_state = (str){NULL, 0};
    s->bad_parent = false;
    s->bad_enum = NULL;
    s->attrs.mask[0] = 0;
    s->attrs.mask[1] = 0;
}

static const char *
reject_reason(const struct decode_scratch *s)
{
    if ((s->span.trace_hi | s->span.trace_lo) == 0)
        return "trace id is not 16 bytes or is all zeros";
    if (s->span.span_id == 0)
        return "span id is not 8 bytes or is all zeros";
    if (s->bad_parent)
        return "parent span id is not 8 bytes";
    return s->bad_enum;
}

void
decode_span_done(struct decode_scratch *s)
{
    const char *reason = reject_reason(s);

    if (!reason) {
        s->result->accepted++;
        s->visitor->span(s->visitor->ctx, &s->span);
        return;
    }
    s->result->rejected++;
    if (!s->result->reject_reason)
        s->result->reject_reason = reason;
}

void
decode_link_add(struct decode_scratch *s, struct span_link link)
{
    if ((link.trace_hi | link.trace_lo) == 0 || link.span_id == 0 ||
        s->span.link_len == SPAN_LINKS_MAX)
        s->span.links_dropped++;
    else
        s->links[s->span.link_len++] = link;
}
