/*
 * The three files are held as one snapshot: their text and a stamp (time,
 * size, inode).  A handshake compares stamps, at most every |reload_ms|; a
 * different stamp is remembered even when the new files are of no use, so that
 * a bad one is reported once and not at each handshake.
 *
 * Core does not check what it is given before the first handshake, so the
 * check is done here with OpenSSL, on the bytes that core then gets.
 */
#include "net/grpc_cert.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/x509.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/path.h"
#include "base/stamp.h"
#include "net/tls.h"

enum { FILE_MAX = 1 << 20 };

enum { CERT, KEY, CA, FILES };

struct files {
    struct stamp stamp[FILES];
    struct buf text[FILES]; /* NUL-terminated by buf_cstr */
};

struct grpc_cert {
    char *path[FILES]; /* [CA] is NULL without client certificates */
    char **names;      /* allowed clients */
    size_t name_len;
    uint32_t reload_ms;
    pthread_mutex_t lock; /* for all below */
    struct files files;
    uint64_t looked_ns;
    bool is_asked; /* grpc_cert_reload was called */
    bool is_fresh; /* core has not got |files| yet */
};

static enum err
read_file(const char *path, struct buf *out, struct buf *why)
{
    enum err err = ERR_DENIED;
    char part[4096];
    size_t len;

    *out = (struct buf){.cap_max = FILE_MAX};
    if (path_may_block(path)) {
        buf_printf(why, "%s is not a regular file", path);
        return ERR_INVALID;
    }
    FILE *file = fopen(path, "rbe");
    if (!file) {
        buf_printf(why, "cannot read %s: %s", path, strerror(errno));
        return ERR_DENIED;
    }
    while ((len = fread(part, 1, sizeof(part), file)) > 0)
        buf_add(out, (str){part, len});
    if (ferror(file)) {
        buf_printf(why, "cannot read %s", path);
        goto out;
    }
    buf_cstr(out);
    err = OK;
    if (out->failed) {
        buf_printf(why, "%s is too large to be a certificate", path);
        err = ERR_INVALID;
    }
out:
    fclose(file);
    return err;
}

static X509 *
parse_cert(const struct buf *text)
{
    BIO *bio = BIO_new_mem_buf(text->ptr, (int)text->len);
    X509 *cert =
        bio ? PEM_read_bio_X509(bio, NULL, tls_no_password, NULL) : NULL;

    BIO_free(bio);
    return cert;
}

static EVP_PKEY *
parse_key(const struct buf *text)
{
    BIO *bio = BIO_new_mem_buf(text->ptr, (int)text->len);
    EVP_PKEY *key =
        bio ? PEM_read_bio_PrivateKey(bio, NULL, tls_no_password, NULL) : NULL;

    BIO_free(bio);
    return key;
}

static enum err
check_files(const struct grpc_cert *cert, const struct files *files,
            struct buf *why)
{
    enum err err = ERR_INVALID;
    X509 *chain = parse_cert(&files->text[CERT]);
    EVP_PKEY *key = parse_key(&files->text[KEY]);
    X509 *ca = cert->path[CA] ? parse_cert(&files->text[CA]) : NULL;

    if (!chain)
        buf_printf(why, "%s holds no PEM certificate", cert->path[CERT]);
    else if (!key)
        buf_printf(why, "%s holds no usable PEM private key", cert->path[KEY]);
    else if (X509_check_private_key(chain, key) != 1)
        buf_printf(why, "the key %s does not belong to the certificate %s",
                   cert->path[KEY], cert->path[CERT]);
    else if (cert->path[CA] && !ca)
        buf_printf(why, "%s holds no PEM certificate", cert->path[CA]);
    else
        err = OK;
    X509_free(chain);
    EVP_PKEY_free(key);
    X509_free(ca);
    ERR_clear_error();
    return err;
}

static void
files_fini(struct files *files)
{
    for (size_t i = 0; i < FILES; i++) {
        if (files->text[i].ptr)
            explicit_bzero(files->text[i].ptr, files->text[i].cap);
        buf_fini(&files->text[i]);
    }
}

/* |out| holds the stamps on failure too. */
static enum err
load_files(const struct grpc_cert *cert, struct files *out, struct buf *why)
{
    enum err err = OK;

    *out = (struct files){0};
    for (size_t i = 0; i < FILES; i++)
        (void)stamp_file(cert->path[i], &out->stamp[i]);
    for (size_t i = 0; i < FILES && !err; i++)
        if (cert->path[i])
            err = read_file(cert->path[i], &out->text[i], why);
    return err ? err : check_files(cert, out, why);
}

static bool
is_changed(const struct grpc_cert *cert)
{
    struct stamp stamp;

    for (size_t i = 0; i < FILES; i++)
        if (stamp_file(cert->path[i], &stamp) &&
            !stamp_eq(&stamp, &cert->files.stamp[i]))
            return true;
    return false;
}

static bool
is_time_to_look(struct grpc_cert *cert)
{
    uint64_t now_ns = clock_mono_ns();

    if (!cert->is_asked &&
        (cert->reload_ms == 0 ||
         now_ns - cert->looked_ns < cert->reload_ms * NS_PER_MS))
        return false;
    cert->is_asked = false;
    cert->looked_ns = now_ns;
    return true;
}

static void
look_again(struct grpc_cert *cert)
{
    struct files files;
    struct buf why = {.cap_max = 1024};

    if (!is_changed(cert))
        return;
    if (load_files(cert, &files, &why)) {
        log_warn("certificates not reloaded, the old ones stay", "why", "%s",
                 buf_cstr(&why));
        memcpy(cert->files.stamp, files.stamp, sizeof(files.stamp));
    } else {
        struct files old = cert->files;
        cert->files = files;
        files = old;
        cert->is_fresh = true;
        log_info("certificates reloaded", "file", "%s", cert->path[CERT]);
    }
    files_fini(&files);
    buf_fini(&why);
}

static grpc_ssl_certificate_config_reload_status
fetch(void *ctx, grpc_ssl_server_certificate_config **out)
{
    struct grpc_cert *cert = ctx;
    grpc_ssl_certificate_config_reload_status status =
        GRPC_SSL_CERTIFICATE_CONFIG_RELOAD_UNCHANGED;

    pthread_mutex_lock(&cert->lock);
    if (is_time_to_look(cert))
        look_again(cert);
    if (cert->is_fresh) {
        const grpc_ssl_pem_key_cert_pair pair = {
            .private_key = cert->files.text[KEY].ptr,
            .cert_chain = cert->files.text[CERT].ptr,
        };
        /* Core aborts without roots, even if it asks no client for anything;
         * then they are not used. */
        *out = grpc_ssl_server_certificate_config_create(
            cert->files.text[cert->path[CA] ? CA : CERT].ptr, &pair, 1);
        cert->is_fresh = false;
        status = GRPC_SSL_CERTIFICATE_CONFIG_RELOAD_NEW;
    }
    pthread_mutex_unlock(&cert->lock);
    return status;
}

static enum err
copy_config(struct grpc_cert *cert, const struct server_tls *tls)
{
    const char *paths[FILES] = {tls->cert_file, tls->key_file,
                                tls->client_ca_file};

    for (size_t i = 0; i < FILES; i++)
        if (paths[i] && !(cert->path[i] = strdup(paths[i])))
            return ERR_NOMEM;
    cert->names = calloc(tls->allowed_len + 1, sizeof(*cert->names));
    if (!cert->names)
        return ERR_NOMEM;
    for (; cert->name_len < tls->allowed_len; cert->name_len++) {
        char *name = strdup(tls->allowed_names[cert->name_len]);
        if (!name)
            return ERR_NOMEM;
        cert->names[cert->name_len] = name;
    }
    cert->reload_ms = tls->reload_ms;
    return OK;
}

enum err
grpc_cert_new(struct grpc_cert **out, const struct server_tls *tls,
              struct buf *why)
{
    enum err err = ERR_INVALID;
    struct grpc_cert *cert = NULL;

    *out = NULL;
    if (!tls->key_file) {
        buf_add(why, STR("a certificate without its key file"));
        return ERR_INVALID;
    }
    if (tls->allowed_len > 0 && !tls->client_ca_file) {
        buf_add(why, STR("allowed client names without a client CA file"));
        return ERR_INVALID;
    }
    if (!(cert = calloc(1, sizeof(*cert))))
        return ERR_NOMEM;
    pthread_mutex_init(&cert->lock, NULL);
    if ((err = copy_config(cert, tls)))
        goto out;
    if ((err = load_files(cert, &cert->files, why)))
        goto out;
    cert->is_fresh = true;
    cert->looked_ns = clock_mono_ns();
    *out = cert;
    cert = NULL;
out:
    grpc_cert_free(cert);
    return err;
}

void
grpc_cert_free(struct grpc_cert *cert)
{
    if (!cert)
        return;
    files_fini(&cert->files);
    for (size_t i = 0; i < FILES; i++)
        free(cert->path[i]);
    for (size_t i = 0; i < cert->name_len; i++)
        free(cert->names[i]);
    free(cert->names);
    pthread_mutex_destroy(&cert->lock);
    free(cert);
}

grpc_server_credentials *
grpc_cert_credentials(struct grpc_cert *cert)
{
    grpc_ssl_client_certificate_request_type ask =
        cert->path[CA]
            ? GRPC_SSL_REQUEST_AND_REQUIRE_CLIENT_CERTIFICATE_AND_VERIFY
            : GRPC_SSL_DONT_REQUEST_CLIENT_CERTIFICATE;

    return grpc_ssl_server_credentials_create_with_options(
        grpc_ssl_server_credentials_create_options_using_config_fetcher(
            ask, fetch, cert));
}

void
grpc_cert_reload(struct grpc_cert *cert)
{
    pthread_mutex_lock(&cert->lock);
    cert->is_asked = true;
    pthread_mutex_unlock(&cert->lock);
}

static bool
is_allowed(const struct grpc_cert *cert, str name)
{
    for (size_t i = 0; i < cert->name_len; i++)
        if (str_eq(name, str_of(cert->names[i])))
            return true;
    return cert->name_len == 0;
}

bool
grpc_cert_peer(const struct grpc_cert *cert, grpc_call *call, struct buf *name)
{
    static const char *const kinds[] = {GRPC_X509_SAN_PROPERTY_NAME,
                                        GRPC_X509_CN_PROPERTY_NAME};
    bool is_found = false;

    if (!cert->path[CA])
        return true;
    grpc_auth_context *auth = grpc_call_auth_context(call);
    for (size_t i = 0; i < 2 && auth && !is_found; i++) {
        grpc_auth_property_iterator it =
            grpc_auth_context_find_properties_by_name(auth, kinds[i]);
        const grpc_auth_property *property;
        while (!is_found && (property = grpc_auth_property_iterator_next(&it)))
            if (is_allowed(cert,
                           (str){property->value, property->value_length})) {
                buf_add(name, (str){property->value, property->value_length});
                is_found = true;
            }
    }
    grpc_auth_context_release(auth);
    return is_found || cert->name_len == 0;
}
