/*
 * fuzz_exporter.c - reads what an exporter says about devices.
 *
 * What must hold: the number of devices is bounded, texts are parts of the input, values are finite and not negative,
 * and a device whose line is read twice is not counted twice.
 */
#include "fuzz.h"
#include "runtime/status/exporter.h"

static bool is_within(struct str part, struct str whole)
{
	return part.p >= whole.p && part.p + part.n <= whole.p + whole.n;
}

static void check_devices(const struct exporter_devices *d, struct str text)
{
	int64_t n, use, memory;

	fuzz_require(d->n <= EXPORTER_DEVICES);
	for (size_t i = 0; i < d->n; i++) {
		const struct exporter_device *one = &d->at[i];
		fuzz_require(one->pod.n && one->ns.n && one->id.n);
		fuzz_require(is_within(one->pod, text) && is_within(one->ns, text) && is_within(one->id, text));
		fuzz_require(one->use >= 0 || one->memory >= 0);
		fuzz_require(exporter_sum(d, one->ns, one->pod, &n, &use, &memory));
		fuzz_require(n > 0 && n <= EXPORTER_DEVICES && use >= -1 && use <= 100 && memory >= -1);
	}
	fuzz_require(!exporter_sum(d, STR("no such"), STR(""), &n, &use, &memory));
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
	struct arena a = { 0 };
	struct str text = fuzz_input(&a, bytes, n);
	struct exporter_devices *once = ARENA_NEW(&a, struct exporter_devices);

	once->n = 0;
	exporter_read(text, once);
	check_devices(once, text);
	size_t devices = once->n;
	exporter_read(text, once);
	fuzz_require(once->n == devices);
	check_devices(once, text);
	arena_release(&a);
	return 0;
}
