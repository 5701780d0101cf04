/*
 * schema_text.h - schemas as text, and how a table is made of it.
 *
 *   version 1.28                          what follows holds from this version on
 *   kind batch/v1 Job namespaced batch.v1.Job     or `cluster`
 *   -kind batch/v1beta1 CronJob           gone in this version
 *   type batch.v1.JobSpec                 then one line for each field that is new or changed:
 *   <TAB>template core.v1.PodTemplateSpec required
 *   <TAB>ports []core.v1.ContainerPort map=containerPort,protocol merge=containerPort
 *   <TAB>-volumes                         gone in this version
 *   -type batch.v1beta1.CronJob
 *
 * A value is any, string, bytes, time, int, number, bool, quantity, int-or-string,
 * the name of a type, []VALUE or {}VALUE.  A list is atomic, set, or map=KEYS; a text may be enum=WORDS.
 * `#` begins a comment line.
 */
#ifndef TRAINC_KUBE_SCHEMA_TEXT_H
#define TRAINC_KUBE_SCHEMA_TEXT_H

#include "kube/schema.h"

struct schema_builder;

/* Begins a table. Types that the text does not describe are looked up in BASE, the built-in table; BASE may be NULL. */
struct schema_builder *schema_builder_new(struct arena *a, const struct schema *base);
/* Reads one text after those before it. False with "line 3: ..." in WHY. */
bool schema_read(struct schema_builder *b, struct str text, struct str *why);
/* Builds the table; the texts that were read must not be freed. False when a type is named that no text describes. */
bool schema_build(struct schema_builder *b, struct schema *ret, struct str *why);

#endif
