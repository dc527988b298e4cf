/*
 * The source keeps one SSL_CTX and replaces it as a whole: a stream holds a
 * reference to the one it began with, so a reload disturbs nobody.
 *
 * The stream is an SSL between two memory BIOs.  Whose name a client has is
 * decided inside the verification of its certificate, so that one who is not
 * allowed gets a TLS alert and not a request through.
 */
#include "net/tls.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <strings.h>
#include <unistd.h>

#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>

#include "base/path.h"
#include "base/stamp.h"
#include "net/tls_suites.h"

enum { FILES = 3, NAME_MAX_LEN = 256 };

struct tls_source {
    pthread_mutex_t mutex;
    SSL_CTX *ctx;
    int min_version; /* TLS1_2_VERSION or TLS1_3_VERSION */
    int max_version; /* TLS1_2_VERSION, or 0: the newest */
    struct tls_suites suites;
    char *files[FILES]; /* certificate, key, client CA; the last may be NULL */
    struct stamp stamps[FILES];
    char **allowed;
    size_t allowed_len;
};

struct tls_stream {
    SSL *ssl;
    BIO *in;
    BIO *out;
    char peer[NAME_MAX_LEN];
};

static str
asn1_view(const ASN1_STRING *text)
{
    return (str){(const char *)ASN1_STRING_get0_data(text),
                 (size_t)ASN1_STRING_length(text)};
}

/* The text of a SAN that names somebody, or the empty view. */
static str
san_view(const GENERAL_NAME *name)
{
    int type;
    const void *value = GENERAL_NAME_get0_value(name, &type);

    if (type == GEN_DNS || type == GEN_URI || type == GEN_EMAIL)
        return asn1_view(value);
    return (str){NULL, 0};
}

static str
common_name(X509 *cert)
{
    X509_NAME *subject = X509_get_subject_name(cert);
    int at = X509_NAME_get_index_by_NID(subject, NID_commonName, -1);

    if (at < 0)
        return (str){NULL, 0};
    return asn1_view(
        X509_NAME_ENTRY_get_data(X509_NAME_get_entry(subject, at)));
}

static bool
is_listed(const struct tls_source *source, str name)
{
    for (size_t i = 0; name.len && i < source->allowed_len; i++) {
        str allowed = str_of(source->allowed[i]);
        if (allowed.len == name.len &&
            strncasecmp(allowed.ptr, name.ptr, name.len) == 0)
            return true;
    }
    return false;
}

static bool
is_allowed(const struct tls_source *source, X509 *cert)
{
    bool is_ok =
        source->allowed_len == 0 || is_listed(source, common_name(cert));
    GENERAL_NAMES *names =
        X509_get_ext_d2i(cert, NID_subject_alt_name, NULL, NULL);

    for (int i = 0; i < sk_GENERAL_NAME_num(names) && !is_ok; i++)
        is_ok = is_listed(source, san_view(sk_GENERAL_NAME_value(names, i)));
    GENERAL_NAMES_free(names);
    return is_ok;
}

static int
on_verify(int is_ok, X509_STORE_CTX *store)
{
    if (!is_ok || X509_STORE_CTX_get_error_depth(store) != 0)
        return is_ok;

    SSL *ssl =
        X509_STORE_CTX_get_ex_data(store, SSL_get_ex_data_X509_STORE_CTX_idx());
    const struct tls_source *source =
        SSL_CTX_get_app_data(SSL_get_SSL_CTX(ssl));
    if (is_allowed(source, X509_STORE_CTX_get_current_cert(store)))
        return 1;
    X509_STORE_CTX_set_error(store, X509_V_ERR_APPLICATION_VERIFICATION);
    return 0;
}

static int
on_alpn(SSL *ssl, const unsigned char **out, unsigned char *out_len,
        const unsigned char *in, unsigned in_len, void *ctx)
{
    static const unsigned char ours[] = "\x02h2\x08http/1.1";
    unsigned char *chosen = NULL;

    (void)ssl;
    (void)ctx;
    if (SSL_select_next_proto(&chosen, out_len, ours, sizeof(ours) - 1, in,
                              in_len) != OPENSSL_NPN_NEGOTIATED)
        return SSL_TLSEXT_ERR_NOACK;
    *out = chosen;
    return SSL_TLSEXT_ERR_OK;
}

int
tls_no_password(char *out, int cap, int writing, void *ctx)
{
    (void)writing;
    (void)ctx;
    if (cap > 0)
        *out = '\0';
    return -1;
}

/* The last thing that it says, unless one before it is of a password. */
const char *
tls_why(void)
{
    const char *reason = ERR_reason_error_string(ERR_peek_last_error());
    unsigned long code;

    while ((code = ERR_get_error()) != 0)
        if (ERR_GET_LIB(code) == ERR_LIB_PEM &&
            ERR_GET_REASON(code) == PEM_R_BAD_PASSWORD_READ)
            return "it is encrypted";
    return reason ? reason : "not understood";
}

static enum err
load_files(struct tls_source *source, SSL_CTX *ctx, struct buf *why)
{
    static const char *const kinds[FILES] = {"certificate", "key", "client CA"};

    for (size_t i = 0; i < FILES; i++) {
        const char *path = source->files[i];
        if (path && access(path, R_OK)) {
            buf_printf(why, "cannot read the %s file %s: %s", kinds[i], path,
                       strerror(errno));
            return ERR_DENIED;
        }
        if (path && path_may_block(path)) {
            buf_printf(why, "the %s file %s is not a regular file", kinds[i],
                       path);
            return ERR_INVALID;
        }
    }
    ERR_clear_error();
    size_t failed = FILES;
    if (SSL_CTX_use_certificate_chain_file(ctx, source->files[0]) != 1)
        failed = 0;
    else if (SSL_CTX_use_PrivateKey_file(ctx, source->files[1],
                                         SSL_FILETYPE_PEM) != 1)
        failed = 1;
    else if (source->files[2] &&
             SSL_CTX_load_verify_file(ctx, source->files[2]) != 1)
        failed = 2;
    if (failed < FILES) {
        buf_printf(why, "no usable %s in %s: %s", kinds[failed],
                   source->files[failed], tls_why());
        return ERR_INVALID;
    }
    return OK;
}

static SSL_CTX *
new_context(struct tls_source *source)
{
    static const unsigned char id[] = "spangraph";
    SSL_CTX *ctx = SSL_CTX_new(TLS_server_method());

    if (!ctx)
        return NULL;
    SSL_CTX_set_app_data(ctx, source);
    SSL_CTX_set_default_passwd_cb(ctx, tls_no_password);
    SSL_CTX_set_min_proto_version(ctx, source->min_version);
    SSL_CTX_set_max_proto_version(ctx, source->max_version);
    if (!tls_suites_apply(&source->suites, ctx)) {
        SSL_CTX_free(ctx);
        return NULL;
    }
    SSL_CTX_set_options(ctx, SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION |
                                 SSL_OP_CIPHER_SERVER_PREFERENCE);
    SSL_CTX_set_mode(ctx,
                     SSL_MODE_RELEASE_BUFFERS | SSL_MODE_ENABLE_PARTIAL_WRITE);
    SSL_CTX_set_session_id_context(ctx, id, sizeof(id) - 1);
    SSL_CTX_set_alpn_select_cb(ctx, on_alpn, NULL);
    if (source->files[2]) {
        SSL_CTX_set_verify(
            ctx, SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT, on_verify);
        /* Each connection shows its certificate anew. */
        SSL_CTX_set_session_cache_mode(ctx, SSL_SESS_CACHE_OFF);
        SSL_CTX_set_options(ctx, SSL_OP_NO_TICKET);
        SSL_CTX_set_num_tickets(ctx, 0);
    }
    return ctx;
}

static void
stamp_files(const struct tls_source *source, struct stamp *out)
{
    for (size_t i = 0; i < FILES; i++)
        (void)stamp_file(source->files[i], &out[i]);
}

enum err
tls_source_reload(struct tls_source *source, struct buf *why)
{
    struct stamp stamps[FILES];
    SSL_CTX *ctx = new_context(source);
    enum err err = ctx ? OK : ERR_NOMEM;

    stamp_files(source, stamps);
    if (!err)
        err = load_files(source, ctx, why);

    pthread_mutex_lock(&source->mutex);
    /* Also after a failure: a bad file is reported once, not each period. */
    memcpy(source->stamps, stamps, sizeof(stamps));
    if (!err) {
        SSL_CTX *old = source->ctx;
        source->ctx = ctx;
        ctx = old;
    }
    pthread_mutex_unlock(&source->mutex);
    SSL_CTX_free(ctx);
    return err;
}

bool
tls_source_is_stale(struct tls_source *source)
{
    struct stamp stamps[FILES];
    bool is_stale = false;

    stamp_files(source, stamps);
    pthread_mutex_lock(&source->mutex);
    for (size_t i = 0; i < FILES; i++)
        is_stale |= !stamp_eq(&stamps[i], &source->stamps[i]);
    pthread_mutex_unlock(&source->mutex);
    return is_stale;
}

/* Copies |text|, if any; false without memory. */
static bool
copy_to(char **out, const char *text)
{
    *out = text ? strdup(text) : NULL;
    return *out || !text;
}

static enum err
copy_cfg(struct tls_source *source, const struct server_tls *cfg)
{
    const char *key = cfg->key_file ? cfg->key_file : cfg->cert_file;

    source->min_version = cfg->needs_tls13 ? TLS1_3_VERSION : TLS1_2_VERSION;
    source->max_version = cfg->only_tls12 ? TLS1_2_VERSION : 0;
    if (!copy_to(&source->files[0], cfg->cert_file) ||
        !copy_to(&source->files[1], key) ||
        !copy_to(&source->files[2], cfg->client_ca_file))
        return ERR_NOMEM;
    if (cfg->allowed_len) {
        source->allowed = calloc(cfg->allowed_len, sizeof(*source->allowed));
        if (!source->allowed)
            return ERR_NOMEM;
    }
    for (; source->allowed_len < cfg->allowed_len; source->allowed_len++)
        if (!copy_to(&source->allowed[source->allowed_len],
                     cfg->allowed_names[source->allowed_len]))
            return ERR_NOMEM;
    return OK;
}

enum err
tls_source_new(struct tls_source **out, const struct server_tls *cfg,
               struct buf *why)
{
    struct tls_source *source = calloc(1, sizeof(*source));

    *out = NULL;
    if (!source)
        return ERR_NOMEM;
    if (pthread_mutex_init(&source->mutex, NULL)) {
        free(source);
        return ERR_NOMEM;
    }
    enum err err = copy_cfg(source, cfg);
    if (!err)
        err =
            tls_suites_read(&source->suites, cfg->suites, cfg->suite_len, why);
    if (!err)
        err = tls_source_reload(source, why);
    if (err)
        tls_source_free(source);
    else
        *out = source;
    return err;
}

void
tls_source_free(struct tls_source *source)
{
    if (!source)
        return;
    SSL_CTX_free(source->ctx);
    for (size_t i = 0; i < FILES; i++)
        free(source->files[i]);
    for (size_t i = 0; i < source->allowed_len; i++)
        free(source->allowed[i]);
    free(source->allowed);
    tls_suites_fini(&source->suites);
    pthread_mutex_destroy(&source->mutex);
    free(source);
}

struct tls_stream *
tls_stream_new(struct tls_source *source)
{
    struct tls_stream *stream = calloc(1, sizeof(*stream));
    BIO *in = BIO_new(BIO_s_mem());
    BIO *out = BIO_new(BIO_s_mem());

    if (stream && in && out) {
        pthread_mutex_lock(&source->mutex);
        stream->ssl = SSL_new(source->ctx);
        pthread_mutex_unlock(&source->mutex);
    }
    if (!stream || !stream->ssl) {
        BIO_free(in);
        BIO_free(out);
        free(stream);
        return NULL;
    }
    stream->in = in;
    stream->out = out;
    SSL_set_bio(stream->ssl, in, out);
    SSL_set_accept_state(stream->ssl);
    return stream;
}

void
tls_stream_free(struct tls_stream *stream)
{
    if (!stream)
        return;
    SSL_free(stream->ssl);
    free(stream);
}

enum err
tls_stream_put(struct tls_stream *stream, str wire)
{
    size_t put = 0;

    if (BIO_write_ex(stream->in, wire.ptr, wire.len, &put) != 1 ||
        put != wire.len)
        return ERR_NOMEM;
    return OK;
}

enum err
tls_stream_read(struct tls_stream *stream, char *to, size_t len, size_t *got)
{
    *got = 0;
    ERR_clear_error();
    if (SSL_read_ex(stream->ssl, to, len, got) == 1)
        return OK;
    switch (SSL_get_error(stream->ssl, 0)) {
    case SSL_ERROR_WANT_READ:
        return OK;
    case SSL_ERROR_ZERO_RETURN:
        return ERR_CANCELLED;
    default:
        return ERR_DENIED;
    }
}

enum err
tls_stream_write(struct tls_stream *stream, str plain)
{
    while (plain.len) {
        size_t put = 0;

        ERR_clear_error();
        if (SSL_write_ex(stream->ssl, plain.ptr, plain.len, &put) != 1)
            return ERR_IO;
        plain = str_cut(plain, put, plain.len);
    }
    return OK;
}

void
tls_stream_end(struct tls_stream *stream)
{
    ERR_clear_error();
    if (SSL_is_init_finished(stream->ssl))
        SSL_shutdown(stream->ssl);
}

size_t
tls_stream_due(const struct tls_stream *stream)
{
    return BIO_ctrl_pending(stream->out);
}

void
tls_stream_take(struct tls_stream *stream, struct buf *out)
{
    size_t len = tls_stream_due(stream);
    char *to = len ? buf_grow(out, len) : NULL;
    size_t got = 0;

    if (to && BIO_read_ex(stream->out, to, len, &got) == 1)
        out->len += got;
}

bool
tls_stream_is_ready(const struct tls_stream *stream)
{
    return SSL_is_init_finished(stream->ssl);
}

str
tls_stream_protocol(const struct tls_stream *stream)
{
    const unsigned char *name = NULL;
    unsigned len = 0;

    SSL_get0_alpn_selected(stream->ssl, &name, &len);
    return (str){(const char *)name, len};
}

/* The first name of |type| among |names|, or the empty view. */
static str
first_san(GENERAL_NAMES *names, int type)
{
    for (int i = 0; i < sk_GENERAL_NAME_num(names); i++) {
        const GENERAL_NAME *name = sk_GENERAL_NAME_value(names, i);
        int is_type;

        GENERAL_NAME_get0_value(name, &is_type);
        if (is_type == type)
            return san_view(name);
    }
    return (str){NULL, 0};
}

str
tls_stream_peer(struct tls_stream *stream)
{
    X509 *cert = SSL_get0_peer_certificate(stream->ssl);
    str name = {NULL, 0};

    if (!cert || SSL_get_verify_mode(stream->ssl) == SSL_VERIFY_NONE)
        return name;

    GENERAL_NAMES *names =
        X509_get_ext_d2i(cert, NID_subject_alt_name, NULL, NULL);
    name = first_san(names, GEN_DNS);
    if (!name.len)
        name = first_san(names, GEN_URI);
    if (!name.len)
        name = common_name(cert);
    name = str_cut(name, 0, NAME_MAX_LEN);
    if (name.len && name.ptr)
        memcpy(stream->peer, name.ptr, name.len);
    GENERAL_NAMES_free(names);
    return (str){stream->peer, name.len};
}
