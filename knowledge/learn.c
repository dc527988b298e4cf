/*
 * Everything here is made from an identity, not a title, so that completing a
 * task twice changes what was made and makes nothing new.
 */
#include "knowledge/learn.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "knowledge/links.h"
#include "knowledge/text.h"
#include "store/knowledge_store.h"

static enum err
join(struct work *work, int64_t src, int64_t dst, const char *type,
     const char *provenance)
{
    return link_add(
        work->moment, (struct link_ends){src, dst}, type, 1, provenance,
        strcmp(provenance, "inherited") == 0 ? "{\"inherited_from_task\":true}"
                                             : NULL);
}

/* Finds or makes an entity; its text is what was said last. */
static enum err
derive(struct work *work, const struct entity_new *add, struct object *out)
{
    struct moment *moment = work->moment;
    bool is_new;
    struct entity old = {0};
    unsigned char none[1] = {0};
    enum err err = entity_add(moment, add, out, &is_new);

    if (!err && !is_new && (err = entity_get(moment, out->oid, &old)) == OK)
        err = ks_run(
            moment->store, KS_ENTITY_EDIT,
            KS_ARGS(ks_int(out->oid), ks_text(text_cut(add->content, 200)),
                    ks_text(add->content), ks_text(add->category),
                    ks_blob(none, sizeof(none)), ks_int(add->project)));
    if (!err)
        err = entity_index(moment, out->oid);
    entity_fini(&old);
    return err;
}

static enum err
inherit(struct work *work, int64_t task, int64_t episode)
{
    static const char *const types[] = {"REQUIRES", "REFERENCES", "PART_OF",
                                        "TOUCHES"};
    enum err err = OK;

    for (size_t i = 0; i < sizeof(types) / sizeof(types[0]) && !err; i++) {
        struct link_list links = {0};

        err = links_of(work->moment, task, LINK_OUT, types[i], &links);
        for (size_t k = 0; k < links.len && !err; k++)
            if (links.items[k].other != episode)
                err = join(work, episode, links.items[k].other, "REFERENCES",
                           "inherited");
        link_list_fini(&links);
    }
    return err;
}

/* "1. do this" and "- do that" are steps. */
static bool
is_step(str line)
{
    size_t at = 0;

    line = text_trim(line);
    while (at < line.len && isdigit((unsigned char)line.ptr[at]))
        at++;
    if (at > 0)
        return at + 1 < line.len &&
               (line.ptr[at] == '.' || line.ptr[at] == ')') &&
               line.ptr[at + 1] == ' ';
    return line.len > 2 && (line.ptr[0] == '-' || line.ptr[0] == '*') &&
           line.ptr[1] == ' ';
}

static size_t
find_steps(str text, struct buf *out)
{
    size_t steps = 0;

    for (size_t from = 0; from < text.len;) {
        const char *end = memchr(text.ptr + from, '\n', text.len - from);
        size_t to = end ? (size_t)(end - text.ptr) : text.len;
        str line = str_cut(text, from, to);

        if (is_step(line)) {
            buf_printf(out, "%s%.*s", steps++ ? "\n" : "",
                       (int)text_trim(line).len, text_trim(line).ptr);
        }
        from = to + 1;
    }
    return steps;
}

static enum err
keep_procedure(struct work *work, const struct task *task, int64_t episode)
{
    struct buf steps = {0};
    struct buf title = {0};
    struct buf identity = {0};
    struct object object = {0};
    enum err err = OK;

    if (find_steps(buf_str(&task->learnings), &steps) < 2)
        goto out;
    buf_add(&title, STR("Procedure: "));
    buf_add(&title, buf_str(&task->name));
    buf_printf(&identity, "procedure of %" PRId64 " ", task->oid);
    buf_add(&identity, buf_str(&task->gid));
    const struct entity_new add = {
        .type = "procedure",
        .title = text_cut(buf_str(&title), ENTITY_TITLE_MAX),
        .content = buf_str(&steps),
        .project = task->project,
        .identity = buf_str(&identity),
    };
    err = steps.failed || title.failed || identity.failed
              ? ERR_NOMEM
              : derive(work, &add, &object);
    if (!err)
        err = join(work, episode, object.oid, "USES_PROCEDURE", "derived");
    if (!err)
        err = join(work, object.oid, task->oid, "DERIVED_FROM", "derived");
    if (!err)
        cJSON_AddStringToObject(work->data, "procedure_id",
                                buf_cstr(&object.gid));
out:
    object_fini(&object);
    buf_fini(&identity);
    buf_fini(&title);
    buf_fini(&steps);
    return err;
}

static enum err
keep_episode(struct work *work, const struct task *task, int64_t *oid)
{
    struct buf title = {0};
    struct buf identity = {0};
    struct object object = {0};
    enum err err;

    buf_add(&title, STR("Task Completed: "));
    buf_add(&title, buf_str(&task->name));
    buf_add(&identity, STR("episode of "));
    buf_add(&identity, buf_str(&task->gid));
    const struct entity_new add = {
        .type = "episode",
        .title = text_cut(buf_str(&title), ENTITY_TITLE_MAX),
        .content = buf_str(&task->learnings),
        .category = STR("task_completion"),
        .project = task->project,
        .identity = buf_str(&identity),
    };
    err = title.failed || identity.failed ? ERR_NOMEM
                                          : derive(work, &add, &object);
    *oid = object.oid;
    if (!err)
        err = join(work, *oid, task->oid, "DERIVED_FROM", "derived");
    if (!err)
        err = inherit(work, task->oid, *oid);
    if (!err)
        cJSON_AddStringToObject(work->data, "episode_id",
                                buf_cstr(&object.gid));
    object_fini(&object);
    buf_fini(&title);
    buf_fini(&identity);
    return err;
}

/* How often it was met is how many tasks met it. */
static enum err
count_met(struct work *work, struct object *pattern)
{
    struct link_list links = {0};
    struct entity entity = {0};
    char *text = NULL;
    enum err err =
        links_of(work->moment, pattern->oid, LINK_IN, "ENCOUNTERED", &links);

    if (!err && !(err = entity_get(work->moment, pattern->oid, &entity))) {
        cJSON_DeleteItemFromObjectCaseSensitive(entity.metadata,
                                                "occurrence_count");
        cJSON_AddNumberToObject(entity.metadata, "occurrence_count",
                                (double)links.len);
        text = cJSON_PrintUnformatted(entity.metadata);
        err = text ? ks_run(work->moment->store, KS_ENTITY_METADATA,
                            KS_ARGS(ks_int(pattern->oid), ks_cstr(text)))
                   : ERR_NOMEM;
    }
    cJSON_free(text);
    entity_fini(&entity);
    link_list_fini(&links);
    return err;
}

static enum err
keep_blocker(struct work *work, const struct task *task, str blocker,
             cJSON *array)
{
    struct shingles shingles = {0};
    struct object object = {0};
    char identity[64];
    bool is_new;
    enum err err = shingles_make(blocker, &shingles);

    snprintf(identity, sizeof(identity), "blocker %016" PRIx64,
             shingles_key(&shingles));
    shingles_fini(&shingles);
    const struct entity_new add = {
        .type = "error_pattern",
        .title = text_cut(blocker, ENTITY_TITLE_MAX),
        .content = blocker,
        .category = STR("blocker"),
        .identity = str_of(identity),
    };
    if (!err)
        err = entity_add(work->moment, &add, &object, &is_new);
    if (!err)
        err = join(work, task->oid, object.oid, "ENCOUNTERED", "derived");
    if (!err)
        err = count_met(work, &object);
    if (!err)
        err = entity_index(work->moment, object.oid);
    if (!err)
        cJSON_AddItemToArray(array, cJSON_CreateString(buf_cstr(&object.gid)));
    object_fini(&object);
    return err;
}

static enum err
keep_blockers(struct work *work, const struct task *task)
{
    cJSON *array = cJSON_AddArrayToObject(work->data, "error_patterns");
    const cJSON *blocker;
    enum err err = OK;

    cJSON_ArrayForEach(blocker, task->blockers)
    {
        str text = str_of(cJSON_GetStringValue(blocker));

        if (!err && !str_eq(text, STR("No reason provided")))
            err = keep_blocker(work, task, text, array);
    }
    return err;
}

static enum err
put_progress(struct work *work, const struct task *task)
{
    struct object project = {0};
    cJSON *progress;
    enum err err;

    if (!task->project)
        return OK;
    err = object_of_oid(work->moment, task->project, &project);
    progress = cJSON_AddObjectToObject(work->data, "project");
    cJSON_AddStringToObject(progress, "id", buf_cstr(&project.gid));
    object_fini(&project);
    return err ? err : task_progress(work->moment, task->project, progress);
}

enum err
learn_capture(struct work *work, const struct task *task)
{
    int64_t episode = 0;
    enum err err = OK;

    if (text_trim(buf_str(&task->learnings)).len) {
        err = keep_episode(work, task, &episode);
        if (!err)
            err = keep_procedure(work, task, episode);
    }
    if (!err)
        err = keep_blockers(work, task);
    return err ? err : put_progress(work, task);
}
