#include "tests/support/decode_seen.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { READABLE_BEHIND = 512 };

static void
note(struct seen *seen, const char *call)
{
    if (strlen(seen->calls) + 2 < sizeof(seen->calls))
        strcat(seen->calls, call);
}

static void
keep(char *out, size_t cap, str text)
{
    snprintf(out, cap, "%.*s", (int)text.len, text.ptr ? text.ptr : "");
}

static void
on_resource(void *ctx, const struct attr_set *resource)
{
    struct seen *seen = ctx;

    note(seen, "r");
    seen->resource = *resource;
}

static void
on_scope(void *ctx, str name, str version)
{
    struct seen *seen = ctx;

    note(seen, "s");
    keep(seen->scope, sizeof(seen->scope), name);
    strncat(seen->scope, "/", sizeof(seen->scope) - strlen(seen->scope) - 1);
    size_t len = strlen(seen->scope);
    keep(seen->scope + len, sizeof(seen->scope) - len, version);
}

static void
on_span(void *ctx, const struct span *span)
{
    struct seen *seen = ctx;

    note(seen, ".");
    seen->span = *span;
    seen->attrs = *span->attrs;
    keep(seen->name, sizeof(seen->name), span->name);
    keep(seen->state, sizeof(seen->state), span->trace_state);
    keep(seen->text, sizeof(seen->text),
         attr_str(span->attrs, ATTR_HTTP_ROUTE));
    keep(seen->service, sizeof(seen->service),
         attr_str(&seen->resource, ATTR_SERVICE_NAME));
    memcpy(seen->links, span->links, span->link_len * sizeof(*span->links));
}

int
seen_setup(void **state)
{
    struct seen *seen = calloc(1, sizeof(*seen));

    *state = seen;
    return seen && (seen->scratch = decode_scratch_new()) ? 0 : -1;
}

int
seen_teardown(void **state)
{
    struct seen *seen = *state;

    decode_scratch_free(seen->scratch);
    free(seen);
    return 0;
}

struct span_visitor
seen_visitor(struct seen *seen)
{
    return (struct span_visitor){seen, on_resource, on_scope, on_span};
}

const struct attr_value *
seen_attr(struct seen *seen, enum attr id)
{
    assert_true(attr_has(&seen->attrs, id));
    return &seen->attrs.value[id];
}

/* Behind the end stands what would continue a string or a length. */
static char *
copy_of(str bytes)
{
    char *copy = malloc(bytes.len + READABLE_BEHIND);

    assert_non_null(copy);
    memset(copy, '"', bytes.len + READABLE_BEHIND);
    if (bytes.len > 0)
        memcpy(copy, bytes.ptr, bytes.len);
    return copy;
}

enum err
seen_protobuf(struct seen *seen, str bytes)
{
    struct span_visitor visitor = seen_visitor(seen);
    char *copy = copy_of(bytes);

    seen->calls[0] = '\0';
    enum err err = decode_protobuf(seen->scratch, (str){copy, bytes.len},
                                   &visitor, &seen->result);
    free(copy); /* and with it what the views point to */
    return err;
}

enum err
seen_json(struct seen *seen, str bytes)
{
    struct span_visitor visitor = seen_visitor(seen);
    char *copy = copy_of(bytes);

    seen->calls[0] = '\0';
    enum err err = decode_json(seen->scratch, (str){copy, bytes.len},
                               seen->lenient, &visitor, &seen->result);
    free(copy);
    return err;
}

void
seen_put_field(struct buf *out, uint8_t number, str body)
{
    assert_true(number < 16 && body.len < 1 << 14);
    buf_add_char(out, (char)(number << 3 | 2));
    if (body.len > 0x7f)
        buf_add_char(out, (char)(body.len | 0x80));
    buf_add_char(out, (char)(body.len > 0x7f ? body.len >> 7 : body.len));
    buf_add(out, body);
}

void
seen_put_attribute(struct buf *out, str key, str any_value)
{
    struct buf body = {0};

    seen_put_field(&body, 1, key);
    seen_put_field(&body, 2, any_value);
    seen_put_field(out, 9, buf_str(&body));
    buf_fini(&body);
}

enum err
seen_protobuf_span(struct seen *seen, str ids, str body)
{
    struct buf level[4] = {{0}};

    buf_add(&level[0], ids);
    buf_add(&level[0], body);
    seen_put_field(&level[1], 2, buf_str(&level[0]));
    seen_put_field(&level[2], 2, buf_str(&level[1]));
    seen_put_field(&level[3], 1, buf_str(&level[2]));
    enum err err = seen_protobuf(seen, buf_str(&level[3]));
    for (size_t i = 0; i < 4; i++)
        buf_fini(&level[i]);
    return err;
}

enum err
seen_protobuf_attribute(struct seen *seen, str key, str any_value)
{
    struct buf body = {0};

    seen_put_attribute(&body, key, any_value);
    enum err err = seen_protobuf_span(seen, STR(SEEN_TRACE_ID SEEN_SPAN_ID),
                                      buf_str(&body));
    buf_fini(&body);
    return err;
}

enum err
seen_json_text(struct seen *seen, const char *text)
{
    return seen_json(seen, str_of(text));
}

enum err
seen_json_span(struct seen *seen, const char *members)
{
    struct buf text = {0};

    buf_printf(&text, SEEN_JSON_AROUND("{" SEEN_JSON_IDS "%s}"), members);
    enum err err = seen_json(seen, buf_str(&text));
    buf_fini(&text);
    return err;
}

enum err
seen_json_value(struct seen *seen, const char *any_value)
{
    struct buf text = {0};

    buf_printf(&text, ",\"attributes\":[{\"key\":\"http.route\",\"value\":%s}]",
               any_value);
    enum err err = seen_json_span(seen, buf_cstr(&text));
    buf_fini(&text);
    return err;
}
