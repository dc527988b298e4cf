/*
 * `spangraph dead-routes`: the audit, for people and for CI.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "cmd/ask.h"
#include "cmd/dead_code.h"
#include "cmd/dead_print.h"
#include "cmd/dead_remote.h"
#include "cmd/duration.h"
#include "cmd/gate.h"
#include "graph/audit.h"

enum { BASELINE_MAX = 64 << 20 };

static const char notes[] =
    "\nWhat counts as a finding:\n"
    "  --fail-on dead   never_observed, stopped\n"
    "  --fail-on any    these, and zombie, synthetic_only, probe_only,\n"
    "                   undocumented\n"
    "  --fail-on none   nothing fails; md and sarif list what any would\n"
    "A finding whose coverage is below --min-coverage does not count; it is\n"
    "missing evidence, as is a route that could not be observed that much.\n"
    "A finding that counted in --baseline, too, is known and does not fail.\n"
    "Nor do new ones while there are no more than --max.\n"
    "\nExit codes:\n"
    "  0  no new finding, or no more than --max\n"
    "  1  a new finding, or more than --max\n"
    "  2  usage\n"
    "  3  nothing that fails, but evidence is missing: a route below\n"
    "     --min-coverage, or no route at all could be judged\n"
    "  4  cannot run: no store, an unreadable baseline, nowhere to print\n"
    "With --fail-on none only 0, 2 and 4.\n";

enum format { FORMAT_TABLE, FORMAT_JSON, FORMAT_CSV, FORMAT_MD, FORMAT_SARIF };

struct dead_options {
    struct ask ask;
    long long stale_days;
    long long max;
    const char *since;
    const char *service;
    const char *env;
    const char *owner;
    const char *fail_on;
    const char *coverage;
    const char *baseline;
    const char *format_name;
    const char *declared_in;
    const char *code_in;
    const char *server;
    const char *token_file;
    struct option_list ignore;
    bool assume_unsampled;
    enum format format;
};

static int
fail(const char *file, const char *why)
{
    fprintf(stderr, "spangraph dead-routes: %s: %s\n", file, why);
    return EXIT_CANNOT_RUN;
}

static int
read_baseline(struct gate *gate, const char *name)
{
    FILE *file = fopen(name, "rb");
    struct buf text = {0};
    char *room = file ? buf_grow(&text, BASELINE_MAX + 1) : NULL;
    int rc = EXIT_CLEAN;

    if (!file) {
        rc = fail(name, strerror(errno));
        goto out;
    }
    if (room)
        text.len = fread(room, 1, BASELINE_MAX + 1, file);
    if (!room || ferror(file))
        rc = fail(name, "cannot be read");
    else if (text.len > BASELINE_MAX)
        rc = fail(name, "larger than 64 MiB");
    else if (gate_baseline(gate, buf_str(&text)))
        rc = fail(name, "not the output of dead-routes --json");
out:
    if (file)
        (void)fclose(file);
    buf_fini(&text);
    return rc;
}

/* Says on standard error what the exit code says, for who reads the log. */
static void
print_summary(const struct dead_options *options, const struct gate *gate)
{
    if (!options->baseline && gate->min_coverage <= 0 && !options->fail_on &&
        !options->max)
        return;
    fprintf(stderr,
            "spangraph dead-routes: %zu new, %zu known, %zu without "
            "enough evidence, of %zu routes",
            gate->count[GATE_NEW], gate->count[GATE_KNOWN],
            gate->count[GATE_WEAK], gate->len);
    if (gate->max_new)
        fprintf(stderr, "; %zu new may be", gate->max_new);
    fputc('\n', stderr);
}

static int
print(const struct dead_options *options, const struct dead_report *report)
{
    static int (*const printers[])(const struct dead_report *) = {
        [FORMAT_TABLE] = dead_print_table, [FORMAT_JSON] = dead_print_json,
        [FORMAT_CSV] = dead_print_csv,     [FORMAT_MD] = dead_print_md,
        [FORMAT_SARIF] = dead_print_sarif,
    };

    return printers[options->format](report);
}

static int
judge(struct dead_options *options, struct gate *gate,
      const struct audit *audit, struct closure *closure)
{
    const struct dead_report report = {
        .ask = &options->ask,
        .audit = audit,
        .gate = gate,
        .closure = closure,
        .declared_in = options->declared_in,
        .code_in = options->code_in,
        .owner = options->owner,
        .sarif_max = SARIF_RESULTS_MAX,
    };
    enum err err = gate_judge(gate, options->ask.view, audit);
    int rc;

    if (err)
        return ask_fail(err);
    rc = print(options, &report);
    if (rc == EXIT_CLEAN) {
        print_summary(options, gate);
        rc = gate_code(gate);
    }
    return rc;
}

static int
keep_owner(const struct dead_options *options, struct closure *closure,
           struct audit *audit)
{
    if (!options->owner)
        return EXIT_CLEAN;
    if (!closure) {
        fprintf(stderr, "spangraph dead-routes: --owner needs the code: run "
                        "`spangraph index FOLDER` first\n");
        return EXIT_USAGE;
    }
    closure_keep_owner(closure, audit, str_of(options->owner));
    return EXIT_CLEAN;
}

static int
run(struct dead_options *options, struct gate *gate)
{
    struct audit_cfg cfg = audit_cfg_default;
    struct ids services = {0};
    struct audit audit = {0};
    struct dead_code code = {0};
    int rc =
        options->baseline ? read_baseline(gate, options->baseline) : EXIT_CLEAN;
    enum err err;

    cfg.stale_days = (uint32_t)options->stale_days;
    cfg.assume_unsampled = options->assume_unsampled;
    cfg.env = str_of(options->env);
    cfg.ignore = options->ignore.item;
    cfg.ignore_len = options->ignore.len;
    if (rc == EXIT_CLEAN)
        rc = ask_open(&options->ask);
    if (rc == EXIT_CLEAN && options->service) {
        rc = ask_services(&options->ask, options->service,
                          UINT32_C(1) << NODE_SERVICE, &services);
        cfg.services = &services;
    }
    if (rc != EXIT_CLEAN)
        goto out;
    err = audit_run(options->ask.view, &cfg, &audit);
    rc = err ? ask_fail(err)
             : dead_code_open(&code, &options->ask, &audit, &cfg);
    if (rc == EXIT_CLEAN)
        rc = keep_owner(options, code.closure, &audit);
    if (rc == EXIT_CLEAN)
        rc = judge(options, gate, &audit, code.closure);
out:
    dead_code_close(&code);
    audit_fini(&audit);
    ids_fini(&services);
    ask_close(&options->ask);
    return rc;
}

static int
complain(const char *what)
{
    fprintf(stderr, "spangraph dead-routes: %s; see --help\n", what);
    return EXIT_USAGE;
}

static int
read_window(struct dead_options *options)
{
    const uint64_t day_ns = S_PER_DAY * NS_PER_S;
    uint64_t since_ns = 0;

    if (options->since) {
        if (duration_parse(str_of(options->since), &since_ns) ||
            since_ns % day_ns || since_ns / day_ns > AUDIT_DAYS_MAX)
            return complain("--since takes whole days, from 1d to 400d");
        options->stale_days = (long long)(since_ns / day_ns);
    }
    if (options->stale_days < 1 || options->stale_days > AUDIT_DAYS_MAX)
        return complain("--since and --stale-days go from 1 to 400 days");
    return EXIT_CLEAN;
}

static bool
read_format(struct dead_options *options)
{
    static const char *const names[] = {"table", "json", "csv", "md", "sarif"};

    if (options->ask.json)
        options->format = FORMAT_JSON;
    if (!options->format_name)
        return true;
    for (int i = 0; i < 5; i++) {
        if (strcmp(options->format_name, names[i]) != 0)
            continue;
        options->format = (enum format)i;
        return !options->ask.json || i == FORMAT_JSON;
    }
    return false;
}

/* Code scanning knows files by their paths from the top of the repository. */
static bool
leaves_the_top(const char *folder)
{
    size_t len;

    if (folder[0] == '/')
        return true;
    for (; *folder; folder += len + (folder[len] == '/')) {
        len = strcspn(folder, "/");
        if (len == 2 && memcmp(folder, "..", 2) == 0)
            return true;
    }
    return false;
}

static int
read_options(struct dead_options *options, struct gate *gate)
{
    char *end = NULL;

    if (!read_format(options))
        return complain("--format is table, json, csv, md or sarif, and json "
                        "with --json");
    if (options->fail_on &&
        !gate_fail_on_of(str_of(options->fail_on), &gate->fail_on))
        return complain("--fail-on is dead, any or none");
    if (options->coverage) {
        gate->min_coverage = strtod(options->coverage, &end);
        if (end == options->coverage || *end ||
            !(gate->min_coverage >= 0 && gate->min_coverage <= 1))
            return complain("--min-coverage goes from 0 to 1, as 0.95");
    }
    if (options->max < 0)
        return complain("--max is a number of findings, 0 or more");
    gate->max_new = (size_t)options->max;
    if ((options->declared_in || options->code_in) &&
        options->format != FORMAT_SARIF)
        return complain("--declared-in and --code-in go with --format sarif");
    if (options->code_in && leaves_the_top(options->code_in))
        return complain("--code-in is a folder below the top of the "
                        "repository, as examples/shop");
    return read_window(options);
}

static int
run_remote(const struct dead_options *options, struct gate *gate)
{
    const struct dead_remote remote = {
        .server = options->server,
        .token_file = options->token_file,
        .service = options->service,
        .env = options->env,
        .owner = options->owner,
        .stale_days = options->stale_days,
        .json = options->format == FORMAT_JSON,
    };
    int rc;

    if (options->format > FORMAT_JSON || options->ignore.len ||
        options->assume_unsampled || options->ask.now_s)
        return complain("--server goes with --format table or json, and not "
                        "with --ignore, --assume-unsampled or --now");
    rc =
        options->baseline ? read_baseline(gate, options->baseline) : EXIT_CLEAN;
    if (rc == EXIT_CLEAN)
        rc = dead_remote_run(&remote, gate);
    if (rc != EXIT_CLEAN)
        return rc;
    print_summary(options, gate);
    return gate_code(gate);
}

int
cmd_dead_routes(const struct command *self, int argc, char **argv)
{
    struct dead_options options = {.ask = ASK_DEFAULT, .stale_days = 30};
    struct gate gate = {.fail_on = FAIL_ON_DEAD};
    const struct option_spec specs[] = {
        ASK_OPTIONS(options.ask),
        {"stale-days", OPTION_INT, &options.stale_days, "N",
         "days without calls that make a route a candidate"},
        {"since", OPTION_STR, &options.since, "DAYS",
         "the same, written 30d; goes before --stale-days"},
        {"service", OPTION_STR, &options.service, "NAME",
         "only this service; * fits any text"},
        {"env", OPTION_STR, &options.env, "ENV", "only this environment"},
        {"owner", OPTION_STR, &options.owner, "TEAM",
         "only routes whose code TEAM owns, by CODEOWNERS or else by git"},
        {"ignore", OPTION_LIST, &options.ignore, "GLOB",
         "routes to list as suppressed; again, or parted by commas"},
        {"assume-unsampled", OPTION_FLAG, &options.assume_unsampled, NULL,
         "trust that senders without a sampling rate send all spans"},
        {"min-coverage", OPTION_STR, &options.coverage, "SHARE",
         "of the window that must have been observed, as 0.95"},
        {"fail-on", OPTION_STR, &options.fail_on, "CLASS",
         "dead, any or none: what is a finding, see below (default dead)"},
        {"max", OPTION_INT, &options.max, "N",
         "new findings that do not fail; one more does"},
        {"baseline", OPTION_STR, &options.baseline, "FILE",
         "an earlier --json: only what is new fails"},
        {"format", OPTION_STR, &options.format_name, "FORMAT",
         "table, json, csv, md or sarif (default table)"},
        {"server", OPTION_STR, &options.server, "URL",
         "ask the service there, over MCP, instead of a store"},
        {"token-file", OPTION_STR, &options.token_file, "FILE",
         "its first line is the token for it; else SPANGRAPH_TOKEN is"},
        {"declared-in", OPTION_STR, &options.declared_in, "FILE",
         "file of the repository that SARIF results of declared routes name"},
        {"code-in", OPTION_STR, &options.code_in, "FOLDER",
         "folder of the repository that was indexed, if not all of it, for "
         "SARIF"},
    };
    enum err err = options_parse(self, specs, sizeof(specs) / sizeof(specs[0]),
                                 &argc, argv);
    int rc;

    if (err == ERR_CANCELLED)
        fputs(notes, stdout);
    if (err)
        return err == ERR_CANCELLED ? EXIT_CLEAN : EXIT_USAGE;
    if (argc > 1)
        return complain("takes options only");
    rc = read_options(&options, &gate);
    if (rc == EXIT_CLEAN)
        rc =
            options.server ? run_remote(&options, &gate) : run(&options, &gate);
    gate_fini(&gate);
    return rc;
}
