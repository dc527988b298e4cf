/*
 * graph_sql - the statements of the graph: nodes, edges and what was counted on
 * them, routes.
 *
 * Threads    None; a table.
 */
#ifndef STORE_GRAPH_SQL_H
#define STORE_GRAPH_SQL_H

/* clang-format off */
#define GRAPH_STATEMENTS(X) \
    X(PUT_NODE, \
      "INSERT INTO node (id, kind, owner, alias, source, created_s, name, env," \
      " hash) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)" \
      " ON CONFLICT (id) DO UPDATE SET alias = ?4, source = ?5") \
    X(NOTE_CHANGE, \
      "INSERT INTO meta VALUES (?1, 1)" \
      " ON CONFLICT (key) DO UPDATE SET value = value + 1") \
    X(PUT_OVERFLOW, \
      "INSERT OR REPLACE INTO overflow (node, estimate, registers)" \
      " VALUES (?1, ?2, ?3)") \
    X(EACH_OVERFLOW, "SELECT node, registers FROM overflow ORDER BY node") \
    X(ADD_EDGE, \
      "UPDATE edge SET count = count + ?2, weighted = weighted + ?3," \
      " known = known + ?4, errors = errors + ?5," \
      " first_s = CASE WHEN ?6 = 0 THEN first_s WHEN first_s = 0 THEN ?6" \
      "  ELSE min(first_s, ?6) END," \
      " swept_s = CASE WHEN ?7 > last_s THEN 0 ELSE swept_s END," \
      " last_s = max(last_s, ?7) WHERE id = ?1") \
    X(NEW_EDGE, \
      "INSERT INTO edge (id, count, weighted, known, errors, first_s, last_s," \
      " src, dst, kind, hash) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10," \
      " ?11) ON CONFLICT (id) DO NOTHING") \
    X(ADD_HOUR, \
      "INSERT INTO edge_hour (edge, hour, count, weighted, errors)" \
      " VALUES (?1, ?2, ?3, ?4, ?5) ON CONFLICT (edge, hour) DO UPDATE SET" \
      " count = count + ?3, weighted = weighted + ?4, errors = errors + ?5") \
    X(ADD_DAY, \
      "INSERT INTO edge_day (edge, day, count, weighted, errors, hours," \
      " latency) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)" \
      " ON CONFLICT (edge, day) DO UPDATE SET count = count + ?3," \
      " weighted = weighted + ?4, errors = errors + ?5, hours = hours | ?6," \
      " latency = coalesce(?7, latency)") \
    X(GET_LATENCY, \
      "SELECT latency FROM edge_day WHERE edge = ?1 AND day = ?2") \
    X(ADD_VERSION, \
      "INSERT INTO edge_version (edge, side, version, first_s, last_s)" \
      " VALUES (?1, ?2, ?3, ?4, ?5) ON CONFLICT (edge, side, version)" \
      " DO UPDATE SET first_s = min(first_s, ?4), last_s = max(last_s, ?5)") \
    X(PUT_EXEMPLAR, \
      "INSERT INTO edge_exemplar (edge, failed, at_s, trace)" \
      " VALUES (?1, ?2, ?3, ?4) ON CONFLICT (edge, failed) DO UPDATE SET" \
      " before_s = min(at_s, ?3), at_s = max(at_s, ?3)," \
      " before = CASE WHEN ?3 < at_s THEN ?4 ELSE trace END," \
      " trace = CASE WHEN ?3 < at_s THEN trace ELSE ?4 END" \
      " WHERE trace <> ?4 AND (?3 >= at_s OR before IS NULL" \
      "  OR (before <> ?4 AND ?3 > before_s))") \
    X(PRUNE_EXEMPLARS, \
      "DELETE FROM edge_exemplar" \
      " WHERE edge BETWEEN ?2 AND ?3 AND at_s < ?1") \
    X(PRUNE_HOURS, \
      "DELETE FROM edge_hour WHERE edge BETWEEN ?2 AND ?3 AND hour < ?1") \
    X(PRUNE_DAYS, \
      "DELETE FROM edge_day WHERE edge BETWEEN ?2 AND ?3 AND day < ?1") \
    X(PRUNE_VERSIONS, \
      "DELETE FROM edge_version WHERE (edge, side, version) IN" \
      " (SELECT gone.edge, gone.side, gone.version FROM edge_version AS gone" \
      "  JOIN (SELECT edge, side, max(last_s) AS latest FROM edge_version" \
      "   WHERE edge BETWEEN ?2 AND ?3 GROUP BY edge, side" \
      "   HAVING min(last_s) < ?1) AS kept" \
      "  ON kept.edge = gone.edge AND kept.side = gone.side" \
      "  WHERE gone.last_s < ?1 AND gone.last_s < kept.latest LIMIT ?4)") \
    X(EACH_NODE, \
      "SELECT id, kind, owner, alias, source, name, env FROM node" \
      " ORDER BY id") \
    X(EACH_EDGE, \
      "SELECT id, src, dst, kind, count, first_s, last_s FROM edge" \
      " ORDER BY id") \
    X(COUNT_EDGES, "SELECT count(*) FROM edge") \
    X(PUT_ROUTE, \
      "INSERT INTO route (service, node, created_s, removed_s, method," \
      " pattern, raw, origin) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)" \
      " ON CONFLICT (service, method, pattern) DO UPDATE SET node = ?2," \
      " created_s = CASE WHEN removed_s > 0 AND ?3 - removed_s >= 604800" \
      " THEN ?3 ELSE created_s END," \
      " removed_s = ?4, raw = ?7, origin = ?8") \
    X(REMOVE_ROUTE, "UPDATE route SET removed_s = ?2 WHERE id = ?1") \
    X(EACH_ROUTE, \
      "SELECT id, service, node, created_s, removed_s, method, pattern, raw," \
      " origin FROM route ORDER BY id") \
    X(SWEEPABLE, \
      "SELECT id FROM edge WHERE swept_s = 0 AND last_s < ?1 LIMIT ?2") \
    X(SWEEP_EDGE, "UPDATE edge SET swept_s = ?2 WHERE id = ?1") \
    X(SWEEP_HOURS, "DELETE FROM edge_hour WHERE edge = ?1") \
    X(SWEEP_DAYS, "DELETE FROM edge_day WHERE edge = ?1") \
    X(SWEEP_EXEMPLARS, "DELETE FROM edge_exemplar WHERE edge = ?1")
/* clang-format on */

#endif
