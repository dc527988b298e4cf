#include "cmd/receives.h"

#include <stdint.h>
#include <string.h>

#include "base/str.h"
#include "cmd/listen.h"

/* Where |cfg| listens; false: it does not, or that is not known beforehand.
 * |port| is 0 for a unix socket, and |host| its name. */
static bool
find_place(const struct config_listener *cfg, char host[LISTEN_HOST_CAP],
           uint16_t *port)
{
    return cfg->enabled &&
           config_split_endpoint(cfg->endpoint, host, LISTEN_HOST_CAP, port) ==
               OK &&
           (*port || str_starts(str_of(host), STR("unix:")));
}

static void
add_place(const struct config_listener *cfg, const char *protocol,
          struct buf *out)
{
    char host[LISTEN_HOST_CAP];
    uint16_t port = 0;

    if (!find_place(cfg, host, &port))
        return;
    if (out->len)
        buf_add(out, STR(" or "));
    if (port)
        buf_printf(out, "port %u (%s)", port, protocol);
    else
        buf_printf(out, "%s (%s)", host, protocol);
}

void
receives_words(const struct config *cfg, struct buf *out)
{
    struct buf words = {0};

    add_place(&cfg->grpc, "gRPC", &words);
    add_place(&cfg->http, "HTTP", &words);
    if (words.len == 0)
        buf_add(&words, STR("the address that its log names"));
    buf_add(out, buf_str(&words));
    out->failed |= words.failed;
    buf_fini(&words);
}

/* As this machine reaches it. */
static const char *
name_host(const char *host)
{
    bool is_ours = strncmp(host, "127.", 4) == 0 ||
                   strcmp(host, "0.0.0.0") == 0 || strcmp(host, "::") == 0;

    return is_ours ? "localhost" : host;
}

static void
add_url(const struct config_listener *cfg, const char *host, uint16_t port,
        struct buf *out)
{
    const char *name = name_host(host);
    bool is_v6 = strchr(name, ':') != NULL;
    bool has_tls = cfg->tls.cert_file && *cfg->tls.cert_file;

    buf_printf(out, "OTEL_EXPORTER_OTLP_ENDPOINT=http%s://%s%s%s:%u",
               has_tls ? "s" : "", is_v6 ? "[" : "", name, is_v6 ? "]" : "",
               port);
}

void
receives_exporter(const struct config *cfg, struct buf *out)
{
    char host[LISTEN_HOST_CAP];
    uint16_t port = 0;

    if (find_place(&cfg->http, host, &port) && port) {
        add_url(&cfg->http, host, port, out);
    } else if (find_place(&cfg->grpc, host, &port) && port) {
        add_url(&cfg->grpc, host, port, out);
        buf_add(out, STR(" OTEL_EXPORTER_OTLP_PROTOCOL=grpc"));
    } else {
        receives_words(cfg, out);
    }
}
