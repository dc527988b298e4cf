/*
 * top_view - a sample as lines: what is shown, in which order, how wide.
 *
 * Knows nothing of terminals but two escapes, bold and plain; where the lines
 * go is up to the caller.
 *
 * Threads    None.
 */
#ifndef CMD_TOP_VIEW_H
#define CMD_TOP_VIEW_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "cmd/top_sample.h"

enum top_sort {
    TOP_BY_RATE,
    TOP_BY_ERRORS,
    TOP_BY_P95,
    TOP_BY_LAST,
    TOP_BY_NAME,
    TOP_SORTS
};

/* top_sort_of reads "rate", "errors", "p95", "last" or "name". */
bool top_sort_of(const char *word, enum top_sort *out);

enum { TOP_FILTER_CAP = 64, TOP_KEY_CAP = 8 };

struct top_view {
    enum top_sort sort;
    bool is_reversed;
    bool by_service; /* sums by who is called, else edges */
    char filter[TOP_FILTER_CAP];
    bool is_typing; /* the filter */
    bool is_helping;
    size_t first;      /* row at the top */
    const char *where; /* what is watched */
    const char *error; /* of the last attempt; NULL: none */
};

/* What a key asks for. */
enum top_wish { TOP_STAY, TOP_REFRESH, TOP_QUIT };

/* top_view_key takes the bytes of one key, as a terminal sends it. */
enum top_wish top_view_key(struct top_view *view, const char *bytes, size_t len,
                           size_t page_rows);

/* How large a page is; 0 rows or columns: as many as there are. */
struct top_page {
    size_t rows;
    size_t columns;
    bool has_keys; /* tell of them */
    bool has_colour;
    const char *eol; /* "\n", or what ends a line on a screen */
};

/* top_view_print appends |sample|; ERR_NOMEM. */
enum err top_view_print(struct top_view *view, const struct top_sample *sample,
                        const struct top_page *page, struct buf *out);

/* top_view_rows is how many rows of the table fit on a page. */
size_t top_view_rows(const struct top_page *page);

#endif
