/*
 * template.h - reports texts that another tool has to complete before they are manifests: `{{ ... }}` of templates,
 * `${NAME}` of envsubst. Other errors in such a text would not help its author, so it is reported once, with the
 * command that completes it (TJ1123).
 */
#ifndef TRAINC_IMPORT_TEMPLATE_H
#define TRAINC_IMPORT_TEMPLATE_H

#include "import/manifest.h"
#include "data/data_read.h"

/* Reports a text that could not be read because of the braces of a template; true if it did. */
bool template_unreadable(struct import *im, const struct data_error *error);
/* Reports an object with a text that has to be completed, in a place where it cannot stay unchanged; true if it did. */
bool template_object(struct import *im, const struct data *object);
/* Reports a text in a place that does not accept text, if it has to be completed; true if it did. */
bool template_value(struct import *im, const struct data *d);

/* A file of `kubectl kustomize` or of a chart: reported as what it is. */
bool template_directory(struct import *im, const struct data *object);

#endif
