/*
 * api_rules.h - rules that the API server applies in addition to the schema: words of enumerations, ranges, formats,
 * and which fields exclude or need each other.
 *
 * The rules look at finished objects, after raw blocks have been merged into them. A rule only refuses what every
 * server of the version refuses.
 */
#ifndef TRAINC_VERIFY_API_RULES_H
#define TRAINC_VERIFY_API_RULES_H

#include "kube/schema.h"
#include "verify/verify.h"

/* The object that is being checked. */
struct api_check {
	struct checking *c;
	struct span at;                 /* position of members that have no position of their own */
	const struct data *pod;         /* the PodSpec around the member, or NULL */
	/* the pod whose names are in `volumes` and `claims`: see pod_names() in api_pod.c */
	const struct data *named_of;
	struct map volumes, claims;
	/* volumeClaimTemplates of the StatefulSet that the pod belongs to, or NULL */
	const struct data *templates;
};

/* Applies all rules to OBJECT, which has the type T. */
void api_check(struct checking *c, const struct schema_type *t, const struct data *object, struct span at);

/* The source position of D if it is known, otherwise that of the object around it. */
struct span api_place(const struct api_check *k, const struct data *d);
/* Report TJ0904 and TJ0907, with a help. */
void api_refuse(struct api_check *k, const struct data *d, const char *help, const char *format,
	...) __attribute__((format(printf, 4, 5)));
void api_missing(struct api_check *k, const struct data *d, const char *help, const char *format,
	...) __attribute__((format(printf, 4, 5)));
/* Returns the text of a member; empty if the member is missing. */
struct str api_text(const struct data *map, const char *key);
bool api_has(const struct data *map, const char *key);
/* Returns a member that is a map, or NULL. */
const struct data *api_member(const struct data *d, const char *key);

/* Rules about one field of a type: api_fields.c. */
struct api_row {
	struct api_row *next;
	void (*check)(struct api_check *k, size_t at, const struct data *d);
	size_t at;                      /* position of the rule in the table of such rules */
};

/* Finds the rules about a field of a type; they live in A. */
struct api_row *api_rows(struct arena *a, struct str type, struct str field);
/* Applies ROWS, the rules about FIELD, to its value D. */
void api_field(struct api_check *k, const struct api_row *rows, struct str type, struct str field,
	const struct data *d);

/* Is it an IP address? */
bool api_is_address(struct str s);
/* Counts the members of a map that have a value, except those whose names are in NOT. */
size_t api_chosen(const struct data *d, const char *const *not);

/* Rules about a whole map of a type. */
/* api_pod.c: pods and containers */
void api_pod_spec(struct api_check *k, const struct data *d);
void api_container(struct api_check *k, const struct data *d);
void api_exec(struct api_check *k, const struct data *d);
void api_profile(struct api_check *k, const struct data *d);
void api_pod_claim(struct api_check *k, const struct data *d);
void api_env_from(struct api_check *k, const struct data *d);
void api_amount_ref(struct api_check *k, const struct data *d);
void api_probe(struct api_check *k, const struct data *d);
void api_handler(struct api_check *k, const struct data *d);
void api_sleep(struct api_check *k, const struct data *d);
void api_toleration(struct api_check *k, const struct data *d);
void api_env_var(struct api_check *k, const struct data *d);
void api_env_source(struct api_check *k, const struct data *d);
void api_security(struct api_check *k, const struct data *d);
void api_resources(struct api_check *k, const struct data *d);
/* api_volumes.c: volumes */
void api_volume(struct api_check *k, const struct data *d);
void api_empty_dir(struct api_check *k, const struct data *d);
void api_downward_file(struct api_check *k, const struct data *d);
void api_volume_spec(struct api_check *k, const struct data *d);
void api_claim_spec(struct api_check *k, const struct data *d);
/* api_schedule.c: CronJobs */
void api_cron_spec(struct api_check *k, const struct data *d);
/* api_select.c: selectors */
void api_requirement(struct api_check *k, const struct data *d);
void api_node_selector(struct api_check *k, const struct data *d);
void api_spread(struct api_check *k, const struct data *d);
void api_policy_rule(struct api_check *k, const struct data *d);
/* api_kinds.c: other kinds that pods need */
void api_ingress_spec(struct api_check *k, const struct data *d);
void api_ingress_path(struct api_check *k, const struct data *d);
void api_ingress_backend(struct api_check *k, const struct data *d);
void api_budget_spec(struct api_check *k, const struct data *d);
void api_scaler_spec(struct api_check *k, const struct data *d);
void api_metric(struct api_check *k, const struct data *d);
void api_strategy(struct api_check *k, const struct data *d);
void api_config(struct api_check *k, const struct data *d);
void api_secret(struct api_check *k, const struct data *d);
/* api_limits.c: ResourceQuotas, LimitRanges, and the unit of a resourceFieldRef */
void api_quota_spec(struct api_check *k, const struct data *d);
void api_scope(struct api_check *k, const struct data *d);
void api_limit_spec(struct api_check *k, const struct data *d);
void api_limit_item(struct api_check *k, const struct data *d);
void api_divisor(struct api_check *k, const struct data *d);
/* api_network.c: NetworkPolicies */
void api_network_port(struct api_check *k, const struct data *d);
void api_network_block(struct api_check *k, const struct data *d);
void api_network_peer(struct api_check *k, const struct data *d);
/* api_owner.c: owners of an object */
void api_owners(struct api_check *k, const struct data *d);
/* api_docker.c: is the text one JSON object, as it must be for credentials of a registry? */
bool api_is_json_object(struct str text);
/* api_object.c: controllers, Services and claims */
void api_job_spec(struct api_check *k, const struct data *d);
void api_exit_codes(struct api_check *k, const struct data *d);
void api_set_spec(struct api_check *k, const struct data *d);
void api_service_spec(struct api_check *k, const struct data *d);
void api_claim(struct api_check *k, const struct data *d);

#endif
