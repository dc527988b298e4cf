#include "tests/support/view_rig.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "api/view.h"
#include "tests/support/ask_tools.h"

struct view_rig view_rig;

void
view_rig_open(bool with_code)
{
    const struct query_cfg cfg = {.readers = 1, .ages = confidence_cfg_default};
    struct buf why = {0};

    assert_int_equal(query_open(&view_rig.query, view_rig.db.dir, &cfg, &why),
                     OK);
    view_rig.world = NULL;
    if (with_code)
        assert_int_equal(world_open(&view_rig.world, view_rig.db.dir), OK);
}

void
view_rig_close(void)
{
    world_close(view_rig.world);
    query_close(view_rig.query);
    db_fixture_close(&view_rig.db);
}

enum err
view_rig_try(const char *path, const char *query, struct buf *out,
             struct buf *why)
{
    const struct view_cfg cfg = {.query = view_rig.query,
                                 .world = view_rig.world};
    const struct view_state state = {.now_s = FIXTURE_NOW_S,
                                     .is_writable = true};

    return view_answer(&cfg, state, str_of(path), str_of(query), out, why);
}

cJSON *
view_rig_get(const char *path, const char *query)
{
    struct buf out = {0};
    struct buf why = {0};

    enum err err = view_rig_try(path, query, &out, &why);
    if (err)
        print_error("%s?%s: %s\n", path, query, buf_cstr(&why));
    assert_int_equal(err, OK);
    cJSON *json = cJSON_ParseWithLength(out.ptr, out.len);
    assert_non_null(json);
    buf_fini(&out);
    return json;
}

void
view_rig_refused(enum err expected, const char *path, const char *query,
                 const char *says)
{
    struct buf out = {0};
    struct buf why = {0};

    assert_int_equal(view_rig_try(path, query, &out, &why), expected);
    if (!strstr(buf_cstr(&why), says))
        print_error("%s?%s: %s\n", path, query, buf_cstr(&why));
    assert_non_null(strstr(buf_cstr(&why), says));
    buf_fini(&out);
    buf_fini(&why);
}

const cJSON *
view_rig_node(const cJSON *json, const char *key)
{
    const cJSON *row;

    cJSON_ArrayForEach(row, at(json, "nodes"))
    {
        if (strcmp(text_at(row, "key"), key) == 0)
            return row;
    }
    return NULL;
}

const char *
view_rig_edge(const cJSON *json, const char *source, const char *target)
{
    static char text[64];
    const cJSON *row;
    const cJSON *from = view_rig_node(json, source);
    const cJSON *to = view_rig_node(json, target);

    text[0] = '\0';
    cJSON_ArrayForEach(row, at(json, "edges"))
    {
        if (from && to && number_at(row, "source") == number_at(from, "id") &&
            number_at(row, "target") == number_at(to, "id"))
            (void)snprintf(text, sizeof(text), "%s %.0f",
                           text_at(row, "evidence"), number_at(row, "count"));
    }
    return text;
}

void
view_rig_chain(void)
{
    const char *const names[] = {"a", "b", "c", "d", "e"};
    uint32_t ids[5];

    db_fixture_open(&view_rig.db);
    for (size_t i = 0; i < 5; i++) {
        ids[i] = db_service(&view_rig.db, names[i]);
        if (i)
            db_daily(&view_rig.db,
                     db_edge(&view_rig.db, ids[i - 1], ids[i], EDGE_CALL, 0),
                     FIXTURE_DAY - 1, FIXTURE_DAY, 100 * (int64_t)i, 1);
    }
    db_daily(&view_rig.db,
             db_edge(&view_rig.db, db_service(&view_rig.db, "z"), ids[4],
                     EDGE_CALL, 0),
             FIXTURE_DAY - 1, FIXTURE_DAY, 3, 1);
}
