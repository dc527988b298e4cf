/*
 * The baseline is a sorted array of keys, those of its routes that count as
 * findings now: what was alive then and is dead now is new.
 */
#include "cmd/gate.h"

#include <stdlib.h>
#include <string.h>

#include <cjson/cJSON.h>

#include "cmd/options.h"

bool
gate_fail_on_of(str word, enum gate_fail_on *out)
{
    static const char *const words[] = {"dead", "any", "none"};

    for (int i = 0; i < 3; i++) {
        if (str_eq(word, str_of(words[i]))) {
            *out = (enum gate_fail_on)i;
            return true;
        }
    }
    return false;
}

bool
gate_is_finding(enum gate_fail_on fail_on, enum verdict verdict)
{
    return verdict_is_dead(verdict) ||
           (fail_on != FAIL_ON_DEAD &&
            (verdict == VERDICT_ZOMBIE || verdict == VERDICT_SYNTHETIC_ONLY ||
             verdict == VERDICT_PROBE_ONLY || verdict == VERDICT_UNDOCUMENTED));
}

struct gate_key
gate_key(const struct query_view *view, const struct audit_route *route)
{
    const struct query_node *service = query_node(view, route->service);

    return (struct gate_key){service->name, service->env, route->method,
                             route->pattern};
}

/* No name holds a control character (base/utf8.h), so this one parts them. */
void
gate_key_add(struct buf *out, const struct gate_key *key)
{
    const str parts[] = {key->service, key->env, key->method, key->route};

    for (size_t i = 0; i < 4; i++) {
        buf_add(out, parts[i]);
        buf_add_char(out, '\x1f');
    }
}

static int
compare_keys(const void *a, const void *b)
{
    const char *x;
    const char *y;

    memcpy(&x, a, sizeof(x));
    memcpy(&y, b, sizeof(y));
    return strcmp(x, y);
}

/* Reads member |name| of a row; false: it is not text. */
static bool
read_text(const cJSON *row, const char *name, str *out)
{
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(row, name);

    *out = str_of(cJSON_GetStringValue(item));
    return cJSON_IsString(item);
}

static enum err
add_known(struct gate *gate, const cJSON *row)
{
    struct gate_key key;
    struct buf text = {0};
    str verdict;

    if (!read_text(row, "service", &key.service) ||
        !read_text(row, "env", &key.env) ||
        !read_text(row, "method", &key.method) ||
        !read_text(row, "route", &key.route) ||
        !read_text(row, "verdict", &verdict) ||
        verdict_of(verdict) == VERDICT_COUNT)
        return ERR_INVALID;
    if (!gate_is_finding(gate->fail_on, verdict_of(verdict)))
        return OK;
    gate_key_add(&text, &key);
    gate->known[gate->known_len] = text.failed ? NULL : strdup(buf_cstr(&text));
    buf_fini(&text);
    return gate->known[gate->known_len] ? (gate->known_len++, OK) : ERR_NOMEM;
}

enum err
gate_baseline(struct gate *gate, str text)
{
    cJSON *root = cJSON_ParseWithLength(text.ptr, text.len);
    const cJSON *routes = cJSON_GetObjectItemCaseSensitive(root, "routes");
    int len = cJSON_GetArraySize(routes);
    enum err err = cJSON_IsArray(routes) ? OK : ERR_INVALID;
    const cJSON *row;

    if (!err && len > 0) {
        gate->known = calloc((size_t)len, sizeof(*gate->known));
        if (!gate->known)
            err = ERR_NOMEM;
    }
    if (!err) {
        cJSON_ArrayForEach(row, routes)
        {
            err = add_known(gate, row);
            if (err)
                break;
        }
    }
    if (!err && gate->known_len)
        qsort(gate->known, gate->known_len, sizeof(*gate->known), compare_keys);
    gate->has_baseline = !err;
    cJSON_Delete(root);
    return err;
}

static bool
is_known(const struct gate *gate, const struct gate_key *key, struct buf *text)
{
    const char *name;

    if (gate->known_len == 0)
        return false;
    buf_reset(text);
    gate_key_add(text, key);
    name = buf_cstr(text);
    return bsearch(&name, gate->known, gate->known_len, sizeof(*gate->known),
                   compare_keys) != NULL;
}

/* Calls that were seen are evidence whatever was not seen. */
static bool
is_weak(const struct gate *gate, enum verdict verdict, double coverage)
{
    return coverage < gate->min_coverage &&
           (verdict == VERDICT_INSUFFICIENT ||
            verdict == VERDICT_NOT_OBSERVABLE ||
            (gate_is_finding(gate->fail_on, verdict) &&
             verdict != VERDICT_UNDOCUMENTED));
}

enum gate_mark
gate_take(struct gate *gate, enum verdict verdict, double coverage,
          const struct gate_key *key, struct buf *text)
{
    enum gate_mark mark = GATE_PASS;

    if (is_weak(gate, verdict, coverage))
        mark = GATE_WEAK;
    else if (gate_is_finding(gate->fail_on, verdict))
        mark = is_known(gate, key, text) ? GATE_KNOWN : GATE_NEW;
    gate->count[mark]++;
    gate->len++;
    gate->open += verdict_is_open(verdict) || verdict == VERDICT_SUPPRESSED;
    return mark;
}

enum err
gate_judge(struct gate *gate, const struct query_view *view,
           const struct audit *audit)
{
    struct buf text = {0};
    bool failed;

    gate->marks = calloc(audit->len ? audit->len : 1, sizeof(*gate->marks));
    if (!gate->marks)
        return ERR_NOMEM;
    for (size_t i = 0; i < audit->len; i++) {
        const struct audit_route *route = &audit->routes[i];
        const struct gate_key key = gate_key(view, route);

        gate->marks[i] =
            gate_take(gate, route->verdict, route->coverage, &key, &text);
    }
    failed = text.failed;
    buf_fini(&text);
    return failed ? ERR_NOMEM : OK;
}

int
gate_code(const struct gate *gate)
{
    if (gate->fail_on == FAIL_ON_NONE)
        return EXIT_CLEAN;
    if (gate->count[GATE_NEW] > gate->max_new)
        return EXIT_FINDINGS;
    if (gate->count[GATE_WEAK] || gate->open == gate->len)
        return EXIT_NO_EVIDENCE;
    return EXIT_CLEAN;
}

void
gate_fini(struct gate *gate)
{
    for (size_t i = 0; i < gate->known_len; i++)
        free(gate->known[i]);
    free(gate->known);
    free(gate->marks);
    *gate = (struct gate){0};
}

const char *
gate_mark_str(enum gate_mark mark)
{
    static const char *const words[] = {"", "new", "known", "weak"};

    return words[mark];
}
