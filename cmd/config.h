/*
 * config - what the operator wants, from one YAML file.
 *
 * The file has the shape of the Collector's (`receivers.otlp.protocols...`), so
 * that settings move over.  Without a file everything has a default that works
 * on one machine: listen on localhost, keep data in ./data.  Values may hold
 * `${env:NAME}` or `${env:NAME:-default}`.  A key that is none is refused with
 * its line and the nearest key.
 *
 *     config_init(&cfg); config_load(&cfg, "spangraph.yaml", &why)
 *
 * Every key stands once: cmd/config_keys.h; its value: cmd/config_values.h.
 *
 * Memory     config_fini releases the strings.
 * Threads    None.
 */
#ifndef CMD_CONFIG_H
#define CMD_CONFIG_H

#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "cmd/config_values.h"

/* config_init sets the defaults.  ERR_NOMEM. */
enum err config_init(struct config *cfg);
void config_fini(struct config *cfg);

/*
 * config_load reads |file|, which is kept as a pointer, over what |cfg| holds.
 * |why| says where and what:
 * "spangraph.yaml:12: unknown key receivers.otlp.protocol; did you mean ..."
 *
 * ERR_INVALID  a key or value that is none
 * ERR_IO       the file cannot be read
 */
enum err config_load(struct config *cfg, const char *file, struct buf *why);

/* config_set sets one key from text, as the file would.  ERR_INVALID. */
enum err config_set(struct config *cfg, const char *path, const char *value,
                    struct buf *why);

/*
 * config_take makes the live keys of |cfg| those of |fresh|; |waiting| gets the
 * paths of the others that differ, which a restart would change, and of lists
 * that would lose their last entry.  ERR_NOMEM: not all were taken.  Nobody may
 * be reading a live key of |cfg|.
 */
enum err config_take(struct config *cfg, const struct config *fresh,
                     struct buf *waiting);

/* config_text is |text|, or NULL if the key was left empty. */
static inline const char *
config_text(const char *text)
{
    return text && *text ? text : NULL;
}

/* config_print appends what is in force as YAML, secrets masked;
 * config_print_json as one JSON object, keys by their whole path. */
void config_print(const struct config *cfg, struct buf *out);
void config_print_json(const struct config *cfg, struct buf *out);

/*
 * config_split_endpoint cuts "host:port" ("localhost" means 127.0.0.1; "[::1]"
 * and "unix:/path" are understood) into |host| of |cap| bytes and |port|.
 * ERR_INVALID.
 */
enum err config_split_endpoint(const char *endpoint, char *host, size_t cap,
                               uint16_t *port);

#endif
