#include "tests/support/spooled.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/support/dir.h"
#include "tests/support/fault_vfs.h"

struct spooled spooled;

const struct spool_cfg spooled_cfg = {.max_bytes = SPOOLED_MAX,
                                      .batch_bytes = SPOOLED_BATCH,
                                      .batch_age_ns = NS_PER_S,
                                      .is_durable = true};

enum err
spooled_try_open(uint64_t now_ns)
{
    buf_reset(&spooled.why);
    return spool_open(&spooled.spool, spooled.dir, &spooled_cfg, now_ns,
                      &spooled.why);
}

void
spooled_reopen(uint64_t now_ns)
{
    spool_close(spooled.spool);
    if (spooled_try_open(now_ns))
        fail_msg("%s", buf_cstr(&spooled.why));
}

int
spooled_setup(void **state)
{
    (void)state;
    fault_vfs_heal();
    dir_make(spooled.dir);
    (void)snprintf(spooled.path, sizeof(spooled.path), "%s/" SPOOL_FILE,
                   spooled.dir);
    spooled.spool = NULL;
    spooled.lost = 0;
    spooled_reopen(SPOOLED_NOW);
    return 0;
}

int
spooled_teardown(void **state)
{
    (void)state;
    fault_vfs_heal();
    spool_close(spooled.spool);
    dir_remove(spooled.dir);
    buf_fini(&spooled.why);
    return 0;
}

enum err
spooled_put(char name, size_t len, uint64_t raw, uint64_t now_ns)
{
    char *bytes = malloc(len + 1);
    uint64_t gone;

    memset(bytes, name, len + 1);
    enum err err = spool_begin(spooled.spool);
    if (!err)
        err =
            spool_put(spooled.spool, (str){bytes, len}, raw, 10, now_ns, &gone);
    if (!err)
        err = spool_commit(spooled.spool);
    if (err)
        spool_rollback(spooled.spool);
    else
        spooled.lost += gone;
    free(bytes);
    return err;
}

bool
spooled_is_new(uint64_t digest, uint64_t now_ns)
{
    bool is_new = false;

    assert_int_equal(spool_begin(spooled.spool), OK);
    assert_int_equal(spool_note(spooled.spool,
                                (struct digest128){digest, digest}, now_ns,
                                &is_new),
                     OK);
    assert_int_equal(spool_commit(spooled.spool), OK);
    return is_new;
}

const char *
spooled_next(uint64_t now_ns, bool is_last, struct spool_batch *out)
{
    static char names[64];
    size_t len = 0;

    enum err err = spool_next(spooled.spool, now_ns, is_last, out);
    assert_true(err == OK || err == ERR_NOT_FOUND);
    for (size_t i = 0; !err && i < out->bytes.len; i++)
        if (i == 0 || out->bytes.ptr[i] != out->bytes.ptr[i - 1])
            names[len++] = out->bytes.ptr[i];
    names[len] = '\0';
    return names;
}
