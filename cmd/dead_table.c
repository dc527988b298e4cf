#include "cmd/dead_table.h"

void
dead_table_begin(struct dead_table *table)
{
    const char *heads[10] = {"SERVICE",   "ROUTE",    "VERDICT", "CONFIDENCE",
                             "LAST CALL", "COVERAGE", "REASONS"};
    size_t len = 7;

    if (table->with_gate)
        heads[len++] = "GATE";
    if (table->with_code) {
        heads[len++] = "HANDLER";
        heads[len++] = "WHERE";
    }
    table->table = table_new(heads, len);
}

static void
add_text(struct dead_table *table, str text)
{
    table_add(table->table, "%.*s", (int)text.len, text.len ? text.ptr : "");
}

static void
add_two(struct dead_table *table, str first, const char *between, str second)
{
    table_add(table->table, "%.*s%s%.*s", (int)first.len,
              first.len ? first.ptr : "",
              first.len && second.len ? between : "", (int)second.len,
              second.len ? second.ptr : "");
}

void
dead_table_add(struct dead_table *table, const struct dead_row *row)
{
    add_two(table, row->service, " @", row->env);
    add_two(table, row->method, " ", row->route);
    add_text(table, row->verdict);
    add_text(table, row->confidence);
    table_add_time(table->table, row->last_s);
    table_add(table->table, "%.0f %%", 100 * row->coverage);
    add_text(table, row->reasons);
    if (table->with_gate)
        add_text(table, row->gate);
    if (!table->with_code)
        return;
    add_text(table, row->handler);
    add_text(table, row->where);
}

int
dead_table_end(struct dead_table *table)
{
    table_print(table->table, stdout);
    if (fflush(stdout) == 0 && !ferror(stdout))
        return EXIT_CLEAN;
    fprintf(stderr, "spangraph: cannot print the answer\n");
    return EXIT_CANNOT_RUN;
}
