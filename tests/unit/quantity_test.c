/*
 * quantity_test.c - amounts and durations: what is accepted, what is rejected, and how they are written.  The expected
 * texts are those of Kubernetes' resource.Quantity.
 */
#include "base/quantity.h"

#include <stdio.h>

static unsigned passed, failed;
static struct arena arena;

static void check(bool ok, const char *what, const char *input, struct str got)
{
	if (ok)
		passed++;
	else
		failed++;
	printf("%s %s %s: %.*s\n", ok ? "ok" : "FAIL", what, input, STR_ARG(got));
}

static const char *error_name(enum quantity_error e)
{
	static const char *const names[] = { "ok", "malformed", "unknown unit", "too large", "too fine" };
	return names[e];
}

/* Literals of the language and their canonical texts; NULL: the literal is invalid. */
static const struct vector {
	const char *input, *text;
	enum quantity_error error;
} literals[] = {
	{ "0", "0", 0 }, { "0Gi", "0", 0 }, { "0m", "0", 0 }, { "0e999", "0", 0 }, { "8", "8", 0 },
	{ "0.5", "500m", 0 }, { "2000m", "2", 0 }, { "500m", "500m", 0 }, { "7500m", "7500m", 0 },
	{ "1.08", "1080m", 0 }, { "0.001", "1m", 0 }, { "9.01", "9010m", 0 }, { "0.00500", "5m", 0 },
	{ "1.50", "1500m", 0 }, { "64Gi", "64Gi", 0 }, { "1.5Gi", "1536Mi", 0 }, { "1024Mi", "1Gi", 0 },
	{ "1024Gi", "1Ti", 0 }, { "307200Ki", "300Mi", 0 }, { "1025024Mi", "1001Gi", 0 }, { "0.5Mi", "512Ki", 0 },
	{ "0.5Ki", "512", 0 }, { "100Mi", "100Mi", 0 }, { "1023Ki", "1023Ki", 0 }, { "0.001Ki", "1024m", 0 },
	{ "0.000001Ki", "1024u", 0 }, { "0.000000001Ki", "1024n", 0 }, { "100.035Ki", "102435840m", 0 },
	{ "0.05Gi", "53687091200m", 0 }, { "7Ei", "7Ei", 0 }, { "4Pi", "4Pi", 0 }, { "1Ki", "1Ki", 0 },
	{ "80G", "80G", 0 }, { "1000M", "1G", 0 }, { "0.001T", "1G", 0 }, { "1000", "1k", 0 }, { "1500", "1500", 0 },
	{ "1234567M", "1234567M", 0 }, { "7.123456M", "7123456", 0 }, { "100.035k", "100035", 0 },
	{ "0.0005k", "500m", 0 }, { "2.5P", "2500T", 0 }, { "1E", "1E", 0 }, { "1.01E", "1010P", 0 }, { "9E", "9E", 0 },
	{ "5n", "5n", 0 }, { "1080n", "1080n", 0 }, { "4u", "4u", 0 }, { "1000n", "1u", 0 }, { "1E3", "1e3", 0 },
	{ "12e6", "12e6", 0 }, { "1e0", "1", 0 }, { "0.5e0", "500e-3", 0 }, { "80e-3", "80e-3", 0 },
	{ "1e-9", "1e-9", 0 }, { "1.3E+6", "1300e3", 0 }, { "1.6e15", "1600e12", 0 }, { "300e6", "300e6", 0 },
	{ "1e14", "100e12", 0 }, { "1000e-12", "1e-9", 0 }, { "1_000_000", "1M", 0 }, { "1_024Ki", "1Mi", 0 },
	{ "9223372036854775807", "9223372036854775807", 0 }, { "9223372036854775808", NULL, QUANTITY_TOO_LARGE },
	{ "16Ei", NULL, QUANTITY_TOO_LARGE }, { "8Ei", NULL, QUANTITY_TOO_LARGE }, { "12E", NULL, QUANTITY_TOO_LARGE },
	{ "1e19", NULL, QUANTITY_TOO_LARGE }, { "1e99999999999", NULL, QUANTITY_TOO_LARGE },
	{ "99999999999999999999999999999999999999999999", NULL, QUANTITY_TOO_LARGE },
	{ "3.001n", NULL, QUANTITY_TOO_FINE }, { "0.0000000001", NULL, QUANTITY_TOO_FINE },
	{ "1e-10", NULL, QUANTITY_TOO_FINE },
	{ "1.000000000000000000000000000000000000000000000001Gi", NULL, QUANTITY_TOO_FINE },
	{ "1.00000000000000000000000000000000000000000000000Gi", "1Gi", 0 },
	{ "0.000000000000476837158203125Ti", "524288u", 0 }, { "64GB", NULL, QUANTITY_UNKNOWN_UNIT },
	{ "30min", NULL, QUANTITY_UNKNOWN_UNIT }, { "1e", NULL, QUANTITY_UNKNOWN_UNIT },
	{ "1mi", NULL, QUANTITY_UNKNOWN_UNIT }, { "1.", NULL, QUANTITY_UNKNOWN_UNIT },
	{ "1__0", NULL, QUANTITY_UNKNOWN_UNIT }, { "1e+", NULL, QUANTITY_UNKNOWN_UNIT },
	{ "1_Gi", NULL, QUANTITY_UNKNOWN_UNIT }, { "", NULL, QUANTITY_MALFORMED }, { ".5", NULL, QUANTITY_MALFORMED },
	{ "-1", NULL, QUANTITY_MALFORMED }, { "Gi", NULL, QUANTITY_MALFORMED },
};

/* The full syntax of quantities in Kubernetes. */
static const struct vector full[] = {
	{ ".001", "1m", 0 }, { ".0001k", "100m", 0 }, { "1.", "1", 0 }, { "1.G", "1G", 0 }, { ".001e12", "1e9", 0 },
	{ ".", NULL, QUANTITY_MALFORMED }, { "-1Gi", "-1Gi", 0 }, { "+1.5Gi", "1536Mi", 0 }, { "-0", "0", 0 },
	{ "-9.01", "-9010m", 0 }, { "-1e3", "-1e3", 0 }, { "-500m", "-500m", 0 }, { "-512Ki", "-512Ki", 0 },
	{ "-1000", "-1k", 0 }, { "1E-3", "1e-3", 0 }, { "0.0Ki", "0", 0 }, { "1.1.M", NULL, QUANTITY_UNKNOWN_UNIT },
	{ "1+1.0M", NULL, QUANTITY_UNKNOWN_UNIT }, { "0.1mi", NULL, QUANTITY_UNKNOWN_UNIT },
	{ "aoeu", NULL, QUANTITY_MALFORMED }, { ".5i", NULL, QUANTITY_UNKNOWN_UNIT },
	{ "-3.01e-", NULL, QUANTITY_UNKNOWN_UNIT }, { " 1", NULL, QUANTITY_MALFORMED },
	{ "1 ", NULL, QUANTITY_UNKNOWN_UNIT }, { "", NULL, QUANTITY_MALFORMED }, { "-", NULL, QUANTITY_MALFORMED },
	{ "1_000", NULL, QUANTITY_UNKNOWN_UNIT }, { "--1", NULL, QUANTITY_MALFORMED },
};

static const struct vector durations[] = {
	{ "30s", "30s", 0 }, { "90min", "90min", 0 }, { "60min", "1h", 0 }, { "36h", "36h", 0 }, { "48h", "2d", 0 },
	{ "1.5h", "90min", 0 }, { "1500ms", "1500ms", 0 }, { "0.5s", "500ms", 0 }, { "0s", "0s", 0 }, { "0d", "0s", 0 },
	{ "2d", "2d", 0 }, { "1_000ms", "1s", 0 }, { "0.0005s", NULL, QUANTITY_TOO_FINE },
	{ "0.5ms", NULL, QUANTITY_TOO_FINE }, { "30m", NULL, QUANTITY_UNKNOWN_UNIT },
	{ "30", NULL, QUANTITY_MALFORMED }, { "106751991168d", NULL, QUANTITY_TOO_LARGE },
	{ "9223372036854775807ms", "9223372036854775807ms", 0 }, { "1min30s", NULL, QUANTITY_UNKNOWN_UNIT },
};

static void test_vectors(const char *what, const struct vector *at, size_t n,
	enum quantity_error (*parse)(struct str, struct quantity *),
	struct str (*text)(struct arena *, struct quantity))
{
	for (size_t i = 0; i < n; i++) {
		struct quantity q = { 0 };
		enum quantity_error e = parse(str_of(at[i].input), &q);
		struct str got = e ? str_of(error_name(e)) : text(&arena, q);
		bool ok = e == at[i].error && (e || str_is(got, at[i].text));
		check(ok, what, at[i].input, got);
	}
}

/* Reading a written amount gives the same amount in the same form. */
static void test_round_trip(void)
{
	for (size_t i = 0; i < sizeof(literals) / sizeof(literals[0]); i++) {
		struct quantity q, again;
		if (quantity_parse(str_of(literals[i].input), &q))
			continue;
		struct str text = quantity_text(&arena, q);
		bool ok = quantity_parse_full(text, &again) == QUANTITY_OK && again.nano == q.nano;
		check(ok, "round trip", literals[i].input, text);
	}
}

static void test_go_durations(void)
{
	static const struct { const char *input, *text; } rows[] = {
		{ "1h", "1h0m0s" }, { "90min", "1h30m0s" }, { "90s", "1m30s" }, { "1500ms", "1.5s" },
		{ "500ms", "500ms" }, { "30s", "30s" }, { "0s", "0s" }, { "2d", "48h0m0s" },
		{ "3661250ms", "1h1m1.25s" }, { "60005ms", "1m0.005s" },
	};
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct quantity q = { 0 };
		duration_parse(str_of(rows[i].input), &q);
		struct str got = duration_go_text(&arena, q);
		check(str_is(got, rows[i].text), "go duration", rows[i].input, got);
	}
}

static void test_units(void)
{
	static const struct { const char *word; enum unit_kind kind; } rows[] = {
		{ "8", UNIT_NONE }, { "1.5", UNIT_NONE }, { "64Gi", UNIT_AMOUNT }, { "500m", UNIT_AMOUNT },
		{ "12e6", UNIT_AMOUNT }, { "1E", UNIT_AMOUNT }, { "30min", UNIT_DURATION }, { "2d", UNIT_DURATION },
		{ "5ms", UNIT_DURATION }, { "64GB", UNIT_UNKNOWN }, { "3sec", UNIT_UNKNOWN }, { "1e", UNIT_UNKNOWN },
	};
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		check(quantity_unit(str_of(rows[i].word)) == rows[i].kind, "unit", rows[i].word, STR(""));
}

static struct quantity read(const char *text)
{
	struct quantity q = { 0 };
	quantity_parse_full(str_of(text), &q);
	return q;
}

static void test_arithmetic(void)
{
	struct quantity q = { 0 };
	bool ok = quantity_add(read("1Gi"), read("1G"), &q);
	check(ok && str_is(quantity_text(&arena, q), "2073741824"), "add", "1Gi + 1G", quantity_text(&arena, q));
	ok = quantity_add(read("0"), read("1Gi"), &q);
	check(ok && str_is(quantity_text(&arena, q), "1Gi"), "add", "0 + 1Gi", quantity_text(&arena, q));
	ok = quantity_sub(read("0"), read("512Mi"), &q);
	check(ok && str_is(quantity_text(&arena, q), "-512Mi"), "sub", "0 - 512Mi", quantity_text(&arena, q));
	ok = quantity_sub(read("2"), read("500m"), &q);
	check(ok && str_is(quantity_text(&arena, q), "1500m"), "sub", "2 - 500m", quantity_text(&arena, q));
	ok = quantity_mul(read("1.5Gi"), 4, &q);
	check(ok && str_is(quantity_text(&arena, q), "6Gi"), "mul", "1.5Gi * 4", quantity_text(&arena, q));
	ok = quantity_mul(read("12e6"), 1000, &q);
	check(ok && str_is(quantity_text(&arena, q), "12e9"), "mul", "12e6 * 1000", quantity_text(&arena, q));
	check(!quantity_add(read("7Ei"), read("7Ei"), &q), "add", "7Ei + 7Ei", STR("refused"));
	check(!quantity_mul(read("7Ei"), INT64_MAX, &q), "mul", "7Ei * max", STR("refused"));
	check(!quantity_sub(read("-7Ei"), read("7Ei"), &q), "sub", "-7Ei - 7Ei", STR("refused"));
}

static void test_compound(void)
{
	static const struct { const char *word, *want; } rows[] = {
		{ "2h30m", "150min" }, { "1d12h", "36h" }, { "1m30s", "90s" }, { "1h30min", "90min" },
		{ "01:30:00", "90min" }, { "00:01:30", "90s" }, { "2h", "" }, { "30m2h", "" }, { "1h1h", "" },
		{ "1:30", "" }, { "1:2:3:4", "" }, { "2h30", "" }, { "h30m", "" }, { "", "" }, { "::", "" },
		{ "1x2y", "" }, { "9999999999h1m", "" },
	};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct quantity q;
		struct str text = duration_compound(str_of(rows[i].word), &q) ? duration_text(&arena, q) : STR("");
		check(str_is(text, rows[i].want), "compound", rows[i].word, text);
	}
}

static void test_iso(void)
{
	static const struct { const char *word, *want; } rows[] = {
		{ "PT1H", "1h" }, { "PT1H30M", "90min" }, { "P1DT2H30M", "1590min" }, { "P2D", "2d" }, { "P1W", "7d" },
		{ "PT45S", "45s" }, { "P1M", "" }, { "PT1D", "" }, { "P1H", "" }, { "PT", "" }, { "P", "" },
		{ "PT1M1H", "" }, { "PT1H1H", "" }, { "P1DT", "" }, { "PT1", "" }, { "PTT1H", "" }, { "", "" },
		{ "PT9999999999H", "" },
	};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct quantity q;
		struct str text = duration_iso(str_of(rows[i].word), &q) ? duration_text(&arena, q) : STR("");
		check(str_is(text, rows[i].want), "iso", rows[i].word, text);
	}
}

int main(void)
{
	test_vectors("literal", literals, sizeof(literals) / sizeof(literals[0]), quantity_parse, quantity_text);
	test_vectors("full", full, sizeof(full) / sizeof(full[0]), quantity_parse_full, quantity_text);
	test_vectors("duration", durations, sizeof(durations) / sizeof(durations[0]), duration_parse, duration_text);
	test_round_trip();
	test_go_durations();
	test_units();
	test_compound();
	test_iso();
	test_arithmetic();
	arena_release(&arena);
	printf("%u passed, %u failed\n", passed, failed);
	return failed != 0;
}
