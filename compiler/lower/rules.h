/*
 * rules.h - what a type cannot express: rules over the finished plan of a job (TJ05xx to TJ08xx).
 */
#ifndef TRAINC_LOWER_RULES_H
#define TRAINC_LOWER_RULES_H

#include "eval/job.h"

void rules_job(struct job *j);

void rules_roles(struct job *j);        /* success, start order, restarts: TJ05xx */
void rules_resources(struct job *j);    /* cpu, memory, devices: TJ0522, TJ0606 to TJ0620 */
void rules_mounts(struct job *j);       /* paths and volumes: TJ0612 to TJ0621 */
void rules_words(struct job *j);        /* commands that cannot do what they say: TJ0534 to TJ0536 */
void rules_text(struct job *j);         /* credentials, images: TJ0712, TJ0718, TJ0815 */
void rules_raw(struct job *j);          /* --no-raw, and TJ0908 */
void rules_repeats(struct job *j);      /* TJ1006 */

#endif
