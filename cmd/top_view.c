/*
 * Rows are copied before they are sorted and summed, so that a sample can be
 * shown in another order without asking anew.  Lines are cut by characters; the
 * names in them hold nothing that moves a cursor (cmd/top_sample.c).
 */
#include "cmd/top_view.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>

enum { HEAD_LINES = 3, FOOT_LINES = 1, LINE_CAP = 2048, BACKSPACE = 127 };

static const char *const sort_names[TOP_SORTS] = {"rate", "errors", "p95",
                                                  "last", "name"};

bool
top_sort_of(const char *word, enum top_sort *out)
{
    for (int i = 0; i < TOP_SORTS; i++) {
        if (strcmp(word, sort_names[i]) == 0) {
            *out = (enum top_sort)i;
            return true;
        }
    }
    return false;
}

/* ---- keys ---- */

static void
type_key(struct top_view *view, const char *bytes, size_t len)
{
    size_t have = strlen(view->filter);
    char byte = bytes[0];

    if (byte == '\r' || byte == '\n') {
        view->is_typing = false;
    } else if (byte == '\033') {
        view->is_typing = false;
        view->filter[0] = '\0';
    } else if (byte == BACKSPACE || byte == '\b') {
        while (have && (view->filter[have - 1] & 0xc0) == 0x80)
            have--;
        view->filter[have ? have - 1 : 0] = '\0';
    } else if ((unsigned char)byte >= ' ' && have + len < TOP_FILTER_CAP) {
        memcpy(view->filter + have, bytes, len);
        view->filter[have + len] = '\0';
    }
    view->first = 0;
}

static bool
is_key(const char *bytes, size_t len, const char *key)
{
    return len == strlen(key) && memcmp(bytes, key, len) == 0;
}

static void
scroll(struct top_view *view, const char *bytes, size_t len, size_t page_rows)
{
    size_t up = is_key(bytes, len, "\033[A") || is_key(bytes, len, "k") ? 1
                : is_key(bytes, len, "\033[5~") ? page_rows
                                                : 0;
    size_t down = is_key(bytes, len, "\033[B") || is_key(bytes, len, "j") ? 1
                  : is_key(bytes, len, "\033[6~") ? page_rows
                                                  : 0;

    view->first = view->first > up ? view->first - up : 0;
    view->first += down; /* cut to the rows there are when printing */
}

enum top_wish
top_view_key(struct top_view *view, const char *bytes, size_t len,
             size_t page_rows)
{
    static const char sort_keys[TOP_SORTS + 1] = "repln";
    const char *sort;

    if (len == 0)
        return TOP_STAY;
    if (view->is_typing) {
        type_key(view, bytes, len);
        return TOP_STAY;
    }
    view->is_helping = false;
    if (len > 1) {
        scroll(view, bytes, len, page_rows);
        return TOP_STAY;
    }
    sort = memchr(sort_keys, bytes[0], TOP_SORTS);
    if (sort) {
        view->sort = (enum top_sort)(sort - sort_keys);
        view->is_reversed = false;
        view->first = 0;
        return TOP_STAY;
    }
    switch (bytes[0]) {
    case 'q':
    case 'Q':
        return TOP_QUIT;
    case ' ':
        return TOP_REFRESH;
    case 'R':
        view->is_reversed = !view->is_reversed;
        break;
    case 'v':
    case '\t':
        view->by_service = !view->by_service;
        view->first = 0;
        break;
    case '/':
        view->is_typing = true;
        break;
    case '\033':
        view->filter[0] = '\0';
        break;
    case 'h':
    case '?':
        view->is_helping = true;
        break;
    default:
        scroll(view, bytes, len, page_rows);
    }
    return TOP_STAY;
}

/* ---- which rows, in which order ---- */

struct list {
    struct top_row *rows;
    size_t len;
};

/* Unknown and some: some. */
static double
add_known(double a, double b)
{
    return a < 0 ? b : b < 0 ? a : a + b;
}

static double
larger(double a, double b)
{
    return a > b ? a : b;
}

/* What came to each callee, whoever called: sums, and the worst p95.  A message
 * counts where it is published and where it is taken, not a third time. */
static void
fold_by_target(struct list *list)
{
    size_t len = 0;

    for (size_t i = 0; i < list->len; i++) {
        const struct top_row row = list->rows[i];
        size_t at = 0;

        if (strcmp(row.kind, "msg") == 0)
            continue;
        while (at < len && strcmp(list->rows[at].target, row.target) != 0)
            at++;
        struct top_row *to = &list->rows[at];
        if (at == len) {
            *to = row;
            to->source = NULL;
            len++;
            continue;
        }
        if (strcmp(to->kind, row.kind) != 0)
            (void)snprintf(to->kind, sizeof(to->kind), "several");
        to->count += row.count;
        to->errors += row.errors;
        to->rate = add_known(to->rate, row.rate);
        to->error_rate = add_known(to->error_rate, row.error_rate);
        to->p95_ms = larger(to->p95_ms, row.p95_ms);
        to->last_s = larger(to->last_s, row.last_s);
    }
    list->len = len;
}

static bool
fits(const struct top_row *row, const char *filter)
{
    return !*filter || strcasestr(row->target, filter) ||
           strcasestr(row->kind, filter) ||
           (row->source && strcasestr(row->source, filter));
}

struct order {
    enum top_sort sort;
    bool is_reversed;
};

static int
compare_numbers(double a, double b)
{
    return (a < b) - (a > b);
}

static int
compare_names(const struct top_row *x, const struct top_row *y)
{
    int order = strcmp(x->source ? x->source : "", y->source ? y->source : "");

    if (order == 0)
        order = strcmp(x->target, y->target);
    return order ? order : strcmp(x->kind, y->kind);
}

static int
compare(const void *a, const void *b, void *ctx)
{
    const struct top_row *x = a;
    const struct top_row *y = b;
    const struct order *by = ctx;
    int order = 0;

    switch (by->sort) {
    case TOP_BY_RATE:
        order = compare_numbers(x->rate, y->rate);
        break;
    case TOP_BY_ERRORS:
        order = compare_numbers(x->error_rate, y->error_rate);
        if (order == 0)
            order = compare_numbers(x->errors, y->errors);
        break;
    case TOP_BY_P95:
        order = compare_numbers(x->p95_ms, y->p95_ms);
        break;
    case TOP_BY_LAST:
        order = compare_numbers(x->last_s, y->last_s);
        break;
    case TOP_BY_NAME:
    case TOP_SORTS:
        break;
    }
    if (order == 0 && by->sort == TOP_BY_RATE)
        order = compare_numbers(x->count, y->count);
    if (order == 0)
        order = compare_names(x, y);
    return by->is_reversed ? -order : order;
}

/* The rows point to the names of |sample|. */
static enum err
make_list(const struct top_view *view, const struct top_sample *sample,
          struct list *out)
{
    struct order by = {view->sort, view->is_reversed};

    out->len = 0;
    out->rows = calloc(sample->len + 1, sizeof(*out->rows));
    if (!out->rows)
        return ERR_NOMEM;
    if (sample->len)
        memcpy(out->rows, sample->rows, sample->len * sizeof(*out->rows));
    out->len = sample->len;
    if (view->by_service)
        fold_by_target(out);
    size_t kept = 0;
    for (size_t i = 0; i < out->len; i++) {
        if (fits(&out->rows[i], view->filter))
            out->rows[kept++] = out->rows[i];
    }
    out->len = kept;
    qsort_r(out->rows, kept, sizeof(*out->rows), compare, &by);
    return OK;
}

/* ---- lines ---- */

/* Ends the line that began at |from|, cut to the page's width. */
static void
end_line(struct buf *out, size_t from, const struct top_page *page)
{
    size_t width = 0;
    size_t at = from;

    while (!out->failed && at < out->len) {
        if (((unsigned char)out->ptr[at] & 0xc0) != 0x80 && page->columns &&
            width++ == page->columns)
            break;
        at++;
    }
    if (!out->failed)
        out->len = at;
    buf_add(out, str_of(page->eol));
}

static const char *
print_number(double value, char text[16])
{
    static const char units[] = {'k', 'M', 'G', 'T'};
    int unit = -1;

    if (value < 0)
        return "-";
    while (value >= 99999.5 && unit < 3) {
        value /= 1000;
        unit++;
    }
    (void)snprintf(text, 16,
                   value < 99.95 && value != (double)(int64_t)value ? "%.1f"
                                                                    : "%.0f",
                   value);
    if (unit >= 0)
        (void)snprintf(text + strlen(text), 16 - strlen(text), "%c",
                       units[unit]);
    return text;
}

static const char *
print_duration(double ms, char text[16])
{
    if (ms < 0)
        return "-";
    (void)snprintf(text, 16,
                   ms < 1        ? "%.0fus"
                   : ms < 9.95   ? "%.1fms"
                   : ms < 9999.5 ? "%.0fms"
                                 : "%.0fs",
                   ms < 1        ? ms * 1000
                   : ms < 9999.5 ? ms
                                 : ms / 1000);
    return text;
}

static const char *
print_age(double last_s, uint32_t now_s, char text[16])
{
    double age_s = now_s - last_s;

    if (last_s <= 0)
        return "-";
    if (age_s < 0)
        age_s = 0;
    (void)snprintf(text, 16,
                   age_s < 100      ? "%.0fs"
                   : age_s < 6000   ? "%.0fm"
                   : age_s < 172800 ? "%.0fh"
                                    : "%.0fd",
                   age_s < 100      ? age_s
                   : age_s < 6000   ? age_s / 60
                   : age_s < 172800 ? age_s / 3600
                                    : age_s / 86400);
    return text;
}

static void
print_totals(const struct top_sample *sample, struct buf *out)
{
    static const char *const names[TOP_TOTALS] = {"spans",  "refused", "held",
                                                  "queued", "edges",   "store"};
    char text[16];

    for (size_t i = 0; i < TOP_TOTALS; i++) {
        if (sample->total[i] < 0)
            continue;
        buf_printf(out, "%s%s ", i ? "  " : "", names[i]);
        if (i == TOP_BYTES)
            buf_printf(out, "%.1fMiB", sample->total[i] / (1 << 20));
        else
            buf_add(out, str_of(print_number(sample->total[i], text)));
        if (i == TOP_SPANS || i == TOP_REFUSED)
            buf_printf(out, " (%s/s)",
                       print_number(sample->total_rate[i], text));
    }
}

static void
print_head(const struct top_view *view, const struct top_sample *sample,
           const struct top_page *page, struct buf *out)
{
    time_t now = sample->now_s;
    char text[16] = "";
    struct tm tm;
    size_t from = out->len;

    if (gmtime_r(&now, &tm))
        (void)strftime(text, sizeof(text), "%H:%M:%SZ", &tm);
    buf_printf(out, "spangraph top  %s  %s", view->where, text);
    end_line(out, from, page);
    from = out->len;
    if (view->error)
        buf_printf(out, "no answer: %s", view->error);
    else
        print_totals(sample, out);
    end_line(out, from, page);
    buf_add(out, page->has_colour ? STR("\033[1m") : STR(""));
    from = out->len;
    buf_printf(out, "%8s %8s %6s %7s %5s %-11s %s", "CALLS/S", "CALLS", "ERR%",
               view->by_service ? "MAX P95" : "P95", "SEEN", "KIND",
               view->by_service ? "CALLED" : "EDGE");
    end_line(out, from, page);
    buf_add(out, page->has_colour ? STR("\033[0m") : STR(""));
}

static void
print_row(const struct top_row *row, uint32_t now_s,
          const struct top_page *page, struct buf *out)
{
    char rate[16];
    char count[16];
    char p95[16];
    char age[16];
    char share[16] = "-";
    size_t from = out->len;

    if (row->count > 0)
        (void)snprintf(share, sizeof(share), "%.1f",
                       100 * row->errors / row->count);
    buf_printf(out, "%8s %8s %6s %7s %5s %-11s %s%s%s",
               print_number(row->rate, rate), print_number(row->count, count),
               share, print_duration(row->p95_ms, p95),
               print_age(row->last_s, now_s, age), row->kind,
               row->source ? row->source : "", row->source ? " -> " : "",
               row->target);
    end_line(out, from, page);
}

static void
print_foot(const struct top_view *view, const struct list *list,
           const struct top_page *page, struct buf *out)
{
    size_t from = out->len;

    if (view->is_typing)
        buf_printf(out, "filter: %s_", view->filter);
    else if (view->is_helping)
        buf_add(out,
                STR("sort r e p l n  R reverse  v view  / filter  esc all  "
                    "j k scroll  space now"));
    else
        buf_printf(out,
                   "%zu %s by %s%s%s%s  q quit  r e p l n sort  v view  / "
                   "filter  h help",
                   list->len, view->by_service ? "called" : "edges",
                   sort_names[view->sort],
                   view->is_reversed ? ", reversed" : "",
                   *view->filter ? ", with " : "", view->filter);
    end_line(out, from, page);
    /* The last line of a screen is not ended: it would scroll. */
    if (!out->failed)
        out->len -= strlen(page->eol);
}

size_t
top_view_rows(const struct top_page *page)
{
    size_t lines = HEAD_LINES + (page->has_keys ? FOOT_LINES : 0);

    if (page->rows == 0)
        return SIZE_MAX;
    return page->rows > lines ? page->rows - lines : 0;
}

enum err
top_view_print(struct top_view *view, const struct top_sample *sample,
               const struct top_page *page, struct buf *out)
{
    size_t room = top_view_rows(page);
    struct list list;
    enum err err = make_list(view, sample, &list);

    if (err)
        return err;
    if (view->first >= list.len || room == SIZE_MAX)
        view->first = list.len && room != SIZE_MAX ? list.len - 1 : 0;
    print_head(view, sample, page, out);
    size_t shown = 0;
    for (; shown < room && view->first + shown < list.len; shown++)
        print_row(&list.rows[view->first + shown], sample->now_s, page, out);
    for (; page->has_keys && shown < room; shown++)
        buf_add(out, str_of(page->eol));
    if (page->has_keys)
        print_foot(view, &list, page, out);
    free(list.rows);
    return out->failed ? ERR_NOMEM : OK;
}
