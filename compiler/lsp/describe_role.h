/*
 * describe_role.h - describes the plan of jobs and roles: size, devices, environment.
 */
#ifndef TRAINC_LSP_DESCRIBE_ROLE_H
#define TRAINC_LSP_DESCRIBE_ROLE_H

#include "lsp/describe.h"

/* Describes the role around an offset: replicas, devices and the environment of replica 0. */
void describe_role(struct arena *a, struct analysis *an, uint32_t offset, struct buf *out);
/* Describes the job around an offset: its roles and the number of its objects. */
void describe_job(struct arena *a, struct analysis *an, uint32_t offset, struct buf *out);
/* Describes a variable of the environment, with its value in replica 0. */
void describe_variable(struct arena *a, struct analysis *an, const struct occurrence *o, struct buf *out);
/* Formats the number of replicas: "3", or "1:4" for an elastic role. */
struct str describe_replicas(struct arena *a, const struct plan_role *r);
/* Formats the value of a variable as `trainc env` does. */
struct str describe_env(struct arena *a, const struct env_value *v);

#endif
