/*
 * A walk over the schema's own tree: for each property the schema names, look
 * at the argument; for each argument, look whether the schema names it.  Tools
 * have a dozen arguments, so nothing is compiled or indexed.
 */
#include "mcp/schema.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

#include "base/utf8.h"
#include "mcp/json.h"

enum {
    FAULTS_MAX = 5,
    SHOWN_MAX = 80,    /* bytes of a wrong value that are repeated */
    NAME_MAX_LEN = 64, /* of a name that is compared */
};

struct check {
    struct buf *why;
    size_t faults;
};

/* Starts a sentence about |name|; false when enough has been said. */
static bool
fault(struct check *check, const char *name)
{
    if (check->faults++ >= FAULTS_MAX)
        return false;
    if (check->faults > 1)
        buf_add(check->why, STR("; "));
    if (name) {
        buf_add(check->why, STR("argument \""));
        utf8_clean(check->why, str_of(name), SHOWN_MAX);
        buf_add(check->why, STR("\" "));
    }
    return true;
}

static void
add_value(struct buf *out, const cJSON *value)
{
    struct buf text = {0};

    json_add_tree(&text, value);
    utf8_clean(out, buf_str(&text), SHOWN_MAX);
    if (text.len > SHOWN_MAX)
        buf_add(out, STR("..."));
    buf_fini(&text);
}

static bool
is_integer(const cJSON *value)
{
    return cJSON_IsNumber(value) && isfinite(value->valuedouble) &&
           floor(value->valuedouble) == value->valuedouble;
}

static bool
is_type(const cJSON *value, const char *type)
{
    if (strcmp(type, "string") == 0)
        return cJSON_IsString(value);
    if (strcmp(type, "integer") == 0)
        return is_integer(value);
    if (strcmp(type, "number") == 0)
        return cJSON_IsNumber(value);
    if (strcmp(type, "boolean") == 0)
        return cJSON_IsBool(value);
    if (strcmp(type, "array") == 0)
        return cJSON_IsArray(value);
    if (strcmp(type, "object") == 0)
        return cJSON_IsObject(value);
    return strcmp(type, "null") == 0 && cJSON_IsNull(value);
}

static bool
has_type(const cJSON *value, const cJSON *type)
{
    const cJSON *one = NULL;

    if (!type)
        return true;
    if (cJSON_IsString(type))
        return is_type(value, type->valuestring);
    cJSON_ArrayForEach(one, type)
    {
        if (cJSON_IsString(one) && is_type(value, one->valuestring))
            return true;
    }
    return false;
}

static bool
is_among(const cJSON *value, const cJSON *list)
{
    const cJSON *one = NULL;

    cJSON_ArrayForEach(one, list)
    {
        if (cJSON_Compare(value, one, true))
            return true;
    }
    return false;
}

/* JSON Schema counts characters, not bytes. */
static size_t
count_chars(const char *text)
{
    size_t count = 0;

    for (; *text; text++)
        count += ((unsigned char)*text & 0xc0) != 0x80;
    return count;
}

static double
number_or(const cJSON *schema, const char *key, double otherwise)
{
    const cJSON *number = json_member(schema, key);

    return cJSON_IsNumber(number) ? number->valuedouble : otherwise;
}

static bool
is_in_range(const cJSON *value, const cJSON *schema)
{
    const char *least = "minimum";
    const char *most = "maximum";
    double size = 0;

    if (cJSON_IsNumber(value)) {
        size = value->valuedouble;
    } else if (cJSON_IsString(value)) {
        size = (double)count_chars(value->valuestring);
        least = "minLength";
        most = "maxLength";
    } else if (cJSON_IsArray(value)) {
        size = cJSON_GetArraySize(value);
        least = "minItems";
        most = "maxItems";
    } else {
        return true;
    }
    return size >= number_or(schema, least, -INFINITY) &&
           size <= number_or(schema, most, INFINITY);
}

static void
add_bounds(struct buf *out, const cJSON *schema)
{
    static const struct {
        const char *key;
        const char *words;
    } bounds[] = {
        {"minimum", " at least %.15g"},
        {"maximum", " at most %.15g"},
        {"minLength", " of at least %.15g characters"},
        {"maxLength", " of at most %.15g characters"},
        {"minItems", " of at least %.15g items"},
        {"maxItems", " of at most %.15g items"},
    };

    for (size_t i = 0; i < sizeof(bounds) / sizeof(bounds[0]); i++) {
        const cJSON *bound = json_member(schema, bounds[i].key);
        const char *value = strstr(bounds[i].words, "%.15g");
        if (!cJSON_IsNumber(bound))
            continue;
        buf_add(out, (str){bounds[i].words, (size_t)(value - bounds[i].words)});
        buf_printf(out, "%.15g", bound->valuedouble);
        buf_add(out, str_of(value + strlen("%.15g")));
    }
}

/* "integer at least 1 at most 500, default 20", or "one of "a", "b"". */
static void
add_expected(struct buf *out, const cJSON *schema)
{
    const cJSON *type = json_member(schema, "type");
    const cJSON *choices = json_member(schema, "enum");
    const cJSON *constant = json_member(schema, "const");
    const cJSON *otherwise = json_member(schema, "default");
    const cJSON *one = NULL;

    if (cJSON_IsArray(choices)) {
        buf_add(out, STR("one of "));
        cJSON_ArrayForEach(one, choices)
        {
            buf_add(out, one == choices->child ? STR("") : STR(", "));
            add_value(out, one);
        }
    } else if (constant) {
        add_value(out, constant);
    } else if (cJSON_IsString(type)) {
        const char *of = json_text(json_member(schema, "items"), "type");

        buf_add(out, str_of(type->valuestring));
        if (of)
            buf_printf(out, " of %s", of);
    } else if (cJSON_IsArray(type)) {
        cJSON_ArrayForEach(one, type)
        {
            buf_add(out, one == type->child ? STR("") : STR(" or "));
            buf_add(out, str_of(cJSON_GetStringValue(one)));
        }
    } else {
        buf_add(out, STR("value"));
    }
    add_bounds(out, schema);
    if (otherwise) {
        buf_add(out, STR(", default "));
        add_value(out, otherwise);
    }
}

bool
schema_fits(const cJSON *value, const cJSON *schema)
{
    const cJSON *choices = json_member(schema, "enum");
    const cJSON *constant = json_member(schema, "const");

    return has_type(value, json_member(schema, "type")) &&
           (!choices || is_among(value, choices)) &&
           (!constant || cJSON_Compare(value, constant, true)) &&
           is_in_range(value, schema);
}

static void
check_value(struct check *check, const char *name, const cJSON *value,
            const cJSON *schema)
{
    const cJSON *items = json_member(schema, "items");
    const cJSON *one = NULL;

    if (!schema_fits(value, schema)) {
        if (!fault(check, name))
            return;
        buf_add(check->why, STR("takes "));
        add_expected(check->why, schema);
        buf_add(check->why, STR("; it was "));
        add_value(check->why, value);
        return;
    }
    if (!cJSON_IsArray(value) || !cJSON_IsObject(items))
        return;
    cJSON_ArrayForEach(one, value)
    {
        if (schema_fits(one, items))
            continue;
        if (fault(check, name)) {
            buf_add(check->why, STR("takes items that are "));
            add_expected(check->why, items);
            buf_add(check->why, STR("; one was "));
            add_value(check->why, one);
        }
        return;
    }
}

static unsigned
least3(unsigned a, unsigned b, unsigned c)
{
    unsigned ab = a < b ? a : b;

    return ab < c ? ab : c;
}

unsigned
schema_distance(str a, str b)
{
    unsigned rows[3][NAME_MAX_LEN + 1];
    unsigned *before = rows[0];
    unsigned *last = rows[1];
    unsigned *row = rows[2];

    a = str_cut(a, 0, NAME_MAX_LEN);
    b = str_cut(b, 0, NAME_MAX_LEN);
    for (size_t j = 0; j <= b.len; j++)
        last[j] = before[j] = (unsigned)j;
    for (size_t i = 1; i <= a.len; i++) {
        row[0] = (unsigned)i;
        for (size_t j = 1; j <= b.len; j++) {
            row[j] = least3(last[j] + 1, row[j - 1] + 1,
                            last[j - 1] + (a.ptr[i - 1] != b.ptr[j - 1]));
            bool swapped = i > 1 && j > 1 && a.ptr[i - 1] == b.ptr[j - 2] &&
                           a.ptr[i - 2] == b.ptr[j - 1];
            if (swapped && before[j - 2] + 1 < row[j])
                row[j] = before[j - 2] + 1;
        }
        unsigned *free_row = before;
        before = last;
        last = row;
        row = free_row;
    }
    return last[b.len];
}

const char *
schema_nearest(const cJSON *object, const char *name)
{
    str wanted = str_of(name);
    const char *best = NULL;
    unsigned best_distance = (unsigned)(wanted.len < 9 ? 3 : wanted.len / 3);
    const cJSON *member = NULL;

    cJSON_ArrayForEach(member, object)
    {
        str other = str_of(member->string);
        bool is_part = wanted.len >= 3 &&
                       (str_starts(other, wanted) || str_starts(wanted, other));
        unsigned distance = is_part ? 1 : schema_distance(wanted, other);
        if (distance < best_distance) {
            best = member->string;
            best_distance = distance;
        }
    }
    return best;
}

static void
add_takes(struct buf *out, const cJSON *properties)
{
    const cJSON *one = NULL;

    if (!properties || !properties->child) {
        buf_add(out, STR("; this tool takes no arguments"));
        return;
    }
    buf_add(out, STR("; it takes "));
    cJSON_ArrayForEach(one, properties)
    {
        buf_printf(out, "%s%s", one == properties->child ? "" : ", ",
                   one->string);
    }
}

static void
check_unknown(struct check *check, const cJSON *schema, const cJSON *args)
{
    const cJSON *properties = json_member(schema, "properties");
    const cJSON *arg = NULL;

    if (!cJSON_IsFalse(json_member(schema, "additionalProperties")))
        return;
    cJSON_ArrayForEach(arg, args)
    {
        if (json_member(properties, arg->string))
            continue;
        if (!fault(check, arg->string))
            return;
        const char *nearest = schema_nearest(properties, arg->string);
        buf_add(check->why, STR("is unknown"));
        if (nearest)
            buf_printf(check->why, "; did you mean \"%s\"?", nearest);
        else
            add_takes(check->why, properties);
    }
}

static void
check_required(struct check *check, const cJSON *schema, const cJSON *args)
{
    const cJSON *properties = json_member(schema, "properties");
    const cJSON *name = NULL;

    cJSON_ArrayForEach(name, json_member(schema, "required"))
    {
        if (!cJSON_IsString(name) || json_member(args, name->valuestring))
            continue;
        if (!fault(check, name->valuestring))
            return;
        const cJSON *property = json_member(properties, name->valuestring);
        buf_add(check->why, STR("is missing; it takes "));
        add_expected(check->why, property);
        const char *description = json_text(property, "description");
        if (description)
            buf_printf(check->why, " (%s)", description);
    }
}

static void
add_defaults(const cJSON *properties, cJSON *args)
{
    const cJSON *property = NULL;

    cJSON_ArrayForEach(property, properties)
    {
        cJSON *otherwise = json_member(property, "default");
        if (otherwise && !json_member(args, property->string))
            json_give(args, property->string, cJSON_Duplicate(otherwise, true));
    }
}

bool
schema_check(const cJSON *schema, cJSON *args, struct buf *why)
{
    struct check check = {.why = why};
    const cJSON *properties = json_member(schema, "properties");
    const cJSON *property = NULL;

    check_required(&check, schema, args);
    check_unknown(&check, schema, args);
    cJSON_ArrayForEach(property, properties)
    {
        const cJSON *arg = json_member(args, property->string);
        if (!json_is_unique(args, property->string) &&
            fault(&check, property->string))
            buf_add(why, STR("is given twice"));
        if (arg)
            check_value(&check, property->string, arg, property);
    }
    if (check.faults == 0)
        add_defaults(properties, args);
    return check.faults == 0;
}
