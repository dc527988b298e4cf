#include "cmd/ai_post.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/ai.h"
#include "cmd/tokens.h"
#include "net/client.h"

enum { RETRY_MAX_S = 3600, ANSWER_MAX = 64 << 20, KEY_MAX = 4096 };

struct ai_post {
    struct client *client;
    pthread_mutex_t lock; /* of the two */
    struct buf key;
    struct buf headers;
};

/* A key is sent as it is, so nothing in it may end a line. */
static bool
is_key(str key)
{
    for (size_t i = 0; i < key.len; i++)
        if (key.ptr[i] < '!' || key.ptr[i] > '~')
            return false;
    return key.len && key.len <= KEY_MAX;
}

enum err
ai_key(const struct config *cfg, struct buf *out, struct buf *why)
{
    const struct config_list none = {0};
    const char *name = config_text(cfg->ai.api_key_env);
    const char *file = config_text(cfg->ai.api_key_file);
    struct tokens tokens = {0};
    enum err err = OK;

    if (file)
        err = tokens_read(&tokens, &none, file, why);
    if (!err && file && tokens.len > 1) {
        buf_printf(why, "ai.api_key_file: %s holds more than one key", file);
        err = ERR_INVALID;
    }
    const char *key = name ? getenv(name) : NULL;
    if (file)
        key = tokens.len ? tokens.item[0] : NULL;
    if (!err && (name || file) && !is_key(str_of(key ? key : ""))) {
        buf_printf(why, "ai.%s: %s holds no key",
                   file ? "api_key_file" : "api_key_env", file ? file : name);
        err = ERR_INVALID;
    }
    if (!err && key)
        buf_add(out, str_of(key));
    tokens_fini(&tokens);
    return err;
}

enum err
ai_post_open(struct ai_post **out, const struct config *cfg, int stop_fd,
             struct buf *why)
{
    struct ai_post *post = calloc(1, sizeof(*post));
    struct buf url = {0};
    enum err err = post ? OK : ERR_NOMEM;

    *out = NULL;
    if (err)
        return err;
    pthread_mutex_init(&post->lock, NULL);
    ai_url(cfg, &url);
    const struct client_cfg client = {.url = buf_cstr(&url),
                                      .ca_file = config_text(cfg->ai.ca_file),
                                      .stop_fd = stop_fd};
    err = client_open(&post->client, &client, why);
    buf_fini(&url);
    if (err)
        ai_post_close(post);
    else
        *out = post;
    return err;
}

void
ai_post_close(struct ai_post *post)
{
    if (!post)
        return;
    client_close(post->client);
    buf_fini(&post->key);
    buf_fini(&post->headers);
    pthread_mutex_destroy(&post->lock);
    free(post);
}

enum err
ai_post_set_key(struct ai_post *post, str key)
{
    pthread_mutex_lock(&post->lock);
    buf_reset(&post->key);
    buf_reset(&post->headers);
    buf_add(&post->key, key);
    buf_add(&post->headers, STR("Content-Type: application/json\r\n"
                                "Accept: application/json\r\n"));
    if (key.len)
        buf_printf(&post->headers, "Authorization: Bearer %.*s\r\n",
                   (int)key.len, key.ptr);
    bool failed = post->key.failed || post->headers.failed;
    pthread_mutex_unlock(&post->lock);
    return failed ? ERR_NOMEM : OK;
}

/* What an endpoint says may be shown, so it must not say the key. */
static void
hide(struct buf *text, const struct buf *key)
{
    char *at = text->ptr;
    size_t left = text->len;

    while (key->len && left >= key->len) {
        char *found = memmem(at, left, key->ptr, key->len);

        if (!found)
            return;
        memset(found, '*', key->len);
        left -= (size_t)(found - at) + key->len;
        at = found + key->len;
    }
}

/* Within JSON a slash may be written with a backslash before it. */
static bool
hide_escaped(struct buf *text, const struct buf *key)
{
    struct buf escaped = {0};

    for (size_t i = 0; i < key->len; i++) {
        if (key->ptr[i] == '/')
            buf_add_char(&escaped, '\\');
        buf_add_char(&escaped, key->ptr[i]);
    }
    bool done = !escaped.failed;
    if (done)
        hide(text, &escaped);
    buf_fini(&escaped);
    return done;
}

static uint32_t
retry_after(struct buf *text)
{
    char *end = NULL;
    unsigned long seconds = strtoul(buf_cstr(text), &end, 10);

    if (!text->len || *end || *buf_cstr(text) == '-')
        return 0;
    return seconds < RETRY_MAX_S ? (uint32_t)seconds : RETRY_MAX_S;
}

static enum err
send_ask(void *ctx, str body, uint32_t timeout_ms, struct embed_answer *answer,
         struct buf *why)
{
    struct ai_post *post = ctx;
    struct client_answer got = {.body = {.cap_max = ANSWER_MAX}};
    struct buf headers = {0};
    struct buf key = {0};

    pthread_mutex_lock(&post->lock);
    buf_add(&headers, buf_str(&post->headers));
    buf_add(&key, buf_str(&post->key));
    pthread_mutex_unlock(&post->lock);
    const struct client_request req = {.method = "POST",
                                       .headers = buf_cstr(&headers),
                                       .body = body,
                                       .timeout_ms = timeout_ms};
    enum err err = headers.failed || key.failed
                       ? ERR_NOMEM
                       : client_send(post->client, &req, &got, why);
    answer->status = got.status;
    answer->retry_s = retry_after(&got.retry_after);
    answer->body = got.body;
    if (answer->status != 200) {
        hide(&answer->body, &key);
        if (!hide_escaped(&answer->body, &key))
            buf_reset(&answer->body);
    }
    buf_fini(&got.retry_after);
    buf_fini(&headers);
    buf_fini(&key);
    return err;
}

struct embed_ops
ai_post_ops(struct ai_post *post)
{
    return (struct embed_ops){.ctx = post, .post = send_ask};
}
