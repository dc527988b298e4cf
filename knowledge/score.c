/*
 * Points are worked out from counts alone, so they can be checked by hand.
 */
#include "knowledge/score.h"

#include <stdarg.h>
#include <stdlib.h>

#include "base/grow.h"

void
score_fini(struct score *score)
{
    for (size_t i = 0; i < score->issue_len; i++) {
        buf_fini(&score->issues[i].node);
        buf_fini(&score->issues[i].message);
    }
    free(score->issues);
    *score = (struct score){0};
}

static enum err
add(struct score *score, struct score_issue *issue)
{
    if (!grow_room(score->issues, score->issue_len, score->issue_cap))
        return ERR_NOMEM;
    score->issues[score->issue_len++] = *issue;
    *issue = (struct score_issue){0};
    return OK;
}

enum err
score_issue(struct score *score, size_t class_at, str node, const char *format,
            ...)
{
    struct score_issue issue = {.class_at = class_at};
    enum err err = ERR_NOMEM;
    va_list args;

    if (score->counts[class_at]++ >= SCORE_ISSUES_MAX)
        return OK;
    buf_add(&issue.node, node);
    va_start(args, format);
    buf_vprintf(&issue.message, format, args);
    va_end(args);
    if (!issue.node.failed && !issue.message.failed)
        err = add(score, &issue);
    buf_fini(&issue.node);
    buf_fini(&issue.message);
    return err;
}

static double
within(double value, double least, double most)
{
    return value < least ? least : value > most ? most : value;
}

static int
by_class(const void *a, const void *b)
{
    const struct score_issue *x = a;
    const struct score_issue *y = b;
    size_t len = x->node.len < y->node.len ? x->node.len : y->node.len;
    int order = (x->class_at > y->class_at) - (x->class_at < y->class_at);

    if (!order && len)
        order = memcmp(x->node.ptr, y->node.ptr, len);
    if (!order)
        order = (x->node.len > y->node.len) - (x->node.len < y->node.len);
    return order ? order
                 : strcmp(x->message.len ? x->message.ptr : "",
                          y->message.len ? y->message.ptr : "");
}

void
score_settle(struct score *score)
{
    double base = score->nodes > SCORE_PER ? (double)score->nodes : SCORE_PER;
    double sum = 0;
    double bonus = 0;

    score->raw_penalty = 0;
    for (size_t i = 0; i < score->class_len; i++) {
        score->raw[i] = (double)score->counts[i] * score->classes[i].weight;
        score->penalties[i] =
            within(score->raw[i] * SCORE_PER / base, 0, SCORE_CLASS_MAX);
        score->raw_penalty += score->raw[i];
        sum += score->penalties[i];
    }
    for (size_t i = 0; i < SCORE_BONUSES; i++)
        bonus += score->bonuses[i];
    score->value = score->nodes ? within(100 - sum, 0, 100) : 0;
    score->raw_value =
        score->nodes ? within(100 - score->raw_penalty + bonus, 0, 100) : 0;
    if (score->issue_len > 1)
        qsort(score->issues, score->issue_len, sizeof(*score->issues),
              by_class);
}

const char *
score_grade(double value)
{
    return value >= 90   ? "Excellent"
           : value >= 75 ? "Good"
           : value >= 50 ? "Fair"
           : value >= 25 ? "Poor"
                         : "Critical";
}

const char *
score_severity(double weight)
{
    return weight >= 10 ? "error" : weight >= 3 ? "warning" : "info";
}

double
score_density(size_t edges, size_t nodes)
{
    double share = nodes ? (double)edges / (double)nodes : 0;

    return share < 1 ? 0 : share < 2 ? 3 : share <= 4 ? 10 : share <= 6 ? 7 : 4;
}
