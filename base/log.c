/*
 * A line is built on the stack and written by one write(2), so lines of
 * several threads do not mix.  The rate limit is a small table keyed by the
 * address of the constant message: as many slots as the program will ever have
 * messages, so that a flood of one silences no other.  Should they run out, the
 * last is shared, which errs towards silence.
 */
#include "base/log.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"

enum { LINE_CAP = 2048, FIELD_CAP = 1024, SLOTS = 256 };

struct slot {
    const char *msg;
    uint64_t at_s; /* of the last line, written or not */
    unsigned allowance;
    unsigned held_back;
};

static struct log_cfg log_cfg;
static _Atomic(enum log_level) least = LOG_INFO;
static struct slot slots[SLOTS];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static const char *const level_names[] = {"debug", "info", "warn", "error"};

void
log_configure(struct log_cfg cfg)
{
    log_cfg = cfg;
    log_set_level(cfg.level);
}

void
log_set_level(enum log_level level)
{
    atomic_store_explicit(&least, level, memory_order_relaxed);
}

/* The slot of |msg|, a new one if it had none; under the lock. */
static struct slot *
slot_of(const char *msg, uint64_t now_s)
{
    size_t at = ((uintptr_t)msg >> 4) % SLOTS;
    size_t tried = 1;

    while (slots[at].msg && slots[at].msg != msg && tried++ < SLOTS)
        at = (at + 1) % SLOTS;
    if (!slots[at].msg)
        slots[at] =
            (struct slot){.msg = msg, .at_s = now_s, .allowance = LOG_BURST};
    return &slots[at];
}

/* Takes one line from the allowance of |msg|; false when it is used up. */
static bool
take_allowance(const char *msg, uint64_t now_s, unsigned *held_back)
{
    pthread_mutex_lock(&lock);
    struct slot *slot = slot_of(msg, now_s);
    uint64_t gone_s = now_s > slot->at_s ? now_s - slot->at_s : 0;
    uint64_t more = slot->allowance + gone_s * LOG_A_SECOND;

    slot->at_s = now_s;
    slot->allowance = more < LOG_BURST ? (unsigned)more : LOG_BURST;
    bool ok = slot->allowance > 0;
    if (ok) {
        slot->allowance--;
        *held_back = slot->held_back;
        slot->held_back = 0;
    } else {
        slot->held_back++;
    }
    pthread_mutex_unlock(&lock);
    return ok;
}

/* Appends |text| quoted; control characters and quotes are escaped. */
static size_t
add_quoted(char *line, size_t len, const char *text)
{
    static const char hex[] = "0123456789abcdef";

    line[len++] = '"';
    for (; *text && len < LINE_CAP - 64; text++) {
        unsigned char byte = (unsigned char)*text;
        if (byte < 0x20 || byte == 0x7f) {
            line[len++] = '\\';
            line[len++] = 'u';
            line[len++] = '0';
            line[len++] = '0';
            line[len++] = hex[byte >> 4];
            line[len++] = hex[byte & 15];
            continue;
        }
        if (byte == '"' || byte == '\\')
            line[len++] = '\\';
        line[len++] = (char)byte;
    }
    line[len++] = '"';
    return len;
}

static size_t
add_head(char *line, enum log_level level, uint64_t now_ns)
{
    time_t now_s = (time_t)(now_ns / NS_PER_S);
    struct tm utc;
    char when[32];

    (void)gmtime_r(&now_s, &utc);
    (void)strftime(when, sizeof(when), "%Y-%m-%dT%H:%M:%S", &utc);
    return (size_t)snprintf(
        line, LINE_CAP,
        log_cfg.json ? "{\"time\":\"%s.%03uZ\",\"level\":\"%s\",\"msg\":"
                     : "time=%s.%03uZ level=%s msg=",
        when, (unsigned)(now_ns / NS_PER_MS % 1000), level_names[level]);
}

static size_t
add_field(char *line, size_t len, const char *key, const char *value)
{
    len += (size_t)snprintf(line + len, LINE_CAP - len,
                            log_cfg.json ? ",\"%s\":" : " %s=", key);
    return add_quoted(line, len, value);
}

/* Writes the line of which |len| bytes are there. */
static void
write_line(char *line, size_t len, unsigned held_back)
{
    char count[16];

    if (held_back) {
        (void)snprintf(count, sizeof(count), "%u", held_back);
        len = add_field(line, len, "held_back", count);
    }
    if (log_cfg.json)
        line[len++] = '}';
    line[len++] = '\n';
    if (write(STDERR_FILENO, line, len) < 0)
        return; /* nowhere left to complain */
}

bool
log_is_due(_Atomic uint64_t *last_ns)
{
    uint64_t last = atomic_load(last_ns);
    uint64_t now = clock_mono_ns();

    return (last == 0 || now - last >= 60 * NS_PER_S) &&
           atomic_compare_exchange_strong(last_ns, &last, now);
}

void
log_flush(void)
{
    uint64_t now_ns = clock_wall_ns();
    char line[LINE_CAP];

    for (size_t i = 0; i < SLOTS; i++) {
        pthread_mutex_lock(&lock);
        unsigned held_back = slots[i].held_back;
        const char *msg = slots[i].msg;
        slots[i].held_back = 0;
        pthread_mutex_unlock(&lock);
        if (held_back == 0)
            continue;
        size_t len = add_head(line, LOG_INFO, now_ns);
        write_line(line, add_quoted(line, len, msg), held_back);
    }
}

void
log_write(enum log_level level, const char *msg, const char *key,
          const char *format, ...)
{
    char line[LINE_CAP];
    char value[FIELD_CAP];
    unsigned held_back = 0;
    uint64_t now_ns = clock_wall_ns();

    if (level < atomic_load_explicit(&least, memory_order_relaxed) ||
        !take_allowance(msg, now_ns / NS_PER_S, &held_back))
        return;

    size_t len = add_head(line, level, now_ns);
    len = add_quoted(line, len, msg);
    if (key) {
        va_list args;
        va_start(args, format);
        (void)vsnprintf(value, sizeof(value), format, args);
        va_end(args);
        len = add_field(line, len, key, value);
    }
    write_line(line, len, held_back);
}
