/*
 * plan_shape.c - the types of a plan's members (plan.def): how each is written as JSON, read back, and written in the
 * identity of a run.
 */
#include "plan/plan_shape.h"

enum { CONDITION_DEEPEST = 200 };

static const char *const host_words[] = { "subdomain", "service", "name" };
const struct shape_words plan_host_words = SHAPE_WORDS(host_words);
static const char *const probe_words[] = { [PROBE_TCP] = "tcp", [PROBE_HTTP] = "http", [PROBE_EXEC] = "exec" };
static const struct shape_words plan_probe_words = SHAPE_WORDS(probe_words);
static const char *const condition_words[] = { "done", "ready", "started", "gone", "and", "or",
	"least", "list" };

static const char plan_key_word[] = "key";

static const struct plan_shape *plan_around(const struct shape_out *o) { return o->context; }

/* ---- values with their source position ---- */

static bool plan_str_zero(const struct shape_row *r, const void *object)
{
	return !((const struct plan_str *)shape_at(r, object))->value.n;
}
static void plan_str_json(struct shape_out *o, const struct shape_row *r, const void *object)
{
	json_put_text(&o->json, ((const struct plan_str *)shape_at(r, object))->value);
}
static bool plan_str_read(struct shape_reader *in, const struct shape_row *r, const struct data *d, void *object)
{
	(void)in;
	if (d->kind == DATA_STRING)
		*(struct plan_str *)shape_member(r, object) = (struct plan_str){ .value = d->u.string,
			.set = d->u.string.n > 0 };
	return d->kind == DATA_STRING;
}
static void plan_str_put(struct shape_out *o, const char *key, const struct plan_str *v)
{
	shape_put_int(o, key, v->set);
	if (v->set)
		shape_put_text(o, key, v->value);
}
static void plan_str_identity(struct shape_out *o, const struct shape_row *r, const void *object)
{
	plan_str_put(o, r->key, shape_at(r, object));
}
static const struct shape_type shape_plan_str = { plan_str_zero, plan_str_json, plan_str_read, plan_str_identity,
	NULL };

static bool plan_int_zero(const struct shape_row *r, const void *object)
{
	return !((const struct plan_int *)shape_at(r, object))->set;
}
static void plan_int_json(struct shape_out *o, const struct shape_row *r, const void *object)
{
	json_put_int(&o->json, ((const struct plan_int *)shape_at(r, object))->value);
}
static bool plan_int_read(struct shape_reader *in, const struct shape_row *r, const struct data *d, void *object)
{
	(void)in;
	if (d->kind == DATA_INT)
		*(struct plan_int *)shape_member(r, object) = (struct plan_int){ .value = d->u.integer, .set = true };
	return d->kind == DATA_INT;
}
static void plan_int_identity(struct shape_out *o, const struct shape_row *r, const void *object)
{
	const struct plan_int *v = shape_at(r, object);

	shape_put_int(o, r->key, v->set);
	if (v->set)
		shape_put_int(o, r->key, v->value);
}
static const struct shape_type shape_plan_int = { plan_int_zero, plan_int_json, plan_int_read, plan_int_identity,
	NULL };

static bool plan_bool_zero(const struct shape_row *r, const void *object)
{
	const struct plan_bool *v = shape_at(r, object);

	return !v->set || !v->value;
}
static void plan_bool_json(struct shape_out *o, const struct shape_row *r, const void *object)
{
	json_put_bool(&o->json, !plan_bool_zero(r, object));
}
static bool plan_bool_read(struct shape_reader *in, const struct shape_row *r, const struct data *d, void *object)
{
	bool yes = d->kind == DATA_BOOL && d->u.boolean;

	(void)in;
	*(struct plan_bool *)shape_member(r, object) = (struct plan_bool){ .value = yes, .set = yes };
	return d->kind == DATA_BOOL;
}
static void plan_bool_identity(struct shape_out *o, const struct shape_row *r, const void *object)
{
	const struct plan_bool *v = shape_at(r, object);

	shape_put_int(o, r->key, v->set);
	if (v->set)
		shape_put_int(o, r->key, v->value);
}
static const struct shape_type shape_plan_bool = { plan_bool_zero, plan_bool_json, plan_bool_read, plan_bool_identity,
	NULL };

/* A bool that says as much when it is false. */
static bool plan_flag_zero(const struct shape_row *r, const void *object)
{
	return !((const struct plan_bool *)shape_at(r, object))->set;
}
static void plan_flag_json(struct shape_out *o, const struct shape_row *r, const void *object)
{
	json_put_bool(&o->json, ((const struct plan_bool *)shape_at(r, object))->value);
}
static const struct shape_type shape_plan_flag = { plan_flag_zero, plan_flag_json, NULL, plan_bool_identity, NULL };

/* ---- quantities ---- */

static void quantity_put(struct shape_out *o, const char *key, struct quantity q)
{
	buf_printf(o->out, "%s=%lld.%llu\n", key, (long long)(q.nano / 1000000000),
		(unsigned long long)((q.nano < 0 ? -q.nano : q.nano) % 1000000000));
}
static void quantity_put_json(struct shape_out *o, struct quantity q)
{
	struct arena scratch = { 0 };

	json_put_text(&o->json, quantity_text(&scratch, q));
	arena_release(&scratch);
}

static bool quantity_zero(const struct shape_row *r, const void *object)
{
	return !((const struct quantity *)shape_at(r, object))->nano;
}
static void quantity_json(struct shape_out *o, const struct shape_row *r, const void *object)
{
	quantity_put_json(o, *(const struct quantity *)shape_at(r, object));
}
static bool quantity_read(struct shape_reader *in, const struct shape_row *r, const struct data *d, void *object)
{
	(void)in;
	return d->kind == DATA_STRING && quantity_parse_full(d->u.string, shape_member(r, object)) == QUANTITY_OK;
}
static void quantity_identity(struct shape_out *o, const struct shape_row *r, const void *object)
{
	quantity_put(o, r->key, *(const struct quantity *)shape_at(r, object));
}
static const struct shape_type shape_quantity = { quantity_zero, quantity_json, quantity_read, quantity_identity,
	NULL };

static bool plan_quantity_zero(const struct shape_row *r, const void *object)
{
	return !((const struct plan_quantity *)shape_at(r, object))->set;
}
static void plan_quantity_json(struct shape_out *o, const struct shape_row *r, const void *object)
{
	quantity_put_json(o, ((const struct plan_quantity *)shape_at(r, object))->value);
}
static bool plan_quantity_read(struct shape_reader *in, const struct shape_row *r, const struct data *d, void *object)
{
	struct plan_quantity *v = shape_member(r, object);

	(void)in;
	if (d->kind != DATA_STRING || quantity_parse_full(d->u.string, &v->value) != QUANTITY_OK)
		return false;
	v->set = true;
	return true;
}
static void plan_quantity_identity(struct shape_out *o, const struct shape_row *r, const void *object)
{
	const struct plan_quantity *v = shape_at(r, object);

	shape_put_int(o, r->key, v->set);
	if (v->set)
		quantity_put(o, r->key, v->value);
}
static const struct shape_type shape_plan_quantity = { plan_quantity_zero, plan_quantity_json, plan_quantity_read,
	plan_quantity_identity, NULL };

/* A duration is a number of nanoseconds. A duration of 0 is written, too, when it is set. */
static void plan_duration_json(struct shape_out *o, const struct shape_row *r, const void *object)
{
	json_put_int(&o->json, (int64_t)((const struct plan_quantity *)shape_at(r, object))->value.nano);
}
static bool plan_duration_read(struct shape_reader *in, const struct shape_row *r, const struct data *d, void *object)
{
	struct plan_quantity *v = shape_member(r, object);

	(void)in;
	if (d->kind != DATA_INT || d->u.integer < 0)
		return false;
	v->value.nano = d->u.integer;
	v->set = true;
	return true;
}
static const struct shape_type shape_plan_duration = { plan_quantity_zero, plan_duration_json, plan_duration_read,
	plan_quantity_identity, NULL };

/* ---- lists of values ---- */

static bool plan_pairs_zero(const struct shape_row *r, const void *object)
{
	return !((const struct plan_pairs *)shape_at(r, object))->n;
}
static void plan_pairs_json(struct shape_out *o, const struct shape_row *r, const void *object)
{
	const struct plan_pairs *p = shape_at(r, object);

	json_open(&o->json, '{');
	for (size_t i = 0; i < p->n; i++) {
		json_key_text(&o->json, p->at[i].key);
		json_put_text(&o->json, p->at[i].value);
	}
	json_close(&o->json, '}');
}
static bool plan_pairs_read(struct shape_reader *in, const struct shape_row *r, const struct data *d, void *object)
{
	struct plan_pairs p = { 0 };

	for (size_t i = 0; d->kind == DATA_MAP && i < d->u.map.n; i++) {
		struct plan_pair pair = { .key = d->u.map.at[i].key };
		if (d->u.map.at[i].value->kind != DATA_STRING)
			return false;
		pair.value = d->u.map.at[i].value->u.string;
		ARENA_PUSH(in->arena, p.at, p.n, pair);
	}
	*(struct plan_pairs *)shape_member(r, object) = p;
	return d->kind == DATA_MAP;
}
static void plan_pairs_identity(struct shape_out *o, const struct shape_row *r, const void *object)
{
	const struct plan_pairs *p = shape_at(r, object);

	shape_put_int(o, r->key, (int64_t)p->n);
	for (size_t i = 0; i < p->n; i++) {
		shape_put_text(o, "key", p->at[i].key);
		shape_put_text(o, "value", p->at[i].value);
	}
}
static const struct shape_type shape_plan_pairs = { plan_pairs_zero, plan_pairs_json, plan_pairs_read,
	plan_pairs_identity, NULL };

static bool plan_strs_zero(const struct shape_row *r, const void *object) { return !shape_count(r, object); }
static void plan_strs_json(struct shape_out *o, const struct shape_row *r, const void *object)
{
	const struct plan_str *at = shape_pointer_at(r, object);

	json_open(&o->json, '[');
	for (size_t i = 0; i < shape_count(r, object); i++)
		json_put_text(&o->json, at[i].value);
	json_close(&o->json, ']');
}
static bool plan_strs_read(struct shape_reader *in, const struct shape_row *r, const struct data *d, void *object)
{
	struct plan_str *at = NULL;
	size_t n = 0;

	for (size_t i = 0; d->kind == DATA_LIST && i < d->u.list.n; i++) {
		struct plan_str v = { .set = true };
		if (d->u.list.at[i]->kind != DATA_STRING)
			return false;
		v.value = d->u.list.at[i]->u.string;
		ARENA_PUSH(in->arena, at, n, v);
	}
	shape_set_list(r, object, at, n);
	return d->kind == DATA_LIST;
}
static void plan_strs_identity(struct shape_out *o, const struct shape_row *r, const void *object)
{
	const struct plan_str *at = shape_pointer_at(r, object);

	shape_put_int(o, r->key, (int64_t)shape_count(r, object));
	for (size_t i = 0; i < shape_count(r, object); i++)
		plan_str_put(o, r->key, &at[i]);
}
static const struct shape_type shape_plan_strs = { plan_strs_zero, plan_strs_json, plan_strs_read, plan_strs_identity,
	NULL };

/* ---- texts ---- */

static void piece_put(struct shape_out *o, const struct piece *p)
{
	shape_put_int(o, "piece", (int64_t)p->kind);
	switch (p->kind) {
	case PIECE_TEXT: case PIECE_ENV: shape_put_text(o, "text", p->u.text); break;
	case PIECE_INDEX: break;
	case PIECE_FIELD: shape_put_int(o, "field", (int64_t)p->u.field); break;
	case PIECE_PORT:
		shape_put_text(o, "port", p->u.peer.port);
		shape_put_int(o, "role", p->u.peer.role);
		shape_put_int(o, "index", p->u.peer.index);
		break;
	case PIECE_HOST:
		shape_put_int(o, "role", p->u.peer.role);
		shape_put_int(o, "index", p->u.peer.index);
		break;
	}
}

static void pieces_put(struct shape_out *o, const char *key, const struct text *t)
{
	shape_put_int(o, key, text_is_absent(t) ? -1 : (int64_t)t->n);
	for (size_t i = 0; !text_is_absent(t) && i < t->n; i++)
		piece_put(o, &t->at[i]);
}

/* A text that is the same for all replicas, or, in the second member, one text for each. */
static void text_of_identity(struct shape_out *o, const struct shape_row *r, const void *object)
{
	const struct text *each = *(const struct text *const *)shape_second(r, object);

	shape_put_int(o, r->key, each != NULL);
	if (!each)
		pieces_put(o, r->key, shape_at(r, object));
	for (int64_t i = 0; each && i < plan_around(o)->replicas; i++)
		pieces_put(o, r->key, &each[i]);
}
static const struct shape_type shape_text_of = { NULL, NULL, NULL, text_of_identity, NULL };

static void plan_texts_put(struct shape_out *o, const char *key, const struct plan_texts *t, int64_t replicas)
{
	shape_put_int(o, key, t->set);
	shape_put_int(o, key, (int64_t)t->n);
	for (size_t i = 0; i < t->n; i++)
		pieces_put(o, key, &t->at[i]);
	shape_put_int(o, key, t->per_replica != NULL);
	for (int64_t i = 0; t->per_replica && i < replicas; i++)
		plan_texts_put(o, key, &t->per_replica[i], 0);
}
static void plan_texts_identity(struct shape_out *o, const struct shape_row *r, const void *object)
{
	plan_texts_put(o, r->key, shape_at(r, object), plan_around(o)->replicas);
}
static const struct shape_type shape_plan_texts = { NULL, NULL, NULL, plan_texts_identity, NULL };

/* ---- amounts, claims and codes ---- */

/* The amounts of all replicas but the first, whose amounts the container has. */
static void amounts_each_identity(struct shape_out *o, const struct shape_row *r, const void *object)
{
	const struct plan_amounts *each = shape_pointer_at(r, object);

	for (int64_t i = 1; each && i < plan_around(o)->replicas; i++)
		shape_identity(o, &shape_plan_amounts, &each[i]);
}
static const struct shape_type shape_amounts_each = { NULL, NULL, NULL, amounts_each_identity, NULL };

/* The names of the claims that a container mounts. */
static bool plan_mounted_zero(const struct shape_row *r, const void *object)
{
	const struct plan_container *c = shape_at(r, object);

	for (size_t i = 0; i < c->nmounts; i++)
		if (c->mounts[i].volume->kind == VOLUME_PVC)
			return false;
	return true;
}
static void plan_mounted_json(struct shape_out *o, const struct shape_row *r, const void *object)
{
	const struct plan_container *c = shape_at(r, object);

	json_open(&o->json, '[');
	for (size_t i = 0; i < c->nmounts; i++)
		if (c->mounts[i].volume->kind == VOLUME_PVC)
			json_put_text(&o->json, c->mounts[i].volume->name);
	json_close(&o->json, ']');
}
static bool plan_mounted_read(struct shape_reader *in, const struct shape_row *r, const struct data *d, void *object)
{
	struct plan_container *c = shape_member(r, object);

	for (size_t i = 0; d->kind == DATA_LIST && i < d->u.list.n; i++) {
		struct plan_volume *v = ARENA_NEW(in->arena, struct plan_volume);
		struct plan_mount m = { .volume = v };
		if (d->u.list.at[i]->kind != DATA_STRING)
			continue;
		*v = (struct plan_volume){ .kind = VOLUME_PVC, .name = d->u.list.at[i]->u.string };
		ARENA_PUSH(in->arena, c->mounts, c->nmounts, m);
	}
	return d->kind == DATA_LIST;
}
static const struct shape_type shape_plan_mounted = { plan_mounted_zero, plan_mounted_json, plan_mounted_read, NULL,
	NULL };

/* Codes are the first and the last one of each range: [128,255], [17,17,128,255]. */
static bool plan_codes_zero(const struct shape_row *r, const void *object)
{
	return !((const struct plan_codes *)shape_at(r, object))->set;
}
static void plan_codes_json(struct shape_out *o, const struct shape_row *r, const void *object)
{
	json_open(&o->json, '[');
	for (int64_t lo, hi = -1; plan_codes_next(shape_at(r, object), &lo, &hi);) {
		json_put_int(&o->json, lo);
		json_put_int(&o->json, hi);
	}
	json_close(&o->json, ']');
}
/* Anything but a list of ranges within 0..255 selects no code. */
static bool plan_codes_read(struct shape_reader *in, const struct shape_row *r, const struct data *d, void *object)
{
	(void)in;
	for (size_t i = 0; d->kind == DATA_LIST && i + 1 < d->u.list.n; i += 2) {
		const struct data *lo = d->u.list.at[i], *hi = d->u.list.at[i + 1];
		if (lo->kind == DATA_INT && hi->kind == DATA_INT && lo->u.integer >= 0 &&
			lo->u.integer <= hi->u.integer && hi->u.integer <= 255)
			plan_codes_add(shape_member(r, object), lo->u.integer, hi->u.integer);
	}
	return d->kind == DATA_LIST;
}
static void plan_codes_identity(struct shape_out *o, const struct shape_row *r, const void *object)
{
	const struct plan_codes *codes = shape_at(r, object);

	shape_put_int(o, r->key, codes->set);
	for (int64_t lo, hi = -1; plan_codes_next(codes, &lo, &hi);) {
		shape_put_int(o, "retry_lo", lo);
		shape_put_int(o, "retry_hi", hi);
	}
}
static const struct shape_type shape_plan_codes = { plan_codes_zero, plan_codes_json, plan_codes_read,
	plan_codes_identity, NULL };

/* ---- conditions ---- */

static void condition_put(struct shape_out *o, const struct plan_condition *c)
{
	struct json_writer *w = &o->json;

	json_open(w, '{');
	json_key(w, condition_words[c->kind]);
	if (condition_joins(c)) {
		json_open(w, '[');
		condition_put(o, c->left);
		condition_put(o, c->right);
		json_close(w, ']');
	} else {
		json_put_text(w, plan_around(o)->job->roles[c->role].name);
	}
	if (c->kind == CONDITION_DONE || c->kind == CONDITION_LEAST)
		json_add_int(w, "index", c->index);
	if (c->says.n)
		json_add_text(w, "says", c->says);
	json_close(w, '}');
}

static bool find_role(const struct plan_job *j, struct str name, unsigned *ret)
{
	const struct plan_role *r = plan_find_role(j, name);

	if (r)
		*ret = (unsigned)(r - j->roles);
	return r != NULL;
}

/* Reads a condition about the replicas of one role: VALUE is its name. */
static bool condition_leaf(const struct plan_job *j, const struct data *value, struct plan_condition *c)
{
	if (value->kind != DATA_STRING || c->index < CONDITION_ANY || !find_role(j, value->u.string, &c->role))
		return false;
	return c->index < j->roles[c->role].max + (j->roles[c->role].max == 0);
}

static bool condition_take(struct shape_reader *in, const struct data *d, unsigned depth,
	const struct plan_condition **ret)
{
	struct plan_condition *c = ARENA_NEW(in->arena, struct plan_condition);

	*ret = c;
	if (d->kind != DATA_MAP || !d->u.map.n || depth > CONDITION_DEEPEST)
		return false;
	const struct data *value = d->u.map.at[0].value, *index = data_get(d, STR("index")),
		*says = data_get(d, STR("says"));
	c->index = index && index->kind == DATA_INT ? index->u.integer : CONDITION_ALL;
	if (says && says->kind == DATA_STRING)
		c->says = str_copy(in->arena, says->u.string);
	for (unsigned k = 0; k < sizeof condition_words / sizeof *condition_words; k++) {
		if (!str_is(d->u.map.at[0].key, condition_words[k]))
			continue;
		c->kind = (enum condition_kind)k;
		if (k < CONDITION_AND)
			return condition_leaf(((const struct plan_shape *)in->context)->job, value, c);
		return value->kind == DATA_LIST && value->u.list.n == 2 &&
			condition_take(in, value->u.list.at[0], depth + 1, &c->left) &&
			condition_take(in, value->u.list.at[1], depth + 1, &c->right);
	}
	return false;
}

static bool plan_condition_zero(const struct shape_row *r, const void *object) { return !shape_pointer_at(r, object); }
static void plan_condition_json(struct shape_out *o, const struct shape_row *r, const void *object)
{
	condition_put(o, shape_pointer_at(r, object));
}
static bool plan_condition_read(struct shape_reader *in, const struct shape_row *r, const struct data *d, void *object)
{
	return condition_take(in, d, 0, shape_member(r, object)) ||
		shape_bad(in, r->key, "of the run's record is missing or malformed");
}
/* The condition as the language writes it has the kind, role, index and both operands. */
static void plan_condition_identity(struct shape_out *o, const struct shape_row *r, const void *object)
{
	const struct plan_condition *c = shape_pointer_at(r, object);
	struct arena scratch = { 0 };

	shape_put_int(o, r->key, c != NULL);
	shape_put_text(o, r->key, c ? plan_condition_text(&scratch, plan_around(o)->job, c) : STR(""));
	arena_release(&scratch);
}
static const struct shape_type shape_plan_condition = { plan_condition_zero, plan_condition_json, plan_condition_read,
	plan_condition_identity, NULL };

/* ---- kinds of objects ---- */

/* Does the target make an object for each replica? The reader of a record without "workload" concludes the kind. */
static bool job_has_each(const void *j) { return plan_each_replica(j); }
static bool plan_each_zero(const struct shape_row *r, const void *object) { return !r->ask(object); }
static void plan_each_json(struct shape_out *o, const struct shape_row *r, const void *object)
{
	(void)r;
	(void)object;
	json_put_bool(&o->json, true);
}
static bool plan_each_read(struct shape_reader *in, const struct shape_row *r, const struct data *d, void *object)
{
	(void)in;
	if (d->kind == DATA_BOOL && d->u.boolean)
		*(enum workload_id *)shape_member(r, object) = WORKLOAD_POD;
	return d->kind == DATA_BOOL;
}
static void plan_each_identity(struct shape_out *o, const struct shape_row *r, const void *object)
{
	shape_put_int(o, r->key, r->ask(object));
}
static const struct shape_type shape_plan_each = { plan_each_zero, plan_each_json, plan_each_read, plan_each_identity,
	NULL };

static struct str plan_workload_word(const struct shape_row *r, const void *object)
{
	return str_of(workload_row(*(const enum workload_id *)shape_at(r, object))->kind);
}
static bool plan_workload_zero(const struct shape_row *r, const void *object)
{
	(void)r;
	(void)object;
	return false;
}
static void plan_workload_json(struct shape_out *o, const struct shape_row *r, const void *object)
{
	json_put_text(&o->json, plan_workload_word(r, object));
}
static bool plan_workload_read(struct shape_reader *in, const struct shape_row *r, const struct data *d, void *object)
{
	const struct workload *w = d->kind == DATA_STRING ? workload_named(d->u.string) : NULL;

	(void)in;
	if (!w || w->id >= WORKLOADS)
		return false;
	*(enum workload_id *)shape_member(r, object) = w->id;
	return true;
}
static void plan_workload_identity(struct shape_out *o, const struct shape_row *r, const void *object)
{
	shape_put_text(o, r->key, plan_workload_word(r, object));
}
static const struct shape_type shape_plan_workload = { plan_workload_zero, plan_workload_json, plan_workload_read,
	plan_workload_identity, NULL };

/* ---- fields with one value ---- */

bool plan_field_of(struct arena *a, const struct shape_row *row, const void *object, struct plan_field *ret)
{
	const void *at = shape_at(row, object);
	const struct plan_str *text = at;
	const struct plan_int *number = at;
	const struct plan_quantity *quantity = at;

	*ret = (struct plan_field){ .name = row->key };
	if (row->type == &shape_plan_str && text->set) {
		ret->value = text->value;
		ret->quoted = true;
		ret->from = text->from;
	} else if (row->type == &shape_plan_int && number->set) {
		ret->value = str_int(a, number->value);
		ret->from = number->from;
	} else if ((row->type == &shape_plan_quantity || row->type == &shape_plan_duration) && quantity->set) {
		ret->value = row->type == &shape_plan_duration ? duration_text(a, quantity->value)
			: quantity_text(a, quantity->value);
		ret->from = quantity->from;
	}
	return row->member && ret->value.n;
}

/* ---- roles ---- */

/* Members of a role that have a value for each replica need the number of replicas. */
static void plan_roles_identity(struct shape_out *o, const struct shape_row *r, const void *object)
{
	const struct plan_role *roles = shape_pointer_at(r, object);
	struct plan_shape around = *plan_around(o);
	struct shape_out inner = *o;

	inner.context = &around;
	shape_put_int(o, r->key, (int64_t)shape_count(r, object));
	for (size_t i = 0; i < shape_count(r, object); i++) {
		around.replicas = roles[i].max;
		shape_identity(&inner, &shape_plan_role, &roles[i]);
	}
}
static const struct shape_type shape_plan_roles = { plan_strs_zero, NULL, NULL, plan_roles_identity, NULL };

/* ---- when a member has a meaning ---- */

static bool env_is_text(const void *env) { return ((const struct plan_env *)env)->kind == ENV_TEXT; }
static bool volume_path_differs(const void *v) { return ((const struct plan_volume *)v)->path_text.n > 0; }
static bool volume_is_own(const void *v) { return ((const struct plan_volume *)v)->kind == VOLUME_CLAIM; }
static bool volume_is_csi(const void *v) { return ((const struct plan_volume *)v)->kind == VOLUME_CSI; }
static bool role_is_sliced(const void *r) { return plan_is_sliced(r); }
static bool job_is_another(const void *job)
{
	const struct plan_job *j = job;

	return j->workload != WORKLOAD_JOB && j->workload != WORKLOAD_POD;
}
static bool job_may_restart(const void *job) { return ((const struct plan_job *)job)->restarts.value != 0; }

#include "data/shape_rows.h"
#include "plan/plan.def"
#include "data/shape_end.h"
