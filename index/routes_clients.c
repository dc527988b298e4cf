/*
 * Clients of HTTP.  A URL counts when it is handed to what is known to be a
 * client; its host stays in what is told, since it often names the service.
 */
#include <string.h>

#include "index/routes_asked.h"
#include "index/routes_called.h"
#include "index/routes_rules.h"
#include "index/routes_verbs.h"

/* Modules and types whose functions of the names below ask. */
static const char *const owners[] = {
    "requests",
    "requests.Session",
    "requests.sessions.Session",
    "requests.api",
    "httpx",
    "httpx.Client",
    "httpx.AsyncClient",
    "aiohttp.ClientSession",
    "urllib.request",
    "axios",
    "axios.create",
    "axios.AxiosInstance",
    "axios.AxiosStatic",
    "got",
    "got.extend",
    "ky",
    "ky.create",
    "superagent",
    "undici",
    "@nestjs/axios.HttpService",
    "@angular/common/http.HttpClient",
    "net/http",
    "net/http.Client",
    "github.com/go-resty/resty.Request",
    "github.com/go-resty/resty.New.R",
    "org.springframework.web.client.RestTemplate",
    "org.springframework.boot.web.client.RestTemplateBuilder.build",
    "io.ktor.client.HttpClient",
    "System.Net.Http.HttpClient",
    "HttpClient",
    "IHttpClientFactory.CreateClient",
    "System.Net.Http.IHttpClientFactory.CreateClient",
    "Faraday",
    "Faraday.new",
    "Faraday.Connection",
    "HTTParty",
    "RestClient",
    "GuzzleHttp.Client",
    "Illuminate.Support.Facades.Http",
    "reqwest",
    "reqwest.Client",
    "reqwest.Client.new",
    "reqwest.blocking",
    "reqwest.blocking.Client",
};

static const struct client_verb {
    const char *name;
    const char *method; /* NULL: an argument, or of the options */
    uint8_t url;        /* which argument */
    int8_t method_at;   /* which argument, or -1 */
} client_verbs[] = {
    {"get", "GET", 0, -1},
    {"post", "POST", 0, -1},
    {"put", "PUT", 0, -1},
    {"delete", "DELETE", 0, -1},
    {"patch", "PATCH", 0, -1},
    {"head", "HEAD", 0, -1},
    {"options", "OPTIONS", 0, -1},
    {"Get", "GET", 0, -1},
    {"Post", "POST", 0, -1},
    {"PostForm", "POST", 0, -1},
    {"Head", "HEAD", 0, -1},
    {"Put", "PUT", 0, -1},
    {"Delete", "DELETE", 0, -1},
    {"Patch", "PATCH", 0, -1},
    {"NewRequest", NULL, 1, 0},
    {"NewRequestWithContext", NULL, 2, 1},
    {"request", NULL, 1, 0},
    {"urlopen", "GET", 0, -1},
    {"getForObject", "GET", 0, -1},
    {"getForEntity", "GET", 0, -1},
    {"postForObject", "POST", 0, -1},
    {"postForEntity", "POST", 0, -1},
    {"postForLocation", "POST", 0, -1},
    {"patchForObject", "PATCH", 0, -1},
    {"exchange", NULL, 0, 1},
    {"GetAsync", "GET", 0, -1},
    {"GetStringAsync", "GET", 0, -1},
    {"GetStreamAsync", "GET", 0, -1},
    {"GetByteArrayAsync", "GET", 0, -1},
    {"GetFromJsonAsync", "GET", 0, -1},
    {"PostAsync", "POST", 0, -1},
    {"PostAsJsonAsync", "POST", 0, -1},
    {"PutAsync", "PUT", 0, -1},
    {"PutAsJsonAsync", "PUT", 0, -1},
    {"PatchAsync", "PATCH", 0, -1},
    {"PatchAsJsonAsync", "PATCH", 0, -1},
    {"DeleteAsync", "DELETE", 0, -1},
    {"DeleteFromJsonAsync", "DELETE", 0, -1},
};

/* Called themselves: (url, {method}) or ({url, method}). */
static const char *const callables[] = {
    "node-fetch",
    "cross-fetch",
    "isomorphic-fetch",
    "undici.fetch",
    "undici.request",
    "axios",
    "axios.request",
    "got",
    "ky",
    "cross-fetch.fetch",
};

static const struct client_verb *
verb_of(str name)
{
    for (size_t i = 0; i < sizeof(client_verbs) / sizeof(client_verbs[0]); i++)
        if (str_eq(name, str_of(client_verbs[i].name)))
            return &client_verbs[i];
    return NULL;
}

/* `uri` is that of a request whose verb stands in front of it. */
str
client_word(size_t i)
{
    size_t len = sizeof(client_verbs) / sizeof(client_verbs[0]);

    if (i == len)
        return STR("uri");
    return i < len ? str_of(client_verbs[i].name) : STR("");
}

static bool
is_one_of(str path, const char *const *all, size_t len)
{
    for (size_t i = 0; i < len; i++)
        if (str_eq(path, str_of(all[i])))
            return true;
    return false;
}

/* Where a client was made with a base: axios.create({ baseURL }). */
static void
add_base(struct parts *p, struct at made, struct buf *out)
{
    static const char *const names[] = {"baseURL",   "base_url", "base_uri",
                                        "prefixUrl", "url",      "baseUrl"};
    struct folded folded = {false, false};

    if (!made.id)
        return;
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]) && !folded.ok; i++)
        folded = part_text(p, part_named(p, made, names[i]), true, out);
    while (out->len > 0 && out->ptr[out->len - 1] == '/')
        out->len--;
}

/* What follows a host that is not known, from its slash on. */
static str
cut_tail(str url)
{
    size_t at = 0;

    if (str_starts(url, STR("://")))
        at = 3;
    while (at < url.len && url.ptr[at] != '/')
        at++;
    return str_cut(url, at, url.len);
}

/* Something stands there besides holes. */
static bool
says_something(str url)
{
    for (size_t i = 0; i < url.len; i++)
        if (!strchr("/{}", url.ptr[i]))
            return true;
    return false;
}

static bool
is_url(str url, bool is_tail)
{
    if (url.len == 0 || memchr(url.ptr, ' ', url.len))
        return false;
    if (url.ptr[0] == '/')
        return !is_tail || says_something(url);
    return memmem(url.ptr, url.len, "://", 3) != NULL;
}

/* Up to the query; what is left begins with a scheme or a slash. */
static void
ask(struct parts *p, struct at call, str method, struct at url_at,
    struct at made)
{
    struct buf url = {0};
    struct buf path = {0};
    struct folded folded = part_text(p, url_at, true, &path);

    str whole = path.ptr ? buf_str(&path) : STR("");
    if (folded.ok && !folded.is_tail &&
        !memmem(whole.ptr, whole.len, "://", 3)) {
        add_base(p, made, &url);
        if (url.len > 0 && whole.len > 0 && whole.ptr[0] != '/')
            buf_add_char(&url, '/');
    }
    const char *query = memchr(whole.ptr, '?', whole.len);
    if (query)
        whole.len = (size_t)(query - whole.ptr);
    buf_add(&url, folded.is_tail ? cut_tail(whole) : whole);
    if (folded.ok && !url.failed && is_url(buf_str(&url), folded.is_tail)) {
        char upper[16];
        if (method.len == 0)
            method = STR("ANY");
        method = str_upper(method, upper, sizeof(upper));
        entry_add(p,
                  &(struct route_entry){
                      .flags = ENTRY_CLIENT | (folded.is_tail ? ENTRY_TAIL : 0),
                      .handler = asked_by(p, call),
                      .method = texts_add(&p->texts, method),
                      .path = texts_add(&p->texts, buf_str(&url)),
                      .at = call,
                      .framework = FW_CLIENT,
                  });
    }
    p->failed |= url.failed || path.failed;
    buf_fini(&url);
    buf_fini(&path);
}

static str
method_of(struct parts *p, struct at expr, struct buf *text)
{
    expr = part_bare(p, expr);
    if (!expr.id)
        return (str){NULL, 0};
    if (part_text(p, expr, false, text).ok)
        return buf_str(text);
    str word = part_word(p, expr); /* http.MethodGet, HttpMethod.GET */
    return str_starts(word, STR("Method")) ? str_cut(word, 6, word.len) : word;
}

static void
ask_verb(struct parts *p, struct at call, const struct client_verb *verb,
         const struct asked *asked)
{
    struct buf text = {0};
    struct at url = part_arg(p, call, verb->url);
    str method = str_of(verb->method);

    if (verb->method_at >= 0)
        method =
            method_of(p, part_arg(p, call, (uint32_t)verb->method_at), &text);
    if (!url.id)
        url = part_named(p, call, "url");
    if (url.id)
        ask(p, call, method, url, asked->made);
    buf_fini(&text);
}

static void
ask_callable(struct parts *p, struct at call)
{
    struct buf text = {0};
    struct at url = part_bare(p, part_arg(p, call, 0));
    struct at none = {call.file, 0};

    if (part_kind(p, url) == EXPR_OBJECT)
        url = part_named(p, url, "url");
    struct at method = part_named(p, call, "method");
    str word = method.id ? method_of(p, method, &text) : STR("GET");
    if (url.id)
        ask(p, call, word, url, none);
    buf_fini(&text);
}

/* The browser's, and Node's: no import explains it, and nothing else does. */
static bool
is_global_fetch(struct parts *p, struct at callee)
{
    uint8_t lang = part_facts(p, callee.file)->lang;
    struct value value;

    return lang >= LANG_JAVASCRIPT && lang <= LANG_TSX &&
           part_kind(p, callee) == EXPR_NAME &&
           str_eq(part_word(p, callee), STR("fetch")) &&
           !resolve_value(p->r, callee, &value);
}

/* webClient.get().uri("/x"), restClient.post().uri(...) */
static void
ask_uri(struct parts *p, struct at call)
{
    struct at inner = part_receiver(p, call);
    const struct client_verb *verb;
    struct asked asked;

    if (part_kind(p, inner) != EXPR_CALL)
        return;
    verb = verb_of(part_word(p, part_callee(p, inner)));
    if (!verb || !verb->method ||
        !(part_imports(p, call.file,
                       "org.springframework.web.reactive.function.client") ||
          part_imports(p, call.file,
                       "org.springframework.web.client.RestClient")))
        return;
    struct at made = {call.file, 0};
    if (asked_of(p, inner, &asked))
        made = asked.made;
    ask(p, call, str_of(verb->method), part_arg(p, call, 0), made);
}

static void
look_at_call(struct parts *p, struct at call)
{
    struct at callee = part_callee(p, call);
    str name = part_word(p, callee);
    const struct client_verb *verb = verb_of(name);
    struct asked asked;

    if (part_kind(p, callee) != EXPR_NAME &&
        part_kind(p, callee) != EXPR_MEMBER)
        return;
    if (is_global_fetch(p, callee)) {
        ask_callable(p, call);
        return;
    }
    if (str_eq(name, STR("uri"))) {
        ask_uri(p, call);
        return;
    }
    /* What asks by itself goes by a name that an import gave it. */
    if (!verb && part_kind(p, callee) != EXPR_NAME)
        return;
    if (part_marked(p, call).id || !asked_of(p, call, &asked))
        return;
    if (is_one_of((str){asked.path, asked.len}, callables,
                  sizeof(callables) / sizeof(callables[0]))) {
        if (!asked.is_written)
            ask_callable(p, call);
        return;
    }
    bool is_script = part_facts(p, call.file)->lang >= LANG_JAVASCRIPT &&
                     part_facts(p, call.file)->lang <= LANG_TSX;
    if (verb && !(asked.is_written && is_script) &&
        is_one_of(asked_owner(&asked), owners,
                  sizeof(owners) / sizeof(owners[0])))
        ask_verb(p, call, verb, &asked);
}

void
routes_clients(struct parts *p, uint32_t file)
{
    const struct called_file *called = called_in(p, file);

    for (uint32_t i = 0; i < called->len && !p->failed; i++)
        if (called->calls[i].rules & CALLED_CLIENT)
            look_at_call(p, (struct at){file, called->calls[i].expr});
}
