/* objects.h - reads objects that accompany a job and belong to it. */
#ifndef TRAINC_IMPORT_OBJECTS_H
#define TRAINC_IMPORT_OBJECTS_H

#include "import/import_manifest.h"

/* Keeps an object for a job that may be read later; returns false if its kind is unknown. */
bool beside_read(struct import *im, const struct data *object, struct str kind, struct str api_version);
/* Returns the last object that was kept; NULL if no object was kept. */
struct line *beside_last(const struct import *im);
/*
 * Call this after all manifests have been read. Each object goes to the first job in which its name occurs, else to
 * the first job of its file, else to the first of all. Objects without any job are reported.
 */
void beside_finish(struct import *im);

#endif
