/*
 * How much the aliases of a stream may copy.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "index/yaml_tree.h"

enum { SCALAR_LEN = 1 << 19, SCALARS_MOST = 32 }; /* 16 MiB */

static enum err
take(void *ctx, const cJSON *document)
{
    *(int *)ctx += cJSON_GetArraySize(document);
    return OK;
}

/* A stream with a long text and |count| aliases of it, each in a list of its
 * own if |is_nested|. */
static enum err
read_copies(int count, bool is_nested)
{
    struct buf text = {0};
    struct buf why = {0};
    int seen = 0;

    buf_add(&text, is_nested ? STR("- &a [") : STR("- &a "));
    for (int i = 0; i < SCALAR_LEN; i++)
        buf_add_char(&text, 'x');
    buf_add(&text, is_nested ? STR("]\n") : STR("\n"));
    for (int i = 0; i < count; i++)
        buf_add(&text, STR("- *a\n"));
    assert_false(text.failed);
    enum err err = yaml_documents(buf_str(&text), take, &seen, &why);
    assert_int_equal(seen, err ? 0 : count + 1);
    buf_fini(&text);
    buf_fini(&why);
    return err;
}

static void
aliases_copy_no_more_than_is_said(void **state)
{
    (void)state;
    for (int is_nested = 0; is_nested < 2; is_nested++) {
        assert_int_equal(read_copies(SCALARS_MOST, is_nested), OK);
        assert_int_equal(read_copies(SCALARS_MOST + 1, is_nested), ERR_INVALID);
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(aliases_copy_no_more_than_is_said),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
