/*
 * config_keys - the table of what can be configured: name, type, default,
 * meaning.
 *
 * What is read, printed and written in docs/configuration.md comes of it.
 *
 * Threads    Any; it does not change.
 */
#ifndef CMD_CONFIG_KEYS_H
#define CMD_CONFIG_KEYS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "cmd/config.h"

enum { CONFIG_QUOTED_MAX = 256 }; /* bytes of a file that a complaint has */

enum config_type {
    CONFIG_BOOL,
    CONFIG_UINT,
    CONFIG_BYTES,    /* 64MiB, 512KiB, or bytes */
    CONFIG_DURATION, /* 15m */
    CONFIG_STR,
    CONFIG_FILE,    /* a path; what it holds is read again on SIGHUP */
    CONFIG_CHOICE,  /* one of |choices| */
    CONFIG_LIST,    /* of strings */
    CONFIG_HEADERS, /* of "Name: value"; a mapping of names to values, too */
};

struct config_key {
    const char *path; /* "receivers.otlp.protocols.grpc.endpoint" */
    enum config_type type;
    size_t offset;        /* in struct config */
    const char *fallback; /* the default, as it would be written */
    const char *choices;  /* "commit os memory" */
    const char *help;
    uint64_t least; /* of numbers, sizes and durations (ns) */
    uint64_t most;
};

extern const struct config_key config_keys[];
extern const size_t config_key_len;

/* What the Collector calls a key, where that is not our name. */
struct config_alias {
    const char *path;
    const char *key;
    const char *unit; /* of a number there: "MiB", or "" */
};

extern const struct config_alias config_aliases[];
extern const size_t config_alias_len;

/* config_find is the row of |path|, by its own or the Collector's name, or
 * NULL. */
const struct config_key *config_find(const char *path);

/*
 * config_settle has endpoint and transport of each listener say the same: with
 * transport unix the endpoint gets its `unix:`, and with that the transport is
 * unix.  Once all of a file is read.
 *
 * ERR_INVALID  transport unix, and the endpoint is no path; |why| says which
 * ERR_NOMEM
 */
enum err config_settle(struct config *cfg, struct buf *why);

/* config_is_live: a running service takes over a new value of |key|. */
bool config_is_live(const struct config_key *key);

/* config_reference appends docs/configuration.md: every key, as Markdown. */
void config_reference(struct buf *out);

#endif
