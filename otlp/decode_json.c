/*
 * From the request down to the spans, in JSON.
 *
 * The resource and the scope usually come before their spans.  Where they do
 * not, the spans are skipped, which checks them too, and read when the object
 * has been seen to its end.
 */
#include <stdlib.h>

#include "otlp/decode_json_state.h"

static const struct json_shape request_shape = {
    1, "m", {JSON_NAME("resourceSpans")}};
static const struct json_shape resource_spans_shape = {
    3,
    "mms",
    {JSON_NAME("resource"), JSON_NAME("scopeSpans"), JSON_NAME("schemaUrl")}};
static const struct json_shape scope_spans_shape = {
    3, "mms", {JSON_NAME("scope"), JSON_NAME("spans"), JSON_NAME("schemaUrl")}};
static const struct json_shape resource_shape = {
    3,
    "mwm",
    {JSON_NAME("attributes"), JSON_NAME("droppedAttributesCount"),
     JSON_NAME("entityRefs")}};
static const struct json_shape scope_shape = {
    4,
    "ssaw",
    {JSON_NAME("name"), JSON_NAME("version"), JSON_NAME("attributes"),
     JSON_NAME("droppedAttributesCount")}};
static const struct json_shape entity_shape = {
    4,
    "ssmm",
    {JSON_NAME("schemaUrl"), JSON_NAME("type"), JSON_NAME("idKeys"),
     JSON_NAME("descriptionKeys")}};

typedef const uint8_t *read_fn(struct decode_scratch *s, const uint8_t *p);

/* Reads an array; what one element unescaped is forgotten before the next. */
static const uint8_t *
each(struct decode_scratch *s, const uint8_t *p, read_fn *read)
{
    size_t mark = s->text_len;
    bool first = true;
    bool done = false;

    p = json_open(&s->json, p, '[');
    while (p && (p = json_next(&s->json, p, &first, ']', &done)) && !done) {
        p = read(s, p);
        s->text_len = mark;
    }
    return p;
}

static const uint8_t *
string(struct decode_scratch *s, const uint8_t *p)
{
    struct json_str ignored;

    return json_string(&s->json, p, &ignored);
}

static const uint8_t *
entity(struct decode_scratch *s, const uint8_t *p)
{
    struct json_walk walk = {0};

    while ((p = decode_json_member(s, p, &entity_shape, &walk)) &&
           walk.index >= 0)
        if (walk.index >= 2 && !(p = each(s, p, string)))
            return NULL;
    return p;
}

static const uint8_t *
resource(struct decode_scratch *s, const uint8_t *p)
{
    struct json_walk walk = {0};

    while ((p = decode_json_member(s, p, &resource_shape, &walk)) &&
           walk.index >= 0) {
        if (walk.index == 0)
            p = decode_json_attributes(s, p, &s->resource);
        else if (walk.index == 2)
            p = each(s, p, entity);
        if (!p)
            return NULL;
    }
    return p;
}

static const uint8_t *
scope(struct decode_scratch *s, const uint8_t *p, str *name, str *version)
{
    struct json_walk walk = {0};

    while ((p = decode_json_member(s, p, &scope_shape, &walk)) &&
           walk.index >= 0)
        if (walk.index <= 1 &&
            !decode_json_text(s, walk.text, walk.index == 0 ? name : version))
            return NULL;
    return p;
}

static const uint8_t *
spans(struct decode_scratch *s, const uint8_t *p, str name, str version)
{
    s->visitor->scope(s->visitor->ctx, name, version);
    return p ? each(s, p, decode_json_span) : NULL;
}

static const uint8_t *
scope_spans(struct decode_scratch *s, const uint8_t *p)
{
    struct json_walk walk = {0};
    const uint8_t *later = NULL; /* spans that stand before their scope */
    bool has_scope = false;
    bool visited = false;
    str name = {NULL, 0};
    str version = {NULL, 0};

    while ((p = decode_json_member(s, p, &scope_spans_shape, &walk)) &&
           walk.index >= 0) {
        if (walk.index == 0) {
            has_scope = true;
            p = scope(s, p, &name, &version);
        } else if (walk.index == 1 && has_scope) {
            visited = true;
            p = spans(s, p, name, version);
        } else if (walk.index == 1) {
            later = p;
            p = json_skip(&s->json, p);
        }
        if (!p)
            return NULL;
    }
    if (p && !visited && !spans(s, later, name, version) && later)
        return NULL;
    return p;
}

static const uint8_t *
scope_list(struct decode_scratch *s, const uint8_t *p)
{
    s->visitor->resource(s->visitor->ctx, &s->resource);
    return p ? each(s, p, scope_spans) : NULL;
}

static const uint8_t *
resource_spans(struct decode_scratch *s, const uint8_t *p)
{
    struct json_walk walk = {0};
    const uint8_t *later = NULL; /* spans that stand before their resource */
    bool has_resource = false;
    bool visited = false;

    s->resource.mask[0] = 0;
    s->resource.mask[1] = 0;
    while ((p = decode_json_member(s, p, &resource_spans_shape, &walk)) &&
           walk.index >= 0) {
        if (walk.index == 0) {
            has_resource = true;
            p = resource(s, p);
        } else if (walk.index == 1 && has_resource) {
            visited = true;
            p = scope_list(s, p);
        } else if (walk.index == 1) {
            later = p;
            p = json_skip(&s->json, p);
        }
        if (!p)
            return NULL;
    }
    if (p && !visited && !scope_list(s, later) && later)
        return NULL;
    return p;
}

static const uint8_t *
request(struct decode_scratch *s, const uint8_t *p)
{
    struct json_walk walk = {0};
    uint8_t c;

    while ((p = decode_json_member(s, p, &request_shape, &walk)) &&
           walk.index >= 0)
        if (!(p = each(s, p, resource_spans)))
            return NULL;
    if (!p)
        return NULL;
    p = json_peek(&s->json, p, &c);
    return p == s->json.end ? p
                            : json_fail(&s->json, p,
                                        "something follows the "
                                        "JSON document");
}

enum err
decode_json(struct decode_scratch *scratch, str bytes, bool lenient,
            const struct span_visitor *visitor, struct decode_result *out)
{
    const uint8_t *p = (const uint8_t *)bytes.ptr;

    *out = (struct decode_result){0};
    scratch->base = p;
    scratch->visitor = visitor;
    scratch->result = out;
    scratch->json = (struct json){.end = p + bytes.len};
    scratch->lenient = lenient;
    scratch->no_memory = false;
    scratch->text_len = 0;
    p = request(scratch, p);
    free(scratch->text);
    scratch->text = NULL;
    if (p)
        return OK;
    if (scratch->no_memory)
        return ERR_NOMEM;
    decode_fail(scratch, scratch->json.error_at, scratch->json.error);
    return ERR_INVALID;
}
