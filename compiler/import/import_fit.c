/*
 * import_fit.c - compares a manifest with the schema of its kind. The API server refuses values of the wrong kind and
 * drops fields that it does not know. This code does the same, but reports both.
 */
#include "import/template.h"

#include <strings.h>

#include "base/quantity.h"
#include "diag/suggest.h"

struct way {                            /* path from the object to this value */
	const struct way *outer;
	struct str key;
	bool element;                   /* the value is an element of the list under that key */
};

static const char *element_of(const struct way *p) { return p->element ? "an element of " : ""; }

struct fitting {
	struct import *im;
	const struct schema *schema;
	bool any_case;
};

const char *import_kind_words(const struct data *d)
{
	switch (d->kind) {
	case DATA_NULL: return "nothing";
	case DATA_BOOL: return d->u.boolean ? "true" : "false";
	case DATA_INT: return "a whole number";
	case DATA_FLOAT: return "a number with a fraction";
	case DATA_STRING: return "a text";
	case DATA_LIST: return "a list";
	case DATA_MAP: return "a map";
	}
	return "";
}

/* Returns the source text of a short scalar; for any other value the result is empty. */
static struct str spelling(struct fitting *f, const struct data *d)
{
	struct str s = source_text(f->im->sources, d->from);

	return d->kind < DATA_LIST && s.n && s.n <= 40 && !memchr(s.p, '\n', s.n) ? s : (struct str){ 0 };
}

static const char *wanted_words(const struct schema_ref *ref)
{
	switch (ref->word) {
	case SCHEMA_INT: return "a whole number";
	case SCHEMA_NUMBER: return "a number";
	case SCHEMA_BOOL: return "true or false";
	case SCHEMA_QUANTITY: return "an amount such as 500m or 64Gi";
	case SCHEMA_INT_OR_STRING: return "a number or a text";
	case SCHEMA_LIST: return "a list";
	case SCHEMA_OBJECT: case SCHEMA_MAP: return "a map";
	default: return "a text";
	}
}

static void wrong_kind(struct fitting *f, const struct data *d, const struct schema_ref *ref, const struct way *in)
{
	struct diags *ds = f->im->diags;
	struct str found = spelling(f, d);

	if (template_value(f->im, d))
		return;
	/* a quantity in a wrong form is quoted in the message: its type is right */
	bool shown = ref->word == SCHEMA_QUANTITY && found.n;
	struct diag *e = diag_report(ds, TJ1103, d->from, "%s'%.*s' must be %s, found %.*s", element_of(in),
		STR_ARG(in->key), wanted_words(ref), STR_ARG(shown ? found : str_of(import_kind_words(d))));

	if (ref->word == SCHEMA_QUANTITY && d->kind == DATA_STRING) {
		struct str text = d->u.string;
		size_t digits = strspn(text.p, "0123456789");
		struct str unit = digits < text.n ? (struct str){ text.p + digits, text.n - digits } : STR("");
		const char *meant = digits && unit.n ? quantity_unit_meant(unit) : NULL;
		if (meant && *meant && quantity_decimal_bytes((struct str){ meant, 1 }) && *meant != 'k')
			diag_help(ds, e, "write %.*s%ci, or %.*s%c for powers of ten", (int)digits, text.p, *meant,
				(int)digits, text.p, *meant);
	}
	if (ref->word == SCHEMA_STRING && d->kind < DATA_STRING && found.n)
		diag_help(ds, e, "write it in quotes: \"%.*s\"", STR_ARG(found));
	else if ((ref->word == SCHEMA_INT || ref->word == SCHEMA_BOOL) && d->kind == DATA_STRING && found.n > 2 &&
		strchr("\"'", *found.p) && (strspn(found.p + 1, "-0123456789") >= found.n - 2 ||
		str_is(d->u.string, "true") || str_is(d->u.string, "false")))
		diag_help(ds, e, "the API server does not accept a text here: write it without quotes");
}

static bool is_quantity(const struct data *d)
{
	struct quantity q;

	return d->kind == DATA_INT || d->kind == DATA_FLOAT ||
		(d->kind == DATA_STRING && quantity_parse_full(d->u.string, &q) == QUANTITY_OK);
}

static bool scalar_fits(enum schema_word word, const struct data *d)
{
	switch (word) {
	case SCHEMA_ANY: return true;
	case SCHEMA_STRING: case SCHEMA_BYTES: case SCHEMA_TIME: return d->kind == DATA_STRING;
	/* whole() has accepted the value, so it is an integer or a number such as 3.0 */
	case SCHEMA_INT: return d->kind == DATA_INT;
	case SCHEMA_NUMBER: return d->kind == DATA_INT || d->kind == DATA_FLOAT;
	case SCHEMA_BOOL: return d->kind == DATA_BOOL;
	case SCHEMA_QUANTITY: return is_quantity(d);
	case SCHEMA_INT_OR_STRING: return d->kind == DATA_INT || d->kind == DATA_STRING;
	default: return false;
	}
}

static const struct data *fit_value(struct fitting *f, const struct data *d, const struct schema_ref *ref,
	const struct way *in);

/* ---- maps ---- */

static const struct schema_field *field_any_case(struct fitting *f, const struct schema_type *t, struct str key)
{
	for (size_t i = t->first; i < t->first + t->n; i++) {
		struct str name = schema_text(f->schema, f->schema->fields[i].name);
		if (name.n == key.n && strncasecmp(name.p, key.p, key.n) == 0)
			return schema_newest_field(f->schema, t, name);
	}
	return NULL;
}

static const struct schema_field *fitting_field(struct fitting *f, const struct schema_type *t, struct str key)
{
	const struct schema_field *field = schema_newest_field(f->schema, t, key);

	return field || !f->any_case ? field : field_any_case(f, t, key);
}

/*
 * Returns the field into which KEY belongs, if the manifest has KEY one level too high, which is the most common
 * mistake.
 */
static struct str belongs_under(struct fitting *f, const struct schema_type *t, struct str key)
{
	for (size_t i = t->first; i < t->first + t->n; i++) {
		const struct schema_field *field = &f->schema->fields[i];
		const struct schema_ref *ref = &f->schema->refs[field->ref];
		if (ref->word == SCHEMA_OBJECT && schema_newest_field(f->schema, &f->schema->types[ref->of], key))
			return schema_text(f->schema, field->name);
	}
	return (struct str){ 0 };
}

/* For each field of type T: does the map OF set it? */
static const bool *fields_had(struct fitting *f, const struct schema_type *t, const struct data *of)
{
	const struct schema_field *first = &f->schema->fields[t->first];
	bool *had = ARENA_ARRAY(f->im->arena, bool, t->n);

	for (size_t i = 0; i < of->u.map.n; i++) {
		const struct schema_field *field = fitting_field(f, t, of->u.map.at[i].key);
		if (field)
			had[field - first] = true;
	}
	return had;
}

static bool has_word(struct str name, const char *word)
{
	size_t n = strlen(word);

	for (size_t i = 0; i + n <= name.n; i++)
		if (strncasecmp(name.p + i, word, n) == 0)
			return true;
	return false;
}

static bool holds_roles(struct str field)
{
	return str_ends(field, STR("ReplicaSpecs")) || str_is(field, "replicaSpecs");
}

/*
 * Returns the field of type T that holds the roles, if member M seems to be that field misspelled, for example
 * `replicaSpecs`, or `pytorchReplicaSpecs` in a TFJob. Returns an empty text if the manifest also sets the correct
 * field (HAD).
 */
static struct str roles_meant(struct fitting *f, const struct schema_type *t, const struct data_member *m,
	const bool *had)
{
	if (m->value->kind < DATA_LIST || !has_word(m->key, "replica"))
		return STR("");
	for (size_t i = t->first; i < t->first + t->n; i++) {
		struct str name = schema_text(f->schema, f->schema->fields[i].name);
		if (holds_roles(name))
			return had[i - t->first] ? STR("") : name;
	}
	return STR("");
}

static void unknown_field(struct fitting *f, const struct schema_type *t, const struct data_member *m,
	const bool *had, const struct way *in)
{
	struct diags *ds = f->im->diags;
	struct str under = belongs_under(f, t, m->key);
	struct diag *d = diag_report(ds, TJ1104, m->key_at, "%s'%.*s' has no field '%.*s'; it is left out",
		element_of(in), STR_ARG(in->key), STR_ARG(m->key));
	struct suggest near;

	if (under.n) {
		diag_help(ds, d, "it belongs under '%.*s'; the API server drops it where it is now", STR_ARG(under));
		return;
	}
	suggest_init(&near, f->im->arena, m->key);
	for (size_t i = t->first; i < t->first + t->n; i++)
		if (!had[i - t->first])
			suggest_add(&near, schema_text(f->schema, f->schema->fields[i].name));
	struct str sentence = suggest_sentence(&near), roles = roles_meant(f, t, m, had);
	if (roles.n) {
		f->im->roles = (struct misspelt){ d, m->key, roles };
		diag_help(ds, d, "did you mean '%.*s'?", STR_ARG(roles));
	} else if (sentence.n)
		diag_help(ds, d, "%.*s", STR_ARG(sentence));
}

/*
 * Reports missing fields that a type must have. Containers are exempt: the operators have rules of their own for
 * them.
 */
static void missing_fields(struct fitting *f, const struct schema_type *t, const struct data *d, const struct way *in)
{
	const struct data_member *at = d->u.map.at;

	for (size_t i = t->first; i < t->first + t->n; i++) {
		const struct schema_field *field = &f->schema->fields[i];
		if (!field->required)
			continue;
		struct str name = schema_text(f->schema, field->name);
		bool there = field != schema_newest_field(f->schema, t, name) || str_is(name, "containers") ||
			(str_is(name, "name") && str_is(schema_text(f->schema, t->name), "core.v1.Container")) ||
			str_ends(name, STR("ReplicaSpecs")) ||
			/* JobSet's own webhook gives a name to a rule without one */
			(str_is(name, "name") && str_ends(schema_text(f->schema, t->name), STR("FailurePolicyRules")));
		for (size_t k = 0; k < d->u.map.n && !there; k++)
			there = str_eq(at[k].key, name);
		if (!there)
			diag_report(f->im->diags, TJ1115, d->from, "'%.*s' is missing in %s'%.*s'", STR_ARG(name),
				element_of(in), STR_ARG(in->key));
	}
}

/* Is it a field that only the cluster itself writes? */
static bool is_clusters(const struct way *in, struct str key) { return !in->outer && str_is(key, "status"); }

static const struct data *fit_object(struct fitting *f, const struct data *d, const struct schema_type *t,
	const struct way *in)
{
	struct data *ret = ARENA_NEW(f->im->arena, struct data);
	struct data_member *at = ARENA_ARRAY(f->im->arena, struct data_member, d->u.map.n);
	const bool *had = NULL;
	size_t n = 0;

	for (size_t i = 0; i < d->u.map.n; i++) {
		const struct data_member *m = &d->u.map.at[i];
		const struct schema_field *field = fitting_field(f, t, m->key);
		struct way at_member = { in, m->key, false };
		if (is_clusters(in, m->key))
			continue;
		if (!field) {
			had = had ? had : fields_had(f, t, d);
			unknown_field(f, t, m, had, in);
			continue;
		}
		at[n].key = schema_text(f->schema, field->name);
		at[n].key_at = m->key_at;
		at[n].value = fit_value(f, m->value, &f->schema->refs[field->ref], &at_member);
		n += at[n].value != NULL;
	}
	missing_fields(f, t, d, in);
	*ret = (struct data){ .kind = DATA_MAP, .from = d->from, .u.map = { at, n } };
	return ret;
}

static const struct data *fit_map(struct fitting *f, const struct data *d, const struct schema_ref *element,
	const struct way *in)
{
	struct data *ret = ARENA_NEW(f->im->arena, struct data);
	struct data_member *at = ARENA_ARRAY(f->im->arena, struct data_member, d->u.map.n);
	size_t n = 0;

	for (size_t i = 0; i < d->u.map.n; i++) {
		const struct data_member *m = &d->u.map.at[i];
		struct way at_member = { in, m->key, false };
		at[n] = *m;
		/* in maps with free keys an entry whose value is null still counts: a role without content, a label */
		if (m->value->kind == DATA_NULL && element->word != SCHEMA_OBJECT)
			wrong_kind(f, m->value, element, &at_member);
		else
			at[n].value = m->value->kind == DATA_NULL ? m->value
				: fit_value(f, m->value, element, &at_member);
		n += m->value->kind == DATA_NULL ? element->word == SCHEMA_OBJECT : at[n].value != NULL;
	}
	*ret = (struct data){ .kind = DATA_MAP, .from = d->from, .u.map = { at, n } };
	return ret;
}

static const struct data *fit_list(struct fitting *f, const struct data *d, const struct schema_ref *element,
	const struct way *in)
{
	struct way at_element = { in, in->key, true };
	struct data *ret = ARENA_NEW(f->im->arena, struct data);
	const struct data **at = ARENA_ARRAY(f->im->arena, const struct data *, d->u.list.n);
	size_t n = 0;

	for (size_t i = 0; i < d->u.list.n; i++) {
		if (d->u.list.at[i]->kind == DATA_NULL)
			wrong_kind(f, d->u.list.at[i], element, &at_element);
		else
			at[n] = fit_value(f, d->u.list.at[i], element, &at_element);
		n += at[n] != NULL;
	}
	*ret = (struct data){ .kind = DATA_LIST, .from = d->from, .u.list = { at, n } };
	return ret;
}

/* Accepts 3.0 and 3e1 as whole numbers, because kubectl sends such numbers to the API server as integers. */
static const struct data *whole(struct fitting *f, const struct data *d)
{
	double number = d->kind == DATA_FLOAT ? d->u.number : 0.5;
	struct data *ret;

	if (!(number > -9e15 && number < 9e15) || (double)(int64_t)number != number)
		return NULL;
	ret = ARENA_NEW(f->im->arena, struct data);
	*ret = (struct data){ .kind = DATA_INT, .from = d->from, .u.integer = (int64_t)number };
	return ret;
}

/* Turns `cpu: 0.5` into text. Custom resources may accept quantities only as text, and would refuse the number. */
static const struct data *quantity_of_float(struct arena *a, const struct data *d)
{
	struct data *text = ARENA_NEW(a, struct data);

	*text = *d;
	text->kind = DATA_STRING;
	text->u.string = str_double(a, d->u.number);
	return text;
}

/* Fits a value to a type. Returns NULL if the value is null, or if it was reported. */
static const struct data *fit_value(struct fitting *f, const struct data *d, const struct schema_ref *ref,
	const struct way *in)
{
	if (d->kind == DATA_NULL)
		return NULL;
	if (ref->word == SCHEMA_OBJECT && d->kind == DATA_MAP)
		return fit_object(f, d, &f->schema->types[ref->of], in);
	if (ref->word == SCHEMA_MAP && d->kind == DATA_MAP)
		return fit_map(f, d, &f->schema->refs[ref->of], in);
	if (ref->word == SCHEMA_LIST && d->kind == DATA_LIST)
		return fit_list(f, d, &f->schema->refs[ref->of], in);
	if (ref->word == SCHEMA_QUANTITY && d->kind == DATA_FLOAT)
		return quantity_of_float(f->im->arena, d);
	if (ref->word < SCHEMA_OBJECT && scalar_fits((enum schema_word)ref->word, d))
		return d;
	const struct data *number = ref->word == SCHEMA_INT ? whole(f, d) : NULL;
	if (number)
		return number;
	wrong_kind(f, d, ref, in);
	return NULL;
}

const struct data *import_fit(struct import *im, const struct data *d, const char *type, bool any_case)
{
	struct fitting f = { im, &schema_builtin, any_case };
	struct way root = { NULL, member_text(d, "kind"), false };
	const struct schema_type *t = schema_find_type(f.schema, str_of(type));

	im->roles = (struct misspelt){ 0 };
	return t ? fit_object(&f, d, t, &root) : NULL;
}

/* Drops a warning when an error at the same position replaces it. */
static void forget(struct diags *ds, const struct diag *d)
{
	size_t kept = 0;

	for (size_t i = 0; i < ds->n; i++)
		if (ds->at[i] != d)
			ds->at[kept++] = ds->at[i];
	ds->warnings -= ds->n - kept;
	ds->n = kept;
}

bool import_misspelt_roles(const struct import_manifest *m)
{
	const struct misspelt *roles = &m->im->roles;
	struct diag *d;

	if (!roles->said)
		return false;
	forget(m->im->diags, roles->said);
	d = diag_report(m->im->diags, TJ1106, roles->said->at, "this %.*s has no roles: 'spec' has no field '%.*s'",
		STR_ARG(m->kind), STR_ARG(roles->name));
	diag_help(m->im->diags, d, "did you mean '%.*s'?", STR_ARG(roles->meant));
	return true;
}

/* ---- members ---- */
