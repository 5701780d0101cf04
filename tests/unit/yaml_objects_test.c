/*
 * yaml_objects_test.c - checks that plans built by hand become objects that an API server has accepted
 * (tests/e2e/objects), and YAML and JSON are equivalent.
 */
#include <cjson/cJSON.h>
#include <stdio.h>
#include <stdlib.h>
#include <yaml.h>

#include "emit/emit.h"

static int passed, failed;

static void verdict(bool good, const char *what)
{
	if (good)
		passed++;
	else
		failed++;
	printf("%s %s\n", good ? "ok" : "FAIL", what);
}

/* ---- reading YAML as a cJSON tree, by the core schema ---- */

static cJSON *yaml_scalar(const yaml_node_t *n)
{
	const char *s = (const char *)n->data.scalar.value;
	char *end;

	if (n->data.scalar.style != YAML_PLAIN_SCALAR_STYLE)
		return cJSON_CreateString(s);
	if (!strcmp(s, "true") || !strcmp(s, "false"))
		return cJSON_CreateBool(*s == 't');
	if (!strcmp(s, "null") || !*s)
		return cJSON_CreateNull();
	double number = strtod(s, &end);
	return *end || !strchr("0123456789-", *s) ? cJSON_CreateString(s) : cJSON_CreateNumber(number);
}

static cJSON *yaml_node(yaml_document_t *doc, int index)
{
	const yaml_node_t *n = yaml_document_get_node(doc, index);

	if (n->type == YAML_SCALAR_NODE)
		return yaml_scalar(n);
	if (n->type == YAML_SEQUENCE_NODE) {
		cJSON *list = cJSON_CreateArray();
		for (yaml_node_item_t *i = n->data.sequence.items.start; i < n->data.sequence.items.top; i++)
			cJSON_AddItemToArray(list, yaml_node(doc, *i));
		return list;
	}
	cJSON *map = cJSON_CreateObject();
	for (yaml_node_pair_t *p = n->data.mapping.pairs.start; p < n->data.mapping.pairs.top; p++)
		cJSON_AddItemToObject(map, (char *)yaml_document_get_node(doc, p->key)->data.scalar.value,
			yaml_node(doc, p->value));
	return map;
}

static cJSON *yaml_documents(const char *text, size_t size)
{
	cJSON *all = cJSON_CreateArray();
	yaml_parser_t parser;
	yaml_document_t doc;
	bool more = true;

	yaml_parser_initialize(&parser);
	yaml_parser_set_input_string(&parser, (const unsigned char *)text, size);
	while (more && yaml_parser_load(&parser, &doc)) {
		more = yaml_document_get_root_node(&doc) != NULL;
		if (more)
			cJSON_AddItemToArray(all, yaml_node(&doc, 1));
		yaml_document_delete(&doc);
	}
	yaml_parser_delete(&parser);
	return all;
}

static cJSON *reference(const char *name)
{
	char path[200], text[65536];

	snprintf(path, sizeof(path), "tests/e2e/objects/%s.yaml", name);
	FILE *f = fopen(path, "r");
	size_t n = f ? fread(text, 1, sizeof(text), f) : 0;
	if (f)
		fclose(f);
	return yaml_documents(text, n);
}

/* ---- emitting ---- */

static bool to_buf(void *context, const char *bytes, size_t n)
{
	buf_put(context, bytes, n);
	return true;
}

static cJSON *emitted(const struct plan *plan, bool json)
{
	struct buf out = { 0 };
	struct emit_options options = { .json = json };
	struct emit_sink sink = { &out, to_buf };
	cJSON *tree, *items;

	emit_write(&options, &plan, 1, &sink);
	if (!json) {
		tree = yaml_documents(out.p, out.n);
		buf_release(&out);
		return tree;
	}
	tree = cJSON_ParseWithLength(out.p, out.n);
	buf_release(&out);
	items = cJSON_DetachItemFromObject(tree, "items");
	cJSON_Delete(tree);
	return items;
}

static int differences(const cJSON *a, const cJSON *b, const char *path)
{
	char below[512];
	int found = 0;

	for (const cJSON *x = a ? a->child : NULL; x; x = x->next) {
		const cJSON *y = cJSON_GetObjectItemCaseSensitive(b, x->string);
		snprintf(below, sizeof(below), "%s.%s", path, x->string ? x->string : "[]");
		if (!x->string)
			break;
		if (!y)
			printf("  %s is missing\n", below);
		found += !y || (!cJSON_Compare(x, y, true) &&
			(cJSON_IsObject(x) ? differences(x, y, below) : (printf("  %s differs\n", below), 1)));
	}
	for (const cJSON *y = b ? b->child : NULL; y && y->string; y = y->next)
		if (!cJSON_GetObjectItemCaseSensitive(a, y->string)) {
			printf("  %s.%s is too much\n", path, y->string);
			found++;
		}
	return found;
}

static void compare(const cJSON *want, const cJSON *got, const char *what)
{
	bool same = cJSON_GetArraySize(want) > 0 && cJSON_Compare(want, got, true);

	verdict(same, what);
	if (same)
		return;
	printf("  %d objects, %d wanted\n", cJSON_GetArraySize(got), cJSON_GetArraySize(want));
	for (int i = 0; i < cJSON_GetArraySize(want); i++)
		differences(cJSON_GetArrayItem(want, i), cJSON_GetArrayItem(got, i), "");
}

static void check_plan(const struct plan *plan, const char *name)
{
	cJSON *yaml = emitted(plan, false), *json = emitted(plan, true), *want = reference(name);
	char what[100];

	snprintf(what, sizeof(what), "%s is what the server took", name);
	compare(want, yaml, what);
	snprintf(what, sizeof(what), "%s is the same as YAML and as JSON", name);
	compare(json, yaml, what);
	cJSON_Delete(yaml);
	cJSON_Delete(json);
	cJSON_Delete(want);
}

/* ---- plans that are built by hand ---- */

static struct arena arena;

static struct plan_str word(const char *z) { return (struct plan_str){ str_of(z), { 0 }, true }; }

static struct plan_quantity amount(const char *z)
{
	struct plan_quantity q = { .set = true };

	quantity_parse(str_of(z), &q.value);
	return q;
}

static struct plan_quantity seconds(int64_t n)
{
	return (struct plan_quantity){ { n * QUANTITY_UNIT, QUANTITY_DECIMAL }, { 0 }, true };
}

static struct text plain(const char *z)
{
	struct piece *p = ARENA_NEW(&arena, struct piece);

	p->u.text = str_of(z);
	return (struct text){ p, 1, { 0 } };
}

static struct text one(struct piece piece)
{
	struct piece *p = ARENA_NEW(&arena, struct piece);

	*p = piece;
	return (struct text){ p, 1, { 0 } };
}

static void texts(struct plan_texts *to, const char *const *words, size_t n)
{
	to->set = true;
	for (size_t i = 0; i < n; i++)
		ARENA_PUSH(&arena, to->at, to->n, plain(words[i]));
}

static void env(struct plan_container *c, const char *name, struct text t)
{
	struct plan_env e = { .name = str_of(name), .kind = ENV_TEXT, .text = t };

	ARENA_PUSH(&arena, c->env, c->nenv, e);
}

static void port(struct plan_container *c, const char *name, int64_t number)
{
	struct plan_port p = { str_of(name), number, { 0 }, { 0 } };

	ARENA_PUSH(&arena, c->ports, c->nports, p);
}

static struct plan_role *role(struct plan_job *j, const char *name, int64_t n, const char *image)
{
	struct plan_role *r = &j->roles[j->nroles++];

	r->name = r->label = str_of(name);
	r->object = str_printf(&arena, "%.*s-%s", STR_ARG(j->name), name);
	r->min = r->max = n;
	r->grace = seconds(30);
	r->restart = word("never");
	r->main.name = STR("main");
	r->main.image = word(image);
	return r;
}

static const struct plan_accelerator *devices(int64_t count, const char *product)
{
	struct plan_accelerator *a = ARENA_NEW(&arena, struct plan_accelerator);
	struct plan_pair *node = ARENA_NEW(&arena, struct plan_pair);

	*node = (struct plan_pair){ .key = STR("nvidia.com/gpu.product"), .value = str_of(product) };
	a->resource = STR("nvidia.com/gpu");
	a->per_pod = count;
	a->node = (struct plan_pairs){ node, 1 };
	a->tolerate = ARENA_NEW(&arena, struct plan_str);
	*a->tolerate = word("nvidia.com/gpu");
	a->ntolerate = 1;
	return a;
}

static struct plan_job *job(struct plan *plan, const char *name, const char *framework)
{
	struct plan_job *j = ARENA_NEW(&arena, struct plan_job);
	struct plan_condition *done = ARENA_NEW(&arena, struct plan_condition);

	*done = (struct plan_condition){ .kind = CONDITION_DONE, .index = -1 };
	j->name = str_of(name);
	j->framework = str_of(framework);
	j->clean = word("running");
	j->success = done;
	j->roles = ARENA_ARRAY(&arena, struct plan_role, 8);
	*plan = (struct plan){ .jobs = j, .njobs = 1, .kubernetes = 34, .target = STR("jobs") };
	return j;
}

#define PIECE_I { .kind = PIECE_INDEX }
#define PIECE_T(z) { .kind = PIECE_TEXT, .u.text = { z, sizeof(z) - 1 } }

static void mnist(void)
{
	static const char *const command[] = { "torchrun", "train.py", "--epochs=10" };
	struct plan plan;
	struct plan_job *j = job(&plan, "mnist-ddp", "pytorch.torchrun");
	struct plan_role *r = role(j, "worker", 4, "registry.example.com/ml/mnist:1.4.2");
	struct plan_container *c = &r->main;

	texts(&c->command, command, 3);
	env(c, "PET_NNODES", plain("4"));
	env(c, "PET_NPROC_PER_NODE", plain("8"));
	env(c, "PET_NODE_RANK", one((struct piece)PIECE_I));
	env(c, "PET_MASTER_ADDR", one((struct piece){ .kind = PIECE_HOST }));
	env(c, "PET_MASTER_PORT", one((struct piece){ .kind = PIECE_PORT, .u.peer.port = STR("rdzv") }));
	env(c, "PYTHONUNBUFFERED", plain("1"));
	port(c, "rdzv", 29500);
	c->asks.cpu = amount("32");
	c->asks.memory = amount("256Gi");
	r->shm = amount("8Gi");
	r->accelerator = devices(8, "NVIDIA-A100-SXM4-40GB");
	check_plan(&plan, "mnist-ddp");
}

static void resnet(void)
{
	static const char *const command[] = { "torchrun", "train.py", "--resume=auto" };
	static const struct piece endpoint[] = { { .kind = PIECE_HOST }, PIECE_T(":"),
		{ .kind = PIECE_PORT, .u.peer.port = { "rdzv", 4 } } };
	struct plan plan;
	struct plan_job *j = job(&plan, "resnet-elastic", "pytorch.elastic");
	struct plan_role *r = role(j, "worker", 8, "registry.example.com/vision/resnet:2.0.0");
	struct plan_container *c = &r->main;

	r->min = 1;
	r->elastic = true;
	r->retries = (struct plan_int){ 3, { 0 }, true };
	j->timeout = seconds(172800);
	texts(&c->command, command, 3);
	env(c, "PET_RDZV_ENDPOINT", (struct text){ endpoint, 3, { 0 } });
	env(c, "PET_RDZV_BACKEND", plain("c10d"));
	env(c, "PET_NNODES", plain("1:8"));
	env(c, "PET_MAX_RESTARTS", plain("10"));
	env(c, "PET_NPROC_PER_NODE", plain("1"));
	env(c, "PYTHONUNBUFFERED", plain("1"));
	port(c, "rdzv", 29400);
	c->asks.cpu = amount("7500m");
	c->asks.memory = amount("28Gi");
	r->shm = amount("8Gi");
	r->accelerator = devices(1, "NVIDIA-L4");
	check_plan(&plan, "resnet-elastic");
}

static void add(struct piece **at, size_t *n, struct piece p) { ARENA_PUSH(&arena, *at, *n, p); }
static void add_text(struct piece **at, size_t *n, const char *z)
{
	add(at, n, (struct piece){ .kind = PIECE_TEXT, .u.text = str_of(z) });
}

/* Makes the text that tensorflow.cluster_spec gives to role number OWN. */
static struct text tf_config(const struct plan_job *j, unsigned own)
{
	static const unsigned members[] = { 0, 2, 1 };  /* in the order of names: chief, ps, worker */
	struct piece *at = NULL;
	size_t n = 0;

	add_text(&at, &n, "{\"cluster\":{");
	for (unsigned m = 0; m < 3; m++) {
		const struct plan_role *r = &j->roles[members[m]];
		struct str key = str_printf(&arena, "%s\"%.*s\":[", m ? "," : "", STR_ARG(r->name));
		add_text(&at, &n, key.p);
		for (int32_t i = 0; i < r->max; i++) {
			add_text(&at, &n, i ? ",\"" : "\"");
			add(&at, &n, (struct piece){ .kind = PIECE_HOST,
				.u.peer = { .role = members[m], .index = i } });
			add_text(&at, &n, ":");
			add(&at, &n, (struct piece){ .kind = PIECE_PORT, .u.peer = { STR("grpc"), members[m], i } });
			add_text(&at, &n, "\"");
		}
		add_text(&at, &n, "]");
	}
	struct str task = str_printf(&arena, "},\"task\":{\"type\":\"%.*s\",\"index\":", STR_ARG(j->roles[own].name));
	add_text(&at, &n, task.p);
	add(&at, &n, (struct piece)PIECE_I);
	add_text(&at, &n, "},\"environment\":\"cloud\"}");
	return (struct text){ at, n, { 0 } };
}

static void wide_deep_plan(struct plan *plan, int64_t workers, int64_t servers)
{
	static const char *const command[] = { "python", "-m", "ads.train" }, *const args[] = { "--eval-only" };
	static const char *const names[] = { "chief", "worker", "ps", "evaluator" };
	struct plan_job *j = job(plan, "wide-deep", "tensorflow.cluster_spec");

	for (unsigned i = 0; i < 4; i++) {
		struct plan_role *r = role(j, names[i], i == 1 ? workers : i == 2 ? servers : 1,
			"registry.example.com/ads/wide-deep:7.1.0");
		r->endless = i == 2;
		texts(&r->main.command, command, 3);
		r->main.asks.cpu = amount("8");
		r->main.asks.memory = amount(i == 2 ? "96Gi" : "32Gi");
		if (i < 2)
			r->accelerator = devices(1, "Tesla-T4");
		port(&r->main, "grpc", 2222);
	}
	texts(&j->roles[3].main.args, args, 1);
	for (unsigned i = 0; i < 4; i++)
		env(&j->roles[i].main, "TF_CONFIG", tf_config(j, i));
}

static void wide_deep(void)
{
	struct plan plan;

	wide_deep_plan(&plan, 6, 3);
	check_plan(&plan, "wide-deep");
}

/* ---- an indexed role and an unrolled role result in equal objects, replica by replica ---- */

static const char *env_value(const cJSON *job_object, const char *name)
{
	const cJSON *spec = cJSON_GetObjectItem(cJSON_GetObjectItem(cJSON_GetObjectItem(job_object, "spec"),
		"template"), "spec");
	const cJSON *list = cJSON_GetObjectItem(cJSON_GetArrayItem(cJSON_GetObjectItem(spec, "containers"), 0), "env"),
		*e;

	cJSON_ArrayForEach(e, list)
		if (!strcmp(cJSON_GetObjectItem(e, "name")->valuestring, name))
			return cJSON_GetStringValue(cJSON_GetObjectItem(e, "value"));
	return NULL;
}

static const cJSON *object_named(const cJSON *all, const char *kind, const char *name)
{
	const cJSON *o;

	cJSON_ArrayForEach(o, all)
		if (!strcmp(cJSON_GetObjectItem(o, "kind")->valuestring, kind) &&
			!strcmp(cJSON_GetObjectItem(cJSON_GetObjectItem(o, "metadata"), "name")->valuestring, name))
			return o;
	return NULL;
}

/* Computes the value as the kubelet does, if the only reference is the index. */
static struct str expand(struct arena *a, const char *value, int index)
{
	static const char reference[] = "$(TRAINC_INDEX)";
	struct buf out = { 0 };

	while (*value) {
		if (!strncmp(value, reference, sizeof(reference) - 1)) {
			buf_int(&out, index);
			value += sizeof(reference) - 1;
		} else {
			if (value[0] == '$' && value[1] == '$')
				value++;
			buf_char(&out, *value++);
		}
	}
	struct str s = buf_take(&out, a);
	buf_release(&out);
	return s;
}

static void agreement(void)
{
	static const struct piece dollars[] = { PIECE_T("$$ $(HOME) a$"), PIECE_I, PIECE_T("$("), PIECE_T("$"),
		{ .kind = PIECE_HOST, .u.peer = { .role = 1, .index = OWN_INDEX } } };
	struct plan plan;
	bool same = true, environment = true;

	wide_deep_plan(&plan, 12, 3);
	struct plan_role *r = &plan.jobs[0].roles[1];
	env(&r->main, "DOLLARS", (struct text){ dollars, 5, { 0 } });
	cJSON *indexed = emitted(&plan, true);
	r->unrolled = true;
	cJSON *unrolled = emitted(&plan, true);
	for (int i = 0; i < 12; i++) {
		static const char *const names[] = { "TF_CONFIG", "DOLLARS" };
		char name[40];
		snprintf(name, sizeof(name), "wide-deep-worker-%d", i);
		struct env_values finished = plan_env(&arena, plan.jobs, r, &r->main, i, &placement_cluster);
		for (int k = 0; k < 2; k++) {
			const char *a = env_value(object_named(indexed, "Job", "wide-deep-worker"), names[k]);
			const char *b = env_value(object_named(unrolled, "Job", name), names[k]);
			struct str from_indexed = expand(&arena, a ? a : "", i),
				from_unrolled = expand(&arena, b ? b : "", i);
			same = same && a && b && str_eq(from_indexed, from_unrolled);
			environment = environment && finished.at[k].whole && str_eq(finished.at[k].value, from_indexed);
		}
	}
	verdict(same, "indexed and unrolled objects give every replica the same text");
	verdict(environment, "and it is the text of plan_env()");
	const struct data *found = emit_find(&arena, &plan, STR("Job"), STR("wide-deep-worker-11"));
	const struct data *label = data_get(data_get(data_get(found, STR("metadata")), STR("labels")),
		STR("trainc.dev/index"));
	verdict(label && label->kind == DATA_STRING && str_is(label->u.string, "11"),
		"one object is found by its name");
	verdict(!emit_find(&arena, &plan, STR("Job"), STR("wide-deep-worker-12")) &&
		!emit_find(&arena, &plan, STR("Job"), STR("wide-deep-worker-01")),
		"others are not there");
	cJSON_Delete(indexed);
	cJSON_Delete(unrolled);
}

/* A computed value has a different text in each replica, and is computed when it is written. */
static void computed(void)
{
	struct plan plan;
	struct plan_job *j = job(&plan, "ring", "gossip");
	struct plan_role *r = role(j, "worker", 5, "a/b:1");
	struct text *each = ARENA_ARRAY(&arena, struct text, 5);
	struct plan_env e = { .name = STR("NEXT_PEER"), .kind = ENV_TEXT, .per_replica = each };
	bool good = true;

	for (int i = 0; i < 5; i++)
		each[i] = one((struct piece){ .kind = PIECE_HOST, .u.peer.index = (i + 1) % 5 });
	each[2] = one((struct piece){ .kind = PIECE_FIELD, .u.field = POD_IP });
	ARENA_PUSH(&arena, r->main.env, r->main.nenv, e);
	r->unrolled = true;
	cJSON *yaml = emitted(&plan, false), *json = emitted(&plan, true);
	compare(json, yaml, "computed values are the same as YAML and as JSON");
	for (int i = 0; i < 5; i++) {
		char name[40], peer[40];
		snprintf(name, sizeof(name), "ring-worker-%d", i);
		snprintf(peer, sizeof(peer), "ring-worker-%d.ring", (i + 1) % 5);
		const char *got = env_value(object_named(yaml, "Job", name), "NEXT_PEER");
		good = good && (i == 2 ? !got : got && !strcmp(got, peer));
	}
	verdict(good, "every replica has its own");
	cJSON_Delete(yaml);
	cJSON_Delete(json);
}

int main(void)
{
	mnist();
	resnet();
	wide_deep();
	agreement();
	computed();
	arena_release(&arena);
	printf("%d passed, %d failed\n", passed, failed);
	return failed != 0;
}
