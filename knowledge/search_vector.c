/*
 * What means the same in other words.  The question went out when the search
 * began, so by now its vector has mostly come.
 */
#include <stdlib.h>

#include "knowledge/search_parts.h"
#include "knowledge/vectors.h"

enum err
search_vectors(struct lane *lane)
{
    struct vectors_hits *hits = malloc(sizeof(*hits));
    enum err err = hits ? vectors_find(lane->moment->vectors, lane->moment,
                                       lane->ticket, hits)
                        : ERR_NOMEM;

    for (size_t i = 0; !err && i < hits->len; i++)
        err = lane_add(lane, &(struct scored){
                                 .spot = hits->items[i].spot,
                                 .score = (double)hits->items[i].share,
                                 .chunk = hits->items[i].chunk,
                             });
    free(hits);
    return err;
}
