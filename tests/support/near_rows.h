/*
 * near_rows - what a tool answers about the shop of near_shop, as a row of a
 * checklist: a call, a JSON pointer into the reply, and what stands there.
 *
 * Threads    None.
 */
#ifndef TESTS_SUPPORT_NEAR_ROWS_H
#define TESTS_SUPPORT_NEAR_ROWS_H

/* |want|: JSON the pointer must show; "~text": an error that holds it; "#n": an
 * array of n; "?": it is there; "-": it is not.  $0, $1, $2 in |args| and
 * |want| are the ids of the tasks. */
struct near_row {
    const char *id;
    const char *tool;
    const char *args;
    const char *pointer;
    const char *want;
};

/* near_row_run makes the call, and fails the test if |row| does not hold. */
void near_row_run(const struct near_row *row);

#endif
