/*
 * fuzz_params.c - reads a file of --params for a program that has a parameter of each kind. The first line is the name
 * of the file, "p.yaml" or "p.tj"; the rest is its text.
 *
 * What must hold: a refusal has a diagnostic with a message, and an accepted YAML file means the same when it is
 * written as JSON.
 */
#include "compile.h"
#include "emit/emit.h"
#include "fuzz.h"

static const char program[] =
	"type Dataset = { claim: string, size: memory = 1Gi, tags: list[string] = [] }\n"
	"param nodes: int(1..64) = 2\n"
	"param share: float(0..1) = 0.5\n"
	"param text: string = \"a\"\n"
	"param label: string? = none\n"
	"param apart: bool = true\n"
	"param stage: enum(\"dev\", \"prod\") = \"dev\"\n"
	"param memory: memory = 1Gi\n"
	"param limit: cpu? = 2\n"
	"param wait: duration = 30min\n"
	"param shape: topology = 2x2\n"
	"param img: image = \"registry.example.com/app:1\"\n"
	"param batches: list[int] = [128, 512]\n"
	"param sizes: map[int] = { small = 1, large = 4 }\n"
	"param more: list[range] = [3]\n"
	"param dataset: Dataset = { claim = \"c4\" }\n"
	"job \"a\" {\n"
	"  image = img\n"
	"  role worker {\n"
	"    replicas = nodes\n"
	"    command = [\"x\", \"${text} ${label ?? \"none\"} ${share} ${apart} ${stage} ${wait} ${shape}\",\n"
	"      \"${json(batches)} ${json(sizes)} ${len(more)} ${json(dataset)}\"]\n"
	"    memory = memory\n"
	"    cpu = limit\n"
	"  }\n"
	"}\n";

static bool pour(void *context, const char *bytes, size_t n)
{
	buf_put(context, bytes, n);
	return true;
}

/* The objects with these parameters, or "refused". */
static struct str objects_with(struct arena *a, struct str name, struct str text)
{
	struct fuzz_parts files = { .at = { { .name = STR("") }, { STR("job.tj"), str_of(program) }, { name, text } },
		.n = 3 };
	struct reader reader = { .context = &files, .read = fuzz_read_file, .exists = fuzz_file_exists };
	struct trainc c;
	struct buf out = { .limit = 4 << 20 };
	struct emit_options options = { .json = true, .sources = &c.sources };
	struct emit_sink sink = { &out, pour };

	compile_init(&c, &reader);
	compile_params(&c, name);
	const struct plan *plan = compile_plan(&c, STR("job.tj"));
	bool ok = diags_ok(&c.diags);
	for (size_t i = 0; i < c.diags.n; i++)
		fuzz_require(c.diags.at[i]->message.n);
	fuzz_require(ok || c.diags.n);
	if (ok)
		emit_write(&options, &plan, 1, &sink);
	else
		buf_z(&out, "refused");
	compile_release(&c);
	return fuzz_taken(a, &out);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
	static bool compiles;
	struct arena a = { 0 };
	struct str text = fuzz_input(&a, bytes, n), name = fuzz_line(&text);

	compiles = compiles || !str_is(objects_with(&a, STR("p.tj"), STR("nodes = 3\n")), "refused");
	fuzz_require(compiles);
	if (str_is(name, "p.yaml")) {
		struct data *d = fuzz_document(&a, text);
		struct str objects = objects_with(&a, name, text);
		if (!str_is(objects, "refused"))
			fuzz_require(!d || str_eq(objects, objects_with(&a, STR("p.json"), fuzz_tree_text(&a, d))));
	} else {
		objects_with(&a, STR("p.tj"), text);
	}
	arena_release(&a);
	return 0;
}
