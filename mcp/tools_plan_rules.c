/*
 * By their stems, so that one form of a word is enough.  A word of two tools
 * counts for both; the one whose other words are in the task, too, wins.
 */
#include "mcp/tools_plan_rules.h"

const struct plan_rule plan_rules[] = {
    {"context_for_pr", "review pull pr",
     "a review needs the changed "
     "symbols with their callers, callees and types",
     NULL},
    {"context_for_task",
     "context implement fix add refactor understand "
     "relevant start begin feature bug where",
     "what matters for the task, ranked and packed", NULL},
    {"context_for_files", "edit edited file files editing touch",
     "what a change of these files can reach", NULL},
    {"blast_radius",
     "blast radius impact break breaks affected risk change "
     "rename remove delete safe",
     "everything that reaches the symbol", NULL},
    {"cross_repo_callers",
     "callers caller calls used uses usage references "
     "repositories who",
     "who calls it, in any repository", NULL},
    {"trace_dataflow",
     "dataflow callees reaches depend dependencies "
     "downstream flow",
     "what it calls, at any distance", NULL},
    {"flow_between", "path between connected reach flow request way",
     "the ways from one symbol to another", NULL},
    {"test_scope", "test tests testing suite ci coverage affected run",
     "which tests a change of the files affects", "output=run"},
    {"pr_impact", "impact merge pull pr risk review",
     "what a change reaches, with a risk", NULL},
    {"semantic_diff", "diff changed changes since commit version difference",
     "what changed between two commits, by symbol", NULL},
    {"snapshot_diff", "snapshot diff merkle hashes edges",
     "nodes and edges added and removed between snapshots", NULL},
    {"stale_edges", "stale gone removed vanished calls edges snapshot",
     "calls that the code does not make any more", NULL},
    {"drift",
     "drift undocumented unexpected static observed mismatch "
     "never happen runtime code calls",
     "where code and traffic disagree", NULL},
    {"ownership", "owner owners ownership owns who maintain team author",
     "who owns the files and what stands in them", NULL},
    {"repo_graph", "repository repo files list layout structure",
     "the files of a repository", NULL},
    {"graph_query", "find symbol name prefix search lookup list",
     "names that begin so", NULL},
    {"graph_node",
     "describe node detail code handler handles behind where defined "
     "definition located",
     "one node with its busiest "
     "neighbours",
     NULL},
    {"index_repo", "index reindex refresh parse repository repo",
     "brings the code up to date", NULL},
    {"communities",
     "community communities cluster module modules structure "
     "architecture belong group code",
     "what hangs together", "action=list"},
    {"runtime_traffic",
     "traffic runtime observed latency slow slowest calls errors "
     "throughput production",
     "observed edges with counts and latency", NULL},
    {"who_calls", "callers calls who clients consumers route endpoint service",
     "observed callers of a service or route", NULL},
    {"service_map", "map services architecture topology overview talks",
     "who talks to whom", NULL},
    {"dead_routes",
     "dead unused nobody never route routes endpoint endpoints delete "
     "remove cleanup",
     "routes that nobody calls, with evidence", NULL},
    {"trace_stats",
     "stats statistics fresh freshness totals telemetry data "
     "traffic missing complete",
     "whether there is data, and how fresh", NULL},
    {"explain",
     "missing why explain edge absent orphan unresolved no lost "
     "see",
     "why an edge is or is not there", NULL},
    {"compare",
     "compare before after deploy deployment release regression "
     "slow slower since window today yesterday week monday tuesday "
     "wednesday thursday friday saturday sunday changed rate",
     "traffic of two windows side by "
     "side",
     NULL},
    {"migration_progress",
     "migration migrate migrating deprecate deprecated "
     "deprecation old legacy replace sunset moved",
     "how far callers have moved from "
     "old to new",
     NULL},
    {"feedback", "feedback useful useless helpful",
     "says or asks whether a "
     "symbol was useful",
     "action=query"},
    {"add",
     "knowledge remember record note task project rule pattern decision "
     "learnt create add",
     "keeps what was learnt, decided or is to be done", NULL},
    {"manage",
     "manage task start block complete done estimate prioritize crawl sync "
     "workflow circular cycle dependencies detect",
     "moves tasks on, takes documents in", NULL},
    {"search", "search runbook document documents error message words text",
     "finds anything by words, identifiers or an error string", NULL},
    {"explore", "explore tasks todo projects related neighbours list services",
     "lists and walks what there is, with filters", NULL},
    {"graph_traverse", "traverse walk hops neighbours reached",
     "what is reached from one object of any kind", NULL},
    {"graph_score", "score trust trusted quality grade",
     "how far the graph can be trusted", "graphId=runtime"},
};

const size_t plan_rule_len = sizeof(plan_rules) / sizeof(plan_rules[0]);
