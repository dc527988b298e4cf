/*
 * ui - the files of the web page at `/`.
 *
 * They are in the program (api/ui_assets.h): the list of paths is exact, and no
 * file system is asked.  They hold no names, so no token is needed; the data
 * that the page shows is asked for with one (api/view.h).
 *
 * The page may run and load only what comes from here: see the policy in
 * ui.c.  Anything a span says is text there.
 *
 * Threads    Any.
 */
#ifndef API_UI_H
#define API_UI_H

#include <stdbool.h>

#include "base/str.h"
#include "net/request.h"

/* ui_has says whether |path| is one of them. */
bool ui_has(str path);

/* ui_answer answers a GET or HEAD of one of them; ui_has() its path. */
void ui_answer(struct request *req);

#endif
