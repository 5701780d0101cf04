/*
 * template.h - texts that another tool has to complete before they are manifests: `{{ ... }}` of
 * templates, `${NAME}` of envsubst.
 *
 * What is wrong with such a text as it stands would not help its author, so it is reported once,
 * with the command that completes it (TJ1123).
 */
#ifndef TRAINC_IMPORT_TEMPLATE_H
#define TRAINC_IMPORT_TEMPLATE_H

#include "import/manifest.h"
#include "data/data_read.h"

/* True after a report: the text could not be read because of braces of a template. */
bool template_unreadable(struct import *im, const struct data_error *error);
/* True after a report: some text of an object has to be completed, in a place where it cannot stay as it is. */
bool template_object(struct import *im, const struct data *object);
/* A text in a place that takes no text: true after a report if it has to be completed. */
bool template_value(struct import *im, const struct data *d);

/* A file of `kubectl kustomize` or of a chart: reported as what it is. */
bool template_directory(struct import *im, const struct data *object);

#endif
