/*
 * ask - what the subcommands that read a store share: opening it, saying what
 * is wrong, printing JSON or an aligned table.
 *
 * Threads    The main thread.
 */
#ifndef CMD_ASK_H
#define CMD_ASK_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include <cjson/cJSON.h>

#include "base/ids.h"
#include "cmd/options.h"
#include "graph/query.h"

struct ask {
    const char *data;   /* directory */
    const char *config; /* file; NULL: as if there were none; of `call` */
    bool json;
    long long now_s; /* 0: the clock's */
    struct query *query;
    struct query_view *view;
};

/* The options every such command has; put them first in its table. */
#define ASK_OPTIONS(ask)                                                \
    {"data", OPTION_STR, &(ask).data, "DIR", "directory of the store"}, \
        {"json", OPTION_FLAG, &(ask).json, NULL, "print JSON"},         \
    {                                                                   \
        "now", OPTION_INT, &(ask).now_s, "SECONDS",                     \
            "answer as of this Unix time"                               \
    }

#define ASK_DEFAULT ((struct ask){.data = "./data"})

/* ask_open opens the store and a view.  EXIT_CLEAN, or after saying why on
 * standard error EXIT_CANNOT_RUN. */
int ask_open(struct ask *ask);
void ask_close(struct ask *ask);

/* ask_fail says that the store could not be read; EXIT_CANNOT_RUN. */
int ask_fail(enum err err);

/* ask_services finds the services fitting |name|; EXIT_USAGE, after naming the
 * nearest, if there are none. */
int ask_services(struct ask *ask, const char *name, uint32_t kinds,
                 struct ids *out);

/* ask_read_file appends |file| (`-`: standard input) up to more than |max|
 * bytes, by which whoever reads them knows that they are too many.  ERR_IO,
 * said on standard error for |command|; ERR_NOMEM. */
enum err ask_read_file(const char *command, const char *file, size_t max,
                       struct buf *out);

/* ask_print prints all of |out|; EXIT_CANNOT_RUN if it cannot, or |out| has
 * failed. */
int ask_print(const struct buf *out);

/* ask_print_json prints and frees |json|; EXIT_CANNOT_RUN if it cannot. */
int ask_print_json(cJSON *json);

/* ask_add_str adds a text, ask_add_time an instant or null for 0. */
void ask_add_str(cJSON *object, const char *name, str value);
void ask_add_time(cJSON *object, const char *name, uint32_t at_s);

/* A table is printed once all its cells are known, so that columns align. */
struct table;
struct table *table_new(const char *const *heads, size_t columns);
void table_add(struct table *table, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* table_add_time adds an instant in UTC, or "never" for 0. */
void table_add_time(struct table *table, uint32_t at_s);
/* table_print prints and frees it. */
void table_print(struct table *table, FILE *out);

#endif
