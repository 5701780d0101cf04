/*
 * explain_package.c - explains modules of the project's packages from their own text, like explain_library.c for the
 * standard library. "acme.sizes" is a module, "acme.sizes.node" is a declaration in it, and "sizes.node" looks for a
 * module of that name in every package.
 */
#include "base/path.h"
#include "check/project.h"
#include "compile.h"
#include "explain/explain.h"

static struct str up_to(struct str s, const char *end) { return (struct str){ s.p, (size_t)(end - s.p) }; }
static struct str behind(struct str s, const char *dot)
{
	return (struct str){ dot + 1, (size_t)(s.p + s.n - (dot + 1)) };
}

/* The module MODULE, such as "sub.sizes", of a package; NULL if the package has no such module. */
static const struct library_module *package_module(struct explain *e, struct str package, struct str directory,
	struct str module)
{
	struct str file = str_replace(e->arena, module, ".", '/'), text, why;
	const char *dot = memrchr(module.p, '.', module.n);

	struct str path = path_join(e->arena, directory, str_cat(e->arena, file, STR(".tj"), STR("")));
	if (!e->reader->exists(e->reader->context, path) ||
	    !e->reader->read(e->reader->context, e->arena, path, &text, &why))
		return NULL;
	return library_parse_text(e->arena, dot ? behind(module, dot) : module,
		str_printf(e->arena, "%.*s.%.*s", STR_ARG(package), STR_ARG(module)), text);
}

static bool ask_package(struct explain *e, struct str package, struct str directory)
{
	struct str topic = e->topic;
	const struct library_module *m;

	if (str_starts(topic, package) && topic.n > package.n + 1 && topic.p[package.n] == '.') {
		struct str inside = behind(topic, topic.p + package.n);
		if ((m = package_module(e, package, directory, inside))) {
			explain_module(e, m);
			return true;
		}
		topic = inside;
	}
	const char *dot = memrchr(topic.p, '.', topic.n);
	m = dot && dot > topic.p ? package_module(e, package, directory, up_to(topic, dot)) : NULL;
	return m && explain_member(e, m, behind(topic, dot));
}

bool explain_packages(struct explain *e)
{
	struct trainc c;
	bool told = false;

	if (!e->reader || !e->reader->exists || !memchr(e->topic.p, '.', e->topic.n) ||
	    memchr(e->topic.p, '/', e->topic.n))
		return false;
	compile_init(&c, e->reader);
	/* the lock is ignored, because packages are only read and not compiled */
	c.program.locking = true;
	project_find(&c.program, STR("."), STR(""));
	const struct project *project = &c.program.project;
	for (size_t i = 0; i < project->packages.n; i++) {
		struct str directory = *(const struct str *)project->packages.entries[i].value;
		if (directory.p)
			told = ask_package(e, project->packages.entries[i].key,
				path_join(e->arena, project->root, directory)) || told;
	}
	compile_release(&c);
	return told;
}
