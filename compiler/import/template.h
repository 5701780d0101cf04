/*
 * template.h - texts that another tool has to complete before they are manifests:
 * `{{ ... }}` of templates, `${NAME}` of envsubst.
 *
 * What is wrong with such a text as it stands is not what its author wants to
 * know, so it is reported once, and with the command that completes it (TJ1123).
 */
#ifndef TRAINC_IMPORT_TEMPLATE_H
#define TRAINC_IMPORT_TEMPLATE_H

#include "import/manifest.h"
#include "data/data_read.h"

/* The text that is being read has braces of a template where it could not be read: reported. */
bool template_unreadable(struct import *im, const struct data_error *error);
/* Some text of an object is to be completed where it cannot stay as it is: reported. */
bool template_object(struct import *im, const struct data *object);
/* A text where no text can be: is it to be completed?  Reported then. */
bool template_value(struct import *im, const struct data *d);

/* `kubectl kustomize`'s own file, or one of a chart: reported as what it is. */
bool template_directory(struct import *im, const struct data *object);

#endif
