/*
 * What explore, search, graph_search and graph_query answer when nothing
 * passes: which filter it may be, what that filter takes, which names are near.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/support/near_rows.h"
#include "tests/support/near_shop.h"

static const struct near_row explore_rows[] = {
    {"status", "explore", "{\"types\":[\"task\"],\"status\":\"fine\"}",
     "/hints/0",
     "\"nothing that fits has this status; tasks have backlog, todo, doing, "
     "blocked, review, done, archived, and epics planning, in_progress, "
     "blocked, completed, archived\""},
    {"status", "explore", "{\"types\":[\"task\"],\"status\":\"fine\"}",
     "/hints", "#1"},
    {"priority", "explore", "{\"types\":[\"task\"],\"priority\":\"urgent\"}",
     "/hints/0", "\"priority is one of critical, high, medium, low, someday\""},
    {"priority", "explore", "{\"types\":[\"task\"],\"priority\":\"low\"}",
     "/hints/0", "\"nothing passes all of types, priority; leave one out\""},
    {"language", "explore", "{\"language\":\"cobol\"}", "/hints/0",
     "\"nothing passes language; leave it out\""},
    {"types", "explore", "{\"types\":[\"milestone\"]}", "/hints/0",
     "\"nothing is of these types; leave types out\""},
    {"kind", "manage",
     "{\"action\":\"start_task\",\"entity_id\":\"service:web\"}", "",
     "~Task not found: service:web, which is of type service"},
    {"kind", "explore", "{\"types\":[\"task\"],\"project\":\"web\"}", "",
     "~Entity not found: web, which is of type service"},
    {"kind", "manage", "{\"action\":\"start_task\",\"entity_id\":\"task_web\"}",
     "", "~Task not found: task_web"},
    {"types", "explore", "{\"types\":[\"route_handler\"]}", "/hints/0",
     "\"nothing is of these types; leave types out\""},
    {"types", "explore",
     "{\"types\":[\"milestone\"],\"include_archived\":true}", "/hints/0",
     "\"nothing is of these types; leave types out\""},
    {"full", "explore", "{\"types\":[\"task\"]}", "/hints", "#0"},
    {"echo", "explore",
     "{\"types\":[\"task\"],\"no_epic\":true,\"include_archived\":true}",
     "/filters/no_epic", "true"},
    {"echo", "explore",
     "{\"types\":[\"task\"],\"no_epic\":true,\"include_archived\":true}",
     "/filters/include_archived", "true"},
    {"echo", "explore",
     "{\"mode\":\"related\",\"entity_id\":\"service:web\","
     "\"relationship_types\":[\"CALLS\"]}",
     "/filters/relationship_types", "[\"CALLS\"]"},
    {"echo", "explore", "{\"mode\":\"related\",\"entity_id\":\"service:web\"}",
     "/filters/relationship_types", "-"},
};

static const struct near_row search_rows[] = {
    {"words", "search", "{\"query\":\"zzqqy\"}", "/hints/0",
     "\"no word of the query is held; try others, fewer, or the beginning of a "
     "name with graph_query{\\\"prefix\\\":\\\"...\\\"}\""},
    {"types", "search", "{\"query\":\"buy\",\"types\":[\"milestone\"]}",
     "/hints/0",
     "\"9 were found, but none is of these types; leave types "
     "out\""},
    {"source", "search", "{\"query\":\"buy\",\"source\":\"nobody\"}",
     "/hints/0", "\"9 were found, but none passes source; leave it out\""},
    {"status", "search",
     "{\"query\":\"buy\",\"types\":[\"task\"],\"status\":\"fine\"}", "/hints/1",
     "\"9 were found, but none passes all of types, status; leave one "
     "out\""},
    {"list", "search", "{\"query\":\"\",\"language\":\"cobol\"}", "/hints/0",
     "\"nothing passes language; leave it out\""},
    {"flag", "search",
     "{\"query\":\"buy\",\"types\":[\"route\"],\"include_graph\":false}",
     "/hints/0",
     "\"9 were found, but none passes all of types, include_graph; leave "
     "one out\""},
    {"full", "search", "{\"query\":\"buy\"}", "/hints", "#0"},
    {"words", "graph_search", "{\"query\":\"zzqqy\"}", "/hints/0",
     "\"no word of the query is held; try others, fewer, or the beginning of a "
     "name with graph_query{\\\"prefix\\\":\\\"...\\\"}\""},
    {"domain", "graph_search", "{\"query\":\"buy\",\"domain\":\"nobody\"}",
     "/filters/domain", "\"nobody\""},
    {"domain", "graph_search", "{\"query\":\"buy\",\"domain\":\"nobody\"}",
     "/hints/0", "\"9 were found, but none passes domain; leave it out\""},
    {"domain", "graph_search", "{\"query\":\"\",\"domain\":\"nobody\"}",
     "/hints/0", "\"nothing passes domain; leave it out\""},
};

static void
explore_says_what_nothing_passes(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(explore_rows) / sizeof(explore_rows[0]); i++)
        near_row_run(&explore_rows[i]);
}

static void
search_says_what_nothing_passes(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(search_rows) / sizeof(search_rows[0]); i++)
        near_row_run(&search_rows[i]);
}

/* Two services serve it. */
static void
a_near_name_is_told_once(void **state)
{
    struct db_fixture *db = &near_shop.db;
    const struct near_row rows[] = {
        {"near", "graph_query", "{\"prefix\":\"GET /cart/{}x\"}", "/hints/0",
         "\"closest: 'GET /cart/{}'\""},
        {"near", "graph_query", "{\"prefix\":\"GET /cart/{}x\"}", "/hints",
         "#3"},
    };

    (void)state;
    (void)db_route(db, db_service(db, "ring"), "GET /cart/{}");
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
        near_row_run(&rows[i]);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        NEAR_SHOP(explore_says_what_nothing_passes),
        NEAR_SHOP(search_says_what_nothing_passes),
        NEAR_SHOP(a_near_name_is_told_once),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
