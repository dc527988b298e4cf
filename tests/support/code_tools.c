#include "tests/support/code_tools.h"

#include "tests/support/ask_tools.h"
#include "tests/support/code_shop.h"

struct code_tools code_tools;

static uint32_t
fixed_now(void *ctx)
{
    (void)ctx;
    return FIXTURE_NOW_S;
}

static int
open_tools(void)
{
    struct buf why = {0};

    if (query_open(&code_tools.query, code_tools.db.dir, &query_cfg_default,
                   &why) ||
        world_open(&code_tools.world, code_tools.db.dir))
        return 1;
    const struct tools_cfg cfg = {.query = code_tools.query,
                                  .world = code_tools.world,
                                  .data = code_tools.db.dir,
                                  .version = "1.0",
                                  .toolsets = "all"};
    if (tools_new(&code_tools.tools, &cfg, &why))
        return 1;
    tools_set_clock(code_tools.tools, fixed_now, NULL);
    return 0;
}

int
code_tools_empty(void **state)
{
    (void)state;
    db_fixture_open(&code_tools.db);
    return open_tools();
}

int
code_tools_shop(void **state)
{
    (void)state;
    db_fixture_open(&code_tools.db);
    code_shop_index(&code_tools.db);
    code_shop_observe(&code_tools.db);
    return open_tools();
}

int
code_tools_wide(void **state)
{
    (void)state;
    db_fixture_open(&code_tools.db);
    code_shop_wide(&code_tools.db, 60);
    return open_tools();
}

int
code_tools_close(void **state)
{
    (void)state;
    tools_free(code_tools.tools);
    world_close(code_tools.world);
    query_close(code_tools.query);
    db_fixture_close(&code_tools.db);
    return 0;
}

cJSON *
code_tools_ask(const char *name, const char *args)
{
    return ask(code_tools.tools, name, args);
}

void
code_tools_refuse(const char *name, const char *args, const char *says)
{
    ask_refused(code_tools.tools, name, args, says);
}
