/*
 * The bases of a type are put in a line once, nearest first.  In Python the
 * last mention of a base counts, which is its own order wherever it accepts
 * the class, and in Java, where an interface comes before those it extends;
 * elsewhere the first.
 */
#include "index/resolve_line.h"

#include <string.h>

#include "base/grow.h"
#include "index/resolve_ruby.h"

void
line_add(struct line *line, uint32_t type, bool is_last_kept)
{
    for (uint32_t i = 0; i < line->len; i++) {
        if (line->items[i] != type)
            continue;
        if (!is_last_kept)
            return;
        memmove(line->items + i, line->items + i + 1,
                (line->len - i - 1) * sizeof(*line->items));
        line->len--;
        break;
    }
    if (line->len < RESOLVE_BASES_MAX)
        line->items[line->len++] = type;
}

/* Which of a type's bases: PHP's traits stand before what it extends. */
enum base_turn { BASE_ANY, BASE_TRAIT, BASE_OTHER };

void
line_join(struct resolver *r, struct line *line, uint32_t scope,
          bool is_last_kept)
{
    const struct lineage *of = lineage_of(r, scope);

    if (!of)
        return;
    for (uint32_t i = 0; i < of->len; i++)
        line_add(line, r->bases[of->at + i], is_last_kept);
    line->is_open = line->is_open || of->is_open;
}

static void
add_base(struct resolver *r, struct line *line, uint32_t file, uint32_t expr,
         enum base_turn turn)
{
    struct val base = eval_type(r, file, expr);
    uint8_t lang = lang_at(r, file);
    bool is_last_kept = lang == LANG_PYTHON || lang == LANG_JAVA;
    bool is_trait = base.kind == VAL_INSTANCE &&
                    def_at(r, base.file, base.id)->flags & DEF_TRAIT;

    if (turn != BASE_ANY && is_trait != (turn == BASE_TRAIT))
        return;
    if (base.kind != VAL_INSTANCE) {
        str name =
            facts_text(r->sources[file].facts, expr_at(r, file, expr)->text);
        line->is_open = line->is_open || !str_eq(name, STR("object"));
        return;
    }
    line_join(r, line, r->canon[gdef(r, base.file, base.id)], is_last_kept);
}

static bool
keep_line(struct resolver *r, struct lineage *lineage, const struct line *line)
{
    while (r->base_cap - r->base_len < line->len) {
        if (!grow_room(r->bases, r->base_cap, r->base_cap)) {
            r->failed = true;
            return false;
        }
    }
    lineage->at = r->base_len;
    lineage->len = line->len;
    lineage->is_open = line->is_open;
    memcpy(r->bases + r->base_len, line->items,
           line->len * sizeof(*line->items));
    r->base_len += line->len;
    return true;
}

static void
add_bases(struct resolver *r, struct line *line, uint32_t file,
          const struct fact_def *def)
{
    bool has_turns = lang_at(r, file) == LANG_PHP && def->bases_len > 1;
    enum base_turn turn = has_turns ? BASE_TRAIT : BASE_ANY;

    for (unsigned turns = has_turns ? 2 : 1; turns > 0; turns--) {
        for (uint32_t i = 0; i < def->bases_len && i < RESOLVE_BASES_MAX; i++)
            add_base(r, line, file, list_at(r, file, def->bases_at + i), turn);
        turn = BASE_OTHER;
    }
}

/* The type itself, then what its parts extend. */
static void
find_line(struct resolver *r, struct line *line, uint32_t type)
{
    line_add(line, type, false);
    for (uint32_t parts = 0, part = type; parts < 64; parts++) {
        uint32_t file = r->owner_file[part];
        const struct fact_def *def =
            def_at(r, file, part - r->sources[file].def_base);
        add_bases(r, line, file, def);
        part = r->twins[part];
        if (!part)
            break;
    }
}

const struct lineage *
lineage_of(struct resolver *r, uint32_t type)
{
    struct line line = {.len = 0};
    bool is_own = is_singleton(r, type);
    uint32_t of = is_own ? singleton_type(r, type) : type;

    if (of >= r->def_len)
        return NULL;
    struct lineage *lineage = &r->lineages[is_own ? r->def_len + of : of];
    if (lineage->is_known)
        return lineage->len ? lineage : NULL;
    if (r->depth >= RESOLVE_DEPTH_MAX)
        return NULL;
    lineage->is_known = true; /* a cycle ends here */
    r->depth++;
    if (lang_at(r, r->owner_file[of]) == LANG_RUBY)
        ruby_line(r, &line, type);
    else
        find_line(r, &line, type);
    r->depth--;
    return keep_line(r, lineage, &line) ? lineage : NULL;
}
