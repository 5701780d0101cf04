/*
 * quantity.h - Kubernetes' resource.Quantity and durations, exact.
 *
 * A quantity is an integer count of nano-units in 128 bits: 1 CPU, 1 byte or 1 second is 10^9. It remembers how it was
 * written so that its canonical text is the one that Kubernetes would print: no fraction, the largest suffix that loses
 * nothing, binary if it was written in binary, an exponent if it was written with one. Floating point is never used.
 */
#ifndef TRAINC_BASE_QUANTITY_H
#define TRAINC_BASE_QUANTITY_H

#include "base/str.h"

enum quantity_form { QUANTITY_DECIMAL, QUANTITY_BINARY, QUANTITY_EXPONENT };

__extension__ typedef __int128 int128;

struct quantity {
	int128 nano;
	enum quantity_form form;
};

enum quantity_error {
	QUANTITY_OK,
	QUANTITY_MALFORMED,             /* the text is not a number with a suffix */
	QUANTITY_UNKNOWN_UNIT,          /* the suffix of the number is not a unit */
	QUANTITY_TOO_LARGE,             /* the value is above 2^63-1 */
	QUANTITY_TOO_FINE               /* the value is not a multiple of a nano-unit */
};

/* What the suffix of a number measures. */
enum unit_kind { UNIT_NONE, UNIT_AMOUNT, UNIT_DURATION, UNIT_UNKNOWN };

/* The kind of the unit at the end of a number of the language ("64Gi", "30min"; "12e6" is UNIT_AMOUNT). */
enum unit_kind quantity_unit(struct str word);

/* Does a user who writes N with G or T almost certainly mean Gi or Ti? Yes for 64, 512 and 1000, no for 100. */
static inline bool quantity_binary(long long n) { return !(n & (n - 1)) || n % 8 == 0; }

/*
 * The unit of the language that WORD means: "G" for "GB", "min" for "minutes", "" for "cores"; NULL when it is unknown.
 */
const char *quantity_unit_meant(struct str word);
/* Is UNIT one of k, M, G, T, P and E? Words such as "GB" may mean such a unit or the binary one. */
bool quantity_decimal_bytes(struct str unit);
/*
 * Like quantity_unit_meant(), but also considers the amount: "Gi" for 256 "GB", since 256G would cause a warning
 * (TJ0620).
 */
const char *quantity_unit_of(struct str number, struct str word);

/* Reads an unsigned literal of the language ("1.5Gi", "500m", "12e6", "8"; `_` is allowed between digits). */
enum quantity_error quantity_parse(struct str word, struct quantity *ret);
/* Reads Kubernetes' full syntax: signs, ".5", "5." (for --set and raw). */
enum quantity_error quantity_parse_full(struct str text, struct quantity *ret);
/* Reads a duration ("30s", "1.5h", "90min") of whole milliseconds, as nanoseconds in `ret->nano`. */
enum quantity_error duration_parse(struct str word, struct quantity *ret);

/* The canonical text, as Kubernetes writes it. */
struct str quantity_text(struct arena *a, struct quantity q);
/*
 * Reads "2h30m", "1d12h" or "01:30:00", as other tools write durations; false for anything else, including one number
 * with one unit.
 */
bool duration_compound(struct str word, struct quantity *ret);
/* Reads a duration of ISO 8601 in days and smaller units ("PT1H30M", "P2D"). */
bool duration_iso(struct str word, struct quantity *ret);
/* A duration in the largest unit that represents it exactly: "90min", "1500ms". */
struct str duration_text(struct arena *a, struct quantity q);
/* A duration as Go writes it: "1h2m3s". */
struct str duration_go_text(struct arena *a, struct quantity q);

/* Computes a + b, a - b, or a times n; false when the result is out of range. */
bool quantity_add(struct quantity a, struct quantity b, struct quantity *ret);
bool quantity_sub(struct quantity a, struct quantity b, struct quantity *ret);
bool quantity_mul(struct quantity a, int64_t n, struct quantity *ret);

#define QUANTITY_UNIT ((int128)1000000000)

/* A number of bytes for people: "812 KiB". */
struct str quantity_size(struct arena *a, uint64_t bytes);

#endif
