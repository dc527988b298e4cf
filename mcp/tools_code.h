/*
 * tools_code - what the tools about code share: arguments that name a symbol or
 * files, and rows that tell of one (of snapshots: mcp/tools_code_snapshot.h).
 *
 * A symbol is a place of the joined graph (graph/joined.h).  Rows have the
 * fields of knowing's Node, Edge and File, and few more.
 *
 * Threads    As mcp/tools_parts.h.
 */
#ifndef MCP_TOOLS_CODE_H
#define MCP_TOOLS_CODE_H

#include "base/ids.h"
#include "graph/code_find.h"
#include "graph/code_history.h"
#include "graph/joined.h"
#include "mcp/json.h"
#include "mcp/tools_parts.h"

/* ---- arguments; on a wrong one the run has failed ---- */

/*
 * tool_place finds what the required argument |name| names in |joined|: a hash,
 * a qualified name or the end of one, `file:line`, a route (`GET /users/{}`,
 * `checkout GET /users/{}`), which is its handler where that is known, an
 * observed node (`service:checkout`), or an id of knowledge/object.h.  One that
 * fits several is a failure that lists them, an unknown one is told the
 * nearest.  0: the run has failed.
 */
uint32_t
tool_place(struct tool_run *run, const struct joined *joined, const char *name);
/* tool_evidence reads `evidence`: static, observed or both (the default). */
uint8_t tool_evidence(struct tool_run *run);
/* tool_fail_missing refuses a call without argument |name|. */
void tool_fail_missing(struct tool_run *run, const char *name);
/* tool_files finds the files of argument `files`, paths with commas, in the
 * repository that `repo_url` names, if it does.  Unknown ones are hinted; none
 * known is a failure. */
void tool_files(struct tool_run *run, const struct code *code, struct ids *out);

/* tool_find_node finds observed nodes by hash, `kind:name` or name. */
void tool_find_node(struct tool_run *run, str asked, struct ids *out);

/* ---- what can be reached ---- */

/* tool_starts appends |place|, and what stands in it where it is a type, a file
 * or a package, or what it serves where it is a service: so that callers of a
 * method are callers of its type. */
void tool_starts(struct tool_run *run, const struct joined *joined,
                 uint32_t place, struct ids *out);

/*
 * tool_walk walks from the starts of |place|.
 * The first |*starts| steps are those.  Fini with joined_walk_fini.
 */
struct tool_walk {
    uint32_t place;
    bool is_backward;
    uint8_t evidence;
    uint32_t max_depth;
};
void
tool_walk(struct tool_run *run, const struct joined *joined,
          const struct tool_walk *ask, struct joined_walk *out, size_t *starts);

/* ---- rows ---- */

/* place_hash is the identity of |place|, by which pages tell rows apart. */
const unsigned char *
place_hash(struct tool_run *run, const struct joined *joined, uint32_t place);
uint64_t hash_key(const unsigned char *hash);
/* place_name appends the name by which tool_place would find |place|. */
void place_name(struct tool_run *run, const struct joined *joined,
                uint32_t place, struct buf *out);
void put_place_name(struct tool_run *run, const struct joined *joined,
                    cJSON *object, const char *name, uint32_t place);
/* place_row, vertex_row, node_row are a Node. */
cJSON *
place_row(struct tool_run *run, const struct joined *joined, uint32_t place);
cJSON *vertex_row(const struct code *code, uint32_t id);
cJSON *node_row(struct tool_run *run, uint32_t id);
void put_node_id(struct tool_run *run, cJSON *object, uint32_t id);
/* file_row is a File. */
cJSON *file_row(const struct code *code, uint32_t file);
void file_hash(const struct code *code, uint32_t file, unsigned char *out);
/* edge_row is an Edge of the code, from |src|. */
cJSON *
edge_row(const struct code *code, uint32_t src, const struct code_link *link);
/* arc_link is the edge of the code behind an arc that leaves |from|; NULL: it
 * is observed, or of a client whose server is known. */
const struct code_link *arc_link(const struct joined *joined, uint32_t from,
                                 const struct joined_arc *arc);
const char *evidence_str(uint8_t evidence);
/* put_at adds `file` and `line` of a vertex, if it has them. */
void put_at(const struct code *code, cJSON *object, uint32_t id);
/* hint_no_code says that nothing was indexed, if so. */
void hint_no_code(struct tool_run *run, const struct code *code);

/* ---- the tools ---- */

tool_fn tool_cross_repo_callers;
tool_fn tool_trace_dataflow;
tool_fn tool_blast_radius;
tool_fn tool_flow_between;
tool_fn tool_repo_graph;
tool_fn tool_ownership;
tool_fn tool_stale_edges;
tool_fn tool_snapshot_diff;
tool_fn tool_semantic_diff;
tool_fn tool_pr_impact;
tool_fn tool_test_scope;
tool_fn tool_index_repo;
tool_fn tool_drift;

#endif
