/*
 * shape_world.h - a plan, a state and a record of decisions with every member set, for tests of what is written of
 * them.
 */
#ifndef TRAINC_UNIT_SHAPE_WORLD_H
#define TRAINC_UNIT_SHAPE_WORLD_H

#include "plan/plan.h"
#include "runtime/decide/decide.h"
#include "runtime/run/run_state.h"

#define T(text) { "" text, sizeof(text) - 1 }
#define FULL_STR(text) { .value = T(text), .set = true }
#define FULL_AMOUNT(n) { .value = { .nano = INT64_C(n) * QUANTITY_UNIT }, .set = true }
#define FULL_BYTES(n) { .value = { .nano = (int128)INT64_C(n) * QUANTITY_UNIT, .form = QUANTITY_BINARY }, .set = true }
#define FULL_PAIRS(k, v) { .at = (struct plan_pair[]){ { .key = T(k), .value = T(v) }, \
	{ .key = T(k "2"), .value = T("\"" v "\"") } }, .n = 2 }

static const struct piece pieces[] = { { .kind = PIECE_TEXT, .u.text = T("a \"b\"\n") },
	{ .kind = PIECE_INDEX }, { .kind = PIECE_FIELD, .u.field = POD_IP },
	{ .kind = PIECE_HOST, .u.peer = { .role = 1, .index = OWN_INDEX } },
	{ .kind = PIECE_PORT, .u.peer = { .port = T("http"), .role = 0, .index = 1 } },
	{ .kind = PIECE_ENV, .u.text = T("HOME") } };
#define FULL_TEXT { pieces, 6, { 0, 0 } }
#define FULL_SHORT { pieces, 1, { 0, 0 } }
static const struct text each[] = { { pieces, 2, { 0, 0 } }, { &piece_absent, 0, { 0, 0 } } };
static struct text texts[] = { FULL_TEXT, FULL_SHORT };
static struct plan_texts lists[] = { { .at = texts, .n = 2, .set = true }, { .at = texts + 1, .n = 1 } };
static struct plan_str strs[] = { FULL_STR("one"), FULL_STR("two") };
static struct data leaves[] = { { .kind = DATA_NULL }, { .kind = DATA_BOOL, .u.boolean = true },
	{ .kind = DATA_INT, .u.integer = -7 }, { .kind = DATA_FLOAT, .u.number = 0.1 },
	{ .kind = DATA_STRING, .u.string = T("leaf") } };
static const struct data *items[] = { &leaves[0], &leaves[1], &leaves[2] };
static struct data data_list = { .kind = DATA_LIST, .u.list = { items, 3 } };
static struct data_member members[] = { { T("list"), { 0, 0 }, &data_list }, { T("float"), { 0, 0 }, &leaves[3] },
	{ T("text"), { 0, 0 }, &leaves[4] } };
static struct data map = { .kind = DATA_MAP, .u.map = { members, 3 } };
static struct plan_volume volumes[] = {
	{ .kind = VOLUME_PVC, .name = T("disk"), .path = T("sub"), .path_text = { pieces, 2, { 0 } },
		.readonly = true, .shared = true, .memory = true, .unasked = true,
		.size = { .nano = 5 * (int128)QUANTITY_UNIT }, .class = T("fast"), .keep = true },
	{ .kind = VOLUME_CLAIM, .name = T("own"), .size = { .nano = 6 * (int128)QUANTITY_UNIT }, .class = T("fast"),
		.keep = true },
	{ .kind = VOLUME_PVC, .name = T("data") } };
static struct plan_mount mounts[] = { { .path = T("/a"), .volume = &volumes[0], .framework = true },
	{ .path = T("/b"), .volume = &volumes[1] }, { .path = T("/c"), .volume = &volumes[2] } };
static struct plan_env env[] = { { .name = T("PLAIN"), .text = FULL_TEXT, .framework = true },
	{ .name = T("EACH"), .per_replica = each },
	{ .name = T("HIDDEN"), .kind = ENV_SECRET, .object = T("secret"), .key = T("token") } };
static struct plan_port ports[] = { { .name = T("http"), .port = 80 }, { .name = T("grpc"), .port = 90 } };
static struct plan_resource resources[] = { { .name = T("acme/x"), .amount = { .nano = 3 * (int128)QUANTITY_UNIT } },
	{ .name = T("hugepages-2Mi"), .amount = { .nano = 1024 * (int128)QUANTITY_UNIT, .form = QUANTITY_BINARY },
		.bytes = true } };
static struct plan_probe probe = { .kind = PROBE_HTTP, .port = T("http"), .path = T("/health"), .command = strs,
	.ncommand = 2, .within = 60 };
static struct plan_accelerator accelerator = { .name = T("acme.a1"), .spelling = T("acme.a1(8)"),
	.resource = T("acme.com/gpu"), .per_pod = 8, .pods = 2, .slice = FULL_STR("slice"),
	.memory = FULL_BYTES(99), .node = FULL_PAIRS("node", "a1"), .tolerate = strs, .ntolerate = 2,
	.env = FULL_PAIRS("ACME", "1"), .mounts = mounts, .nmounts = 1, .devices = FULL_STR("/dev/acme*"),
	.visible = FULL_STR("ACME_VISIBLE") };
static struct plan_amounts amounts[] = { { .cpu = FULL_AMOUNT(2), .memory = FULL_BYTES(4), .disk = FULL_BYTES(5),
	.limits = { .cpu = FULL_AMOUNT(3), .memory = FULL_BYTES(6), .disk = FULL_BYTES(7) },
	.resources = resources, .nresources = 2 },
	{ .cpu = FULL_AMOUNT(-1), .memory = FULL_BYTES(8) } };
#define FULL_CONTAINER { .name = T("main"), .image = FULL_STR("image"), \
	.pull = FULL_STR("Always"), .workdir = FULL_STR("/w"), \
	.command = { .at = texts, .n = 2, .set = true }, .args = { .per_replica = lists, .set = true }, \
	.env = env, .nenv = 3, .ports = ports, .nports = 2, .mounts = mounts, .nmounts = 3, \
	.asks = { .cpu = FULL_AMOUNT(2), .memory = FULL_BYTES(4), .disk = FULL_BYTES(5), \
	.limits = { .cpu = FULL_AMOUNT(3), .memory = FULL_BYTES(6), .disk = FULL_BYTES(7) }, \
	.resources = resources, .nresources = 2 }, \
	.per_replica = amounts, .ready = &probe, .raw = &map }
static struct plan_container containers[] = { FULL_CONTAINER,
	{ .name = T("init"), .image = FULL_STR("init:1"), .init = true } };
static const struct plan_condition leaf_conditions[] = { { .kind = CONDITION_DONE, .role = 0, .index = 1 },
	{ .kind = CONDITION_DONE, .role = 1, .index = CONDITION_ANY }, { .kind = CONDITION_READY, .role = 1,
		.index = CONDITION_ALL }, { .kind = CONDITION_STARTED, .role = 0, .index = CONDITION_ALL },
	{ .kind = CONDITION_DONE, .role = 0, .index = CONDITION_ALL } };
static const struct plan_condition conditions[] = {
	{ .kind = CONDITION_AND, .left = &leaf_conditions[0], .right = &leaf_conditions[1], .more = 1 },
	{ .kind = CONDITION_OR, .left = &conditions[0], .right = &leaf_conditions[4], .more = 2 } };
static struct plan_file files[] = { { .path = T("/etc/a"), .text = FULL_TEXT, .framework = true },
	{ .path = T("/etc/b"),
	.per_replica = each } };
static struct str keys[] = { T("zone"), T("rack") };
static struct plan_replica_label labels[] = { { .key = T("l"), .text = FULL_SHORT, .selects = true }, { .key = T("m"),
	.per_replica = each } };
static const struct str reserved[] = { T("RANK"), T("ACME_*") };
static struct plan_role roles[] = { { .name = T("worker_a"), .object = T("full-worker-a"), .one_name = true,
	.label = T("worker-a"), .in_set = true, .aux = true, .endless = true, .min = 1, .max = 2, .slices = 2,
	.processes = 4, .elastic = true, .unknown = true, .unrolled = true, .main = FULL_CONTAINER,
	.sidecars = &containers[0], .nsidecars = 1, .inits = &containers[1], .ninits = 1, .files = files,
	.nfiles = 2, .shm = FULL_BYTES(10), .grace = { .value = { .nano = INT64_C(1500000000) }, .set = true },
	.accelerator = &accelerator, .node = FULL_PAIRS("pool", "a"), .zones = strs, .nzones = 2,
	.place = { .kind = PLACE_PACK, .level = T("rack"), .keys = keys, .nkeys = 2, .tier = 1, .together = true },
	.claims = FULL_PAIRS("claim", "template"), .shared_claims = FULL_PAIRS("shared", "claim"),
	.tolerate = strs, .ntolerate = 2, .pull_secrets = strs, .npull_secrets = 1, .spread = FULL_STR("zone"),
	.restart = FULL_STR("on_failure"), .service = FULL_STR("headless"), .service_account = FULL_STR("robot"),
	.retries = { .value = 3, .set = true }, .retry_on = { .set = true }, .on_failed_pod = FULL_STR("replace"),
	.start_after = &leaf_conditions[2], .labels = FULL_PAIRS("role", "label"),
	.annotations = FULL_PAIRS("role", "note"),
	.replica = { .set = true, .job = true, .service = REPLICA_CLUSTER, .labels = labels, .nlabels = 2 },
	.raw_pod = &map, .raw_job = &data_list },
	{ .name = T("other"), .object = T("full-other"), .label = T("other"), .min = 1, .max = 1,
	.main = { .name = T("main") }, .retries = { .set = true }, .retry_on = { .set = true },
	.grace = { .set = true }, .start_after = &leaf_conditions[3] } };
static struct plan_object job_objects[] = { { .name = T("extra"), .data = &map, .framework = true } };
static struct plan_job full_job = { .name = T("full"), .framework = T("acme.full"), .base = T("full"),
	.arguments = &map,
	.ns = FULL_STR("team"), .hosts = HOSTS_SERVICE, .domain = T("cluster.local"), .workload = WORKLOAD_OPERATED,
	.controller = true, .namespace_in_address = true, .queue = FULL_STR("queue"),
	.scheduler = FULL_STR("scheduler"), .priority = FULL_STR("high"), .clean = FULL_STR("running"),
	.gang = FULL_STR("kueue"), .timeout = FULL_AMOUNT(3600), .ttl = { .set = true },
	.restarts = { .value = 5, .set = true }, .suspend = { .value = true, .set = true },
	.success = &conditions[1], .success_written = true, .running = &leaf_conditions[2],
	.labels = FULL_PAIRS("job", "label"), .annotations = FULL_PAIRS("job", "note"), .reserved = reserved,
		.nreserved = 2,
	.env_after = true, .roles = roles, .nroles = 2, .objects = job_objects, .nobjects = 1,
	.raw_service = &map };

static struct plan full_plan(void)
{
	if (!plan_codes_has(&roles[0].retry_on, 17)) {
		plan_codes_add(&roles[0].retry_on, 17, 17);
		plan_codes_add(&roles[0].retry_on, 128, 255);
	}
	return (struct plan){ .jobs = &full_job, .njobs = 1, .kubernetes = 34, .target = STR("jobs"),
		.run_id = STR("run-1") };
}

enum { FULL_TIME = 1767225600 };
#define FULL_AT(seconds) ((FULL_TIME + INT64_C(seconds)) * 1000000000 + 123456789)

static struct run_span state_spans[] = { { SPAN_FAILED, FULL_AT(1), FULL_AT(2) }, { SPAN_RUNNING, FULL_AT(3), 0 } };
static struct run_replica state_replicas[] = {
	{ .index = 0, .state = REPLICA_READY, .process = { 41, 42 }, .pid = 43, .attempts = 5, .resumed = 1,
		.begin = FULL_AT(3), .end = FULL_AT(4), .exit_code = 3, .signal = 9, .again = FULL_AT(5),
		.cause = T("command \"x\""), .words = { 7, true, T("ValueError") }, .host = T("host-0"),
		.ports = T("http=20017,metrics=20018"), .pod = T("pod-0"), .ip = T("10.0.0.1"), .node = T("n1"),
		.code = T("0123456789ab"), .other_code = true,
		.published = T("http=6006,metrics=6007"), .log = T("/logs/0"), .spans = state_spans, .nspans = 2,
		.usage = { .known = true, .rated = true, .cpu = INT64_C(1500000000), .rate = 0.5, .memory = 4096 } },
	{ .index = 1, .state = REPLICA_FAILED, .exit_code = -1, .attempts = 1 } };
static struct run_role state_roles[] = { { .name = T("worker"), .cell = T("pair"), .copy = 1, .aux = true,
	.elastic = true, .endless = true, .lost = true, .min = 1, .max = 2, .desired = 2, .at = state_replicas,
	.cause = T("role cause") }, { .name = T("none") } };
static struct run_cell state_cells[] = { { .name = T("pair"), .min = 1, .max = 3, .desired = 2 } };
static struct str state_log[] = { T("line \"1\""), T("line 2") };
static struct run_object state_objects[] = { { T("Job"), T("full-worker"), RUN_QUEUED, T("waits"), true },
	{ T("PodGroup"), T("full"), RUN_RUNNING, T(""), false } };
static struct run_code state_code[] = { { T("worker"), T("3f2a9c01b7de"), 214, 1363148, T("d5e9"), true } };
static struct str state_images[] = { T("registry.example.com/a:1"), T("b") };
static struct run_event state_events[] = { { FULL_AT(6), 4, T("Pod"), T("pod-0"), T("Failed"), T("message") },
	{ 0, 1, T("Job"), T("full"), T("Other"), T("text") } };

/* A state with every member set, of a local run or of a run in a cluster. */
static struct run_state full_state(bool local)
{
	return (struct run_state){ .name = STR("full"), .ns = STR("team"), .framework = STR("acme.full"),
		.file = STR("full.tj"),
		.isolate = local ? STR("job") : STR(""), .boot_id = STR("boot"), .keeper = { 7, 8 },
		.phase = RUN_DEGRADED,
		.cause = STR("a cause; an end"), .deletion = 6, .begin = FULL_AT(1), .end = FULL_AT(9),
		.digest = STR("2:00"),
		.observed = RUN_RUNNING, .since = FULL_AT(2), .running = true, .restarting = true, .ran = FULL_AT(3),
		.restarted = FULL_AT(4), .job_restarts = 2, .restarts_at = FULL_AT(8), .restart_due = true,
		.restart_cause = STR("why"), .lost_bytes = 11, .removed_bytes = 12, .roles = state_roles, .nroles = 2,
		.cells = state_cells, .ncells = 1,
		.failure = { .known = true, .role = STR("worker"), .index = 1, .exit_code = 3, .signal = 9,
			.reason = STR("killed by KILL"), .log = state_log, .nlog = 2, .time = FULL_AT(5) },
		.objects = state_objects, .nobjects = 2, .events = state_events, .nevents = 2,
		.code = state_code, .ncode = 1, .images = state_images, .nimages = 2 };
}

static struct decide_replica decided_replicas[] = { { .uid = T("u\"0"), .doomed = T("d0"), .restarts = 1, .failures = 2,
	.series = 3, .again = FULL_AT(1), .succeeded = true }, { .uid = T("u1"), .failed = true } };
static struct decide_replica decided_other[] = { { .uid = T("u2") } };
static struct decide_role decided_roles[] = { { .at = decided_replicas, .n = 2, .released = true },
	{ .at = decided_other, .n = 1 } };
static struct job_condition decided_conditions[] = {
	{ .holds = true, .reason = T("JobCreated"), .message = T("is created"), .updated = FULL_AT(1),
		.changed = FULL_AT(2) },
	{ .type = JOB_RUNNING, .reason = T("R"), .message = T("m") } };

/* A record of decisions about the plan of full_plan(). */
static struct decide_record full_record(void)
{
	return (struct decide_record){ .conditions = { .at = decided_conditions, .n = 2 }, .begin = FULL_AT(1),
		.end = FULL_AT(2), .spent = 4,
		.begun_anew = 5, .cut_short = true, .roles = decided_roles, .nroles = 2 };
}

#endif
