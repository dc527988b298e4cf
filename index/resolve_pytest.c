/*
 * A test, or a fixture, gets the fixture that is nearest to it: of its class,
 * of its file or imported there, of `conftest.py` in its folder and those
 * above.  What `parametrize` passes is no fixture.
 */
#include "index/resolve_pytest.h"

/* The decorator without its arguments. */
static uint32_t
bare_mark(const struct resolver *r, uint32_t file, uint32_t mark)
{
    const struct fact_expr *at = expr_at(r, file, mark);

    return at->kind == EXPR_CALL ? at->a : mark;
}

static bool
is_fixture(struct resolver *r, uint32_t file, uint32_t id)
{
    const struct fact_def *def = def_at(r, file, id);

    for (uint32_t i = 0; i < def->marks_len; i++) {
        uint32_t mark = bare_mark(r, file, list_at(r, file, def->marks_at + i));
        struct val val = eval_expr(r, file, mark);
        if (val.kind == VAL_EXTERNAL && sym_is(r, val.name, "fixture") &&
            (sym_is(r, val.module, "pytest") ||
             sym_is(r, val.module, "pytest_asyncio")))
            return true;
    }
    return false;
}

static bool
has_word(str list, str word)
{
    for (size_t at = 0; at + word.len <= list.len; at++) {
        size_t end = at + word.len;
        bool begins =
            at == 0 || list.ptr[at - 1] == ',' || list.ptr[at - 1] == ' ';
        bool ends =
            end == list.len || list.ptr[end] == ',' || list.ptr[end] == ' ';
        if (begins && ends && str_eq(str_cut(list, at, end), word))
            return true;
    }
    return false;
}

/* `parametrize("a,b", ...)`, `parametrize(["a", "b"], ...)` */
static bool
names_it(const struct resolver *r, uint32_t file, uint32_t names, str name)
{
    const struct fact_expr *at = expr_at(r, file, names);
    const struct facts *facts = r->sources[file].facts;

    if (at->kind == EXPR_STRING)
        return has_word(facts_text(facts, at->text), name);
    for (uint32_t i = 0; at->kind == EXPR_ARRAY && i < at->list_len; i++) {
        uint32_t item = list_at(r, file, at->list_at + i);
        if (str_eq(facts_text(facts, expr_at(r, file, item)->text), name))
            return true;
    }
    return false;
}

static bool
is_parameter(const struct resolver *r, uint32_t file,
             const struct fact_def *def, str name)
{
    const struct facts *facts = r->sources[file].facts;

    for (uint32_t i = 0; i < def->marks_len; i++) {
        const struct fact_expr *mark =
            expr_at(r, file, list_at(r, file, def->marks_at + i));
        const struct fact_expr *how = expr_at(r, file, mark->a);
        if (mark->kind == EXPR_CALL && mark->list_len > 0 &&
            str_eq(facts_text(facts, how->text), STR("parametrize")) &&
            names_it(r, file, list_at(r, file, mark->list_at), name))
            return true;
    }
    return false;
}

/* A fixture may take the one that it hides. */
static bool
is_meant(struct resolver *r, struct val found, struct at asking)
{
    return found.kind == VAL_DEF &&
           !(found.file == asking.file && found.id == asking.id) &&
           is_fixture(r, found.file, found.id);
}

static struct val
of_conftest(struct resolver *r, struct at asking, sym name)
{
    str folder = path_folder(r->sources[asking.file].path);
    struct val found = {0};
    bool is_root = false;

    while (!is_meant(r, found, asking) && !is_root) {
        struct buf path = {0};
        uint32_t file = 0;
        found = (struct val){0};
        is_root = folder.len == 0;
        if (path_join(&path, folder, STR("conftest.py")))
            file = map_get(&r->path_file, sym_find(r, buf_str(&path)));
        r->failed |= path.failed;
        buf_fini(&path);
        if (file)
            found = import_member(r, file - 1, name);
        folder = path_folder(folder);
    }
    return is_meant(r, found, asking) ? found : (struct val){0};
}

static struct val
find_fixture(struct resolver *r, struct at asking, sym name)
{
    const struct fact_def *def = def_at(r, asking.file, asking.id);
    struct val found = {0};

    if (is_type_kind(def_at(r, asking.file, def->parent)->kind))
        found = member_of_type(r, r->canon[gdef(r, asking.file, def->parent)],
                               name, false);
    if (!is_meant(r, found, asking))
        found = import_member(r, asking.file, name);
    return is_meant(r, found, asking) ? found : of_conftest(r, asking, name);
}

struct val
pytest_passed(struct resolver *r, uint32_t file, uint32_t bind)
{
    const struct fact_bind *param = bind_at(r, file, bind);
    const struct fact_def *def = def_at(r, file, param->scope);
    const struct fact_def *around = def_at(r, file, def->parent);
    str name = facts_text(r->sources[file].facts, param->name);

    if (lang_at(r, file) != LANG_PYTHON || !is_function_kind(def->kind) ||
        !((def->flags & DEF_TEST_CASE) || is_fixture(r, file, param->scope)) ||
        is_parameter(r, file, def, name) || is_parameter(r, file, around, name))
        return (struct val){0};
    struct val fixture = find_fixture(r, (struct at){file, param->scope},
                                      sym_of(r, file, param->name));
    if (fixture.kind != VAL_DEF)
        return fixture;
    struct val val = eval_await(r, eval_return(r, fixture.file, fixture.id));
    if (def_at(r, fixture.file, fixture.id)->flags & DEF_GENERATOR)
        val = eval_element(r, val, ELEMENT_ITERATED);
    if (val.by == CODE_BY_SELF)
        val.by = CODE_BY_TYPE;
    return val;
}
