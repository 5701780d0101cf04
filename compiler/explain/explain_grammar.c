/*
 * explain_grammar.c - explains declarations and types of the language, and words of other tools that the language does
 * not have.
 */
#include "check/check_schema.h"
#include "explain/explain.h"
#include "syntax/help/foreign.h"

/* The reserved words that begin an item or a statement, and the types. */
static const struct {
	const char *word, *kind, *doc, *example;
} topics[] = {
	{ "import", "declaration", "Makes the declarations of a module known under its last name, or under another "
		"one. A body sets parameters of the module, which have one value in a program: 'import \"site.tj\" as "
		"site { registry = ... }', in the program or in project.tj.",
	  "import std.single\nimport \"shared.tj\" as shared" },
	{ "param", "declaration",
	  "A value that is set from outside: --set, --params, the profile, else its default; without a default it must "
	"be set. That of a module is set by the program's import of it: 'import \"site.tj\" as site { registry = ... "
		"}'.", "param replicas_wanted: int(1..64) = 3" },
	{ "let", "declaration", "Names a value, in a file or in a body. Inside an expression, 'in' follows it, and "
		"then the expression that uses the name.",
	  "let team = \"vision\"\nlet tag  = let short = cut(team, 3) in \"${short}-${len(short)}\"" },
	{ "fn", "declaration", "A function: one expression of its arguments.", "fn twice(n: int) -> int = 2 * n" },
	{ "type", "declaration", "A record, or a name for a type.",
		"type Dataset {\n  claim: string\n  readonly: bool = true\n}" },
	{ "profile", "declaration", "Parameters that are set together: --profile NAME.",
		"profile big {\n  replicas_wanted = 16\n}" },
	{ "job", "declaration", "What is compiled: a name, optionally a framework, then fields and roles.",
	  "job \"hello\": single.task {\n  image = \"registry.example.com/hello:1.0\"\n\n  role task { cpu = 4, memory "
	"= 16Gi }\n}" },
	{ "framework", "declaration", "How the processes of a cluster find each other: roles, ports and environment "
		"that jobs build on. 'framework ours(port: port = 7000): pairs(port = port) { ... }' wraps another "
		"one: its fields win over, or extend, those of what it wraps.",
	  "framework pairs(port: port = 7000) {\n  role worker {\n    replicas: int(2..)\n    ports { peer = port }\n  "
	"  env { RANK = pod.index, FIRST = worker.address(0, \"peer\") }\n  }\n\n  success = done(worker)\n}" },
	{ "accelerator", "declaration", "A device: what it is called in Kubernetes, and which nodes have it.", NULL },
	{ "test", "declaration", "Checks that 'trainc test' runs, with their own parameters.",
	  "test \"big\" {\n  profile = \"big\"\n  check not fails(\"TJ0401\") else \"a parameter has no value\"\n}" },
	{ "policy", "declaration", "Checks of an organisation that every job of a project must meet.", NULL },
	{ "project", "declaration", "Settings of a directory of programs, in project.tj.",
		"project {\n  kubernetes = \"1.33\"\n}" },
	{ "check", "item", "Refuses the program with a message unless its condition holds.",
	  "check replicas_wanted % 2 == 0 else \"nodes come in pairs, not ${replicas_wanted}\"" },
	{ "warn", "item", "Like check, but reports a warning.", NULL },
	{ "if", "item and expression", "A choice of values, or of items in a body.",
		"let size: memory = if big then 64Gi else 16Gi" },
	{ "for", "item and expression", "Items, jobs or elements, one for each of a list, a map or a range.",
	  "let names = [\"part-${i}\" for i in range(4)]" },
	{ "sweep", "jobs from lists", "One job for each element of a list, or for each combination of several; names "
		"of jobs have no dots, so replace them.",
	  "for lr in [0.1, 0.01], size in [1, 2] if size < 3 job \"sweep-${replace(str(lr), \".\", \"-\")}-${size}\" "
	"{\n  image = \"registry.example.com/train:1.0\"\n  role trial { replicas = size, cpu = 1, memory = 1Gi }\n}" },
	{ "matrix", "jobs from lists", "Every combination of several lists is a sweep: 'trainc explain sweep'.",
	  "for a in [1, 2], b in [\"x\", \"y\"] job \"try-${a}-${b}\" {\n  image = "
	"\"registry.example.com/train:1.0\"\n  role trial { cpu = a, memory = 1Gi }\n}" },
	{ "rlhf", "roles of one's own beside a framework's",
	  "A learner that a framework starts, with generators, reward models and replay as further roles: 'other_roles "
	"= true' of the job admits them, 'ready' says when they can be asked, 'start_after = ready(ROLE)' keeps the "
		"order. examples/17-rlhf is a whole program.",
		"other_roles = true\nrole judge {\n  ports { http = 8000 }\n  ready = tcp(\"http\")\n}" },
	{ "checkpoint", "a claim, time to save, and attempts", "The program writes to a mounted claim and "
		"starts from the "
		"last state there. 'grace' is the time between the signal TERM and the end, 'retries' how often "
		"a replica "
		"starts again, 'restarts' how often the whole job does; a pod that a node loses counts as none. "
		"After TERM the program must exit with another code than 0: 0 says that its work is done, and "
		"it does not start again.",
		"role worker {\n  replicas = 4\n  retries = 10\n  grace = 2min\n  mounts { \"/checkpoints\" = "
		"pvc(\"checkpoints\", shared = true) }\n}" },
	{ "checkpoints", "a claim, time to save, and attempts", "See 'trainc explain checkpoint'.", NULL },
	{ "serving", "roles that do not end", "'success = none' is a job that runs until it is deleted; 'ready' "
		"says when "
		"a replica can be asked, 'service' gives the role a name.",
		"success = none\nrole server {\n  ports { http = 8000 }\n  ready = http(\"http\", \"/health\")\n  "
		"service = \"cluster\"\n}" },
	{ "quickstart", "the first steps", "'trainc init' writes a program, 'trainc run --local job.tj' runs it here, "
		"'trainc fit job.tj' says whether the cluster has room, 'trainc run job.tj' runs it there. "
		"docs/tutorial.md "
		"goes from nothing to a job on a cluster.", NULL },
	{ "examples", "whole programs", "'trainc init --framework MODULE.FRAMEWORK' writes one for each "
		"framework of the "
		"library; the directory examples of the source has more, each with its objects.", NULL },
	{ "kubeconfig", "which cluster", "Commands about runs read the file that KUBECONFIG names, or "
		"~/.kube/config, as "
		"kubectl does; --kubeconfig, --context and --namespace choose. Inside of a pod its service "
		"account is used. "
		"docs/runtime.md has the details.", NULL },
	{ "permissions", "what a user may do in the cluster", "'trainc run' and 'apply' need to create and read Jobs, "
		"Services and ConfigMaps, and to read Pods and Events, in the namespace of the job. "
		"docs/runtime.md lists the "
		"verbs; 'trainc supervise --manifest' writes roles for users.", NULL },
	{ "hostfile", "names of the replicas in a file", "ROLE.hosts has the host names of a role; a framework of the "
		"library that needs a host file writes it. Elsewhere write it as one of the 'files'.",
		"role worker {\n  replicas = 2\n  files { \"/etc/hostfile\" = join(worker.hosts, \"\\n\") }\n}" },
	{ "multislice", "several TPU slices in one role",
	  "A role has its accelerator's topology n times with 'slices = n': pod.slice is the number of the slice, "
	"pod.slice_index the pod's index in it, and the target jobset makes a Job of each. examples/18-tpu-multislice "
		"is a whole program.",
		"import std.jax\nimport std.tpu\n\n# trainc compile --target jobset\njob \"gemma\": jax.distributed "
		"{\n  image = \"registry.example.com/llm/gemma:2026.10\"\n  role worker { accelerator = tpu.v5e(4x4), "
			"slices = 2, cpu = 100, memory = 180Gi, shm = 16Gi }\n}" },
	{ "contains", "not in the language", "A part of a text is found with 'find(text, part) != none', an element of "
		"a list with 'x in xs', a key of a map with 'has(m, key)'.",
	  "let tagged = find(\"repo/image:1\", \":\") != none" },
	{ "as", "word of an import", "The name under which the module is known in this file.",
		"import \"shared.tj\" as shared" },
	{ "then", "word of 'if'", "The value of 'if' when its condition holds.",
		"let size: memory = if true then 64Gi else 16Gi" },
	{ "else", "word of 'if' and of 'check'",
		"The value of 'if' when its condition does not hold; the message of a check.",
	  "let size: memory = if true then 64Gi else 16Gi" },
	{ "in", "operator",
		"Is the element in a list, or the number in a range? Also between 'for' and what it goes over.",
	  "let fits = 8 in 1..16" },
	{ "and", "operator", "Both hold.", "let both = 2 > 1 and 3 > 2" },
	{ "or", "operator", "True when one of the conditions holds, or both.", "let either = 2 > 1 or 3 < 2" },
	{ "not", "operator", "True when the condition does not hold.", "let odd = not (4 % 2 == 0)" },
	{ "true", "value", "Of type bool.", "let big = true" },
	{ "false", "value", "Of type bool.", "let big = false" },
	{ "none", "value", "No value, for types written T?; x ?? y is y if x is none.", "param limit: int? = none" },
	{ "pod", "value", "The replica that an expression is evaluated for: pod.index, pod.slice, pod.slice_index, "
		"pod.name, pod.host, pod.ip, pod.node, pod.uid, pod.env(\"NAME\").",
	  "env { RANK = pod.index, ADDRESS = pod.host }" },
	{ "self", "value", "The role that an expression is evaluated for: self.name, self.replicas, self.devices, "
		"self.port(pod.index, \"rdzv\").",
	  "env { ROLE = self.name, SIZE = self.replicas }" },
	{ "cluster", "value", "The job as a whole: cluster.name, cluster.roles, cluster.run_id.",
		"env { RUN = cluster.name }" },
	{ "host", "function of a role", "Host name of a replica: worker.host(0). worker.hosts is the list of all; "
		"address(0, \"PORT\") and addresses(\"PORT\") have the port too.",
	  "env { MASTER = worker.host(0), PEERS = join(worker.addresses(\"rdzv\"), \",\") }" },
	{ "port", "type and function of a role",
		"A number of 1 to 65535; worker.port(0, \"rdzv\") is where replica 0 listens.",
		"ports { rdzv = 29500 }" },
	{ "int", "type", "64 bits, never wraps; int(1..64) limits it, int? may be none.", NULL },
	{ "float", "type", "A finite double.", NULL },
	{ "bool", "type", "true or false.", NULL },
	{ "string", "type", "UTF-8 text in double quotes; ${...} inserts a value. string(1..63) limits its length.",
		NULL },
	{ "enum", "type", "One of some strings: enum(\"small\", \"big\").", NULL },
	{ "list", "type", "list[T], written [a, b].", NULL },
	{ "map", "type", "map[T], from strings, written { key = value }.", NULL },
	{ "cpu", "type", "CPUs: 4, or 500m for a half.", NULL },
	{ "memory", "type", "Bytes with a unit: 64Gi.", NULL },
	{ "duration", "type", "Time with a unit: 30s, 5min, 2h, 1d.", NULL },
	{ "volume", "type", "What is mounted: made by pvc, own_claim, scratch, nfs, host_path, secret_files, "
		"config_files or generated.",
	  "mounts { \"/data\" = pvc(\"data\", readonly = true) }" },
	{ "condition", "type",
		"What must be true of roles: made by done, ready and started, and joined by 'and' and 'or'.",
	  "success = done(task)" },
	{ "Role", "type",
		"A bundle of fields of a role, any of which may be left out; '...' inserts those that are there.",
	  "let node: Role = { cpu = 8, memory = 64Gi }\njob \"train\" {\n  image = "
	"\"registry.example.com/train:1.0\"\n  role worker { ...node, replicas = 2 }\n}" },
	{ "Sidecar", "type", "A bundle of fields of a sidecar, as Role is of a role.",
	  "let agent: Sidecar = { image = \"registry.example.com/agent:1.0\", memory = 256Mi }" },
	{ "Limits", "type", "What 'limits' holds: cpu, memory, disk and unbounded, each of them optional.",
		"let twice: Limits = { cpu = 16, memory = 64Gi }" },
	{ "Layout", "type", "What 'layout' holds: tp, cp, fsdp, dp, pp, ep, etp and order, each of them optional.",
		"let dense: Layout = { tp = 8, pp = 4 }" },
	{ "elastic", "type", "A range of replicas, 1:8, that a cluster may use any number of.", NULL },
	{ "image", "type", "A container image: registry/path:tag or registry/path@sha256:...", NULL },
	{ "topology", "type", "The shape of a slice of devices: 4x4, 2x2x4.", NULL },
};

/*
 * The part of a topic before a member of a built-in value, since the page of that value explains its members: pod for
 * pod.index.
 */
static struct str before_member(struct str topic)
{
	static const char *const values[] = { "pod.", "self.", "cluster." };

	for (size_t i = 0; i < sizeof values / sizeof *values; i++)
		if (str_starts(topic, str_of(values[i])))
			return (struct str){ topic.p, strlen(values[i]) - 1 };
	return topic;
}

bool explain_grammar(struct explain *e)
{
	unsigned told = e->told;
	struct str topic = before_member(e->topic);

	for (size_t i = 0; i < sizeof topics / sizeof *topics; i++) {
		suggest_add(&e->near, str_of(topics[i].word));
		if (!str_is(topic, topics[i].word))
			continue;
		explain_next(e);
		buf_printf(e->out, "%s: %s\n\n%s\n", topics[i].word, topics[i].kind, topics[i].doc);
		for (const char *line = topics[i].example, *end; line; line = *end ? end + 1 : NULL) {
			end = line + strcspn(line, "\n");
			buf_printf(e->out, "%s%s%.*s\n", line == topics[i].example ? "\n" : "", end > line ? "  " : "",
				(int)(end - line), line);
		}
	}
	return e->told > told;
}

/* Explains a word of another tool. It is also called for words that mean something else in this language. */
bool explain_foreign(struct explain *e)
{
	const struct foreign *other = foreign_field(e->topic);

	if (!other && !e->told)
		other = foreign_name(e->topic);
	if (!other)
		return false;
	for (size_t i = 0; i < sizeof topics / sizeof *topics; i++)
		if (str_is(e->topic, topics[i].word))
			return false;
	bool known = e->told > 0;
	explain_next(e);
	buf_printf(e->out, "%.*s: %s\n\n%s\n", STR_ARG(e->topic),
		known ? "where a field of that name is looked for" : "not a word of this language", other->help);
	return true;
}
