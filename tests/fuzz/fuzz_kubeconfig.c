/*
 * fuzz_kubeconfig.c - reads one or two kubeconfig files, the parts "" and "second".
 *
 * What must hold: an access is complete, a refusal has an explanation, the chosen context is one of those that
 * completion offers, the files mean the same when they are written as JSON, and what a credential plugin is told about
 * the cluster is JSON.
 */
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#include "fuzz.h"
#include "runtime/cluster/credential_plugin.h"

enum { FILES = 2 };

static void file_set(int fd, struct str text)
{
	fuzz_require(ftruncate(fd, 0) == 0 && pwrite(fd, text.p, text.n, 0) == (ssize_t)text.n);
}

static void put_field(struct buf *b, const char *name, struct str value)
{
	buf_printf(b, "%s=", name);
	buf_json(b, value);
	buf_char(b, '\n');
}

static void put_access(struct buf *b, const struct kubeconfig_access *x)
{
	put_field(b, "server", x->server);
	put_field(b, "context", x->context);
	put_field(b, "user", x->user);
	put_field(b, "namespace", x->namespace);
	put_field(b, "ca", x->ca);
	put_field(b, "token", x->token);
	put_field(b, "token_file", x->token_file);
	put_field(b, "basic", x->basic_user);
	put_field(b, "certificate", x->certificate);
	put_field(b, "proxy", x->proxy_url);
	put_field(b, "command", x->exec.command);
	put_field(b, "hint", x->exec.install_hint);
	for (size_t i = 0; i < x->exec.nargs; i++)
		put_field(b, "arg", x->exec.args[i]);
	for (size_t i = 0; i < x->exec.nenv; i++)
		put_field(b, "env", x->exec.env[i].value);
	for (size_t i = 0; i < x->as.nextra; i++)
		put_field(b, "extra", x->as.extra[i].value);
	put_field(b, "as", x->as.user);
	if (x->exec_config)
		data_write(b, x->exec_config);
}

static void check_access(struct arena *a, const struct kubeconfig_options *o, const struct kubeconfig_access *x)
{
	struct kubeconfig_names names = { 0 };
	struct str why;
	bool listed = false;

	fuzz_require(x->server.n && x->host.n && x->namespace.n && x->port > 0 && x->port < 65536);
	fuzz_require(!x->certificate.n == !x->key.n);
	fuzz_require(kubeconfig_contexts(a, o, &names, &why));
	for (size_t i = 0; i < names.n; i++)
		listed = listed || str_eq(names.at[i], x->context);
	fuzz_require(listed);
	fuzz_require(fuzz_json(a, credential_exec_info(a, x, true)) != NULL);
}

/* What the options select, as text; the same for files that mean the same. */
static struct str access_text(struct arena *a, const struct kubeconfig_options *o)
{
	struct kubeconfig_access access = { 0 };
	struct str warnings = STR(""), why = STR("");
	struct buf b = { 0 };

	if (kubeconfig_access(a, o, &access, &warnings, &why)) {
		check_access(a, o, &access);
		put_access(&b, &access);
	} else {
		fuzz_require(why.n);
		buf_z(&b, "refused");
	}
	return fuzz_taken(a, &b);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
	static int fds[FILES] = { -1, -1 };
	static char variable[64];
	struct arena a = { 0 };
	struct fuzz_parts parts;
	bool readable = true;

	for (int i = 0; i < FILES && fds[i] < 0; i++)
		fds[i] = memfd_create("kubeconfig", MFD_CLOEXEC);
	snprintf(variable, sizeof variable, "/proc/self/fd/%d:/proc/self/fd/%d", fds[0], fds[1]);
	struct kubeconfig_options o = { .variable = str_of(variable) };
	fuzz_divide(fuzz_input(&a, bytes, n), &parts);
	struct str texts[FILES] = { parts.at[0].text, fuzz_part(&parts, "second") };
	struct str context = fuzz_part(&parts, "context");
	if (context.n)
		o.context = fuzz_line(&context);
	for (int i = 0; i < FILES; i++)
		file_set(fds[i], texts[i]);
	struct str first = access_text(&a, &o);
	for (int i = 0; i < FILES; i++) {
		struct data *d = fuzz_document(&a, texts[i]);
		readable = readable && (d || !texts[i].n);
		file_set(fds[i], d ? fuzz_tree_text(&a, d) : STR(""));
	}
	fuzz_require(!readable || str_eq(first, access_text(&a, &o)));
	arena_release(&a);
	return 0;
}
