/*
 * score - how far a graph can be trusted, from 0 to 100, and what to mend.
 *
 * Two profiles of one rubric.  Of knowledge: links that name nothing, entities
 * that say nothing or hang alone.  Of what is observed: endpoints that are no
 * code, routes nobody handles, calls, edges grown old.  What is wrong costs
 * its weight each time; a kind of fault costs at most SCORE_CLASS_MAX, and in
 * graphs of more than SCORE_PER nodes that much less each.  What is well done
 * is told beside the score and never added to it: it would hide faults.
 *
 *     score_knowledge(moment, oid, &score);
 *     for (size_t i = 0; i < score.issue_len; i++) ...
 *     score_fini(&score);
 *
 * Weights    10, 5, 3, 2, 2 and 1 of the skill graph rubric, and its bonuses
 *            of 10 each (spec/knowledge-tools.md, 1.6, X5); 25 and 100 are
 *            that page's cap and base.
 * Threads    As the moment.
 */
#ifndef KNOWLEDGE_SCORE_H
#define KNOWLEDGE_SCORE_H

#include <stddef.h>
#include <stdint.h>

#include "base/ids.h"
#include "graph/query.h"
#include "knowledge/knowledge.h"

enum { SCORE_CLASSES = 6, SCORE_BONUSES = 2, SCORE_ISSUES_MAX = 500 };
enum { SCORE_CLASS_MAX = 25, SCORE_PER = 100, SCORE_BONUS_MAX = 10 };

/* A kind of fault. */
struct score_class {
    const char *type;
    const char *advice; /* how to mend one */
    double weight;
};

struct score_issue {
    size_t class_at; /* index in classes */
    struct buf node; /* id */
    struct buf message;
};

struct score {
    const struct score_class *classes;
    size_t class_len;
    size_t nodes;
    size_t edges;
    size_t counts[SCORE_CLASSES];
    struct score_issue *issues; /* the heaviest classes first; of each class at
                                   most SCORE_ISSUES_MAX */
    size_t issue_len;
    size_t issue_cap;
    const char *bonus_names[SCORE_BONUSES];
    double bonuses[SCORE_BONUSES]; /* 0 to SCORE_BONUS_MAX */
    /* by score_settle */
    double raw[SCORE_CLASSES];       /* count times weight */
    double penalties[SCORE_CLASSES]; /* as they count */
    double value;                    /* 0 to 100 */
    double raw_penalty;
    double raw_value; /* of the rubric to the letter: no cap, no base, and
                         bonuses added */
};
void score_fini(struct score *score);

/* score_issue counts one fault; |message| says of |node| what is wrong.
 * ERR_NOMEM. */
enum err
score_issue(struct score *score, size_t class_at, str node, const char *format,
            ...) __attribute__((format(printf, 4, 5)));
/* score_settle works out the points. */
void score_settle(struct score *score);
const char *score_grade(double value);
const char *score_severity(double weight);
/* score_density is the bonus for |edges| between |nodes|. */
double score_density(size_t edges, size_t nodes);

/* score_knowledge: of all that was added, or of project or source |oid| with
 * what belongs to it. */
enum err score_knowledge(struct moment *moment, int64_t oid, struct score *out);

/* score_runtime: of |services|, or NULL for all. */
enum err score_runtime(struct moment *moment, const struct ids *services,
                       struct score *out);
/* score_services appends the services whose code lies in repository |repo|
 * (index in code->repos). */
enum err score_services(struct moment *moment, uint32_t repo, struct ids *out);

#endif
