/*
 * Rows for people and for programs.  JSON and the table are as they were before
 * there was a gate; CSV and Markdown also say what a route is to it.
 */
#include "cmd/dead_print.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/digits.h"
#include "cmd/ask.h"
#include "cmd/dead_code.h"
#include "cmd/dead_table.h"
#include "cmd/escape.h"

/* Three decimals are more than the evidence has; below 0 is not known. */
static void
add_estimate(cJSON *object, const char *name, double value)
{
    if (value < 0)
        cJSON_AddNullToObject(object, name);
    else
        cJSON_AddNumberToObject(object, name, digits_three(value));
}

static cJSON *
json_route(const struct dead_report *report, size_t i, enum err *err)
{
    struct ask *ask = report->ask;
    const struct audit_route *route = &report->audit->routes[i];
    const struct query_node *service = query_node(ask->view, route->service);
    cJSON *row = cJSON_CreateObject();
    struct buf caller = {0};
    uint32_t last_caller;
    cJSON *reasons;

    ask_add_str(row, "service", service->name);
    ask_add_str(row, "env", service->env);
    ask_add_str(row, "method", route->method);
    ask_add_str(row, "route", route->pattern);
    cJSON_AddStringToObject(row, "verdict", verdict_str(route->verdict));
    cJSON_AddStringToObject(row, "confidence", trust_str(route->trust));
    reasons = cJSON_AddArrayToObject(row, "reasons");
    for (int bit = 0; bit < AUDIT_REASON_COUNT; bit++) {
        if (route->reasons >> bit & 1)
            cJSON_AddItemToArray(reasons, cJSON_CreateString(audit_reason_str(
                                              (enum audit_reason)bit)));
    }
    cJSON_AddNumberToObject(row, "count", (double)route->count);
    ask_add_time(row, "first_observed", route->first_s);
    ask_add_time(row, "last_observed", route->last_s);
    cJSON_AddNumberToObject(row, "coverage", route->coverage);
    add_estimate(row, "keep_probability", route->keep);
    add_estimate(row, "hidden_calls_per_day", route->hidden_per_day);
    ask_add_time(row, "observed_from", route->observed_from_s);
    ask_add_time(row, "observed_to", route->observed_to_s);
    cJSON_AddBoolToObject(row, "declared", route->is_declared);
    ask_add_str(row, "last_version",
                query_node(ask->view, route->last_version)->name);
    *err = audit_last_caller(ask->view, route, &last_caller);
    query_qualified(ask->view, last_caller, &caller);
    cJSON_AddStringToObject(row, "last_caller", buf_cstr(&caller));
    buf_fini(&caller);
    dead_code_json(row, report->closure, i);
    return row;
}

int
dead_print_json(const struct dead_report *report)
{
    const struct audit *audit = report->audit;
    cJSON *object = cJSON_CreateObject();
    cJSON *array = cJSON_AddArrayToObject(object, "routes");
    enum err err = OK;
    cJSON *part;

    for (size_t i = 0; !err && i < audit->len; i++)
        cJSON_AddItemToArray(array, json_route(report, i, &err));
    if (err) {
        cJSON_Delete(object);
        return ask_fail(err);
    }
    cJSON_AddNumberToObject(object, "total", (double)audit->len);
    part = cJSON_AddObjectToObject(object, "by_verdict");
    for (int i = 0; i < VERDICT_COUNT; i++)
        cJSON_AddNumberToObject(part, verdict_str((enum verdict)i),
                                (double)audit->by_verdict[i]);
    part = cJSON_AddObjectToObject(object, "window");
    cJSON_AddNumberToObject(part, "from", audit->from_s);
    cJSON_AddNumberToObject(part, "to", audit->to_s);
    cJSON_AddNumberToObject(object, "lost", (double)audit->lost);
    if (report->closure) {
        cJSON_AddNumberToObject(object, "only_dead_functions",
                                (double)report->closure->dead_functions);
        cJSON_AddNumberToObject(object, "only_dead_lines",
                                (double)report->closure->dead_lines);
    }
    return ask_print_json(object);
}

void
dead_reasons(struct buf *out, uint32_t reasons, const char *sep)
{
    bool is_first = true;

    for (int i = 0; i < AUDIT_REASON_COUNT; i++) {
        if (!(reasons >> i & 1))
            continue;
        buf_printf(out, "%s%s", is_first ? "" : sep,
                   audit_reason_str((enum audit_reason)i));
        is_first = false;
    }
}

int
dead_print_table(const struct dead_report *report)
{
    const struct audit *audit = report->audit;
    const struct gate *gate = report->gate;
    struct dead_table table = {.with_gate = gate->has_baseline,
                               .with_code = report->closure != NULL};
    struct buf reasons = {0};
    struct buf handler = {0};
    struct buf where = {0};

    dead_table_begin(&table);
    for (size_t i = 0; i < audit->len; i++) {
        const struct audit_route *route = &audit->routes[i];
        const struct gate_key key = gate_key(report->ask->view, route);

        buf_reset(&reasons);
        buf_reset(&handler);
        buf_reset(&where);
        dead_reasons(&reasons, route->reasons, ", ");
        if (report->closure) {
            dead_code_handler(report->closure, i, &handler);
            dead_code_where(report->closure, i, &where);
        }
        dead_table_add(&table,
                       &(struct dead_row){
                           .service = key.service,
                           .env = key.env,
                           .method = key.method,
                           .route = key.route,
                           .verdict = str_of(verdict_str(route->verdict)),
                           .confidence = str_of(trust_str(route->trust)),
                           .last_s = route->last_s,
                           .coverage = route->coverage,
                           .reasons = buf_str(&reasons),
                           .gate = str_of(gate_mark_str(gate->marks[i])),
                           .handler = buf_str(&handler),
                           .where = buf_str(&where),
                       });
    }
    buf_fini(&reasons);
    buf_fini(&handler);
    buf_fini(&where);
    if (audit->len == 0 && report->owner)
        fprintf(stderr,
                "no route's code is owned by '%s', by CODEOWNERS or else by "
                "git\n",
                report->owner);
    else if (audit->len == 0)
        fprintf(stderr,
                "no routes are known: declare them with `spangraph "
                "import-routes --service NAME FILE`, or send spans with "
                "http.route\n");
    return dead_table_end(&table);
}

static int
print_text(struct buf *text)
{
    int rc = ask_print(text);

    buf_fini(text);
    return rc;
}

/* Columns that are there where code is indexed. */
static void
csv_code(const struct dead_report *report, size_t i, struct buf *out)
{
    struct buf text = {0};
    uint32_t line;
    str file;

    (void)closure_place(report->closure, i, &file, &line);
    dead_code_handler(report->closure, i, &text);
    buf_add_char(out, ',');
    escape_csv(out, buf_str(&text));
    buf_add_char(out, ',');
    escape_csv(out, file);
    buf_add_char(out, ',');
    if (line)
        buf_printf(out, "%u", line);
    buf_add_char(out, ',');
    buf_reset(&text);
    closure_owners(report->closure, i, " ", &text);
    escape_csv(out, buf_str(&text));
    buf_fini(&text);
}

static void
csv_row(const struct dead_report *report, size_t i, struct buf *out)
{
    const struct audit_route *route = &report->audit->routes[i];
    const struct gate_key key = gate_key(report->ask->view, route);
    const str texts[] = {key.service, key.env, key.method, key.route};

    for (size_t t = 0; t < 4; t++) {
        escape_csv(out, texts[t]);
        buf_add_char(out, ',');
    }
    buf_printf(out, "%s,%s,%s,%lld,%u,%u,%.4f,%s,", verdict_str(route->verdict),
               trust_str(route->trust), gate_mark_str(report->gate->marks[i]),
               (long long)route->count, route->first_s, route->last_s,
               route->coverage, route->is_declared ? "true" : "false");
    dead_reasons(out, route->reasons, " ");
    if (report->closure)
        csv_code(report, i, out);
    buf_add(out, STR("\r\n"));
}

void
dead_csv(const struct dead_report *report, struct buf *out)
{
    buf_add(out, STR("service,env,method,route,verdict,confidence,gate,count,"
                     "first_observed,last_observed,coverage,declared,reasons"));
    if (report->closure)
        buf_add(out, STR(",handler,file,line,owners"));
    buf_add(out, STR("\r\n"));
    for (size_t i = 0; i < report->audit->len; i++)
        csv_row(report, i, out);
}

int
dead_print_csv(const struct dead_report *report)
{
    struct buf text = {0};

    dead_csv(report, &text);
    return print_text(&text);
}

static void
add_day(struct buf *out, uint32_t at_s)
{
    time_t at = at_s;
    char text[32] = "never";
    struct tm tm;

    if (at_s && gmtime_r(&at, &tm))
        strftime(text, sizeof(text), "%Y-%m-%d", &tm);
    buf_add(out, str_of(text));
}

static void
md_code(const struct dead_report *report, size_t i, struct buf *out)
{
    struct buf text = {0};

    buf_add(out, STR(" | "));
    dead_code_where(report->closure, i, &text);
    escape_md(out, buf_str(&text));
    buf_add(out, STR(" | "));
    buf_reset(&text);
    closure_owners(report->closure, i, ", ", &text);
    escape_md(out, buf_str(&text));
    buf_fini(&text);
}

static void
md_row(const struct dead_report *report, size_t i, struct buf *out)
{
    const struct audit_route *route = &report->audit->routes[i];
    const struct gate_key key = gate_key(report->ask->view, route);

    buf_printf(out, "| %s | ", gate_mark_str(report->gate->marks[i]));
    escape_md(out, key.service);
    buf_add(out, key.env.len ? STR(" (") : STR(""));
    escape_md(out, key.env);
    buf_add(out, key.env.len ? STR(") | ") : STR(" | "));
    escape_md(out, key.method);
    buf_add(out, key.method.len ? STR(" ") : STR(""));
    escape_md(out, key.route);
    buf_printf(out, " | %s | %s | ", verdict_str(route->verdict),
               trust_str(route->trust));
    add_day(out, route->last_s);
    buf_printf(out, " | %.1f %% | ", 100 * route->coverage);
    dead_reasons(out, route->reasons, ", ");
    if (report->closure)
        md_code(report, i, out);
    buf_add(out, STR(" |\n"));
}

void
dead_md(const struct dead_report *report, struct buf *out)
{
    const struct gate *gate = report->gate;
    const char *sep = "";

    buf_printf(out,
               "### Dead routes\n\n%zu new, %zu known, %zu without enough "
               "evidence, of %zu routes. A verdict is a candidate with its "
               "evidence, never \"delete\".\n\n",
               gate->count[GATE_NEW], gate->count[GATE_KNOWN],
               gate->count[GATE_WEAK], gate->len);
    if (gate->count[GATE_PASS] < gate->len)
        buf_printf(out,
                   "| | service | route | verdict | confidence | last call | "
                   "coverage | reasons |%s\n|---|---|---|---|---|---|---|---|%s"
                   "\n",
                   report->closure ? " where | owners |" : "",
                   report->closure ? "---|---|" : "");
    for (size_t i = 0; i < report->audit->len; i++) {
        if (gate->marks[i] != GATE_PASS)
            md_row(report, i, out);
    }
    if (gate->count[GATE_PASS] < gate->len)
        buf_add_char(out, '\n');
    buf_add(out, STR("All verdicts: "));
    for (int i = 0; i < VERDICT_COUNT; i++) {
        if (report->audit->by_verdict[i] == 0)
            continue;
        buf_printf(out, "%s%zu %s", sep, report->audit->by_verdict[i],
                   verdict_str((enum verdict)i));
        sep = ", ";
    }
    buf_add(out, *sep ? STR(".\n") : STR("none.\n"));
}

int
dead_print_md(const struct dead_report *report)
{
    struct buf text = {0};

    dead_md(report, &text);
    return print_text(&text);
}
