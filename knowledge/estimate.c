/*
 * Like tasks are found by their words and judged by the words they share, a
 * number from 0 to 1 that does not depend on what else is stored.  The estimate
 * is the mean of their hours weighted by it.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "knowledge/similar.h"
#include "knowledge/text.h"
#include "knowledge/work.h"

static const double like_least = 0.5;
static const double enough = 5; /* tasks, for full confidence */
enum { SEARCHED = 20, SUGGESTED = 5 };

static double
cover(str of, str text)
{
    size_t at = 0;
    size_t words = 0;
    size_t there = 0;
    str word;

    while (text_next_word(of, &at, &word)) {
        if (word.len < 3)
            continue;
        words++;
        there += text_has_word(text, word);
    }
    return words ? (double)there / (double)words : 0;
}

/* Of words, in either direction: the title counts as much as the text. */
static double
likeness(const struct entity *a, const struct entity *b)
{
    str left = buf_str(&a->object.name);
    str right = buf_str(&b->object.name);
    str left_text = buf_str(&a->content);
    str right_text = buf_str(&b->content);
    double title = (cover(left, right) + cover(right, left)) / 2;
    double text =
        (cover(left_text, right_text) + cover(right_text, left_text)) / 2;

    return (title + text) / 2;
}

struct sums {
    double hours;
    double like;
    double count;
};

static enum err
weigh(struct work *work, const struct entity *self, int64_t oid,
      struct sums *sums, cJSON *array)
{
    struct entity other = {0};
    struct task task = {0};
    enum err err = task_get(work->moment, oid, &task);

    if (err == ERR_NOT_FOUND)
        return OK;
    if (!err && task.status == TASK_DONE && task.actual_hours > 0 &&
        !task.is_epic && oid != self->object.oid)
        err = entity_get(work->moment, oid, &other);
    double like = other.object.oid ? likeness(self, &other) : 0;
    if (!err && like >= like_least) {
        cJSON *row = cJSON_CreateObject();

        sums->hours += task.actual_hours * like;
        sums->like += like;
        sums->count++;
        cJSON_AddStringToObject(row, "id", buf_cstr(&task.gid));
        cJSON_AddStringToObject(row, "name", buf_cstr(&task.name));
        cJSON_AddNumberToObject(row, "actual_hours", task.actual_hours);
        cJSON_AddNumberToObject(row, "similarity",
                                (double)(int)(like * 1000 + 0.5) / 1000);
        cJSON_AddItemToArray(array, row);
    }
    entity_fini(&other);
    task_fini(&task);
    return err;
}

static void
put_result(struct work *work, const struct sums *sums)
{
    char reason[128];

    if (sums->count <= 0) {
        cJSON_AddNullToObject(work->data, "estimated_hours");
        cJSON_AddNumberToObject(work->data, "confidence", 0);
        cJSON_AddNumberToObject(work->data, "based_on_tasks", 0);
        cJSON_AddStringToObject(work->data, "reason",
                                "no similar completed task with hours");
        return;
    }
    double part = sums->count < enough ? sums->count / enough : 1;
    double confidence = sums->like / sums->count * part;
    cJSON_AddNumberToObject(work->data, "estimated_hours",
                            sums->hours / sums->like);
    cJSON_AddNumberToObject(work->data, "confidence",
                            (double)(int)(confidence * 1000 + 0.5) / 1000);
    cJSON_AddNumberToObject(work->data, "based_on_tasks", sums->count);
    snprintf(reason, sizeof(reason),
             "mean hours of %.0f completed tasks, weighted by likeness (0.5 "
             "and more)",
             sums->count);
    cJSON_AddStringToObject(work->data, "reason", reason);
}

enum err
work_estimate(struct work *work, const struct task *task)
{
    cJSON *array = cJSON_AddArrayToObject(work->data, "similar_tasks");
    struct entity self = {0};
    struct similar_list found = {0};
    struct buf text = {0};
    struct sums sums = {0};
    enum err err = entity_get(work->moment, task->oid, &self);

    buf_add(&text, buf_str(&self.object.name));
    buf_add_char(&text, ' ');
    buf_add(&text, buf_str(&self.content));
    if (!err)
        err = similar_search(work->moment, buf_str(&text), SEARCHED, &found);
    for (size_t i = 0; i < found.len && !err; i++)
        if (strcmp(found.items[i].type, "task") == 0)
            err = weigh(work, &self, found.items[i].oid, &sums, array);
    if (!err)
        put_result(work, &sums);
    buf_fini(&text);
    similar_list_fini(&found);
    entity_fini(&self);
    return err;
}

/* ---- suggest ---- */

static const char *const kinds[][2] = {
    {"pattern", "patterns"},       {"rule", "rules"},
    {"template", "templates"},     {"procedure", "procedures"},
    {"episode", "past_learnings"}, {"error_pattern", "error_patterns"},
};

static void
put_suggestion(struct work *work, struct similar *item)
{
    for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
        if (strcmp(item->type, kinds[i][0]) != 0)
            continue;
        cJSON *array =
            cJSON_GetObjectItemCaseSensitive(work->data, kinds[i][1]);
        if (cJSON_GetArraySize(array) >= SUGGESTED)
            return;
        cJSON *row = cJSON_CreateObject();
        cJSON_AddStringToObject(row, "id", buf_cstr(&item->gid));
        cJSON_AddStringToObject(row, "name", buf_cstr(&item->name));
        cJSON_AddItemToArray(array, row);
    }
}

enum err
work_suggest(struct work *work, const struct object *object)
{
    struct similar_list found = {0};
    struct entity entity = {0};
    struct buf text = {0};
    enum err err = entity_get(work->moment, object->oid, &entity);

    if (err == ERR_NOT_FOUND)
        err = OK;
    for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
        cJSON_AddArrayToObject(work->data, kinds[i][1]);
    text_split(buf_str(&object->name), &text);
    buf_add_char(&text, ' ');
    buf_add(&text, buf_str(&entity.content));
    if (!err)
        err = similar_search(work->moment, buf_str(&text), SEARCHED, &found);
    for (size_t i = 0; i < found.len && !err; i++)
        if (found.items[i].oid != object->oid)
            put_suggestion(work, &found.items[i]);
    buf_fini(&text);
    similar_list_fini(&found);
    entity_fini(&entity);
    return err;
}
