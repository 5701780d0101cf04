/*
 * cluster_world.h - helpers for tests of runtime/cluster: a scripted server (tests/cluster/standin), generated
 * certificates, and a client of that server with its own loop.
 */
#ifndef TRAINC_CLUSTER_WORLD_H
#define TRAINC_CLUSTER_WORLD_H

#include <fcntl.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/file.h"
#include "base/words.h"
#include "runtime/cluster/retry.h"
#include "unit.h"

static char world_dir[] = "/tmp/cluster-test-XXXXXX";
static struct arena world;

static inline struct str world_path(const char *name) { return str_printf(&world, "%s/%s", world_dir, name); }

static inline struct str world_put(const char *name, struct str text)
{
	struct str path = world_path(name), why;
	if (!file_replace(&world, path, text, &why))
		abort();
	return path;
}

static inline struct str world_read(struct str path)
{
	struct str text = STR(""), why;
	file_read(&world, path, &text, &why);
	return text;
}

/* Returns how often WORD occurs in TEXT. */
static inline size_t world_count(struct str text, const char *word)
{
	size_t n = 0;
	for (const char *p = text.p; (p = memmem(p, (size_t)(text.p + text.n - p), word,
		strlen(word))); p += strlen(word))
		n++;
	return n;
}

/* ---- certificates ---- */

struct made {
	EVP_PKEY *key;
	X509 *cert;
	struct str key_pem, cert_pem;
};

static inline struct str made_text(BIO *b)
{
	char *p;
	long n = BIO_get_mem_data(b, &p);
	struct str s = str_copy(&world, (struct str){ p, (size_t)n });
	BIO_free(b);
	return s;
}

/*
 * Makes a certificate for NAMES ("DNS:a,IP:127.0.0.1"), valid from FROM to TO days from now; if ISSUER is NULL, the
 * certificate is that of an authority, and self-signed.
 */
static inline struct made made_cert(const char *name, const char *names, const struct made *issuer, long from, long to)
{
	struct made m = { .key = EVP_EC_gen("P-256"), .cert = X509_new() };
	X509V3_CTX ctx;
	X509_NAME *subject = X509_get_subject_name(m.cert);

	X509_set_version(m.cert, 2);
	ASN1_INTEGER_set(X509_get_serialNumber(m.cert), (long)(clock_steady() % 1000000007));
	X509_time_adj_ex(X509_getm_notBefore(m.cert), (int)from, -60, NULL);
	X509_time_adj_ex(X509_getm_notAfter(m.cert), (int)to, 0, NULL);
	X509_NAME_add_entry_by_txt(subject, "CN", MBSTRING_UTF8, (const unsigned char *)name, -1, -1, 0);
	X509_set_issuer_name(m.cert, issuer ? X509_get_subject_name(issuer->cert) : subject);
	X509_set_pubkey(m.cert, m.key);
	X509V3_set_ctx(&ctx, issuer ? issuer->cert : m.cert, m.cert, NULL, NULL, 0);
	X509_EXTENSION *e = X509V3_EXT_conf_nid(NULL, &ctx, NID_basic_constraints,
		issuer ? "critical,CA:FALSE" : "critical,CA:TRUE");
	X509_add_ext(m.cert, e, -1);
	X509_EXTENSION_free(e);
	if (names) {
		e = X509V3_EXT_conf_nid(NULL, &ctx, NID_subject_alt_name, names);
		X509_add_ext(m.cert, e, -1);
		X509_EXTENSION_free(e);
	}
	X509_sign(m.cert, issuer ? issuer->key : m.key, EVP_sha256());
	BIO *b = BIO_new(BIO_s_mem());
	PEM_write_bio_X509(b, m.cert);
	m.cert_pem = made_text(b);
	b = BIO_new(BIO_s_mem());
	PEM_write_bio_PrivateKey(b, m.key, NULL, NULL, 0, NULL, NULL);
	m.key_pem = made_text(b);
	return m;
}

static inline void made_free(struct made *m)
{
	EVP_PKEY_free(m->key);
	X509_free(m->cert);
}

/* ---- the server ---- */

struct standin {
	pid_t pid;
	int in;
	unsigned port;
	struct str record;
};

static inline void standin_start(struct standin *s, const char *script)
{
	static unsigned number;
	int in[2], out[2];
	char port[16] = "";
	struct str path = world_put("script", str_of(script)),
		program = str_printf(&world, "%s/standin", getenv("BUILD") ? getenv("BUILD") : "build");

	s->record = str_printf(&world, "%s/record%u", world_dir, ++number);
	if (pipe2(in, O_CLOEXEC) || pipe2(out, O_CLOEXEC))
		abort();
	s->pid = fork();
	if (s->pid == 0) {
		dup2(in[0], 0);
		dup2(out[1], 1);
		execl(program.p, "standin", path.p, s->record.p, (char *)NULL);
		_exit(127);
	}
	close(in[0]);
	close(out[1]);
	s->in = in[1];
	if (read(out[0], port, sizeof port - 1) <= 0)
		abort();
	close(out[0]);
	s->port = (unsigned)atoi(port);
}

static inline struct str standin_record(const struct standin *s) { return world_read(s->record); }

static inline void standin_stop(struct standin *s)
{
	close(s->in);
	waitpid(s->pid, NULL, 0);
}

/* ---- a client of the server ---- */

struct peer {
	struct arena arena;
	struct loop *loop;
	struct kubeconfig_access access;
	struct credential *credential;
	struct transport *transport;
	struct calls *calls;
	struct loop_timer guard;        /* ends a test that hangs */
	struct buf trace, warnings, retries;
	unsigned left;                  /* number of requests in progress */
	/* the result of the latest request */
	struct transport_result result;
	unsigned ok, failed;
	struct str first_error;         /* since peer_send() */
};

static inline void peer_trace(void *to, struct str line)
{
	struct peer *p = to;
	buf_str(&p->trace, line);
	buf_char(&p->trace, '\n');
}

static inline void peer_warning(void *to, struct str text)
{
	struct peer *p = to;
	buf_str(&p->warnings, text);
	buf_char(&p->warnings, '\n');
}

static inline void peer_retrying(void *to, const struct transport_request *r, struct str why, int64_t wait,
	int64_t since)
{
	struct peer *p = to;
	(void)r; (void)wait; (void)since;
	buf_str(&p->retries, why);
	buf_char(&p->retries, '\n');
}

static inline void peer_guard(struct loop_timer *t)
{
	printf("FAIL a test did not end within two minutes\n");
	unit_failed++;
	loop_stop(((struct peer *)t->to)->loop);
}

struct peer_options {
	int64_t connect, read, write, stall, first_wait, retry_limit;
};

/* Opens the client; the caller fills in P->access before. Returns false with the message in P->result.error. */
static inline bool peer_open(struct peer *p, struct peer_options o)
{
	struct str why = STR("");

	p->loop = loop_new();
	p->guard = (struct loop_timer){ .fire = peer_guard, .to = p };
	p->credential = credential_new(p->loop, &p->access, false);
	struct transport_options t = { .loop = p->loop, .access = &p->access, .credential = p->credential,
		.trace = peer_trace,
		.warning = peer_warning, .to = p, .connect_limit = o.connect, .read_limit = o.read,
			.write_limit = o.write, .stall_limit = o.stall };
	p->transport = transport_new(&p->arena, &t, &why);
	p->result.error = why;
	if (!p->transport)
		return false;
	struct calls_options c = { .transport = p->transport, .first_wait = o.first_wait ? o.first_wait : 1000000,
		.retry_limit = o.retry_limit,
		.retrying = peer_retrying, .to = p };
	p->calls = calls_new(&p->arena, &c);
	return true;
}

static inline void peer_close(struct peer *p)
{
	if (p->calls)
		calls_release(p->calls);
	transport_release(p->transport);
	credential_release(p->credential);
	loop_release(p->loop);
	buf_release(&p->trace);
	buf_release(&p->warnings);
	buf_release(&p->retries);
	arena_release(&p->arena);
	*p = (struct peer){ 0 };
}

static inline void peer_access(struct peer *p, const struct standin *s, const struct made *ca)
{
	p->access = (struct kubeconfig_access){ .origin = STR("the test"), .host = STR("127.0.0.1"), .port = s->port,
		.tls = ca != NULL,
		.ca = ca ? ca->cert_pem : STR(""), .namespace = STR("default") };
	p->access.server = str_printf(&world, "http%s://127.0.0.1:%u", ca ? "s" : "", s->port);
}

static inline void peer_done(void *to, const struct transport_result *r)
{
	struct peer *p = to;

	p->result = *r;
	p->result.body = str_copy(&p->arena, r->body);
	p->result.error = str_copy(&p->arena, r->error);
	p->result.status = transport_status_copy(&p->arena, r->status);
	if (!transport_ok(r) && !p->failed)
		p->first_error = str_copy(&p->arena, r->error);
	p->ok += transport_ok(r);
	p->failed += !transport_ok(r);
	if (--p->left == 0)
		loop_stop(p->loop);
}

static inline void peer_run(struct peer *p)
{
	loop_timer_set(p->loop, &p->guard, 120 * NS_PER_SECOND);
	loop_run(p->loop);
	loop_timer_drop(p->loop, &p->guard);
}

/* Sends N requests at once; the result of the last one stays in P. */
static inline void peer_send(struct peer *p, struct transport_request r, enum call_repeat repeat, unsigned n)
{
	r.done = peer_done;
	r.to = p;
	p->left = n;
	p->ok = p->failed = 0;
	for (unsigned i = 0; i < n; i++)
		call_start(p->calls, &r, repeat, NULL);
	peer_run(p);
}

static inline void peer_get(struct peer *p, const char *path)
{
	peer_send(p, (struct transport_request){ .path = str_of(path) }, CALL_BY_METHOD, 1);
}

static inline bool world_begin(void) { return mkdtemp(world_dir) != NULL; }

static inline int world_end(void)
{
	char command[128];

	snprintf(command, sizeof command, "rm -rf '%s'", world_dir);
	CHECK(system(command) == 0);
	arena_release(&world);
	return unit_end();
}

#endif
