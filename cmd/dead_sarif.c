/*
 * SARIF 2.1.0, for code scanning.
 *
 * What is always known of a route is its service and name: that is a logical
 * location.  A physical one is given only where it is true: the function that
 * handles it, where code is indexed; else the file that declares the routes, if
 * the caller names it, with the line on which the route's path stands, if there
 * is one.  Fingerprints are of the route alone, so they outlive both verdict
 * and line.
 */
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "cmd/dead_print.h"
#include "cmd/version.h"

enum { DECLARED_MAX = 16 << 20 };

struct rule {
    enum verdict verdict;
    const char *level;
    const char *text;
    const char *help;
};

static const struct rule rules[] = {
    {VERDICT_NEVER_OBSERVED, "warning", "Declared, and never called",
     "The route is declared and its service was observed, but no call of it "
     "was. Ask its owner, then remove it or put it on the ignore list."},
    {VERDICT_STOPPED, "warning", "Was called, and is no more",
     "The route was called, and has been silent for longer than its usual "
     "rhythm. Ask its last caller, then remove it."},
    {VERDICT_ZOMBIE, "note", "Served by replaced versions only",
     "Only versions of the service that were replaced still serve the route."},
    {VERDICT_SYNTHETIC_ONLY, "note", "Called by probes and tests only",
     "Every call came from a probe or a test."},
    {VERDICT_PROBE_ONLY, "note", "Only refused calls",
     "Every call was answered 401, 403, 404 or 405."},
    {VERDICT_UNDOCUMENTED, "note", "Called, but not declared",
     "The route has traffic and no declaration."},
    {VERDICT_INSUFFICIENT, "none", "Observed too little to tell",
     "The service was observed too little to judge its routes."},
    {VERDICT_NOT_OBSERVABLE, "none", "Cannot be observed",
     "The service sends no spans that name this route."},
};

enum { RULES = sizeof(rules) / sizeof(rules[0]) };

struct sarif {
    const struct dead_report *report;
    struct buf declared; /* the text of report->declared_in */
};

static size_t
rule_of(enum verdict verdict)
{
    size_t i = 0;

    while (i + 1 < RULES && rules[i].verdict != verdict)
        i++;
    return i;
}

static void
add_text(cJSON *object, const char *name, const char *text)
{
    cJSON *message = cJSON_AddObjectToObject(object, name);

    cJSON_AddStringToObject(message, "text", text);
}

static void
add_rule_id(cJSON *object, const char *name, enum verdict verdict)
{
    char id[64];

    (void)snprintf(id, sizeof(id), "spangraph/%s", verdict_str(verdict));
    cJSON_AddStringToObject(object, name, id);
}

static cJSON *
tool(void)
{
    cJSON *object = cJSON_CreateObject();
    cJSON *driver = cJSON_AddObjectToObject(object, "driver");
    cJSON *array;

    cJSON_AddStringToObject(driver, "name", "spangraph");
    cJSON_AddStringToObject(driver, "semanticVersion", SPANGRAPH_VERSION);
    array = cJSON_AddArrayToObject(driver, "rules");
    for (size_t i = 0; i < RULES; i++) {
        cJSON *rule = cJSON_CreateObject();
        cJSON *part;

        add_rule_id(rule, "id", rules[i].verdict);
        cJSON_AddStringToObject(rule, "name", verdict_str(rules[i].verdict));
        add_text(rule, "shortDescription", rules[i].text);
        add_text(rule, "fullDescription", rules[i].help);
        add_text(rule, "help", rules[i].help);
        part = cJSON_AddObjectToObject(rule, "defaultConfiguration");
        cJSON_AddStringToObject(part, "level", rules[i].level);
        cJSON_AddItemToArray(array, rule);
    }
    return object;
}

static bool
is_delimiter(char byte)
{
    return byte == '\0' || strchr(" \t\r\n\"',", byte);
}

/* Does the path at |at| say |pattern|, in which {} is any parameter, written
 * {id}, :id, <id> or *? */
static bool
says(str file, size_t at, str pattern)
{
    size_t i = 0;

    while (i < pattern.len && at < file.len) {
        if (!str_starts(str_cut(pattern, i, pattern.len), STR("{}"))) {
            if (pattern.ptr[i++] != file.ptr[at++])
                return false;
            continue;
        }
        if (!strchr("{:<*", file.ptr[at]))
            return false;
        while (at < file.len && file.ptr[at] != '/' &&
               !is_delimiter(file.ptr[at]) &&
               !(file.ptr[at] == ':' && file.ptr[at - 1] == '}'))
            at++;
        i += 2;
    }
    return i == pattern.len && (at == file.len || file.ptr[at] == ':' ||
                                is_delimiter(file.ptr[at]));
}

/* The first line on which |pattern| stands whole; 0: none. */
static int
line_of(str file, str pattern)
{
    int line = 1;

    for (size_t i = 0; pattern.len && i < file.len; i++) {
        if ((i == 0 || is_delimiter(file.ptr[i - 1])) && says(file, i, pattern))
            return line;
        line += file.ptr[i] == '\n';
    }
    return 0;
}

/* A path as a relative reference of RFC 3986. */
static void
add_uri(cJSON *object, const char *file)
{
    struct buf uri = {0};

    if (strncmp(file, "./", 2) == 0)
        file += 2;
    for (; *file; file++) {
        if (isalnum((unsigned char)*file) || strchr("/._-~", *file))
            buf_add_char(&uri, *file);
        else
            buf_printf(&uri, "%%%02X", (unsigned char)*file);
    }
    cJSON_AddStringToObject(object, "uri", buf_cstr(&uri));
    buf_fini(&uri);
}

static void
add_place(cJSON *location, const char *file, uint32_t line)
{
    cJSON *physical = cJSON_AddObjectToObject(location, "physicalLocation");
    cJSON *part = cJSON_AddObjectToObject(physical, "artifactLocation");

    add_uri(part, file);
    if (line == 0)
        return;
    part = cJSON_AddObjectToObject(physical, "region");
    cJSON_AddNumberToObject(part, "startLine", line);
}

/* |folder|, NULL or any, so that the name of a file may follow: its names
 * without what leads nowhere, "." and "" between slashes. */
static void
add_folder(struct buf *path, const char *folder)
{
    size_t len;

    for (; folder && *folder; folder += len + (folder[len] == '/')) {
        len = strcspn(folder, "/");
        if (len == 0 || (len == 1 && folder[0] == '.'))
            continue;
        buf_add(path, (str){folder, len});
        buf_add_char(path, '/');
    }
}

static void
add_physical(const struct sarif *sarif, size_t i, cJSON *location)
{
    const struct audit_route *route = &sarif->report->audit->routes[i];
    const char *declared_in = sarif->report->declared_in;
    struct buf path = {0};
    uint32_t line;
    str file;

    if (closure_place(sarif->report->closure, i, &file, &line)) {
        add_folder(&path, sarif->report->code_in);
        buf_add(&path, file);
        add_place(location, buf_cstr(&path), line);
        buf_fini(&path);
    } else if (declared_in && route->is_declared) {
        add_place(location, declared_in,
                  (uint32_t)line_of(buf_str(&sarif->declared), route->pattern));
    }
}

static void
add_location(const struct sarif *sarif, size_t i, const struct buf *name,
             cJSON *result)
{
    const struct audit_route *route = &sarif->report->audit->routes[i];
    const struct gate_key key = gate_key(sarif->report->ask->view, route);
    cJSON *array = cJSON_AddArrayToObject(result, "locations");
    cJSON *location = cJSON_CreateObject();
    cJSON *logical;
    struct buf whole = {0};

    cJSON_AddItemToArray(array, location);
    add_physical(sarif, i, location);
    array = cJSON_AddArrayToObject(location, "logicalLocations");
    logical = cJSON_CreateObject();
    cJSON_AddItemToArray(array, logical);
    cJSON_AddStringToObject(logical, "name", name->ptr);
    buf_add(&whole, key.service);
    buf_add(&whole, key.env.len ? STR("@") : STR(""));
    buf_add(&whole, key.env);
    buf_printf(&whole, " %s", name->ptr);
    cJSON_AddStringToObject(logical, "fullyQualifiedName", buf_cstr(&whole));
    cJSON_AddStringToObject(logical, "kind", "resource");
    buf_fini(&whole);
}

static void
add_fingerprint(const struct gate_key *key, cJSON *result)
{
    unsigned char hash[SHA256_LEN];
    struct buf text = {0};
    cJSON *prints = cJSON_AddObjectToObject(result, "partialFingerprints");
    str part;

    gate_key_add(&text, key);
    part = buf_str(&text);
    hash_sha256(&part, 1, hash);
    buf_reset(&text);
    buf_add_hex(&text, (str){(const char *)hash, sizeof(hash)});
    cJSON_AddStringToObject(prints, "spangraphRoute/v1", buf_cstr(&text));
    /* The one that GitHub reads; it would else hash the line. */
    buf_reset(&text);
    buf_add_hex(&text, (str){(const char *)hash, 8});
    buf_add(&text, STR(":1"));
    cJSON_AddStringToObject(prints, "primaryLocationLineHash", buf_cstr(&text));
    buf_fini(&text);
}

static void
add_message(const struct audit_route *route, const struct gate_key *key,
            const struct buf *name, const struct rule *rule, cJSON *result)
{
    struct buf text = {0};

    buf_printf(&text, "%s of ", name->ptr);
    buf_add(&text, key->service);
    if (key->env.len)
        buf_printf(&text, " (%.*s)", (int)key->env.len, key->env.ptr);
    buf_printf(&text, ": %s (confidence %s, coverage %.1f %%", rule->text,
               trust_str(route->trust), 100 * route->coverage);
    if (route->reasons) {
        buf_add(&text, STR("; "));
        dead_reasons(&text, route->reasons, ", ");
    }
    buf_add(&text, STR(")."));
    add_text(result, "message", buf_cstr(&text));
    buf_fini(&text);
}

static cJSON *
result_of(const struct sarif *sarif, size_t i)
{
    const struct audit_route *route = &sarif->report->audit->routes[i];
    const struct gate *gate = sarif->report->gate;
    const struct gate_key key = gate_key(sarif->report->ask->view, route);
    size_t index = rule_of(route->verdict);
    bool is_weak = gate->marks[i] == GATE_WEAK;
    cJSON *result = cJSON_CreateObject();
    cJSON *properties;
    struct buf name = {0};

    buf_add(&name, key.method);
    buf_add(&name, key.method.len ? STR(" ") : STR(""));
    buf_add(&name, key.route);
    if (*buf_cstr(&name)) {
        add_rule_id(result, "ruleId", route->verdict);
        cJSON_AddNumberToObject(result, "ruleIndex", (double)index);
        cJSON_AddStringToObject(result, "kind", is_weak ? "review" : "fail");
        cJSON_AddStringToObject(result, "level",
                                is_weak ? "none" : rules[index].level);
        add_message(route, &key, &name, &rules[index], result);
        add_location(sarif, i, &name, result);
        add_fingerprint(&key, result);
        if (gate->has_baseline && !is_weak)
            cJSON_AddStringToObject(result, "baselineState",
                                    gate->marks[i] == GATE_KNOWN ? "unchanged"
                                                                 : "new");
        properties = cJSON_AddObjectToObject(result, "properties");
        cJSON_AddNumberToObject(properties, "coverage",
                                round(route->coverage * 1e4) / 1e4);
        cJSON_AddNumberToObject(properties, "calls", (double)route->count);
        cJSON_AddNumberToObject(properties, "lastObserved", route->last_s);
    }
    buf_fini(&name);
    return result;
}

static void
add_notice(cJSON *invocation, size_t all, size_t kept)
{
    cJSON *array =
        cJSON_AddArrayToObject(invocation, "toolExecutionNotifications");
    cJSON *notice = cJSON_CreateObject();
    char text[256];

    if (all > kept)
        (void)snprintf(text, sizeof(text),
                       "%zu of %zu results are left out: a run holds at most "
                       "%zu. Narrow it with --service, --ignore or "
                       "--fail-on dead.",
                       all - kept, all, kept);
    else
        (void)snprintf(text, sizeof(text),
                       "GitHub shows %d of these %zu results. Narrow it with "
                       "--service, --ignore or --fail-on dead.",
                       SARIF_RESULTS_SHOWN, all);
    cJSON_AddStringToObject(notice, "level", "warning");
    add_text(notice, "message", text);
    cJSON_AddItemToArray(array, notice);
    fprintf(stderr, "spangraph: %s\n", text);
}

/* What can fail a build comes first, so that a cut takes it last. */
static size_t
add_results(const struct sarif *sarif, cJSON *array)
{
    static const enum gate_mark order[] = {GATE_NEW, GATE_KNOWN, GATE_WEAK};
    const struct dead_report *report = sarif->report;
    size_t len = 0;

    for (size_t m = 0; m < sizeof(order) / sizeof(order[0]); m++) {
        for (size_t i = 0; i < report->audit->len; i++) {
            if (report->gate->marks[i] == order[m] && len++ < report->sarif_max)
                cJSON_AddItemToArray(array, result_of(sarif, i));
        }
    }
    return len;
}

static void
read_declared(struct sarif *sarif)
{
    const char *name = sarif->report->declared_in;
    FILE *file = name ? fopen(name, "rb") : NULL;
    char *room = file ? buf_grow(&sarif->declared, DECLARED_MAX) : NULL;

    if (room)
        sarif->declared.len += fread(room, 1, DECLARED_MAX, file);
    if (file)
        (void)fclose(file);
}

cJSON *
dead_sarif(const struct dead_report *report)
{
    struct sarif sarif = {.report = report};
    cJSON *root = cJSON_CreateObject();
    cJSON *run = cJSON_CreateObject();
    cJSON *invocation = cJSON_CreateObject();
    size_t len;

    read_declared(&sarif);
    cJSON_AddStringToObject(root, "$schema",
                            "https://json.schemastore.org/sarif-2.1.0.json");
    cJSON_AddStringToObject(root, "version", "2.1.0");
    cJSON_AddItemToArray(cJSON_AddArrayToObject(root, "runs"), run);
    cJSON_AddItemToObject(run, "tool", tool());
    cJSON_AddStringToObject(run, "columnKind", "utf16CodeUnits");
    len = add_results(&sarif, cJSON_AddArrayToObject(run, "results"));
    cJSON_AddItemToArray(cJSON_AddArrayToObject(run, "invocations"),
                         invocation);
    cJSON_AddBoolToObject(invocation, "executionSuccessful", true);
    if (len > report->sarif_max || len > SARIF_RESULTS_SHOWN)
        add_notice(invocation, len,
                   len < report->sarif_max ? len : report->sarif_max);
    buf_fini(&sarif.declared);
    return root;
}

int
dead_print_sarif(const struct dead_report *report)
{
    return ask_print_json(dead_sarif(report));
}
