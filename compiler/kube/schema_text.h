/*
 * schema_text.h - makes tables of schemas from text.
 *
 *   version 1.28                          the following lines apply from this version on
 *   kind batch/v1 Job namespaced batch.v1.Job     or `cluster`
 *   -kind batch/v1beta1 CronJob           removed in this version
 *   type batch.v1.JobSpec                 then one line for each field that is new or changed:
 *   <TAB>template core.v1.PodTemplateSpec required
 *   <TAB>ports []core.v1.ContainerPort map=containerPort,protocol merge=containerPort
 *   <TAB>-volumes                         removed in this version
 *   -type batch.v1beta1.CronJob
 *
 * A value is any, string, bytes, time, int, number, bool, quantity, int-or-string, the name of a type, []VALUE or
 * {}VALUE. A list is atomic, set, or map=KEYS; a text may be enum=WORDS. Further words limit the value, see
 * schema_limits.h. `#` starts a comment line.
 */
#ifndef TRAINC_KUBE_SCHEMA_TEXT_H
#define TRAINC_KUBE_SCHEMA_TEXT_H

#include "kube/schema.h"

struct schema_builder;

/* Starts a table. Types that the text does not describe are looked up in BASE, the built-in table; BASE may be NULL. */
struct schema_builder *schema_builder_new(struct arena *a, const struct schema *base);
/* Reads the next text. Returns false with "line 3: ..." in WHY if it has an error. */
bool schema_read(struct schema_builder *b, struct str text, struct str *why);
/*
 * Builds the table; the texts that were read must not be freed. Returns false if a text refers to a type that no text
 * describes.
 */
bool schema_build(struct schema_builder *b, struct schema *ret, struct str *why);

#endif
