/*
 * project.h - reads project.tj, which marks the root of the project. Its fields must be constants, because they decide
 * what is read next. The checker checks their types; a value that is not a constant is ignored here.
 */
#ifndef TRAINC_CHECK_PROJECT_H
#define TRAINC_CHECK_PROJECT_H

#include "check/module.h"

/* Looks for project.tj in DIRECTORY and above it, and fills in p->project. ROOT is the file that is being compiled. */
void project_find(struct program *p, struct str directory, struct str root);
/*
 * Finds the nearest directory, from DIRECTORY up, that has a project.tj, readable or not; false if no directory has
 * one.
 */
bool project_directory(struct arena *a, const struct reader *reader, struct str directory, struct str *ret);
/* Is a path in the project, even after its links are followed? */
bool project_holds(const struct program *p, struct str path);
/* Reads the policies that the project names. */
void project_policies(struct program *p);
/* Reads the file of a policy, once (module.c); NULL after a report. */
struct module *module_policy(struct program *p, struct str path, struct span at);

#endif
