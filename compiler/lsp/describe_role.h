/*
 * describe_role.h - what became of jobs and roles: size, devices, environment.
 */
#ifndef TRAINC_LSP_DESCRIBE_ROLE_H
#define TRAINC_LSP_DESCRIBE_ROLE_H

#include "lsp/describe.h"

/* The role around an offset: replicas, devices and the environment of replica 0. */
void describe_role(struct arena *a, struct analysis *an, uint32_t offset, struct buf *out);
/* The job around an offset: its roles and how many objects it becomes. */
void describe_job(struct arena *a, struct analysis *an, uint32_t offset, struct buf *out);
/* A variable of the environment: what it is for replica 0. */
void describe_variable(struct arena *a, struct analysis *an, const struct occurrence *o, struct buf *out);
/* "3", or "1:4" of an elastic role. */
struct str describe_replicas(struct arena *a, const struct plan_role *r);
/* A variable's value as `trainc env` shows it. */
struct str describe_env(struct arena *a, const struct env_value *v);

#endif
