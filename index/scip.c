/*
 * Protocol buffers by hand: a field is a number, and an integer or a view of
 * bytes.  Index.documents is field 2; Document.relative_path 1, occurrences 2,
 * position_encoding 6; Occurrence.range 1, symbol 2, symbol_roles 3,
 * single_line_range 8, multi_line_range 9.
 *
 * An occurrence has its place in one of three forms: the list of integers in
 * field 1, which is all that indexers wrote at first and is deprecated, or one
 * of the two messages.  All begin with line and column, and nothing else of
 * them is of use here.
 */
#include "index/scip.h"

struct field {
    uint32_t number;
    bool is_bytes;
    uint64_t value;
    str bytes;
};

static bool
take_varint(str *in, uint64_t *out)
{
    *out = 0;
    for (unsigned shift = 0; shift < 64 && in->len > 0; shift += 7) {
        unsigned char byte = (unsigned char)in->ptr[0];
        *in = str_cut(*in, 1, in->len);
        *out |= (uint64_t)(byte & 0x7F) << shift;
        if (byte < 0x80)
            return true;
    }
    return false;
}

static bool
take_field(str *in, struct field *out)
{
    uint64_t key;
    uint64_t len;

    *out = (struct field){0};
    if (!take_varint(in, &key) || key >> 3 > UINT32_MAX)
        return false;
    out->number = (uint32_t)(key >> 3);
    switch (key & 7) {
    case 0:
        return take_varint(in, &out->value);
    case 1:
        len = 8;
        break;
    case 2:
        if (!take_varint(in, &len))
            return false;
        out->is_bytes = true;
        break;
    case 5:
        len = 4;
        break;
    default:
        return false;
    }
    if (len > in->len)
        return false;
    out->bytes = str_cut(*in, 0, (size_t)len);
    *in = str_cut(*in, (size_t)len, in->len);
    return true;
}

static bool
read_document(str bytes, struct scip_document *out)
{
    struct field field;

    *out = (struct scip_document){.bytes = bytes};
    while (bytes.len > 0) {
        if (!take_field(&bytes, &field))
            return false;
        if (field.number == 1 && field.is_bytes)
            out->path = field.bytes;
        else if (field.number == 6 && !field.is_bytes)
            out->encoding = (uint32_t)field.value;
    }
    return true;
}

enum err
scip_documents(str index, scip_document_fn *fn, void *ctx)
{
    struct field field;
    struct scip_document doc;
    enum err err = OK;

    while (index.len > 0 && !err) {
        if (!take_field(&index, &field))
            return ERR_CORRUPT;
        if (field.number != 2 || !field.is_bytes)
            continue;
        if (!read_document(field.bytes, &doc))
            return ERR_CORRUPT;
        err = fn(ctx, &doc);
    }
    return err;
}

/* The range is packed, or a field an integer: line, column, ... */
static bool
add_range(const struct field *field, uint64_t *range, uint32_t *len)
{
    str bytes = field->bytes;
    uint64_t value = field->value;

    if (!field->is_bytes) {
        if (*len < 2)
            range[(*len)++] = value;
        return true;
    }
    while (bytes.len > 0) {
        if (!take_varint(&bytes, &value))
            return false;
        if (*len < 2)
            range[(*len)++] = value;
    }
    return true;
}

/* SingleLineRange and MultiLineRange: line 1, column 2; one that is 0 is not
 * written. */
static bool
set_range(str bytes, uint64_t *range, uint32_t *len)
{
    struct field field;

    range[0] = range[1] = 0;
    *len = 2;
    while (bytes.len > 0) {
        if (!take_field(&bytes, &field))
            return false;
        if ((field.number == 1 || field.number == 2) && !field.is_bytes)
            range[field.number - 1] = field.value;
    }
    return true;
}

static bool
take_range(const struct field *field, uint64_t *range, uint32_t *len)
{
    if (field->number == 1)
        return add_range(field, range, len);
    if ((field->number == 8 || field->number == 9) && field->is_bytes)
        return set_range(field->bytes, range, len);
    return true;
}

/* A line of 0 is an occurrence that says of no place. */
static bool
read_occurrence(str bytes, struct scip_occurrence *out)
{
    struct field field;
    uint64_t range[2] = {0};
    uint32_t len = 0;

    *out = (struct scip_occurrence){0};
    while (bytes.len > 0) {
        if (!take_field(&bytes, &field) || !take_range(&field, range, &len))
            return false;
        if (field.number == 2 && field.is_bytes)
            out->symbol = field.bytes;
        else if (field.number == 3 && !field.is_bytes)
            out->is_definition = field.value & 1;
    }
    if (len == 0)
        return true;
    if (len < 2 || range[0] >= INT32_MAX || range[1] >= INT32_MAX)
        return false;
    out->line = (uint32_t)range[0] + 1;
    out->col = (uint32_t)range[1];
    return true;
}

enum err
scip_occurrences(const struct scip_document *doc, scip_occurrence_fn *fn,
                 void *ctx)
{
    str bytes = doc->bytes;
    struct field field;
    struct scip_occurrence occurrence;
    enum err err = OK;

    while (bytes.len > 0 && !err) {
        if (!take_field(&bytes, &field))
            return ERR_CORRUPT;
        if (field.number != 2 || !field.is_bytes)
            continue;
        if (!read_occurrence(field.bytes, &occurrence))
            return ERR_CORRUPT;
        if (occurrence.line > 0)
            err = fn(ctx, &occurrence);
    }
    return err;
}
