/*
 * log - one line an event, to standard error.
 *
 * logfmt by default (`time=... level=info msg="listening" addr=...`), JSON on
 * request.  A message is a constant; what varies goes into fields, which are
 * escaped.  What a peer can cause must not fill a disk: the same message is
 * written LOG_BURST times, then LOG_A_SECOND a second; what was held back is
 * counted and said with its next line, as held_back, or by log_flush.
 *
 *     log_info("listening", "addr", "%s:%u", host, port);
 *
 * Threads    Any thread; lines never mix.
 */
#ifndef BASE_LOG_H
#define BASE_LOG_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

enum log_level { LOG_DEBUG, LOG_INFO, LOG_WARN, LOG_ERROR };

enum { LOG_BURST = 20, LOG_A_SECOND = 1 };

struct log_cfg {
    enum log_level level;
    bool json;
};

/* log_configure replaces the defaults (info, logfmt).  Call it before other
 * threads start. */
void log_configure(struct log_cfg cfg);

/* log_set_level changes the level alone.  Any thread. */
void log_set_level(enum log_level level);

/*
 * log_write writes |msg|, a constant, and one field |key| whose value is
 * printed by |format|.  |key| may be NULL: no field.
 */
void log_write(enum log_level level, const char *msg, const char *key,
               const char *format, ...) __attribute__((format(printf, 4, 5)));

/* log_is_due: true, and then not for a minute, for all who keep |last_ns|,
 * which begins at 0.  For what a peer does wrong again and again. */
bool log_is_due(_Atomic uint64_t *last_ns);

/* log_flush says what was held back and not said yet. */
void log_flush(void);

#define log_debug(...) log_write(LOG_DEBUG, __VA_ARGS__)
#define log_info(...)  log_write(LOG_INFO, __VA_ARGS__)
#define log_warn(...)  log_write(LOG_WARN, __VA_ARGS__)
#define log_error(...) log_write(LOG_ERROR, __VA_ARGS__)

#endif
