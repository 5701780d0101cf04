/*
 * template.h - reports texts that another tool has to complete before they are manifests: `{{ ... }}` of templates,
 * `${NAME}` of envsubst. Other errors in such a text would not help its author, so it is reported once, with the
 * command that completes it (TJ1123).
 */
#ifndef TRAINC_IMPORT_TEMPLATE_H
#define TRAINC_IMPORT_TEMPLATE_H

#include "data/data_read.h"
#include "import/import_manifest.h"

/* Reports a text that does not parse because of the braces of a template; returns true if it reported that. */
bool template_unreadable(struct import *im, const struct data_error *error);
/*
 * Reports an object that contains a text to complete, at a position where the container cannot need the text
 * unchanged; returns true if it reported one.
 */
bool template_object(struct import *im, const struct data *object);
/*
 * Reports a text that has to be completed, where a value of another kind is expected; returns true if it reported
 * that.
 */
bool template_value(struct import *im, const struct data *d);

/* Reports a file of `kubectl kustomize` or of a chart, and how to import what it describes. */
bool template_directory(struct import *im, const struct data *object);

#endif
