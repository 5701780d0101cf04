/*
 * credential_answer.c - the two JSON texts of the plugin protocol: the facts about the cluster that a plugin gets, and
 * the credential that it prints.
 */
#include <openssl/evp.h>

#include "base/buf.h"
#include "data/data_read.h"
#include "data/data_write.h"
#include "runtime/cluster/credential_plugin.h"
#include "base/words.h"

/* ---- input of the plugin ---- */

static void put_base64(struct buf *b, struct str bytes)
{
	size_t n = (bytes.n + 2) / 3 * 4;

	if (buf_reserve(b, n + 1))
		b->n += (size_t)EVP_EncodeBlock((unsigned char *)b->p + b->n, (const unsigned char *)bytes.p,
			(int)bytes.n);
}

static void put_cluster(struct buf *b, const struct kubeconfig_access *access)
{
	buf_z(b, ",\"cluster\":{\"server\":");
	buf_json(b, access->server);
	if (access->tls_server_name.n) {
		buf_z(b, ",\"tls-server-name\":");
		buf_json(b, access->tls_server_name);
	}
	if (access->insecure)
		buf_z(b, ",\"insecure-skip-tls-verify\":true");
	if (access->ca.n) {
		buf_z(b, ",\"certificate-authority-data\":\"");
		put_base64(b, access->ca);
		buf_char(b, '"');
	}
	if (access->proxy_url.n) {
		buf_z(b, ",\"proxy-url\":");
		buf_json(b, access->proxy_url);
	}
	if (access->disable_compression)
		buf_z(b, ",\"disable-compression\":true");
	if (access->exec_config) {
		buf_z(b, ",\"config\":");
		data_write(b, access->exec_config);
	}
	buf_char(b, '}');
}

struct str credential_exec_info(struct arena *a, const struct kubeconfig_access *access, bool interactive)
{
	struct buf b = { 0 };

	buf_z(&b, "{\"apiVersion\":");
	buf_json(&b, access->exec.api_version);
	buf_printf(&b, ",\"kind\":\"ExecCredential\",\"spec\":{\"interactive\":%s", interactive ? "true" : "false");
	if (access->exec.cluster_info)
		put_cluster(&b, access);
	buf_z(&b, "}}");
	struct str info = buf_take(&b, a);
	buf_release(&b);
	return info;
}

/* ---- output of the plugin ---- */

static struct str text_member(const struct data *map, const char *name)
{
	const struct data *d = map && map->kind == DATA_MAP ? data_get(map, str_of(name)) : NULL;

	return d && d->kind == DATA_STRING ? d->u.string : STR("");
}

static bool wrong(struct str *why, struct arena *a, const struct kubeconfig_exec *exec, const char *what,
	struct str detail)
{
	*why = str_printf(a, "the credential plugin '%.*s' %s%.*s", STR_ARG(exec->command), what, STR_ARG(detail));
	return false;
}

static bool has_control(struct str s)
{
	for (size_t i = 0; i < s.n; i++)
		if ((unsigned char)s.p[i] < ' ' || s.p[i] == 0x7f)
			return true;
	return false;
}

bool credential_read_answer(struct arena *a, const struct kubeconfig_exec *exec, struct str text,
	struct credential_answer *ret, struct str *why)
{
	struct source source = { .text = text, .base = 1 };
	struct data *root = NULL;
	struct data_error error = { 0 };

	*ret = (struct credential_answer){ 0 };
	if (!text.n)
		return wrong(why, a, exec, "printed nothing; it must print an ExecCredential in JSON", STR(""));
	if (!data_read_json(a, &source, &root, &error))
		return wrong(why, a, exec, "printed something that is not JSON: ", error.what);
	if (root->kind != DATA_MAP || !str_is(text_member(root, "kind"), "ExecCredential"))
		return wrong(why, a, exec, "printed JSON that is not an ExecCredential", STR(""));
	struct str version = text_member(root, "apiVersion");
	if (!str_eq(version, exec->api_version))
		return wrong(why, a, exec, "answered in the wrong version: ",
		             str_printf(a, "the kubeconfig asks for %.*s, the answer says '%.*s'",
		             STR_ARG(exec->api_version), STR_ARG(version)));
	const struct data *status = data_get(root, STR("status"));
	struct str expiry = text_member(status, "expirationTimestamp");

	ret->token = str_copy(a, text_member(status, "token"));
	ret->certificate = str_copy(a, text_member(status, "clientCertificateData"));
	ret->key = str_copy(a, text_member(status, "clientKeyData"));
	if (!ret->token.n && !ret->certificate.n && !ret->key.n)
		return wrong(why, a, exec,
			"answered without a credential: its status has neither a token nor a certificate", STR(""));
	if (!ret->certificate.n != !ret->key.n)
		return wrong(why, a, exec, "answered with half of a client certificate: clientCertificateData and "
			"clientKeyData belong together",
		             STR(""));
	if (has_control(ret->token))
		return wrong(why, a, exec, "answered with a token that has control characters in it", STR(""));
	if (expiry.n && !time_parse(expiry, &ret->expiry))
		return wrong(why, a, exec, "answered with an expirationTimestamp that is not a time", STR(""));
	return true;
}
