/*
 * The tree lives in one mapping that is dropped as a whole: the parser frees
 * nothing and cannot run out of stack when freeing a tree of a million levels.
 * When the mapping is full the parser, which knows no failure, is left by
 * longjmp.
 *
 * The walk goes by parent and index, without recursion.
 */
#include "crawl/html.h"

#include <assert.h>
#include <ctype.h>
#include <setjmp.h>
#include <stdint.h>
#include <string.h>
#include <strings.h>
#include <sys/mman.h>

#include <gumbo.h>

#include "crawl/charset.h"
#include "crawl/fields.h"
#include "crawl/markdown.h"

struct heap {
    char *at;
    size_t left;
    jmp_buf full;
};

struct walk {
    struct html_page *page;
    const GumboNode *content; /* <main>, or NULL: all */
    unsigned skipping;        /* elements around us that are not said */
    unsigned articles;        /* <main> and <article> around us */
    unsigned contents;        /* whether content is around us */
    unsigned pres;
    unsigned lists; /* nesting */
    unsigned titles;
    struct markdown md;
    struct buf said; /* the text of one node */
};

void
html_page_fini(struct html_page *page)
{
    buf_fini(&page->title);
    buf_fini(&page->text);
    buf_fini(&page->links);
    buf_fini(&page->base);
    buf_fini(&page->canonical);
    *page = (struct html_page){0};
}

static void *
take(void *ctx, size_t size)
{
    struct heap *heap = ctx;
    size_t need = (size + 15) & ~(size_t)15;
    void *out = heap->at;

    if (need < size || need > heap->left)
        longjmp(heap->full, 1);
    heap->at += need;
    heap->left -= need;
    return out;
}

static void
keep(void *ctx, void *ptr)
{
    (void)ctx;
    (void)ptr;
}

static bool
is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f';
}

static void
add_title(struct html_page *page, str text)
{
    for (size_t i = 0; i < text.len; i++) {
        bool is_space = is_blank(text.ptr[i]);

        if (is_space &&
            (!page->title.len || page->title.ptr[page->title.len - 1] == ' '))
            continue;
        if (is_space)
            buf_add_char(&page->title, ' ');
        else
            buf_add_char(&page->title, text.ptr[i]);
    }
}

/* ---- elements ---- */

static str
attribute(const GumboElement *element, const char *name)
{
    const GumboAttribute *found =
        gumbo_get_attribute(&element->attributes, name);

    return found && found->value ? str_of(found->value) : (str){"", 0};
}

static bool
has_word(str text, const char *word)
{
    size_t len = strlen(word);

    for (size_t at = 0; at + len <= text.len; at++)
        if (strncasecmp(text.ptr + at, word, len) == 0)
            return true;
    return false;
}

static void
take_meta(struct html_page *page, const GumboElement *element)
{
    str content = attribute(element, "content");

    if (strcasecmp(attribute(element, "name").ptr, "robots") != 0)
        return;
    page->no_index |= has_word(content, "noindex") || has_word(content, "none");
    page->no_follow |=
        has_word(content, "nofollow") || has_word(content, "none");
}

static void
take_link(struct html_page *page, const GumboElement *element)
{
    str href = attribute(element, "href");

    if (href.len == 0 || page->link_len == HTML_LINKS ||
        has_word(attribute(element, "rel"), "nofollow"))
        return;
    field_add(&page->links, href);
    page->link_len++;
}

static void
take_head(struct html_page *page, const GumboElement *element)
{
    switch ((int)element->tag) {
    case GUMBO_TAG_META:
        take_meta(page, element);
        break;
    case GUMBO_TAG_BASE:
        if (page->base.len == 0)
            buf_add(&page->base, attribute(element, "href"));
        break;
    case GUMBO_TAG_LINK:
        if (page->canonical.len == 0 &&
            strcasecmp(attribute(element, "rel").ptr, "canonical") == 0)
            buf_add(&page->canonical, attribute(element, "href"));
        break;
    case GUMBO_TAG_A:
    case GUMBO_TAG_AREA:
        take_link(page, element);
        break;
    default:
        break;
    }
}

static bool
is_skipped(const struct walk *walk, GumboTag tag)
{
    switch ((int)tag) {
    case GUMBO_TAG_SCRIPT:
    case GUMBO_TAG_STYLE:
    case GUMBO_TAG_NOSCRIPT:
    case GUMBO_TAG_TEMPLATE:
    case GUMBO_TAG_IFRAME:
    case GUMBO_TAG_OBJECT:
    case GUMBO_TAG_SVG:
    case GUMBO_TAG_MATH:
    case GUMBO_TAG_SELECT:
    case GUMBO_TAG_BUTTON:
    case GUMBO_TAG_TEXTAREA:
    case GUMBO_TAG_NAV:
    case GUMBO_TAG_ASIDE:
    case GUMBO_TAG_FOOTER:
        return true;
    case GUMBO_TAG_HEADER:
        return walk->articles == 0 && walk->contents == 0;
    default:
        return false;
    }
}

static int
heading_of(GumboTag tag)
{
    return tag >= GUMBO_TAG_H1 && tag <= GUMBO_TAG_H6
               ? (int)(tag - GUMBO_TAG_H1) + 1
               : 0;
}

/* How many line ends stand around it: 2 a block, 1 a line, 0 none. */
static unsigned
gap_of(GumboTag tag)
{
    switch ((int)tag) {
    case GUMBO_TAG_P:
    case GUMBO_TAG_DIV:
    case GUMBO_TAG_SECTION:
    case GUMBO_TAG_ARTICLE:
    case GUMBO_TAG_MAIN:
    case GUMBO_TAG_HEADER:
    case GUMBO_TAG_BLOCKQUOTE:
    case GUMBO_TAG_TABLE:
    case GUMBO_TAG_DL:
    case GUMBO_TAG_FIGURE:
    case GUMBO_TAG_DETAILS:
    case GUMBO_TAG_ADDRESS:
    case GUMBO_TAG_FORM:
    case GUMBO_TAG_HR:
    case GUMBO_TAG_PRE:
    case GUMBO_TAG_H1:
    case GUMBO_TAG_H2:
    case GUMBO_TAG_H3:
    case GUMBO_TAG_H4:
    case GUMBO_TAG_H5:
    case GUMBO_TAG_H6:
        return 2;
    case GUMBO_TAG_UL:
    case GUMBO_TAG_OL:
    case GUMBO_TAG_LI:
    case GUMBO_TAG_TR:
    case GUMBO_TAG_DT:
    case GUMBO_TAG_DD:
    case GUMBO_TAG_BR:
    case GUMBO_TAG_SUMMARY:
    case GUMBO_TAG_FIGCAPTION:
    case GUMBO_TAG_CAPTION:
        return 1;
    default:
        return 0;
    }
}

/* A list within a list is no block of its own. */
static unsigned
gap_here(const struct walk *walk, GumboTag tag)
{
    bool is_list = tag == GUMBO_TAG_UL || tag == GUMBO_TAG_OL;

    return is_list && walk->lists == 1 ? 2 : gap_of(tag);
}

static bool
is_said(const struct walk *walk)
{
    return walk->skipping == 0 && (!walk->content || walk->contents > 0);
}

static void
enter_said(struct walk *walk, GumboTag tag)
{
    static const char marks[] = "###### ";
    int level = heading_of(tag);
    struct markdown *md = &walk->md;

    if (walk->pres)
        return;
    markdown_gap(md, gap_here(walk, tag));
    if (level)
        markdown_mark(md, str_of(marks + 6 - level));
    else if (tag == GUMBO_TAG_LI)
        markdown_item(md, walk->lists ? walk->lists : 1);
    else if ((tag == GUMBO_TAG_TD || tag == GUMBO_TAG_TH) && !md->gap)
        markdown_text(md, STR(" | "));
    else if (tag == GUMBO_TAG_CODE || tag == GUMBO_TAG_KBD)
        markdown_mark(md, STR("`"));
}

/* A sign that ends something stands behind the last word, not before the next.
 */
static void
leave_said(struct walk *walk, GumboTag tag)
{
    if (walk->pres)
        return;
    if (tag == GUMBO_TAG_CODE || tag == GUMBO_TAG_KBD) {
        walk->md.is_space = false;
        markdown_mark(&walk->md, STR("`"));
    }
    if (tag == GUMBO_TAG_LI)
        markdown_item(&walk->md, 0);
    markdown_gap(&walk->md, gap_here(walk, tag));
}

static void
enter(struct walk *walk, const GumboNode *node)
{
    const GumboElement *element = &node->v.element;
    GumboTag tag = element->tag;

    take_head(walk->page, element);
    walk->skipping += is_skipped(walk, tag);
    walk->contents += node == walk->content;
    walk->articles += tag == GUMBO_TAG_MAIN || tag == GUMBO_TAG_ARTICLE;
    walk->titles += tag == GUMBO_TAG_TITLE;
    walk->lists += tag == GUMBO_TAG_UL || tag == GUMBO_TAG_OL;
    if (is_said(walk))
        enter_said(walk, tag);
    if (tag == GUMBO_TAG_PRE && walk->pres++ == 0 && is_said(walk))
        markdown_code_begin(&walk->md);
}

static void
leave(struct walk *walk, const GumboNode *node)
{
    GumboTag tag = node->v.element.tag;

    if (tag == GUMBO_TAG_PRE && --walk->pres == 0 && is_said(walk))
        markdown_code_end(&walk->md);
    if (is_said(walk))
        leave_said(walk, tag);
    walk->lists -= tag == GUMBO_TAG_UL || tag == GUMBO_TAG_OL;
    walk->titles -= tag == GUMBO_TAG_TITLE;
    walk->articles -= tag == GUMBO_TAG_MAIN || tag == GUMBO_TAG_ARTICLE;
    walk->contents -= node == walk->content;
    walk->skipping -= is_skipped(walk, tag);
}

static void
visit_text(struct walk *walk, const GumboNode *node)
{
    bool is_title = walk->titles > 0;

    if (is_title ? walk->skipping > 0 : !is_said(walk))
        return;
    /* A character reference can name a control character, and one beyond the
     * parser's 32 bits comes out as a byte that is no character. */
    walk->said.len = 0;
    charset_clean(str_of(node->v.text.text), &walk->said);
    str text = buf_str(&walk->said);
    if (is_title)
        add_title(walk->page, text);
    else if (walk->pres)
        buf_add(&walk->page->text, text);
    else
        markdown_text(&walk->md, text);
}

/* ---- the walk ---- */

static const GumboVector *
children_of(const GumboNode *node)
{
    if (node->type == GUMBO_NODE_ELEMENT || node->type == GUMBO_NODE_TEMPLATE)
        return &node->v.element.children;
    return node->type == GUMBO_NODE_DOCUMENT ? &node->v.document.children
                                             : NULL;
}

typedef void node_fn(struct walk *walk, const GumboNode *node, bool is_end);

static void
each_node(struct walk *walk, const GumboNode *root, node_fn *fn)
{
    const GumboNode *at = root;
    bool is_end = false;

    while (!walk->page->text.failed) {
        const GumboVector *children = children_of(at);

        fn(walk, at, is_end);
        if (!is_end && children && children->length) {
            at = children->data[0];
        } else if (!is_end) {
            is_end = true;
        } else if (at == root) {
            return;
        } else {
            const GumboVector *row = children_of(at->parent);
            size_t next = at->index_within_parent + 1;

            assert(row); /* |at| is in it */
            is_end = next >= row->length;
            at = is_end ? at->parent : row->data[next];
        }
    }
}

static void
find_content(struct walk *walk, const GumboNode *node, bool is_end)
{
    if (is_end || walk->content || node->type != GUMBO_NODE_ELEMENT)
        return;
    if (node->v.element.tag == GUMBO_TAG_MAIN ||
        strcasecmp(attribute(&node->v.element, "role").ptr, "main") == 0)
        walk->content = node;
}

static void
write_node(struct walk *walk, const GumboNode *node, bool is_end)
{
    bool is_element =
        node->type == GUMBO_NODE_ELEMENT || node->type == GUMBO_NODE_TEMPLATE;

    if (is_element && is_end)
        leave(walk, node);
    else if (is_element)
        enter(walk, node);
    else if (is_end)
        return;
    else if (node->type == GUMBO_NODE_TEXT || node->type == GUMBO_NODE_CDATA ||
             node->type == GUMBO_NODE_WHITESPACE)
        visit_text(walk, node);
}

enum err
html_read(str html, struct html_page *out)
{
    void *memory = mmap(NULL, HTML_MEMORY, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    struct heap heap = {.at = memory, .left = HTML_MEMORY};
    struct walk walk = {.page = out, .md = {.text = &out->text}};
    GumboOptions options = kGumboDefaultOptions;

    if (memory == MAP_FAILED)
        return ERR_NOMEM;
    options.allocator = take;
    options.deallocator = keep;
    options.userdata = &heap;
    options.max_errors = 0;
    if (setjmp(heap.full) != 0) {
        (void)munmap(memory, HTML_MEMORY);
        return ERR_TOO_LARGE;
    }
    const GumboOutput *tree =
        gumbo_parse_with_options(&options, html.len ? html.ptr : "", html.len);
    each_node(&walk, tree->root, find_content);
    each_node(&walk, tree->root, write_node);
    (void)munmap(memory, HTML_MEMORY);
    out->title.failed |= walk.said.failed;
    buf_fini(&walk.said);
    while (out->title.len && out->title.ptr[out->title.len - 1] == ' ')
        out->title.len--;
    if (out->text.failed)
        return ERR_TOO_LARGE;
    return out->title.failed || out->links.failed ? ERR_NOMEM : OK;
}
