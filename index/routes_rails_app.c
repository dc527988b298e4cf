/*
 * What an application of Rails has besides its routes: controllers, whose
 * files are called as their classes, and what config/application.rb says.
 */
#include <stdio.h>
#include <string.h>

#include "index/routes_files.h"
#include "index/routes_rails.h"

/* The method |action| of the file at |at|; |type| becomes the controller. */
static bool
has_action(const struct parts *p, struct at *at, struct at *type, str action)
{
    const struct facts *facts = part_facts(p, at->file);

    for (uint32_t d = 1; d < facts->def_len; d++) {
        const struct fact_def *def = &facts->defs[d];
        str name = facts_text(facts, def->name);
        if (def->kind == CODE_TYPE && str_ends(name, STR("Controller")))
            *type = (struct at){at->file, d};
        if ((def->kind == CODE_METHOD || def->kind == CODE_FUNCTION) &&
            str_eq(name, action)) {
            at->id = d;
            return true;
        }
    }
    return false;
}

/* The method |action| of the controller of that name, of the application that
 * is nearest to |from|. */
static uint32_t
action_of(struct parts *p, uint32_t from, str controller, str action)
{
    char file[RAILS_PATH_MAX];
    struct at best = {0, 0};
    struct at heir = {0, 0};

    (void)snprintf(file, sizeof(file), "controllers/%.*s_controller.rb",
                   (int)controller.len, controller.ptr);
    struct file_range range = files_ending(p, str_of(file));
    for (uint32_t i = 0; i < range.len; i++) {
        struct at at = {range.rows[i].file, 0};
        struct at type = {0, 0};
        bool has = has_action(p, &at, &type, action);
        struct at *known = has ? &best : &heir;
        at.id = has ? at.id : type.id;
        if (at.id && (!known->id || files_common(p, at.file, from) >
                                        files_common(p, known->file, from)))
            *known = at;
    }
    if (best.id)
        return resolve_node(p->r, best.file, best.id);
    return heir.id ? part_method_of(p, heir, action) : 0;
}

/* `BlogAdmin` -> `blog_admin` */
static void
underscore(str name, char *into, size_t cap)
{
    size_t len = 0;

    for (size_t i = 0; i < name.len && len + 3 < cap; i++) {
        char c = name.ptr[i];
        bool is_upper = c >= 'A' && c <= 'Z';
        if (is_upper && i > 0)
            into[len++] = '_';
        into[len++] = (char)(is_upper ? c - 'A' + 'a' : c);
    }
    into[len] = '\0';
}

uint32_t
rails_handler(struct parts *p, uint32_t from, str engine, str module,
              str controller, str action)
{
    char own[128] = "";
    char name[RAILS_PATH_MAX];

    if (controller.len == 0 || action.len == 0)
        return 0;
    if (controller.ptr[0] == '/') {
        module.len = 0;
        controller = str_cut(controller, 1, controller.len);
    }
    (void)snprintf(name, sizeof(name), "%.*s%s%.*s", (int)module.len,
                   module.len ? module.ptr : "", module.len ? "/" : "",
                   (int)controller.len, controller.ptr);
    uint32_t found = action_of(p, from, str_of(name), action);
    if (found || engine.len == 0)
        return found;
    underscore(engine, own, sizeof(own));
    char below[RAILS_PATH_MAX + sizeof(own)];
    (void)snprintf(below, sizeof(below), "%s/%s", own, name);
    return action_of(p, from, str_of(below), action);
}

/* `config.api_only = true` */
static bool
says_api(const struct parts *p, uint32_t file)
{
    const struct facts *facts = part_facts(p, file);

    for (uint32_t i = 1; i < facts->bind_len; i++) {
        const struct fact_bind *bind = &facts->binds[i];
        struct at target = {file, bind->target};
        struct at value = {file, bind->value};
        if (bind->kind == BIND_ASSIGN && part_kind(p, target) == EXPR_MEMBER &&
            str_eq(part_word(p, target), STR("api_only")))
            return str_eq(part_word(p, value), STR("true"));
    }
    return false;
}

bool
rails_is_api(struct parts *p, uint32_t file)
{
    struct file_range range = files_ending(p, STR("config/application.rb"));
    uint32_t best = 0;

    for (uint32_t i = 0; i < range.len; i++)
        if (i == 0 || files_common(p, range.rows[i].file, file) >
                          files_common(p, best, file))
            best = range.rows[i].file;
    return range.len > 0 && says_api(p, best);
}
