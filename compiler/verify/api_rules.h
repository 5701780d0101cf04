/*
 * api_rules.h - what the API server validates beyond the schema: words of
 * enumerations, ranges, formats, and which fields exclude or need each other.
 *
 * The rules look at finished objects, after raw blocks have been merged into
 * them.  Only what every server of the version refuses is refused here.
 */
#ifndef TRAINC_VERIFY_API_RULES_H
#define TRAINC_VERIFY_API_RULES_H

#include "kube/schema.h"
#include "verify/verify.h"

/* One object that is being looked at. */
struct api_check {
	struct checking *c;
	struct span at;                 /* the place of something that has no place of its own */
	const struct data *pod;         /* the PodSpec around, or NULL */
	const struct data *named_of;            /* the pod whose names these are: see pod_names() of api_pod.c */
	struct map volumes, claims;
};

/* Applies all rules to OBJECT, which has the type T. */
void api_check(struct checking *c, const struct schema_type *t, const struct data *object, struct span at);

/* The place of D, or of what is around it. */
struct span api_place(const struct api_check *k, const struct data *d);
/* TJ0904 and TJ0907 with a help. */
void api_refuse(struct api_check *k, const struct data *d, const char *help, const char *format,
	...) __attribute__((format(printf, 4, 5)));
void api_missing(struct api_check *k, const struct data *d, const char *help, const char *format,
	...) __attribute__((format(printf, 4, 5)));
/* The text of a member, empty without. */
struct str api_text(const struct data *map, const char *key);
bool api_has(const struct data *map, const char *key);

/* Rules about a whole map of a type: api_pod.c, api_object.c. */
void api_pod_spec(struct api_check *k, const struct data *d);
void api_container(struct api_check *k, const struct data *d);
void api_volume(struct api_check *k, const struct data *d);
void api_probe(struct api_check *k, const struct data *d);
void api_handler(struct api_check *k, const struct data *d);
void api_toleration(struct api_check *k, const struct data *d);
void api_env_var(struct api_check *k, const struct data *d);
void api_env_source(struct api_check *k, const struct data *d);
void api_security(struct api_check *k, const struct data *d);
void api_resources(struct api_check *k, const struct data *d);
void api_job_spec(struct api_check *k, const struct data *d);
void api_set_spec(struct api_check *k, const struct data *d);
void api_service_spec(struct api_check *k, const struct data *d);
void api_claim(struct api_check *k, const struct data *d);
void api_claim_spec(struct api_check *k, const struct data *d);
void api_secret(struct api_check *k, const struct data *d);
void api_namespace(struct api_check *k, const struct data *d);

#endif
