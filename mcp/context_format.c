/*
 * What each symbol and arc costs is found by writing it.  Symbols are packed
 * first, with a part of the budget kept for arcs; then arcs between those that
 * are in; what is left goes to symbols again.  The whole is then written, and
 * if it is too long after all (it is not, the costs being rounded up), chosen
 * anew with less.
 */
#include "mcp/context_format.h"

#include <stdlib.h>
#include <string.h>

#include "graph/pack.h"

/* Of what symbols may take, arcs are kept 1 / ARC_SHARE. */
enum { ARC_SHARE = 5, TRIES = 6 };

static const struct {
    const char *word;
    const struct context_writer *writer;
} formats[CONTEXT_FORMATS] = {
    [CONTEXT_XML] = {"xml", &context_xml},
    [CONTEXT_JSON] = {"json", &context_json},
    [CONTEXT_MARKDOWN] = {"markdown", &context_markdown},
    [CONTEXT_GCF] = {"gcf", &context_gcf},
    [CONTEXT_GCB] = {"gcb", &context_gcb},
};

bool
context_format_of(str word, enum context_format *out)
{
    for (int i = 0; i < CONTEXT_FORMATS; i++)
        if (str_eq(word, str_of(formats[i].word))) {
            *out = (enum context_format)i;
            return true;
        }
    return false;
}

void
context_add_base64(struct buf *out, str bytes)
{
    static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                  "abcdefghijklmnopqrstuvwxyz0123456789+/=";
    enum { FILL = 64 };

    for (size_t i = 0; i < bytes.len; i += 3) {
        size_t left = bytes.len - i;
        uint32_t bits = 0;
        for (size_t k = 0; k < 3; k++)
            bits = bits << 8 | (k < left ? (unsigned char)bytes.ptr[i + k] : 0);
        buf_add_char(out, letters[bits >> 18]);
        buf_add_char(out, letters[bits >> 12 & 63]);
        buf_add_char(out, letters[left > 1 ? bits >> 6 & 63 : FILL]);
        buf_add_char(out, letters[left > 2 ? bits & 63 : FILL]);
    }
}

struct writing {
    const struct context_writer *writer;
    struct context_pick pick;
    struct pack_item *symbols; /* by row */
    struct pack_item *arcs;
    struct buf scratch;
};

static size_t
tokens_of(const struct writing *w, size_t bytes)
{
    return pack_tokens(w->writer->is_binary ? (bytes + 2) / 3 * 4 : bytes);
}

static enum err
price(struct writing *w)
{
    const struct context *context = w->pick.context;

    for (size_t i = 0; i < context->len; i++) {
        buf_reset(&w->scratch);
        w->writer->symbol(&w->scratch, &context->rows[i],
                          (uint32_t)context->len);
        w->symbols[i] = (struct pack_item){
            .score = context->rows[i].score,
            .tokens = (uint32_t)tokens_of(w, w->scratch.len) + 1,
        };
        w->pick.id_of[i] = (uint32_t)context->len;
    }
    for (size_t i = 0; i < context->arc_len; i++) {
        const struct context_arc *arc = &context->arcs[i];
        buf_reset(&w->scratch);
        w->writer->arc(&w->scratch, &w->pick, arc, 1);
        w->arcs[i] = (struct pack_item){
            .score =
                context->rows[arc->from].score + context->rows[arc->to].score,
            .tokens = (uint32_t)tokens_of(w, w->scratch.len) + 1,
        };
    }
    return w->scratch.failed ? ERR_NOMEM : OK;
}

/* Arcs with an end that is left out are put out of reach. */
static enum err
choose_arcs(struct writing *w, size_t budget, size_t *used)
{
    const struct context *context = w->pick.context;
    struct pack_item *among = calloc(context->arc_len + 1, sizeof(*among));

    if (!among)
        return ERR_NOMEM;
    for (size_t i = 0; i < context->arc_len; i++) {
        const struct context_arc *arc = &context->arcs[i];
        among[i] = w->arcs[i];
        if (!w->symbols[arc->from].is_in || !w->symbols[arc->to].is_in)
            among[i].tokens = UINT32_MAX;
    }
    enum err err = pack_greedy(among, context->arc_len, budget, used);
    for (size_t i = 0; i < context->arc_len; i++)
        w->arcs[i].is_in = among[i].is_in;
    free(among);
    return err;
}

static enum err
choose(struct writing *w, size_t budget)
{
    const struct context *context = w->pick.context;
    size_t kept = context->arc_len ? budget / ARC_SHARE : 0;
    size_t used[3] = {0};
    enum err err;

    for (size_t i = 0; i < context->len; i++)
        w->symbols[i].is_in = false;
    if ((err = pack_greedy(w->symbols, context->len, budget - kept, &used[0])))
        return err;
    if ((err = choose_arcs(w, budget - used[0], &used[1])))
        return err;
    return pack_greedy(w->symbols, context->len, budget - used[0] - used[1],
                       &used[2]);
}

static int
compare_rows(const void *left, const void *right, void *ctx)
{
    const struct context *context = ((const struct writing *)ctx)->pick.context;
    uint32_t a = *(const uint32_t *)left;
    uint32_t b = *(const uint32_t *)right;

    if (context->rows[a].distance != context->rows[b].distance)
        return context->rows[a].distance < context->rows[b].distance ? -1 : 1;
    return (a > b) - (a < b);
}

static void
number(struct writing *w)
{
    struct context_pick *pick = &w->pick;
    const struct context *context = pick->context;

    pick->len = pick->arc_len = 0;
    for (uint32_t i = 0; i < context->len; i++) {
        pick->id_of[i] = 0;
        if (w->symbols[i].is_in)
            pick->rows[pick->len++] = i;
    }
    if (pick->len)
        qsort_r(pick->rows, pick->len, sizeof(*pick->rows), compare_rows, w);
    for (uint32_t id = 0; id < pick->len; id++)
        pick->id_of[pick->rows[id]] = id + 1;
    for (uint32_t i = 0; i < context->arc_len; i++)
        if (w->arcs[i].is_in)
            pick->arcs[pick->arc_len++] = i;
}

static void
write_all(const struct writing *w, struct buf *out)
{
    const struct context_pick *pick = &w->pick;
    const struct context_writer *writer = w->writer;
    const struct context *context = pick->context;

    buf_reset(out);
    writer->open(out, pick);
    for (uint32_t id = 0; id < pick->len; id++) {
        const struct context_symbol *row = &context->rows[pick->rows[id]];
        bool is_first =
            id == 0 ||
            row->distance != context->rows[pick->rows[id - 1]].distance;
        if (is_first && writer->section)
            writer->section(out, row->distance);
        writer->symbol(out, row, id);
    }
    if (writer->middle)
        writer->middle(out, pick);
    for (uint32_t i = 0; i < pick->arc_len; i++)
        writer->arc(out, pick, &context->arcs[pick->arcs[i]], i);
    if (writer->close)
        writer->close(out);
}

/* The count of tokens may stand in what is counted: its digits settle. */
static size_t
write_counted(struct writing *w, struct buf *out)
{
    size_t tokens = 0;

    w->pick.tokens = 0;
    for (int i = 0; i < 4; i++) {
        write_all(w, out);
        tokens = tokens_of(w, out->len);
        if (tokens == w->pick.tokens)
            break;
        w->pick.tokens = tokens;
    }
    return tokens;
}

static enum err
choose_and_write(struct writing *w, struct context_text *out)
{
    size_t frame = CONTEXT_FRAME_TOKENS;
    size_t budget = w->pick.budget;
    enum err err = price(w);

    for (int i = 0; !err && i < TRIES; i++) {
        /* The last try takes nothing in: a frame fits always. */
        if (frame > budget || i == TRIES - 1)
            frame = budget;
        if ((err = choose(w, budget - frame)))
            return err;
        number(w);
        out->tokens = write_counted(w, &out->content);
        if (out->tokens <= budget)
            break;
        frame += 2 * (out->tokens - budget);
    }
    if (!err && out->content.failed)
        err = ERR_NOMEM;
    return err;
}

enum err
context_write(const struct context *context, const char *tool,
              enum context_format format, size_t budget,
              struct context_text *out)
{
    struct writing w = {
        .writer = formats[format].writer,
        .pick = {.context = context, .tool = tool, .budget = budget},
    };
    enum err err = ERR_NOMEM;

    *out = (struct context_text){0};
    w.symbols = calloc(context->len + 1, sizeof(*w.symbols));
    w.arcs = calloc(context->arc_len + 1, sizeof(*w.arcs));
    w.pick.rows = calloc(context->len + 1, sizeof(*w.pick.rows));
    w.pick.id_of = calloc(context->len + 1, sizeof(*w.pick.id_of));
    w.pick.arcs = calloc(context->arc_len + 1, sizeof(*w.pick.arcs));
    if (!w.symbols || !w.arcs || !w.pick.rows || !w.pick.id_of || !w.pick.arcs)
        goto out;
    if ((err = choose_and_write(&w, out)))
        goto out;
    out->symbols = w.pick.len;
    out->arcs = w.pick.arc_len;
    if (w.writer->is_binary) {
        struct buf text = {0};
        context_add_base64(&text, buf_str(&out->content));
        buf_fini(&out->content);
        out->content = text;
        err = text.failed ? ERR_NOMEM : OK;
    }
out:
    free(w.symbols);
    free(w.arcs);
    free(w.pick.rows);
    free(w.pick.id_of);
    free(w.pick.arcs);
    buf_fini(&w.scratch);
    if (err)
        context_text_fini(out);
    return err;
}

void
context_text_fini(struct context_text *text)
{
    buf_fini(&text->content);
    *text = (struct context_text){0};
}
