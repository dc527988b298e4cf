#include "tests/support/join_rig.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

struct join_rig join_rig;

int
join_rig_open(void **state)
{
    (void)state;
    memset(&join_rig, 0, sizeof(join_rig));
    db_fixture_open(&join_rig.db);
    code_fixture_open(&join_rig.fixture, join_rig.db.dir);
    join_rig.shop = db_service(&join_rig.db, "shop");
    fixture_service(&join_rig.fixture, "shop", "shop");
    join_rig.app = fixture_file(&join_rig.fixture, "shop/app.py");
    join_rig.lib = fixture_file(&join_rig.fixture, "other/app.py");
    return 0;
}

int
join_rig_close(void **state)
{
    (void)state;
    join_free(join_rig.join);
    code_drop(join_rig.code);
    query_end(join_rig.view);
    query_close(join_rig.query);
    db_fixture_close(&join_rig.db);
    return 0;
}

uint32_t
join_rig_function(uint32_t file, const char *name)
{
    return fixture_function(&join_rig.fixture, file, name,
                            10 * join_rig.fixture.build.node_len, 0);
}

void
join_rig_route(const char *method, const char *path, const char *handler,
               uint32_t flags)
{
    fixture_route(&join_rig.fixture, join_rig.app, method, path,
                  join_rig_function(join_rig.app, handler), flags);
}

void
join_rig_make(void)
{
    struct buf why = {0};

    join_rig.code = code_fixture_load(&join_rig.fixture);
    assert_int_equal(
        query_open(&join_rig.query, join_rig.db.dir, &query_cfg_default, &why),
        OK);
    assert_int_equal(query_begin(join_rig.query, FIXTURE_NOW_S, &join_rig.view),
                     OK);
    assert_int_equal(join_make(&join_rig.join, join_rig.view, join_rig.code),
                     OK);
    buf_fini(&why);
}

void
join_rig_expect(uint32_t node, enum join_how how, const char *handler)
{
    const struct join_row *row = join_of(join_rig.join, node);

    assert_string_equal(join_how_str(row->how), join_how_str((uint8_t)how));
    assert_int_equal(row->vertex,
                     handler ? fixture_vertex(join_rig.code, handler) : 0);
    assert_int_equal(row->permille > 0, how != JOIN_NONE);
}
