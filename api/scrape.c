#include "api/scrape.h"

#include "base/clock.h"

void
scrape_init(struct scrape *scrape)
{
    pthread_mutex_init(&scrape->lock, NULL);
    scrape->text = (struct buf){0};
    scrape->made_ns = scrape->until_ns = 0;
}

void
scrape_fini(struct scrape *scrape)
{
    pthread_mutex_destroy(&scrape->lock);
    buf_fini(&scrape->text);
}

static void
tell_age(uint64_t age_ns, struct buf *out)
{
    buf_printf(out,
               "# TYPE spangraph_service_graph_age_seconds gauge\n"
               "# UNIT spangraph_service_graph_age_seconds seconds\n"
               "# HELP spangraph_service_graph_age_seconds Since the calls "
               "between services were read: in a large graph not for each "
               "scrape.\n"
               "spangraph_service_graph_age_seconds %.3f\n",
               (double)age_ns / (double)NS_PER_S);
}

/* Keeps |text| if it was dear; without memory for that it is made again. */
static void
keep(struct scrape *scrape, str text, uint64_t cost_ns)
{
    scrape->until_ns = 0;
    buf_fini(&scrape->text);
    if (cost_ns < SCRAPE_CHEAP_NS)
        return;
    buf_add(&scrape->text, text);
    if (scrape->text.failed)
        return;
    scrape->made_ns = clock_mono_ns();
    scrape->until_ns = scrape->made_ns + SCRAPE_SHARE * cost_ns;
}

static enum err
make_new(struct scrape *scrape, scrape_make_fn *make, void *ctx,
         struct buf *out)
{
    uint64_t begin_ns = clock_thread_ns();
    size_t before = out->len;
    enum err err = make(ctx, out);

    if (!err && out->failed)
        err = ERR_NOMEM;
    if (err) {
        out->len = before;
        out->failed = false;
    }
    keep(scrape, str_cut(buf_str(out), before, out->len),
         err ? 0 : clock_thread_ns() - begin_ns);
    if (out->len > before)
        tell_age(0, out);
    return err;
}

enum err
scrape_tell(struct scrape *scrape, scrape_make_fn *make, void *ctx,
            struct buf *out)
{
    enum err err = OK;

    pthread_mutex_lock(&scrape->lock);
    uint64_t now_ns = clock_mono_ns();
    if (now_ns < scrape->until_ns) {
        size_t before = out->len;
        buf_add(out, buf_str(&scrape->text));
        tell_age(now_ns - scrape->made_ns, out);
        if (out->failed) {
            out->len = before;
            out->failed = false;
            err = ERR_NOMEM;
        }
    } else {
        err = make_new(scrape, make, ctx, out);
    }
    pthread_mutex_unlock(&scrape->lock);
    return err;
}
