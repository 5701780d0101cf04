/*
 * import_live.h - cleans objects that were read from a cluster.
 */
#ifndef TRAINC_IMPORT_IMPORT_LIVE_H
#define TRAINC_IMPORT_IMPORT_LIVE_H

#include "import/import_manifest.h"

/*
 * Returns OBJECT without what the API server and controllers wrote into it. An object that was written by hand is
 * returned as it is. Jobs are the exception: they always lose the labels and the selector of their controller,
 * because dumps from which somebody removed the uid still have them.
 */
const struct data *live_clean(struct arena *a, const struct data *object);
/*
 * Records OBJECT, and returns whether a controller made it for another object, which is imported instead. Such an
 * object is left out; live_finish() reports those whose owner was not among the manifests.
 */
bool live_is_part(struct import *im, const struct data *object);
void live_finish(struct import *im);

#endif
