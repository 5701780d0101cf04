/*
 * json_stream.c - a JSON reader that can stop after any byte. One state machine reads everything, whether it is kept or
 * not. Of each open list or map, one bit says which of the two it is. Those that are kept also have a frame; in a part
 * that is dropped, and in the rest of an item that is skipped, more lists and maps are open than there are frames.
 * Members of frames are on a second stack and move into the arena when the list or map closes. The arena is emptied
 * after each item or document. Within a string, bytes without special meaning are skipped at once: most of a stream is
 * text.
 */
#include "runtime/cluster/json_stream.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "base/words.h"
#include "runtime/cluster/json_filter.h"
#include "runtime/cluster/json_noted.h"

/* An item that is skipped may have this many times the size of the largest item that is kept. */
enum { JSON_SKIPPED_TIMES = 8 };

enum json_state {
	JSON_VALUE,                     /* a value must follow */
	JSON_FIRST_ITEM,                /* a value or ']' */
	JSON_FIRST_KEY,                 /* a key or '}' */
	JSON_KEY,                       /* a key */
	JSON_COLON,
	JSON_AFTER,                     /* ',' or the end of the list or map */
	JSON_DOCUMENT,                  /* outside of documents: only blanks or the beginning of a document may
					 * follow */
	JSON_IN_STRING, JSON_ESCAPE, JSON_HEX, JSON_IN_NUMBER, JSON_IN_WORD,
};

struct json_frame {
	const struct json_filter *filter;       /* filter of the value; NULL: the value is dropped */
	size_t base;                    /* index of the value's first member on the stack */
	bool list;
	bool items;                     /* this is the list whose elements are handed out one by one */
};

struct json_stream {
	struct json_stream_options o;
	struct arena arena;             /* memory of the item or document that is being read */
	struct arena rest;              /* with `items`: memory of the rest of the document */
	/* frames of the object, and of the list of items or the event around it */
	struct json_frame frames[JSON_STREAM_DEEPEST + 3];
	unsigned nframes;
	unsigned depth;                 /* number of open lists and maps */
	unsigned char *lists;           /* a bit for each of them: is it a list? */
	size_t list_room;               /* number of bytes in `lists` */
	struct data_member *members;    /* stack of the members of open lists and maps */
	size_t nmembers, member_room;
	enum json_state state;
	struct str key;                 /* a key that waits for its value */
	const struct json_filter *next; /* filter of the next value; NULL: the value is dropped */
	struct buf text;                /* the string, number or word that is being read */
	bool is_key, cut;               /* the text is a key; it is too long to be noted, or is not UTF-8 */
	bool has_items;                 /* the document has had the list whose elements are handed out */
	enum json_fault fault;          /* why the current item or document is skipped */
	const char *fault_words;
	size_t kept;                    /* size of the parts of it that are kept */
	struct json_noted noted;        /* with `skipped`: its identity */
	/* number of bytes that the current character still needs, and the bounds of the next of these bytes */
	unsigned utf8_left, utf8_low, utf8_high;
	bool again;                     /* the byte that was read last is read again */
	unsigned hex, hex_digits, high_surrogate;
	uint64_t documents;             /* number of complete documents */
	uint64_t offset, unit;          /* number of bytes read; offset at which the current item or document began */
	uint64_t here;                  /* offset of what is being read now */
	bool stopped;
	struct str error;
	struct arena error_arena;
	char tail[40];                  /* the last bytes of the piece before the current one */
	unsigned ntail;
};

struct json_stream *json_stream_new(const struct json_stream_options *o)
{
	struct json_stream *s = memory_resize(NULL, sizeof *s);

	*s = (struct json_stream){ .o = *o, .state = JSON_DOCUMENT };
	if (!s->o.largest)
		s->o.largest = JSON_STREAM_LARGEST;
	if (!s->o.kept)
		s->o.kept = SIZE_MAX;
	if (!s->o.filter)
		s->o.filter = &json_filter_all;
	s->text.limit = s->o.largest;
	s->noted = (struct json_noted){ .object = o->object, .label = o->label };
	return s;
}

void json_stream_restart(struct json_stream *s)
{
	arena_reset(&s->arena);
	arena_reset(&s->rest);
	arena_release(&s->error_arena);
	s->depth = s->nframes = 0;
	s->nmembers = 0;
	s->fault = JSON_SOUND;
	s->state = JSON_DOCUMENT;
	s->text.n = 0;
	s->utf8_left = s->high_surrogate = 0;
	s->offset = s->unit = s->documents = 0;
	s->text.overflow = false;
	s->has_items = false;
	s->stopped = false;
	s->error = STR("");
	s->ntail = 0;
}

void json_stream_release(struct json_stream *s)
{
	if (!s)
		return;
	arena_release(&s->arena);
	arena_release(&s->rest);
	arena_release(&s->error_arena);
	buf_release(&s->text);
	free(s->members);
	free(s->lists);
	free(s);
}

bool json_stream_between(const struct json_stream *s) { return s->state == JSON_DOCUMENT && !s->error.n; }
bool json_stream_has_items(const struct json_stream *s) { return s->has_items; }
struct str json_stream_error(const struct json_stream *s) { return s->error; }

/* Sets the error at the byte AT of PIECE; returns false. */
static bool stream_error(struct json_stream *s, struct str piece, size_t at, const char *what)
{
	char near[40];
	unsigned n = 0, begin = at + 1 < sizeof near ? (unsigned)(sizeof near - at - 1) : 0;
	struct buf b = { 0 };

	if (begin > s->ntail)
		begin = s->ntail;
	for (unsigned i = s->ntail - begin; i < s->ntail && n < sizeof near; i++)
		near[n++] = s->tail[i];
	for (size_t i = at < sizeof near ? 0 : at - sizeof near + 1; i <= at && i < piece.n && n < sizeof near; i++)
		near[n++] = piece.p[i];
	buf_printf(&b, "at byte %llu: %s (near '", (unsigned long long)(s->offset + at), what);
	put_escaped(&b, (struct str){ near, n });
	buf_z(&b, "')");
	s->error = buf_take(&b, &s->error_arena);
	buf_release(&b);
	return false;
}

/* ---- items and documents that are skipped ---- */

/* The number of lists and maps around the current item or document. */
static inline unsigned unit_level(const struct json_stream *s) { return s->nframes >= 2 && s->frames[1].items ? 2 : 0; }

/* May the stream go on after the end of what is being read now? A document must have begun as a map or a list. */
static bool can_skip(const struct json_stream *s)
{
	return s->o.skipped && (s->o.items ? unit_level(s) == 2 : s->depth > 0);
}

static void unit_begin(struct json_stream *s)
{
	s->fault = JSON_SOUND;
	s->kept = 0;
	json_noted_begin(&s->noted, unit_level(s));
}

/* Handles a fault at the byte AT of PIECE: drops the item or document if it can be skipped, otherwise fails. */
static bool spoil(struct json_stream *s, struct str piece, size_t at, enum json_fault fault, const char *what)
{
	if (s->fault)
		return true;
	if (!can_skip(s))
		return stream_error(s, piece, at, what);
	s->fault = fault;
	s->fault_words = what;
	s->nframes = unit_level(s);
	s->nmembers = s->nframes ? s->frames[1].base : 0;
	s->key = STR("");
	s->next = NULL;
	arena_reset(&s->arena);
	return true;
}

/* Is the string that is being read needed for the tree? */
static inline bool is_kept(const struct json_stream *s)
{
	return s->is_key ? !s->fault && s->depth == s->nframes : s->next != NULL;
}

/* Handles a fault of a string, number or word. Where nothing is kept, only the end of the text matters. */
static bool spoil_scalar(struct json_stream *s, struct str piece, size_t at, enum json_fault fault, const char *what)
{
	s->cut = true;
	return (can_skip(s) && !is_kept(s)) || spoil(s, piece, at, fault, what);
}

static bool report_skipped(struct json_stream *s)
{
	const struct json_noted *n = &s->noted;
	struct json_skipped skipped = { .fault = s->fault, .why = s->fault_words,
		.type = json_noted_text(n, JSON_NOTE_TYPE), .kind = json_noted_text(n, JSON_NOTE_KIND),
		.ns = json_noted_text(n, JSON_NOTE_NAMESPACE), .name = json_noted_text(n, JSON_NOTE_NAME),
		.uid = json_noted_text(n, JSON_NOTE_UID), .version = json_noted_text(n, JSON_NOTE_VERSION),
		.label = json_noted_text(n, JSON_NOTE_LABEL), .bytes = s->here - s->unit };

	s->fault = JSON_SOUND;
	return s->o.skipped(s->o.to, &skipped);
}

/* ---- trees ---- */

/*
 * The arena for new values. Within the list whose elements are handed out, it is the arena of the current element;
 * otherwise it is the arena of the document.
 */
static struct arena *arena_now(struct json_stream *s)
{
	if (!s->o.items)
		return &s->arena;
	return unit_level(s) ? &s->arena : &s->rest;
}

static void push_member(struct json_stream *s, struct str key, struct data *value)
{
	if (s->nmembers == s->member_room) {
		s->member_room = s->member_room ? 2 * s->member_room : 256;
		s->members = memory_resize(s->members, s->member_room * sizeof *s->members);
	}
	s->members[s->nmembers++] = (struct data_member){ .key = key, .value = value };
}

/* Hands out the item or document that has ended; false if a callback stops the stream. */
static bool unit_end(struct json_stream *s, struct json_frame *items, struct data *value)
{
	bool go_on = true;

	if (s->fault)
		go_on = report_skipped(s);
	else if (items)
		go_on = s->o.item(s->o.to, value);
	else if (s->o.document)
		go_on = s->o.document(s->o.to, value);
	arena_reset(&s->arena);
	s->kept = 0;
	s->unit = s->here;
	if (!items) {
		arena_reset(&s->rest);
		s->has_items = false;
	}
	s->nmembers = items ? items->base : 0;
	s->documents += !items;
	s->state = items ? JSON_AFTER : JSON_DOCUMENT;
	s->stopped = !go_on;
	return go_on;
}

/* Ends a value: adds it to the list or map around it, or hands it out. */
static bool complete(struct json_stream *s, struct data *value)
{
	struct json_frame *f = s->nframes ? &s->frames[s->nframes - 1] : NULL;

	if (s->depth == s->nframes && (!f || f->items))
		return unit_end(s, f, value);
	if (value)
		push_member(s, f->list ? STR("") : s->key, value);
	s->state = JSON_AFTER;
	return true;
}

static struct data *new_value(struct json_stream *s, enum data_kind kind)
{
	if (!s->next)
		return NULL;
	struct data *d = ARENA_NEW(arena_now(s), struct data);
	d->kind = kind;
	s->kept += s->text.n + sizeof ",";
	return d;
}

/* Is the innermost open value a list? */
static bool in_list(const struct json_stream *s)
{
	return s->lists[(s->depth - 1) / 8] >> (s->depth - 1) % 8 & 1;
}

static void push_level(struct json_stream *s, bool list)
{
	size_t byte = s->depth / 8;
	unsigned char bit = (unsigned char)(1 << s->depth % 8);

	if (byte == s->list_room) {
		s->list_room = s->list_room ? 2 * s->list_room : 32;
		s->lists = memory_resize(s->lists, s->list_room);
	}
	s->lists[byte] = (unsigned char)(list ? s->lists[byte] | bit : s->lists[byte] & ~bit);
	s->depth++;
	if (json_noted_here(&s->noted, s->depth))
		json_noted_open(&s->noted, !list, s->depth);
	s->state = list ? JSON_FIRST_ITEM : JSON_FIRST_KEY;
}

static bool open_level(struct json_stream *s, bool list, struct str piece, size_t at)
{
	bool items = list && s->o.items && s->depth == 1 && !s->frames[0].list && str_is(s->key, s->o.items);
	unsigned around = unit_level(s) + (s->o.object != NULL);

	if (s->depth == JSON_STREAM_LEVELS)
		return stream_error(s, piece, at, "lists and maps are nested more than a million deep");
	if (s->next && s->nframes == JSON_STREAM_DEEPEST + around &&
	    !spoil(s, piece, at, JSON_DEEP, "lists and maps are nested more than 200 deep"))
		return false;
	if (s->next) {
		push_member(s, s->key, NULL);   /* keeps the key until its value is complete */
		if (items) {
			s->has_items = true;
			s->next = s->o.filter;
			s->unit = s->offset + at;
		}
		s->frames[s->nframes++] = (struct json_frame){ .filter = s->next, .base = s->nmembers, .list = list,
			.items = items };
		s->kept += sizeof ",";
	}
	push_level(s, list);
	return true;
}

/* Makes the list or map of the innermost frame from its members; false if it has a key twice. */
static bool close_frame(struct json_stream *s, struct str piece, size_t at)
{
	struct json_frame f = s->frames[s->nframes - 1];
	size_t n = s->nmembers - f.base, again, first;
	struct data *d = NULL;

	if (!f.list && !data_keys_differ(s->members + f.base, n, &again, &first)) {
		if (!spoil(s, piece, at, JSON_TWICE, "a map has the same key twice"))
			return false;
		s->depth--;
		return complete(s, NULL);
	}
	s->depth--;
	s->nframes--;
	s->next = f.filter;
	if (!f.items) {
		d = new_value(s, f.list ? DATA_LIST : DATA_MAP);
		if (f.list) {
			d->u.list.n = n;
			d->u.list.at = ARENA_ARRAY(arena_now(s), const struct data *, n);
			for (size_t i = 0; i < n; i++)
				d->u.list.at[i] = s->members[f.base + i].value;
		} else {
			d->u.map.n = n;
			d->u.map.at = ARENA_ARRAY(arena_now(s), struct data_member, n);
			memcpy(d->u.map.at, s->members + f.base, n * sizeof *d->u.map.at);
		}
	}
	s->nmembers = f.base - 1;
	s->key = s->members[s->nmembers].key;
	return complete(s, d);
}

static bool close_level(struct json_stream *s, struct str piece, size_t at)
{
	if (json_noted_here(&s->noted, s->depth))
		json_noted_close(&s->noted, s->depth);
	s->text.n = 0;
	if (s->depth == s->nframes)
		return close_frame(s, piece, at);
	s->depth--;
	return complete(s, NULL);
}

/* ---- scalars ---- */

static bool number_is_sound(const char *p, bool *ret_integer)
{
	*ret_integer = true;
	p += *p == '-';
	if (*p == '0')
		p++;
	else if (isdigit((unsigned char)*p))
		p += strspn(p, "0123456789");
	else
		return false;
	if (*p == '.') {
		*ret_integer = false;
		if (!isdigit((unsigned char)*++p))
			return false;
		p += strspn(p, "0123456789");
	}
	if (*p == 'e' || *p == 'E') {
		*ret_integer = false;
		p++;
		p += *p == '+' || *p == '-';
		if (!isdigit((unsigned char)*p))
			return false;
		p += strspn(p, "0123456789");
	}
	return !*p;
}

static bool end_number(struct json_stream *s, struct str piece, size_t at)
{
	bool integer;
	char *end;

	buf_char(&s->text, 0);
	s->text.n--;
	if (s->cut || s->text.overflow || !number_is_sound(s->text.p, &integer))
		return spoil_scalar(s, piece, at, JSON_NUMBER, "this is not a number") && complete(s, NULL);
	struct data *d = new_value(s, integer ? DATA_INT : DATA_FLOAT);
	if (d && integer) {
		errno = 0;
		d->u.integer = strtoll(s->text.p, NULL, 10);
		if (errno)
			d->kind = DATA_FLOAT;
	}
	if (d && d->kind == DATA_FLOAT) {
		d->u.number = strtod(s->text.p, &end);
		if (!isfinite(d->u.number))
			return spoil_scalar(s, piece, at, JSON_NUMBER, "this number is too large") && complete(s, NULL);
	}
	return complete(s, d);
}

static bool end_word(struct json_stream *s, struct str piece, size_t at)
{
	struct str word = buf_text(&s->text);
	struct data *d;

	if (str_is(word, "true") || str_is(word, "false")) {
		if ((d = new_value(s, DATA_BOOL)))
			d->u.boolean = word.p[0] == 't';
	} else if (str_is(word, "null")) {
		d = new_value(s, DATA_NULL);
	} else {
		return spoil_scalar(s, piece, at, JSON_NUMBER, "expected a value") && complete(s, NULL);
	}
	return complete(s, d);
}

static bool end_key(struct json_stream *s)
{
	struct str key = buf_text(&s->text);

	if (s->o.skipped && !s->cut && json_noted_here(&s->noted, s->depth))
		json_noted_key(&s->noted, key, s->depth);
	s->next = NULL;
	if (is_kept(s))
		s->next = json_filter_member(s->frames[s->nframes - 1].filter, key);
	if (s->o.items && s->depth == 1)        /* a document without its items is small, so all of it is kept */
		s->next = &json_filter_all;
	s->key = s->next ? str_copy(arena_now(s), key) : STR("");
	if (s->next)
		s->kept += key.n + sizeof "\"\":";
	s->text.n = 0;
	s->state = JSON_COLON;
	return true;
}

static bool end_string(struct json_stream *s, struct str piece, size_t at)
{
	struct data *d;

	if (s->text.overflow && !spoil(s, piece, at, JSON_LARGE, "this object is too large"))
		return false;
	s->text.overflow = false;
	if (s->is_key)
		return end_key(s);
	if (s->noted.next && !s->cut)
		json_noted_value(&s->noted, buf_text(&s->text));
	if ((d = new_value(s, DATA_STRING)))
		d->u.string = str_copy(arena_now(s), buf_text(&s->text));
	s->text.n = 0;
	return complete(s, d);
}

/* ---- strings, byte by byte where necessary ---- */

/* Appends a part of a string. Of a string that is dropped, only as much is kept as may be noted. */
static inline void put_string_part(struct json_stream *s, const char *bytes, size_t n)
{
	if (is_kept(s))
		buf_put(&s->text, bytes, n);
	else if (s->text.n + n > JSON_NOTED_LONGEST)
		s->cut = true;
	else if (s->o.skipped && (s->is_key || s->noted.next))
		buf_put(&s->text, bytes, n);
}

static void put_character(struct json_stream *s, uint32_t c)
{
	char bytes[4];
	unsigned n = 0;

	if (c < 0x80) {
		bytes[n++] = (char)c;
	} else if (c < 0x800) {
		bytes[n++] = (char)(0xC0 | c >> 6);
		bytes[n++] = (char)(0x80 | (c & 0x3F));
	} else if (c < 0x10000) {
		bytes[n++] = (char)(0xE0 | c >> 12);
		bytes[n++] = (char)(0x80 | (c >> 6 & 0x3F));
		bytes[n++] = (char)(0x80 | (c & 0x3F));
	} else {
		bytes[n++] = (char)(0xF0 | c >> 18);
		bytes[n++] = (char)(0x80 | (c >> 12 & 0x3F));
		bytes[n++] = (char)(0x80 | (c >> 6 & 0x3F));
		bytes[n++] = (char)(0x80 | (c & 0x3F));
	}
	put_string_part(s, bytes, n);
}

/* Replaces a high surrogate by U+FFFD if no low surrogate follows it, as Go's reader does. */
static void lone_surrogate(struct json_stream *s)
{
	if (s->high_surrogate)
		put_character(s, 0xFFFD);
	s->high_surrogate = 0;
}

/*
 * Reads the first byte of a character beyond ASCII, which determines the number of bytes that follow, and the bounds of
 * the next byte.
 */
static bool begin_utf8(struct json_stream *s, unsigned char c)
{
	s->utf8_low = 0x80;
	s->utf8_high = 0xBF;
	if (c >= 0xC2 && c <= 0xDF) {
		s->utf8_left = 1;
	} else if (c >= 0xE0 && c <= 0xEF) {
		s->utf8_left = 2;
		s->utf8_low = c == 0xE0 ? 0xA0 : 0x80;
		s->utf8_high = c == 0xED ? 0x9F : 0xBF;
	} else if (c >= 0xF0 && c <= 0xF4) {
		s->utf8_left = 3;
		s->utf8_low = c == 0xF0 ? 0x90 : 0x80;
		s->utf8_high = c == 0xF4 ? 0x8F : 0xBF;
	} else {
		return false;
	}
	return true;
}

static bool is_plain(unsigned char c) { return c >= ' ' && c < 0x80 && c != '"' && c != '\\'; }

/*
 * Reads a byte of a character that is a control character or beyond ASCII. No server writes control characters in
 * strings, so one of them shows that the text is not where we believe to be. Sets `again` if the byte does not belong
 * to the character before it and must be read again.
 */
static bool in_character(struct json_stream *s, unsigned char c, struct str piece, size_t at)
{
	s->again = false;
	if (s->utf8_left && c >= s->utf8_low && c <= s->utf8_high) {
		s->utf8_low = 0x80;
		s->utf8_high = 0xBF;
		s->utf8_left--;
		return true;
	}
	if (s->utf8_left) {
		s->utf8_left = 0;
		s->again = true;
		return spoil_scalar(s, piece, at, JSON_TEXT, "this is not UTF-8");
	}
	if (c < ' ')
		return stream_error(s, piece, at, "a control character in a string must be escaped");
	return begin_utf8(s, c) || spoil_scalar(s, piece, at, JSON_TEXT, "this is not UTF-8");
}

/* Continues a string at *AT; moves *AT past the bytes that were read. */
static bool in_string(struct json_stream *s, struct str piece, size_t *at)
{
	const char *p = piece.p + *at, *end = piece.p + piece.n, *from = p;

	while (p < end) {
		unsigned char c = (unsigned char)*p;
		if (!s->utf8_left)
			while (is_plain(c) && ++p < end)
				c = (unsigned char)*p;
		if (p == end || (!s->utf8_left && (c == '"' || c == '\\')))
			break;
		if (!in_character(s, c, piece, (size_t)(p - piece.p)))
			return false;
		if (!s->again)
			p++;
	}
	if (p > from)
		lone_surrogate(s);
	put_string_part(s, from, (size_t)(p - from));
	*at = (size_t)(p - piece.p);
	if (p == end)
		return true;
	++*at;
	if (*p == '\\') {
		s->state = JSON_ESCAPE;
		return true;
	}
	lone_surrogate(s);
	return end_string(s, piece, (size_t)(p - piece.p));
}

static bool escape(struct json_stream *s, struct str piece, size_t *at)
{
	static const char from[] = "\"\\/bfnrt", to[] = "\"\\/\b\f\n\r\t";
	char c = piece.p[*at];
	const char *found = c ? strchr(from, c) : NULL;

	if (c == 'u') {
		s->hex = s->hex_digits = 0;
		s->state = JSON_HEX;
		++*at;
		return true;
	}
	s->state = JSON_IN_STRING;
	if (!found)                             /* the character may be one that ends the string: it is read again */
		return spoil_scalar(s, piece, *at, JSON_TEXT, "JSON has no such escape");
	lone_surrogate(s);
	put_character(s, (unsigned char)to[found - from]);
	++*at;
	return true;
}

static void end_hex(struct json_stream *s)
{
	s->state = JSON_IN_STRING;
	if (s->hex >= 0xDC00 && s->hex <= 0xDFFF && s->high_surrogate) {
		put_character(s, 0x10000 + ((s->high_surrogate - 0xD800) << 10) + (s->hex - 0xDC00));
		s->high_surrogate = 0;
		return;
	}
	lone_surrogate(s);
	if (s->hex >= 0xD800 && s->hex <= 0xDBFF)
		s->high_surrogate = s->hex;
	else
		put_character(s, s->hex >= 0xDC00 && s->hex <= 0xDFFF ? 0xFFFD : s->hex);
}

static bool hex_digit(struct json_stream *s, struct str piece, size_t *at)
{
	unsigned char c = (unsigned char)piece.p[*at];

	if (!isxdigit(c)) {
		s->state = JSON_IN_STRING;
		return spoil_scalar(s, piece, *at, JSON_TEXT, "\\u needs four hexadecimal digits");
	}
	++*at;
	s->hex = s->hex << 4 | (unsigned)(isdigit(c) ? c - '0' : (c | 0x20) - 'a' + 10);
	if (++s->hex_digits == 4)
		end_hex(s);
	return true;
}

/* ---- structure ---- */

static void begin_text(struct json_stream *s, enum json_state state, bool is_key)
{
	s->text.n = 0;
	s->is_key = is_key;
	s->cut = false;
	s->state = state;
}

static bool begin_value(struct json_stream *s, struct str piece, size_t at)
{
	char c = piece.p[at];

	if (s->depth == 2 && unit_level(s) == 2)
		unit_begin(s);
	if (c == '{' || c == '[')
		return open_level(s, c == '[', piece, at);
	if (c == '"') {
		begin_text(s, JSON_IN_STRING, false);
		return true;
	}
	if (c != '-' && !isalnum((unsigned char)c))
		return stream_error(s, piece, at, "expected a value");
	begin_text(s, c == '-' || isdigit((unsigned char)c) ? JSON_IN_NUMBER : JSON_IN_WORD, false);
	buf_char(&s->text, c);
	return true;
}

static bool begin_document(struct json_stream *s, struct str piece, size_t at)
{
	if (s->documents && !s->o.several)
		return stream_error(s, piece, at, "something follows the document");
	s->unit = s->offset + at;
	s->next = s->o.items ? &json_filter_all : s->o.filter;
	s->key = STR("");
	unit_begin(s);
	return begin_value(s, piece, at);
}

static bool after_value(struct json_stream *s, struct str piece, size_t at)
{
	const struct json_frame *f = s->depth == s->nframes ? &s->frames[s->nframes - 1] : NULL;
	bool list = in_list(s);
	char c = piece.p[at];

	if (c == ',') {
		s->state = list ? JSON_VALUE : JSON_KEY;
		s->next = f ? f->filter : NULL;
		if (f && f->items)
			s->unit = s->offset + at;
		return true;
	}
	if (c == (list ? ']' : '}'))
		return close_level(s, piece, at);
	return stream_error(s, piece, at, list ? "expected ',' or ']'" : "expected ',' or '}'");
}

static bool begin_key(struct json_stream *s, struct str piece, size_t at)
{
	if (piece.p[at] == '}' && s->state == JSON_FIRST_KEY)
		return close_level(s, piece, at);
	if (piece.p[at] != '"')
		return stream_error(s, piece, at, "expected a key in quotes");
	begin_text(s, JSON_IN_STRING, true);
	return true;
}

/* Handles one byte that is neither in a string nor in a number. */
static bool between(struct json_stream *s, struct str piece, size_t at)
{
	char c = piece.p[at];

	if (c == ' ' || c == '\n' || c == '\r' || c == '\t')
		return true;
	switch (s->state) {
	case JSON_DOCUMENT: return begin_document(s, piece, at);
	case JSON_FIRST_ITEM:
		if (c == ']')
			return close_level(s, piece, at);
		return begin_value(s, piece, at);
	case JSON_VALUE: return begin_value(s, piece, at);
	case JSON_FIRST_KEY: case JSON_KEY: return begin_key(s, piece, at);
	case JSON_COLON:
		s->state = JSON_VALUE;
		return c == ':' || stream_error(s, piece, at, "expected ':'");
	default: return after_value(s, piece, at);
	}
}

/* Collects a number or a word, which ends at the first byte that cannot belong to it. */
static bool in_scalar(struct json_stream *s, struct str piece, size_t *at)
{
	size_t from = *at;

	while (*at < piece.n && (isalnum((unsigned char)piece.p[*at]) ||
	    strchr("+-.", piece.p[*at] ? piece.p[*at] : ' ')))
		++*at;
	if (s->text.n + (*at - from) <= 400)
		buf_put(&s->text, piece.p + from, *at - from);
	else if (!spoil_scalar(s, piece, from, JSON_NUMBER, "this number is too long"))
		return false;
	if (*at == piece.n)
		return true;
	return s->state == JSON_IN_NUMBER ? end_number(s, piece, *at) : end_word(s, piece, *at);
}

static bool step(struct json_stream *s, struct str piece, size_t *at)
{
	switch (s->state) {
	case JSON_IN_STRING: return in_string(s, piece, at);
	case JSON_IN_NUMBER: case JSON_IN_WORD: return in_scalar(s, piece, at);
	case JSON_ESCAPE: return escape(s, piece, at);
	case JSON_HEX: return hex_digit(s, piece, at);
	default: return between(s, piece, (*at)++);
	}
}

static void keep_tail(struct json_stream *s, struct str piece)
{
	unsigned n = piece.n < sizeof s->tail ? (unsigned)piece.n : (unsigned)sizeof s->tail;
	unsigned old = (unsigned)sizeof s->tail - n < s->ntail ? (unsigned)sizeof s->tail - n : s->ntail;

	memmove(s->tail, s->tail + s->ntail - old, old);
	memcpy(s->tail + old, piece.p + piece.n - n, n);
	s->ntail = old + n;
}

/* Compares the current item or document, up to the byte AT of PIECE, with its limits. */
static bool check_size(struct json_stream *s, struct str piece, size_t at)
{
	uint64_t read = s->offset + at - s->unit;

	if (s->state == JSON_DOCUMENT)
		return true;
	if (s->fault)
		return read / JSON_SKIPPED_TIMES <= s->o.largest ||
			stream_error(s, piece, at ? at - 1 : 0, "this object has no end");
	return spoil(s, piece, at ? at - 1 : 0, JSON_LARGE, "this object is too large");
}

static inline bool is_within(struct json_stream *s, struct str piece, size_t at)
{
	if (s->offset + at - s->unit <= s->o.largest && s->kept + s->text.n <= s->o.kept)
		return true;
	return check_size(s, piece, at);
}

bool json_stream_take(struct json_stream *s, struct str piece)
{
	size_t at = 0;

	if (s->stopped || s->error.n)
		return false;
	while (at < piece.n) {
		s->here = s->offset + at;
		if (!step(s, piece, &at) || !is_within(s, piece, at))
			return false;
	}
	s->offset += piece.n;
	keep_tail(s, piece);
	return true;
}

bool json_stream_end(struct json_stream *s)
{
	if (s->error.n)
		return false;
	if (!s->depth && (s->state == JSON_IN_NUMBER || s->state == JSON_IN_WORD) &&
	    !(s->state == JSON_IN_NUMBER ? end_number(s, STR(""), 0) : end_word(s, STR(""), 0)))
		return !s->error.n;
	if (s->stopped || s->state == JSON_DOCUMENT)
		return true;
	return stream_error(s, STR(""), 0, "the text ends here, before it is complete");
}
