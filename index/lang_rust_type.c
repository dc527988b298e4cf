/*
 * Rust: structs and enums, and the fields of both.
 */
#include "index/lang_rust.h"

#include <stdio.h>

struct fields {
    uint32_t index;
    str variant; /* of an enum: its field `x` is `Variant::x` */
};

static str_id
field_name(struct visitor *w, const struct fields *fields, str name)
{
    struct buf text = {.cap_max = FACT_STR_MAX};

    buf_add(&text, fields->variant);
    if (text.len > 0)
        buf_add(&text, STR("::"));
    buf_add(&text, name);
    str_id id = facts_str(w->x.facts, buf_str(&text));
    buf_fini(&text);
    return id;
}

static void
field_one(struct visitor *w, TSNode child, TSFieldId field, void *ctx)
{
    struct fields *fields = ctx;
    struct fact_bind bind = {.kind = BIND_FIELD};
    TSNode name = visit_field(w, child, F_NAME);
    char number[16];

    if (visit_kind(w, child) == K_FIELD_DECLARATION) {
        bind.name = field_name(w, fields, visit_text(w, name));
        bind.type = visit(w, visit_field(w, child, F_TYPE));
    } else if (field == w->x.fields[F_TYPE]) {
        int len = snprintf(number, sizeof(number), "%u", fields->index++);
        bind.name = field_name(w, fields, (str){number, (size_t)len});
        bind.type = visit(w, child);
    } else {
        return;
    }
    visit_bind(w, bind, child);
}

uint32_t
rust_struct(struct visitor *w, TSNode node)
{
    uint32_t before = visit_enter(
        w, rust_item(w, node, (struct fact_def){.kind = CODE_TYPE}));
    struct fields fields = {0};

    rust_push(w, node);
    visit_each(w, visit_field(w, node, F_BODY), field_one, &fields);
    rust_pop(w);
    visit_leave(w, before);
    return 0;
}

static void
variant_one(struct visitor *w, TSNode child, TSFieldId field, void *ctx)
{
    TSNode name = visit_field(w, child, F_NAME);
    struct fields fields = {.variant = visit_text(w, name)};

    (void)field;
    (void)ctx;
    if (visit_kind(w, child) != K_VARIANT)
        return;
    visit_each(w, visit_field(w, child, F_BODY), field_one, &fields);
    visit_bind(
        w,
        (struct fact_bind){.kind = BIND_FIELD,
                           .flags = BIND_CONST,
                           .name = extract_str(&w->x, name),
                           .value = visit(w, visit_field(w, child, F_VALUE))},
        name);
}

uint32_t
rust_enum(struct visitor *w, TSNode node)
{
    uint32_t before = visit_enter(
        w, rust_item(w, node,
                     (struct fact_def){.kind = CODE_TYPE, .flags = DEF_ENUM}));

    rust_push(w, node);
    visit_each(w, visit_field(w, node, F_BODY), variant_one, NULL);
    rust_pop(w);
    visit_leave(w, before);
    return 0;
}
