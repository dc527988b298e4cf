/*
 * A file that people write by hand has one document and no aliases, but for
 * serverless.yml, in which both are usual.
 */
#include "index/context_yaml.h"

#include <stdlib.h>
#include <string.h>

#include <cjson/cJSON.h>

#include "base/grow.h"
#include "index/yaml_tree.h"

static void
free_yaml(struct context_yaml *rows, size_t len)
{
    for (size_t i = 0; i < len; i++) {
        free(rows[i].path);
        cJSON_Delete(rows[i].root);
    }
    free(rows);
}

void
context_yaml_fini(struct contexts *all)
{
    free_yaml(all->symfony, all->symfony_len);
    free_yaml(all->lambda, all->lambda_len);
}

static bool
has_text(str content, str text)
{
    return content.len > 0 &&
           memmem(content.ptr, content.len, text.ptr, text.len);
}

/* ---- Symfony ---- */

/* What may be a file of Symfony's routes: `config/routes.yaml` takes in files
 * of any name. */
static bool
is_symfony(str path)
{
    static const char config[] = "config/";
    const char *at =
        path.len ? memmem(path.ptr, path.len, config, sizeof(config) - 1)
                 : NULL;

    return at && (at == path.ptr || at[-1] == '/') && yaml_is_named(path);
}

/* Whether a member is a route, or takes routes in. */
static bool
has_routes(const cJSON *root)
{
    static const char *const names[] = {"path", "resource", "pattern"};
    const cJSON *item;

    cJSON_ArrayForEach(item, root)
    {
        for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
            if (cJSON_GetObjectItemCaseSensitive(item, names[i]))
                return true;
        if (item->string && str_starts(str_of(item->string), STR("when@")) &&
            has_routes(item))
            return true;
    }
    return false;
}

/* What is no YAML may be a template; it says no routes. */
static enum err
take_symfony(struct contexts *all, str path, str content)
{
    struct buf why = {0};
    cJSON *root = NULL;
    enum err err = yaml_tree(content, &root, &why);

    buf_fini(&why);
    if (err == ERR_NOMEM)
        return err;
    if (err || !has_routes(root)) {
        cJSON_Delete(root);
        return OK;
    }
    char *copy = strndup(path.ptr, path.len);
    if (!copy || !grow_room(all->symfony, all->symfony_len, all->symfony_cap)) {
        free(copy);
        cJSON_Delete(root);
        return ERR_NOMEM;
    }
    all->symfony[all->symfony_len++] = (struct context_yaml){copy, root};
    return OK;
}

/* ---- AWS Lambda ---- */

/* `serverless.yml`, `serverless.prod.yml`; of SAM `template.yaml`, and what
 * people add to that: `api-template.yaml`, `template-prod.yml`. */
static bool
is_lambda(str path)
{
    str base = path;

    for (size_t i = 0; i < path.len; i++)
        if (path.ptr[i] == '/')
            base = str_cut(path, i + 1, path.len);
    return yaml_is_named(path) && (str_starts(base, STR("serverless.")) ||
                                   str_starts(base, STR("sam.")) ||
                                   str_starts(base, STR("template")) ||
                                   str_ends(base, STR("template.yml")) ||
                                   str_ends(base, STR("template.yaml")));
}

/* What is no template of functions has the same names; it says nothing. */
struct lambda_taking {
    struct contexts *all;
    str path;
};

static enum err
take_lambda_document(void *ctx, const cJSON *document)
{
    struct lambda_taking *t = ctx;
    struct contexts *all = t->all;

    if (!cJSON_GetObjectItemCaseSensitive(document, "functions") &&
        !cJSON_GetObjectItemCaseSensitive(document, "Resources"))
        return OK;
    cJSON *root = cJSON_Duplicate(document, true);
    char *copy = strndup(t->path.ptr, t->path.len);
    if (!root || !copy ||
        !grow_room(all->lambda, all->lambda_len, all->lambda_cap)) {
        free(copy);
        cJSON_Delete(root);
        return ERR_NOMEM;
    }
    all->lambda[all->lambda_len++] = (struct context_yaml){copy, root};
    return OK;
}

static enum err
take_lambda(struct contexts *all, str path, str content)
{
    struct lambda_taking t = {all, path};
    struct buf why = {0};
    if (!has_text(content, STR("functions")) &&
        !has_text(content, STR("AWS::Serverless::Function")))
        return OK;
    enum err err = yaml_documents(content, take_lambda_document, &t, &why);

    buf_fini(&why);
    return err == ERR_NOMEM ? err : OK;
}

bool
context_yaml_wants(str path)
{
    return is_symfony(path) || is_lambda(path);
}

enum err
context_yaml_take(struct contexts *all, str path, str content)
{
    enum err err = is_lambda(path) ? take_lambda(all, path, content) : OK;

    if (!err && is_symfony(path))
        err = take_symfony(all, path, content);
    return err;
}
