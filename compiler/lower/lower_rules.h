/*
 * lower_rules.h - rules about the finished plan of a job that types cannot express (TJ05xx to TJ08xx).
 */
#ifndef TRAINC_LOWER_LOWER_RULES_H
#define TRAINC_LOWER_LOWER_RULES_H

#include "eval/internal.h"
#include "eval/job.h"

static inline struct diags *job_diags(const struct job *j) { return j->ev->diags; }

void rules_job(struct job *j);

void rules_roles(struct job *j);        /* checks success, start order and restarts: TJ05xx */
void rules_resources(struct job *j);    /* checks cpu, memory and devices: TJ0522, TJ0606 to TJ0620 */
void rules_nodes(struct job *j, const struct plan_role *r);      /* checks node labels of devices: TJ0616, TJ0629 */
void rules_labels(struct job *j);       /* compares labels that nodes must have and must not have: TJ0633 */
void rules_mounts(struct job *j);       /* checks paths and volumes: TJ0612 to TJ0621 */
void rules_words(struct job *j);        /* checks for commands that cannot work as written: TJ0534 to TJ0536 */
void rules_layout(struct job *j);       /* compares layouts with places, slices and options: TJ0645 to TJ0647 */
void rules_text(struct job *j);         /* checks credentials and images: TJ0712, TJ0718, TJ0815 */
void rules_sources(struct job *j);      /* checks the keys of objects that become variables: TJ0702 */
void rules_raw(struct job *j);          /* checks raw blocks: --no-raw, and TJ0908 */
void rules_repeats(struct job *j);      /* checks fields that only repeat a default: TJ1006 */

#endif
