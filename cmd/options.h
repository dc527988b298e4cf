/*
 * options - the command line of every subcommand, from one kind of table.
 *
 * A subcommand lists its options; parsing, `--help`, errors that name the
 * nearest option, and the defaults shown in the help come from the list.
 *
 * Threads    The main thread.
 */
#ifndef CMD_OPTIONS_H
#define CMD_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"

/* Exit codes of every subcommand (spec/operations.md). */
enum exit_code {
    EXIT_CLEAN = 0,
    EXIT_FINDINGS = 1,
    EXIT_USAGE = 2,
    EXIT_NO_EVIDENCE = 3,
    EXIT_CANNOT_RUN = 4,
};

enum option_type {
    OPTION_FLAG,     /* bool */
    OPTION_STR,      /* const char * */
    OPTION_INT,      /* long long */
    OPTION_DURATION, /* uint64_t ns: 15m, 24h, 30d, 2w; a bare number: s */
    OPTION_LIST,     /* struct option_list: given again, or with commas */
};

enum { OPTION_LIST_MAX = 256 };

/* Words of the command line, cut at commas. */
struct option_list {
    const char *item[OPTION_LIST_MAX];
    size_t len;
};

struct option_spec {
    const char *name; /* without the dashes */
    enum option_type type;
    void *out;         /* of the type above; holds the default */
    const char *value; /* what the help calls the value: "DIR" */
    const char *help;
};

struct command {
    const char *name;
    const char *usage;   /* "ingest [options] FILE..." */
    const char *summary; /* one line, for `spangraph --help`; NULL: not shown */
    int (*run)(const struct command *self, int argc, char **argv);
};

/*
 * options_parse reads argv[1..argc) into |specs| and leaves the other words in
 * argv[1..*argc).  It prints what is wrong, or the help.
 *
 * ERR_INVALID    exit with EXIT_USAGE
 * ERR_CANCELLED  the help was asked for; exit with EXIT_CLEAN
 */
enum err
options_parse(const struct command *command, const struct option_spec *specs,
              size_t len, int *argc, char **argv);

/*
 * options_describe has |command| print its options, and --help, as |how| wants
 * them: each command knows its own, so it is run with one word that
 * options_parse takes for this and then has it end.
 */
enum options_style {
    OPTIONS_WORDS,
    OPTIONS_FILES,
    OPTIONS_VALUES,
    OPTIONS_ZSH,
    OPTIONS_FISH,
    OPTIONS_ROFF,
    OPTIONS_STYLE_COUNT
};
void options_describe(const struct command *command, enum options_style how);

/* options_is_asked tells the word; for options_parse. */
bool options_is_asked(const char *word, enum options_style *how);
/* options_print prints |specs| so. */
void
options_print(const struct command *command, const struct option_spec *specs,
              size_t len, enum options_style how);

/* options_print_roff prints a paragraph of a manual page, in lines of at most
 * 78 bytes where it has spaces. */
void options_print_roff(const char *text);

/* One function a subcommand, in cmd/<name>.c, with '-' as '_'. */
int cmd_serve(const struct command *self, int argc, char **argv);
int cmd_mcp(const struct command *self, int argc, char **argv);
int cmd_ingest(const struct command *self, int argc, char **argv);
int cmd_edges(const struct command *self, int argc, char **argv);
int cmd_dead_routes(const struct command *self, int argc, char **argv);
int cmd_export(const struct command *self, int argc, char **argv);
int cmd_stats(const struct command *self, int argc, char **argv);
int cmd_explain(const struct command *self, int argc, char **argv);
int cmd_call(const struct command *self, int argc, char **argv);
int cmd_import_routes(const struct command *self, int argc, char **argv);
int cmd_openapi_diff(const struct command *self, int argc, char **argv);
int cmd_check_config(const struct command *self, int argc, char **argv);
int cmd_index(const struct command *self, int argc, char **argv);
int cmd_import_scip(const struct command *self, int argc, char **argv);
int cmd_index_worker(const struct command *self, int argc, char **argv);
int cmd_routes(const struct command *self, int argc, char **argv);
int cmd_calls(const struct command *self, int argc, char **argv);
int cmd_callers(const struct command *self, int argc, char **argv);
int cmd_callees(const struct command *self, int argc, char **argv);
int cmd_path(const struct command *self, int argc, char **argv);
int cmd_query(const struct command *self, int argc, char **argv);
int cmd_diff(const struct command *self, int argc, char **argv);
int cmd_status(const struct command *self, int argc, char **argv);
int cmd_top(const struct command *self, int argc, char **argv);
int cmd_doctor(const struct command *self, int argc, char **argv);
int cmd_backup(const struct command *self, int argc, char **argv);
int cmd_restore(const struct command *self, int argc, char **argv);
int cmd_completion(const struct command *self, int argc, char **argv);
int cmd_man(const struct command *self, int argc, char **argv);
int cmd_version(const struct command *self, int argc, char **argv);

#endif
