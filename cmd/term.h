/*
 * term - the terminal as a screen: no line is edited, nothing scrolls, and it
 * is as it was afterwards.
 *
 *     term_open(&term);           raw keys, second screen, signals as events
 *     term_wait(&term, ms, ...)   a key, another size, the end
 *     term_draw(frame)            all of a screen, in one write
 *     term_close(&term);
 *
 * Signals that end a process are taken as events, so that it ends in its own
 * way; Ctrl-Z gives the terminal back until the process goes on.
 *
 * Threads    The main thread; those started after term_open have the signals
 *            blocked, as they must.
 */
#ifndef CMD_TERM_H
#define CMD_TERM_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <termios.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/str.h"

enum { TERM_ROWS = 24, TERM_COLUMNS = 80, TERM_KEY_CAP = 64 };

struct term {
    struct termios before;
    sigset_t signals_before;
    int signals; /* signalfd */
    size_t rows;
    size_t columns;
    bool is_open;
};

/* term_is_there: standard input and output are a terminal that knows escapes.
 */
bool term_is_there(void);

/* term_open: ERR_IO. */
enum err term_open(struct term *term);
void term_close(struct term *term);

enum term_event {
    TERM_TIMEOUT,
    TERM_KEYS,    /* bytes are in |keys| */
    TERM_RESIZED, /* also after Ctrl-Z: draw all anew */
    TERM_READY,   /* |fd| can be read */
    TERM_END,     /* a signal, or the terminal is gone */
};

/* term_wait waits |timeout_ms| at most; |fd| may be -1.  |keys| has room for
 * TERM_KEY_CAP bytes. */
enum term_event
term_wait(struct term *term, int timeout_ms, int fd, char *keys, size_t *len);

/* term_key_len is the length of the first key among |len| bytes: an escape
 * sequence, a character, a byte. */
size_t term_key_len(const char *keys, size_t len);

/* term_draw writes |frame|, the lines of which end in TERM_EOL. */
#define TERM_EOL "\033[K\r\n"
void term_draw(str frame);

#endif
