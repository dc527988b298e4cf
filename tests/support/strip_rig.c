#include "tests/support/strip_rig.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

int
strip_rig_setup(void **state)
{
    struct strip_rig *f = calloc(1, sizeof(*f));

    f->scratch = decode_scratch_new();
    f->strip = strip_new();
    *state = f;
    return f->scratch && f->strip ? 0 : -1;
}

int
strip_rig_teardown(void **state)
{
    struct strip_rig *f = *state;

    decode_scratch_free(f->scratch);
    strip_free(f->strip);
    buf_fini(&f->out);
    free(f);
    return 0;
}

enum err
strip_rig_strip(struct strip_rig *f, str bytes, bool json)
{
    struct span_visitor visitor;
    char *copy = calloc(1, bytes.len + STRIP_PAD);

    assert_non_null(copy);
    if (bytes.len)
        memcpy(copy, bytes.ptr, bytes.len);
    buf_reset(&f->out);
    strip_begin(f->strip, &visitor);
    str view = {copy, bytes.len};
    enum err err =
        json ? decode_json(f->scratch, view, false, &visitor, &f->result)
             : decode_protobuf(f->scratch, view, &visitor, &f->result);
    if (!err)
        assert_int_equal(strip_take(f->strip, &f->out, &f->spans), OK);
    free(copy);
    return err;
}
