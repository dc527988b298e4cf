/*
 * digits - how exactly an estimate is told.
 *
 * Latencies are known within 2 %, and what sampling may have hidden is a bound.
 * Whoever tells them, whether a tool, the command line or the page, tells three
 * significant digits, so that one question has one answer.
 *
 * Threads    Any thread; a pure function.
 */
#ifndef BASE_DIGITS_H
#define BASE_DIGITS_H

#include <stdio.h>
#include <stdlib.h>

/* digits_three is |value| to three significant digits: 19.953 is 20. */
static inline double
digits_three(double value)
{
    char text[32];

    (void)snprintf(text, sizeof(text), "%.3g", value);
    return strtod(text, NULL);
}

#endif
