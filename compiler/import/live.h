/*
 * live.h - objects that were read from a cluster.
 */
#ifndef TRAINC_IMPORT_LIVE_H
#define TRAINC_IMPORT_LIVE_H

#include "import/manifest.h"

/*
 * OBJECT without what the API server and controllers wrote into it. An object that was written by hand is returned as
 * it is. Only a Job loses the labels and the selector of its controller, because dumps from which somebody removed the
 * uid still have them.
 */
const struct data *live_clean(struct arena *a, const struct data *object);
/*
 * Records OBJECT; is it a pod or another object that a controller made for an object that is imported instead?
 * Then it is left out; live_finish() reports those whose owner was not among the manifests.
 */
bool live_is_part(struct import *im, const struct data *object);
void live_finish(struct import *im);

#endif
