/*
 * fuzz_credential.c - reads what a credential plugin prints.
 *
 * What must hold: an accepted answer has a credential without control characters, a refusal has an explanation, and an
 * answer that is written again means the same.
 */
#include "base/words.h"
#include "fuzz.h"
#include "runtime/cluster/credential_plugin.h"

static struct str answer_text(struct arena *a, const struct kubeconfig_exec *exec, const struct credential_answer *x,
	struct str expiry)
{
	struct buf b = { 0 };

	buf_z(&b, "{\"kind\":\"ExecCredential\",\"apiVersion\":");
	data_write_text(&b, exec->api_version);
	buf_z(&b, ",\"status\":{\"token\":");
	data_write_text(&b, x->token);
	buf_z(&b, ",\"clientCertificateData\":");
	data_write_text(&b, x->certificate);
	buf_z(&b, ",\"clientKeyData\":");
	data_write_text(&b, x->key);
	buf_z(&b, ",\"expirationTimestamp\":");
	data_write_text(&b, expiry);
	buf_z(&b, "}}");
	return fuzz_taken(a, &b);
}

static struct str expiry_text(struct arena *a, int64_t expiry)
{
	struct buf b = { 0 };

	if (expiry)
		put_time(&b, expiry, 9);
	return fuzz_taken(a, &b);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
	static const char *const versions[] = { "client.authentication.k8s.io/v1",
		"client.authentication.k8s.io/v1beta1" };
	struct arena a = { 0 };
	struct str text = fuzz_input(&a, bytes, n);

	for (size_t i = 0; i < sizeof versions / sizeof *versions; i++) {
		struct kubeconfig_exec exec = { .command = STR("plugin"), .api_version = str_of(versions[i]) };
		struct credential_answer answer, again;
		struct str why = STR("");
		if (!credential_read_answer(&a, &exec, text, &answer, &why)) {
			fuzz_require(why.n);
			continue;
		}
		fuzz_require(answer.token.n || (answer.certificate.n && answer.key.n));
		fuzz_require(!answer.certificate.n == !answer.key.n && fuzz_is_line(answer.token));
		struct str written = answer_text(&a, &exec, &answer, expiry_text(&a, answer.expiry));
		fuzz_require(credential_read_answer(&a, &exec, written, &again, &why));
		fuzz_require(str_eq(again.token, answer.token) && str_eq(again.certificate, answer.certificate) &&
			str_eq(again.key, answer.key) && again.expiry == answer.expiry);
	}
	arena_release(&a);
	return 0;
}
