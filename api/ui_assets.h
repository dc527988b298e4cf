/*
 * ui_assets - the files of the web page, as they are embedded in the program.
 *
 * What they hold is made from ui/ when the program is built (deploy/ui.sh), as
 * build/gen/api/ui_assets.c.
 *
 * Threads    None; plain values.
 */
#ifndef API_UI_ASSETS_H
#define API_UI_ASSETS_H

#include <stddef.h>

struct ui_asset {
    const char *path; /* the whole of it: `/ui/app.js` */
    const char *type; /* Content-Type */
    const char *etag; /* in quotes; of the plain bytes */
    const unsigned char *gzip;
    size_t gzip_len;
    size_t plain_len;
};

extern const struct ui_asset ui_assets[];
extern const size_t ui_asset_len;

#endif
