/*
 * A view for one command, and the two ways to print.
 */
#include "cmd/ask.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/grow.h"
#include "graph/query_named.h"

enum { NEAREST = 3, WIDTH_MAX = 64 };

int
ask_open(struct ask *ask)
{
    const struct query_cfg cfg = {.readers = 1, .ages = confidence_cfg_default};
    uint32_t now_s = ask->now_s > 0 ? (uint32_t)ask->now_s
                                    : (uint32_t)(clock_wall_ns() / NS_PER_S);
    struct buf why = {0};
    enum err err = query_open(&ask->query, ask->data, &cfg, &why);

    if (err)
        fprintf(stderr, "spangraph: %s\n",
                why.len ? buf_cstr(&why) : err_str(err));
    buf_fini(&why);
    if (err)
        return EXIT_CANNOT_RUN;
    err = query_begin(ask->query, now_s, &ask->view);
    return err ? ask_fail(err) : EXIT_CLEAN;
}

void
ask_close(struct ask *ask)
{
    query_end(ask->view);
    query_close(ask->query);
}

int
ask_fail(enum err err)
{
    fprintf(stderr, "spangraph: the store cannot be read: %s%s\n", err_str(err),
            err == ERR_CORRUPT
                ? "; start `spangraph serve`, which sets a damaged store aside"
                : "");
    return EXIT_CANNOT_RUN;
}

static void
print_nearest(struct ask *ask, const char *name, uint32_t kinds)
{
    struct ids near = {0};
    enum err err =
        query_nearest(ask->view, kinds, str_of(name), NEAREST, &near);

    fprintf(stderr, "spangraph: '%s' was not seen", name);
    for (size_t i = 0; !err && i < near.len; i++) {
        str other = query_node(ask->view, near.ids[i])->name;

        fprintf(stderr, "%s%.*s", i ? ", " : "; closest: ", (int)other.len,
                other.ptr);
    }
    fprintf(stderr, "\n");
    ids_fini(&near);
}

int
ask_services(struct ask *ask, const char *name, uint32_t kinds, struct ids *out)
{
    const struct query_find find = {.kinds = kinds, .name = str_of(name)};
    enum err err = query_named(ask->view, &find, out);

    if (err)
        return ask_fail(err);
    if (out->len)
        return EXIT_CLEAN;
    print_nearest(ask, name, kinds);
    return EXIT_USAGE;
}

enum err
ask_read_file(const char *command, const char *file, size_t max,
              struct buf *out)
{
    enum { STEP = 1 << 16 };
    bool is_input = strcmp(file, "-") == 0;
    FILE *in = is_input ? stdin : fopen(file, "rb");
    size_t got = 0;

    if (!in) {
        fprintf(stderr, "spangraph %s: %s: %s\n", command, file,
                strerror(errno));
        return ERR_IO;
    }
    do {
        char *to = out->len <= max ? buf_grow(out, STEP) : NULL;
        got = to ? fread(to, 1, STEP, in) : 0;
        out->len += got;
    } while (got);
    bool failed = ferror(in) != 0;
    if (failed)
        fprintf(stderr, "spangraph %s: %s: %s\n", command, file,
                strerror(errno));
    if (!is_input)
        (void)fclose(in);
    if (failed)
        return ERR_IO;
    return out->failed ? ERR_NOMEM : OK;
}

int
ask_print(const struct buf *out)
{
    if (!out->failed && fwrite(out->ptr, 1, out->len, stdout) == out->len &&
        fflush(stdout) == 0)
        return EXIT_CLEAN;
    fprintf(stderr, "spangraph: cannot print the answer\n");
    return EXIT_CANNOT_RUN;
}

int
ask_print_json(cJSON *json)
{
    char *text = cJSON_Print(json);
    int rc = EXIT_CANNOT_RUN;

    if (text && printf("%s\n", text) > 0 && fflush(stdout) == 0)
        rc = EXIT_CLEAN;
    else
        fprintf(stderr, "spangraph: cannot print the answer\n");
    cJSON_free(text);
    cJSON_Delete(json);
    return rc;
}

void
ask_add_str(cJSON *object, const char *name, str value)
{
    struct buf text = {0};

    buf_add(&text, value);
    cJSON_AddStringToObject(object, name, buf_cstr(&text));
    buf_fini(&text);
}

void
ask_add_time(cJSON *object, const char *name, uint32_t at_s)
{
    if (at_s)
        cJSON_AddNumberToObject(object, name, at_s);
    else
        cJSON_AddNullToObject(object, name);
}

struct table {
    size_t columns;
    size_t len; /* cells, heads among them */
    size_t cap;
    char **cells;
    bool failed;
};

static void
add_cell(struct table *table, char *cell)
{
    if (!grow_room(table->cells, table->len, table->cap)) {
        table->failed = true;
        free(cell);
        return;
    }
    table->cells[table->len++] = cell;
}

struct table *
table_new(const char *const *heads, size_t columns)
{
    struct table *table = calloc(1, sizeof(*table));

    if (!table)
        return NULL;
    table->columns = columns;
    for (size_t i = 0; i < columns; i++)
        table_add(table, "%s", heads[i]);
    return table;
}

void
table_add(struct table *table, const char *format, ...)
{
    char *cell = NULL;
    va_list args;

    if (!table || table->failed)
        return;
    va_start(args, format);
    if (vasprintf(&cell, format, args) < 0)
        cell = NULL;
    va_end(args);
    if (cell)
        add_cell(table, cell);
    else
        table->failed = true;
}

void
table_add_time(struct table *table, uint32_t at_s)
{
    time_t at = at_s;
    char text[32] = "never";
    struct tm tm;

    if (at_s && gmtime_r(&at, &tm))
        strftime(text, sizeof(text), "%Y-%m-%d %H:%MZ", &tm);
    table_add(table, "%s", text);
}

static bool
has_colour(FILE *out)
{
    const char *no_color = getenv("NO_COLOR");

    return isatty(fileno(out)) && !(no_color && *no_color);
}

/* Columns are as wide as their widest cell, in characters, not bytes; one that
 * is wider than any should be pushes only its own row. */
static size_t
width_of(const char *cell)
{
    size_t width = 0;

    for (; *cell; cell++)
        width += ((unsigned char)*cell & 0xc0) != 0x80;
    return width;
}

static void
print_row(const struct table *table, size_t row, const size_t *widths,
          FILE *out)
{
    for (size_t c = 0; c < table->columns; c++) {
        const char *cell = table->cells[row * table->columns + c];

        size_t width = width_of(cell);
        size_t to = (width > widths[c] ? width : widths[c]) + 2;

        fputs(cell, out);
        for (; c + 1 < table->columns && width < to; width++)
            fputc(' ', out);
    }
}

void
table_print(struct table *table, FILE *out)
{
    size_t *widths = table ? calloc(table->columns, sizeof(*widths)) : NULL;
    bool colour = has_colour(out);

    if (!widths || table->failed) {
        fprintf(stderr, "spangraph: not enough memory to print\n");
    } else {
        for (size_t i = 0; i < table->len; i++) {
            size_t width = width_of(table->cells[i]);

            if (width > WIDTH_MAX)
                width = WIDTH_MAX;
            if (widths[i % table->columns] < width)
                widths[i % table->columns] = width;
        }
        for (size_t row = 0; row < table->len / table->columns; row++) {
            fputs(row == 0 && colour ? "\033[1m" : "", out);
            print_row(table, row, widths, out);
            fputs(row == 0 && colour ? "\033[0m\n" : "\n", out);
        }
    }
    for (size_t i = 0; table && i < table->len; i++)
        free(table->cells[i]);
    if (table)
        free(table->cells);
    free(table);
    free(widths);
}
