#include "tests/support/sealed.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/hash.h"

struct sealed sealed;

int
sealed_setup(void **state)
{
    stored_setup(state);
    snprintf(sealed.path, sizeof(sealed.path), "%s.seal", stored.path);
    snprintf(sealed.log, sizeof(sealed.log), "%s-wal", stored.path);
    return 0;
}

struct stored_bytes
sealed_read(const char *path)
{
    struct stored_bytes out = {malloc(SEALED_BYTES_MAX), 0};
    FILE *file = fopen(path, "rb");

    assert_non_null(out.ptr);
    if (file) {
        out.len = fread(out.ptr, 1, SEALED_BYTES_MAX, file);
        (void)fclose(file);
    }
    assert_true(out.len < SEALED_BYTES_MAX);
    return out;
}

void
sealed_write(const char *path, struct stored_bytes bytes)
{
    FILE *file = fopen(path, "wb");

    assert_non_null(file);
    assert_int_equal(fwrite(bytes.ptr, 1, bytes.len, file), bytes.len);
    assert_int_equal(fclose(file), 0);
}

void
sealed_write_text(const char *path, const char *text)
{
    char *copy = strdup(text);

    assert_non_null(copy);
    sealed_write(path, (struct stored_bytes){copy, strlen(copy)});
    free(copy);
}

void
sealed_text(struct stored_bytes bytes, char out[SEALED_CAP])
{
    struct digest128 digest = {0, 0};
    char *chain = malloc(sizeof(digest) + SEALED_CHUNK);

    assert_non_null(chain);
    for (size_t at = 0; at < bytes.len; at += SEALED_CHUNK) {
        size_t some =
            bytes.len - at < SEALED_CHUNK ? bytes.len - at : SEALED_CHUNK;
        memcpy(chain, &digest, sizeof(digest));
        memcpy(chain + sizeof(digest), bytes.ptr + at, some);
        digest = hash_digest((str){chain, sizeof(digest) + some});
    }
    free(chain);
    snprintf(out, SEALED_CAP, "whole 1: %zu bytes %016llx%016llx\n", bytes.len,
             (unsigned long long)digest.hi, (unsigned long long)digest.lo);
}

void
sealed_assert(bool expected)
{
    struct stored_bytes bytes = sealed_read(stored.path);
    struct stored_bytes seal = sealed_read(sealed.path);
    char should[SEALED_CAP];

    sealed_text(bytes, should);
    bool is_sealed =
        seal.len == strlen(should) && memcmp(seal.ptr, should, seal.len) == 0;
    assert_int_equal(is_sealed, expected);
    free(bytes.ptr);
    free(seal.ptr);
}

enum err
sealed_try_open(void)
{
    struct store *st = NULL;

    buf_reset(&stored.why);
    enum err err =
        store_open(&st, stored.dir, STORE_SYNC_FULL, STORED_NOW, &stored.why);
    store_close(st);
    return err;
}

void
sealed_make_filled(void)
{
    struct store *st = stored_open();

    stored_fill(st);
    store_close(st);
}

int64_t
sealed_odd_page(void)
{
    return stored_ask("SELECT rootpage FROM sqlite_schema"
                      " WHERE name = 'edge_dst'");
}

void
sealed_zero_page(int64_t page)
{
    static const char zeros[SEALED_PAGE];
    int fd = open(stored.path, O_WRONLY | O_CLOEXEC);

    assert_int_equal(pwrite(fd, zeros, SEALED_PAGE, (page - 1) * SEALED_PAGE),
                     SEALED_PAGE);
    assert_int_equal(close(fd), 0);
}

struct stored_bytes
sealed_make_damaged(char seal[SEALED_CAP])
{
    sealed_make_filled();
    sealed_zero_page(sealed_odd_page());
    struct stored_bytes bytes = sealed_read(stored.path);
    sealed_text(bytes, seal);
    return bytes;
}
