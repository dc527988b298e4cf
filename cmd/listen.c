#include "cmd/listen.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <arpa/inet.h>
#include <ifaddrs.h>
#include <netdb.h>
#include <strings.h>
#include <sys/un.h>

#include "base/clock.h"
#include "base/log.h"
#include "cmd/header_lines.h"
#include "net/tls_suites.h"

static enum err
check_suites(const struct server_tls *tls, const char *endpoint,
             struct buf *why)
{
    struct tls_suites suites;
    struct buf what = {0};
    enum err err = tls_suites_read(&suites, tls->suites, tls->suite_len, &what);

    if (err == ERR_INVALID)
        buf_printf(why, "endpoint \"%s\": tls.cipher_suites: %s", endpoint,
                   buf_cstr(&what));
    tls_suites_fini(&suites);
    buf_fini(&what);
    return err;
}

/* What would leave a door open that was meant to be shut. */
static enum err
check_tls(const struct server_listener *listener, const char *endpoint,
          struct buf *why)
{
    const struct server_tls *tls = &listener->tls;
    const char *lacks = NULL;

    if (!tls->cert_file != !tls->key_file)
        lacks = "tls needs cert_file and key_file";
    else if (tls->client_ca_file && !tls->cert_file)
        lacks = "tls.client_ca_file needs cert_file and key_file";
    else if (tls->allowed_len && !tls->client_ca_file)
        lacks = "tls.allowed_names needs client_ca_file";
    else if (tls->needs_tls13 && tls->only_tls12)
        lacks = "tls.max_version is less than tls.min_version";
    if (!lacks)
        return check_suites(tls, endpoint, why);
    buf_printf(why, "endpoint \"%s\": %s", endpoint, lacks);
    return ERR_INVALID;
}

/* An address, for names are not looked up: with or without a zone. */
static bool
is_address(const char *host)
{
    struct in6_addr any;
    char bare[INET6_ADDRSTRLEN];
    size_t len = strcspn(host, "%");

    if (strncmp(host, "unix:", 5) == 0 || inet_pton(AF_INET, host, &any) == 1)
        return true;
    if (len >= sizeof(bare))
        return false;
    memcpy(bare, host, len);
    bare[len] = '\0';
    return inet_pton(AF_INET6, bare, &any) == 1;
}

static bool
is_path_too_long(const char *host)
{
    return strncmp(host, "unix:", 5) == 0 &&
           strlen(host + 5) >= sizeof(((struct sockaddr_un *)NULL)->sun_path);
}

bool
listen_needs_tls13(const struct config_listener *cfg)
{
    return strcmp(cfg->tls.min_version, "1.3") == 0;
}

enum err
listen_from_config(struct server_listener *out,
                   const struct config_listener *cfg, uint64_t budget_bytes,
                   char host[LISTEN_HOST_CAP], struct buf *why)
{
    uint16_t port;

    if (config_split_endpoint(cfg->endpoint, host, LISTEN_HOST_CAP, &port) ||
        !is_address(host)) {
        buf_printf(why,
                   "endpoint \"%s\": write address:port, such as "
                   "localhost:4318 or 0.0.0.0:4318, or unix:/path",
                   cfg->endpoint);
        return ERR_INVALID;
    }
    if (is_path_too_long(host)) {
        buf_printf(why,
                   "endpoint \"%s\": a socket's path has at most 107 bytes",
                   cfg->endpoint);
        return ERR_INVALID;
    }
    *out = (struct server_listener){
        .address = host,
        .port = port,
        .tls =
            {
                .cert_file = config_text(cfg->tls.cert_file),
                .key_file = config_text(cfg->tls.key_file),
                .client_ca_file = config_text(cfg->tls.client_ca_file),
                .allowed_names = cfg->tls.allowed_names.item,
                .allowed_len = cfg->tls.allowed_names.len,
                .needs_tls13 = listen_needs_tls13(cfg),
                .only_tls12 = strcmp(cfg->tls.max_version, "1.2") == 0,
                .suites = cfg->tls.suites.item,
                .suite_len = cfg->tls.suites.len,
                .reload_ms = (uint32_t)(cfg->tls.reload_ns / NS_PER_MS),
            },
        .limits = server_limits_default,
    };
    out->limits.body_bytes = cfg->body_bytes;
    out->limits.budget_bytes = budget_bytes;
    out->limits.connections = (uint32_t)cfg->max_connections;
    out->limits.address_connections = (uint32_t)cfg->address_connections;
    out->limits.max_age_ms = (uint32_t)(cfg->max_age_ns / NS_PER_MS);
    return check_tls(out, cfg->endpoint, why);
}

/* Opens |listener| with the headers of |list|, each of which is one. */
static enum err
listen_with(struct server *server, struct server_listener *listener,
            const struct config_list *list, size_t *index, struct buf *why)
{
    struct header *headers = calloc(list->len + 1, sizeof(*headers));
    enum err err = ERR_NOMEM;

    if (!headers)
        return err;
    for (size_t i = 0; i < list->len; i++)
        (void)header_lines_cut(list->item[i], &headers[i]);
    listener->headers = headers;
    listener->header_len = list->len;
    err = server_listen(server, listener, index, why);
    free(headers);
    return err;
}

enum err
listen_http(struct server *server, const struct config_listener *cfg,
            uint64_t budget_bytes, const struct listen_to *to, struct buf *why)
{
    struct server_listener listener;
    char host[LISTEN_HOST_CAP];
    size_t index;
    enum err err;

    if (!cfg->enabled)
        return OK;
    err = listen_from_config(&listener, cfg, budget_bytes, host, why);
    if (err)
        return err;
    listener.handler = to->handler;
    listener.body_most = to->body_most;
    listener.ctx = to->ctx;
    listener.cors = to->cors && to->cors->origin_len ? to->cors : NULL;
    listener.is_any_thread = to->is_any_thread;
    server_set_name(server, to->what);
    err = listen_with(server, &listener, &cfg->response_headers, &index, why);
    if (!err)
        listen_log(to->what, host, server_port(server, index));
    listen_advise(err, to->key, why);
    return err;
}

enum err
listen_try(const struct config *cfg, struct buf *why)
{
    const struct {
        const struct config_listener *cfg;
        const char *key;
    } all[] = {{&cfg->grpc, "receivers.otlp.protocols.grpc.endpoint"},
               {&cfg->http, "receivers.otlp.protocols.http.endpoint"},
               {&cfg->query, "query.endpoint"},
               {&cfg->admin, "admin.endpoint"}};
    struct server *server;
    enum err err = server_new(&server);

    if (err)
        return err;
    for (size_t i = 0; i < sizeof(all) / sizeof(all[0]) && !err; i++) {
        struct server_listener listener;
        char host[LISTEN_HOST_CAP];
        size_t index;

        if (!all[i].cfg->enabled)
            continue;
        err = listen_from_config(&listener, all[i].cfg, cfg->request_bytes,
                                 host, why);
        if (err)
            break;
        listener.tls = (struct server_tls){0};
        err = server_listen(server, &listener, &index, why);
        listen_advise(err, all[i].key, why);
    }
    server_free(server);
    return err;
}

void
listen_advise(enum err err, const char *key, struct buf *why)
{
    if (err == ERR_BUSY)
        buf_printf(why, "; stop what listens there, or change %s", key);
    else if (err == ERR_DENIED)
        buf_printf(why, "; change %s, or let user %u listen there", key,
                   (unsigned)geteuid());
}

void
listen_log(const char *what, const char *host, uint16_t port)
{
    if (strncmp(host, "unix:", 5) == 0)
        log_info("listening", what, "%s", host);
    else
        log_info("listening", what, strchr(host, ':') ? "[%s]:%u" : "%s:%u",
                 host, (unsigned)port);
}

bool
listen_is_loopback(const char *host)
{
    return strncmp(host, "127.", 4) == 0 || strcmp(host, "::1") == 0 ||
           strncmp(host, "unix:", 5) == 0;
}

/* An address as whoever connects reads it, zone and all; one of IPv4 mapped to
 * IPv6.  False: a name. */
static bool
read_address(const char *host, struct sockaddr_in6 *out)
{
    const struct addrinfo hints = {.ai_flags = AI_NUMERICHOST | AI_V4MAPPED,
                                   .ai_family = AF_INET6,
                                   .ai_socktype = SOCK_STREAM};
    struct addrinfo *found;

    if (getaddrinfo(host, NULL, &hints, &found))
        return false;
    memcpy(out, found->ai_addr, sizeof(*out));
    freeaddrinfo(found);
    return true;
}

static bool
is_any(const struct in6_addr *address)
{
    static const struct in6_addr any_v4 = {
        {{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 0, 0, 0, 0}}};

    return IN6_IS_ADDR_UNSPECIFIED(address) ||
           memcmp(address, &any_v4, sizeof(any_v4)) == 0;
}

static bool
is_loopback(const struct in6_addr *address)
{
    return IN6_IS_ADDR_LOOPBACK(address) ||
           (IN6_IS_ADDR_V4MAPPED(address) && address->s6_addr[12] == 127);
}

/* Does an interface of this machine have |host|? */
static bool
is_of_this_machine(const struct in6_addr *host)
{
    struct ifaddrs *all = NULL;
    bool found = false;

    if (getifaddrs(&all))
        return false;
    for (struct ifaddrs *one = all; one && !found; one = one->ifa_next) {
        const struct sockaddr_in *v4 = (const void *)one->ifa_addr;
        const struct sockaddr_in6 *v6 = (const void *)one->ifa_addr;

        if (v4 && v4->sin_family == AF_INET)
            found = IN6_IS_ADDR_V4MAPPED(host) &&
                    memcmp(&host->s6_addr[12], &v4->sin_addr, 4) == 0;
        else if (v6 && v6->sin6_family == AF_INET6)
            found = IN6_ARE_ADDR_EQUAL(host, &v6->sin6_addr);
    }
    freeifaddrs(all);
    return found;
}

static bool
takes_address(const char *address, const char *to)
{
    struct sockaddr_in6 at;
    struct sockaddr_in6 goes;

    if (!read_address(address, &at) || !read_address(to, &goes))
        return false;

    struct in6_addr *host = &goes.sin6_addr;
    bool is_v4 = IN6_IS_ADDR_V4MAPPED(host);
    /* Linux connects to the loopback address instead. */
    if (is_any(host) && is_v4)
        memcpy(&host->s6_addr[12], (const uint8_t[]){127, 0, 0, 1}, 4);
    else if (is_any(host))
        *host = in6addr_loopback;
    if (IN6_ARE_ADDR_EQUAL(&at.sin6_addr, host))
        return at.sin6_scope_id == goes.sin6_scope_id;
    /* "::" is listened at for IPv4, too. */
    return is_any(&at.sin6_addr) &&
           (is_v4 || !IN6_IS_ADDR_V4MAPPED(&at.sin6_addr)) &&
           (is_loopback(host) || is_of_this_machine(host));
}

bool
listen_takes(const char *address, const char *host)
{
    if (strcasecmp(host, "localhost") != 0 &&
        strcasecmp(host, "localhost.") != 0)
        return takes_address(address, host);
    return takes_address(address, "127.0.0.1") || takes_address(address, "::1");
}
