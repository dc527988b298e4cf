/*
 * The guard is the function that opens sockets: it is given the address that
 * will be connected to, after names were resolved, for each attempt.  What was
 * checked is what is used.
 */
#include "crawl/http.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <unistd.h>

#include <curl/curl.h>

#include "crawl/address.h"

enum { HEADER_MAX = 2048, SLOW_BYTES = 64, SLOW_S = 8, CONNECT_MS = 10000 };

/* What is used of libcurl. */
struct curl_calls {
    __typeof__(curl_global_init) *global_init;
    __typeof__(curl_easy_init) *init;
    __typeof__(curl_easy_reset) *reset;
    __typeof__(curl_easy_cleanup) *cleanup;
    __typeof__(curl_easy_setopt) *set;
    __typeof__(curl_easy_perform) *perform;
    __typeof__(curl_easy_getinfo) *info;
    __typeof__(curl_easy_strerror) *error;
    __typeof__(curl_slist_append) *append;
    __typeof__(curl_slist_free_all) *free_list;
};

struct http {
    const struct http_cfg *cfg;
    void *library;
    struct curl_calls curl;
    CURL *easy;
    const struct http_ask *ask; /* the one under way */
    struct http_reply *reply;
    const char *refused; /* the kind of the last address refused */
    bool is_cancelled;
};

void
http_reply_fini(struct http_reply *reply)
{
    buf_fini(&reply->body);
    buf_fini(&reply->type);
    buf_fini(&reply->etag);
    buf_fini(&reply->modified);
    buf_fini(&reply->location);
    buf_fini(&reply->why);
    *reply = (struct http_reply){0};
}

/* POSIX makes void * and functions convertible, ISO C does not: by memcpy. */
static bool
find(void *library, const char *name, void *out)
{
    void *at = dlsym(library, name);

    memcpy(out, &at, sizeof(at));
    return at != NULL;
}

static bool
find_all(struct http *http)
{
    struct curl_calls *curl = &http->curl;
    void *from = http->library;

    return find(from, "curl_global_init", &curl->global_init) &&
           find(from, "curl_easy_init", &curl->init) &&
           find(from, "curl_easy_reset", &curl->reset) &&
           find(from, "curl_easy_cleanup", &curl->cleanup) &&
           find(from, "curl_easy_setopt", &curl->set) &&
           find(from, "curl_easy_perform", &curl->perform) &&
           find(from, "curl_easy_getinfo", &curl->info) &&
           find(from, "curl_easy_strerror", &curl->error) &&
           find(from, "curl_slist_append", &curl->append) &&
           find(from, "curl_slist_free_all", &curl->free_list);
}

enum err
http_open(struct http **out, const struct http_cfg *cfg, struct buf *why)
{
    struct http *http = calloc(1, sizeof(*http));
    enum err err = ERR_UNSUPPORTED;

    *out = NULL;
    if (!http)
        return ERR_NOMEM;
    http->cfg = cfg;
    http->library = dlopen("libcurl.so.4", RTLD_NOW | RTLD_LOCAL);
    if (!http->library || !find_all(http)) {
        buf_add(why, STR("http sources need libcurl, which is not installed "
                         "(Debian: libcurl4)"));
        goto out;
    }
    err = ERR_NOMEM;
    if (http->curl.global_init(CURL_GLOBAL_DEFAULT) != CURLE_OK ||
        !(http->easy = http->curl.init()))
        goto out;
    *out = http;
    http = NULL;
    err = OK;
out:
    http_close(http);
    return err;
}

/* The library stays loaded: unloading what made threads is not safe. */
void
http_close(struct http *http)
{
    if (!http)
        return;
    if (http->easy)
        http->curl.cleanup(http->easy);
    free(http);
}

/* ---- what libcurl calls ---- */

static curl_socket_t
open_socket(void *ctx, curlsocktype purpose, struct curl_sockaddr *address)
{
    struct http *http = ctx;
    const char *kind = address_refused(http->cfg->allow, http->cfg->allow_len,
                                       http->ask->url->host, &address->addr);

    (void)purpose;
    if (kind) {
        http->refused = kind;
        return CURL_SOCKET_BAD;
    }
    return socket(address->family, address->socktype | SOCK_CLOEXEC,
                  address->protocol);
}

/* As libcurl has it. */
static size_t /* NOLINTNEXTLINE(readability-non-const-parameter) */
take_body(char *bytes, size_t size, size_t count, void *ctx)
{
    struct http *http = ctx;
    struct buf *body = &http->reply->body;
    size_t len = size * count;

    if (len > http->ask->max_bytes - body->len) {
        http->reply->end = HTTP_LARGE;
        return 0;
    }
    buf_add(body, (str){bytes, len});
    return body->failed ? 0 : len;
}

static bool
take_header(str line, const char *name, struct buf *out)
{
    size_t len = strlen(name);

    if (line.len <= len || line.ptr[len] != ':' ||
        strncasecmp(line.ptr, name, len) != 0)
        return false;
    line = str_cut(line, len + 1, line.len);
    while (line.len && strchr(" \t", line.ptr[0]))
        line = str_cut(line, 1, line.len);
    while (line.len && strchr(" \t\r\n", line.ptr[line.len - 1]))
        line.len--;
    buf_reset(out);
    buf_add(out, str_cut(line, 0, HEADER_MAX));
    return true;
}

static size_t /* NOLINTNEXTLINE(readability-non-const-parameter) */
take_header_line(char *bytes, size_t size, size_t count, void *ctx)
{
    struct http *http = ctx;
    struct http_reply *reply = http->reply;
    str line = {bytes, size * count};
    struct buf retry = {0};

    if (str_starts(line, STR("HTTP/"))) { /* of the last answer alone */
        buf_reset(&reply->etag);
        buf_reset(&reply->modified);
    }
    if (!take_header(line, "content-type", &reply->type) &&
        !take_header(line, "etag", &reply->etag) &&
        !take_header(line, "last-modified", &reply->modified) &&
        !take_header(line, "location", &reply->location) &&
        take_header(line, "retry-after", &retry))
        reply->retry_s = (uint32_t)strtoul(buf_cstr(&retry), NULL, 10);
    buf_fini(&retry);
    return line.len;
}

static int
note_progress(void *ctx, curl_off_t total, curl_off_t now, curl_off_t up,
              curl_off_t up_now)
{
    struct http *http = ctx;
    struct pollfd fd = {.fd = http->cfg->control_fd, .events = POLLRDHUP};

    (void)total;
    (void)now;
    (void)up;
    (void)up_now;
    if (fd.fd >= 0 && poll(&fd, 1, 0) > 0 &&
        fd.revents & (POLLRDHUP | POLLHUP | POLLERR))
        http->is_cancelled = true;
    return http->is_cancelled;
}

/* ---- one page ---- */

/* libcurl's macro checks the types of its own function only. */
#define SET(http, option, value) \
    ok = ok && (http)->curl.set((http)->easy, (option), (value)) == CURLE_OK

static bool
set_doors(struct http *http)
{
    const struct http_cfg *cfg = http->cfg;
    bool ok = true;

    SET(http, CURLOPT_PROTOCOLS_STR, "http,https");
    SET(http, CURLOPT_FOLLOWLOCATION, 0L);
    SET(http, CURLOPT_PROXY, "");
    SET(http, CURLOPT_NOSIGNAL, 1L);
    SET(http, CURLOPT_HTTP_VERSION, (long)CURL_HTTP_VERSION_1_1);
    SET(http, CURLOPT_DISALLOW_USERNAME_IN_URL, 1L);
    SET(http, CURLOPT_PATH_AS_IS, 1L);
    SET(http, CURLOPT_USERAGENT, cfg->agent);
    SET(http, CURLOPT_ACCEPT_ENCODING, "gzip, deflate");
    SET(http, CURLOPT_TIMEOUT_MS, (long)cfg->timeout_ms);
    SET(http, CURLOPT_CONNECTTIMEOUT_MS,
        (long)(cfg->timeout_ms < CONNECT_MS ? cfg->timeout_ms : CONNECT_MS));
    SET(http, CURLOPT_LOW_SPEED_LIMIT, (long)SLOW_BYTES);
    SET(http, CURLOPT_LOW_SPEED_TIME, (long)SLOW_S);
    if (cfg->ca_file && *cfg->ca_file)
        SET(http, CURLOPT_CAINFO, cfg->ca_file);
    SET(http, CURLOPT_OPENSOCKETFUNCTION, open_socket);
    SET(http, CURLOPT_OPENSOCKETDATA, http);
    SET(http, CURLOPT_WRITEFUNCTION, take_body);
    SET(http, CURLOPT_WRITEDATA, http);
    SET(http, CURLOPT_HEADERFUNCTION, take_header_line);
    SET(http, CURLOPT_HEADERDATA, http);
    SET(http, CURLOPT_NOPROGRESS, 0L);
    SET(http, CURLOPT_XFERINFOFUNCTION, note_progress);
    SET(http, CURLOPT_XFERINFODATA, http);
    return ok;
}

/* What a server once sent is sent back to it; a line end in it would begin
 * another header. */
static bool
add_condition(struct http *http, struct curl_slist **list, const char *name,
              const char *value)
{
    struct buf line = {0};
    struct curl_slist *longer = NULL;

    if (!value || !*value || strpbrk(value, "\r\n"))
        return true;
    buf_printf(&line, "%s: %s", name, value);
    if (!line.failed)
        longer = http->curl.append(*list, buf_cstr(&line));
    buf_fini(&line);
    if (longer)
        *list = longer;
    return longer != NULL;
}

static void
explain(struct http *http, CURLcode code)
{
    struct http_reply *reply = http->reply;
    const char *text = http->curl.error(code);

    if (code == CURLE_OK)
        return;
    if (http->is_cancelled) {
        reply->end = HTTP_CANCELLED;
    } else if (reply->end == HTTP_LARGE) {
        buf_printf(&reply->why, "larger than %zu bytes", http->ask->max_bytes);
    } else if (http->refused && code == CURLE_COULDNT_CONNECT) {
        reply->end = HTTP_REFUSED;
        buf_printf(&reply->why,
                   "its address is not public (%s); an operator can allow it "
                   "with knowledge.crawl.allow",
                   http->refused);
    } else if (code == CURLE_OPERATION_TIMEDOUT) {
        reply->end = HTTP_SLOW;
        buf_add(&reply->why, STR("it took too long"));
    } else {
        reply->end = HTTP_FAILED;
        buf_add(&reply->why, str_of(text));
    }
}

enum err
http_get(struct http *http, const struct http_ask *ask,
         struct http_reply *reply)
{
    struct curl_slist *headers = NULL;
    struct buf url = {0};
    bool ok = true;

    http->ask = ask;
    http->reply = reply;
    http->refused = NULL;
    *reply = (struct http_reply){.end = HTTP_OK};
    buf_add(&url, buf_str(&ask->url->text));
    http->curl.reset(http->easy);
    ok = set_doors(http) &&
         add_condition(http, &headers, "If-None-Match", ask->etag) &&
         add_condition(http, &headers, "If-Modified-Since", ask->modified) &&
         add_condition(http, &headers, "Accept",
                       "text/html, application/xhtml+xml, text/markdown, "
                       "text/plain;q=0.9");
    SET(http, CURLOPT_HTTPHEADER, headers);
    SET(http, CURLOPT_URL, buf_cstr(&url));
    if (ok) {
        explain(http, http->curl.perform(http->easy));
        (void)http->curl.info(http->easy, CURLINFO_RESPONSE_CODE,
                              &reply->status);
    }
    http->curl.free_list(headers);
    ok = ok && !url.failed && !reply->body.failed && !reply->why.failed;
    buf_fini(&url);
    return ok ? OK : ERR_NOMEM;
}
