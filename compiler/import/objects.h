/*
 * objects.h - objects that stand beside a job and belong to it.
 */
#ifndef TRAINC_IMPORT_OBJECTS_H
#define TRAINC_IMPORT_OBJECTS_H

#include "import/manifest.h"

/* Keep an object for a job that may come later; false when its kind is not known. */
bool beside_read(struct import *im, const struct data *object, struct str kind, struct str api_version);
/* The `object` that was read last; NULL without. */
struct line *beside_last(const struct import *im);
/*
 * When all manifests were read: each object goes to the first job that says its
 * name, else to the first job of its file, else to the first of all.  Without any
 * job it is reported that there is none.
 */
void beside_finish(struct import *im);

#endif
