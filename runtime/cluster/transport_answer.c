/*
 * transport_answer.c - reads an answer as it arrives: header lines, body, and the Status in a failure. Load balancers
 * answer in HTML, and a server that is shutting down in plain text. Therefore the status code decides, and the body
 * only explains the failure.
 */
#include <ctype.h>
#include <strings.h>

#include "data/data_read.h"
#include "runtime/cluster/transport_internal.h"

static struct str trim(struct str s)
{
	while (s.n && isspace((unsigned char)s.p[0]))
		s = (struct str){ s.p + 1, s.n - 1 };
	while (s.n && isspace((unsigned char)s.p[s.n - 1]))
		s.n--;
	return s;
}

/* ---- header lines ---- */

/*
 * The time of a date in ns; -1 if VALUE is not a date. Dates after the year 2115 are reduced to the latest time that is
 * representable.
 */
static int64_t date_of(struct transport_exchange *x, struct str value)
{
	const time_t last = INT64_MAX / 2 / NS_PER_SECOND;
	time_t at = curl_getdate(str_copy(&x->arena, value).p, NULL);

	return at < 0 ? -1 : (at > last ? last : at) * NS_PER_SECOND;
}

static int64_t at_most_a_minute(int64_t ns)
{
	return ns < 0 ? 0 : ns > 60 * NS_PER_SECOND ? 60 * NS_PER_SECOND : ns;
}

/* Reads Retry-After: a number of seconds, or a date. Any other value is ignored. */
static void note_retry_after(struct transport_exchange *x, struct str value)
{
	int64_t seconds = 0;
	size_t i = 0;

	for (; i < value.n && isdigit((unsigned char)value.p[i]) && seconds < 100000; i++)
		seconds = 10 * seconds + (value.p[i] - '0');
	if (value.n && i == value.n)
		x->retry_after = at_most_a_minute(seconds * NS_PER_SECOND);
	else
		x->retry_at = date_of(x, value);
}

/*
 * Computes the pause until the date in Retry-After, which is a time by the server's clock. The header Date shows that
 * clock and may follow Retry-After, so this function is called when all headers are known.
 */
static void read_retry_at(struct transport_exchange *x)
{
	int64_t server = clock_real() + x->transport->clock_offset;

	if (x->retry_at >= 0 && x->retry_after < 0)
		x->retry_after = at_most_a_minute(x->retry_at - server);
}

static void note_date(struct transport_exchange *x, struct str value)
{
	struct transport *t = x->transport;
	int64_t at = date_of(x, value);

	if (at < 0)
		return;
	/*
	 * The Date header has whole seconds, and was written at some time since the request began, so every difference
	 * from LEAST to MOST is possible. The known difference is kept as long as it is in that range. Otherwise the
	 * server's time would go back from one answer to the next, especially after a slow answer.
	 */
	t->clock_known = true;
	int64_t least = at - clock_real();
	int64_t most = least + NS_PER_SECOND + clock_steady() - x->started;
	t->clock_offset = t->clock_offset < least ? least : t->clock_offset > most ? most : t->clock_offset;
}

/*
 * Reports the text of a header value `299 - "text"`, in which a backslash precedes quotes; each text is reported once.
 */
static void note_warning(struct transport_exchange *x, struct str value)
{
	struct transport *t = x->transport;
	const char *quote = memchr(value.p, '"', value.n);
	struct buf text = { 0 };

	if (!t->o.warning || !quote)
		return;
	for (const char *p = quote + 1, *end = value.p + value.n; p < end && *p != '"'; p++) {
		if (*p == '\\' && p + 1 < end)
			p++;
		buf_char(&text, *p);
	}
	struct str said = buf_take(&text, t->arena);
	buf_release(&text);
	if (said.n && !map_put(&t->warnings, t->arena, said, t))
		t->o.warning(t->o.to, said);
}

/* Reads a line such as "HTTP/1.1 200 OK", which begins an answer; after a code of 100 to 199 another answer follows. */
static void status_line(struct transport_exchange *x, struct str line)
{
	const char *space = memchr(line.p, ' ', line.n);

	x->http2 = str_starts(line, STR("HTTP/2"));
	if (!x->http2)
		x->transport->http1 = true;
	x->code = 0;
	for (const char *p = space ? space + 1 : line.p + line.n;
	    p < line.p + line.n && isdigit((unsigned char)*p) && x->code < 1000; p++)
		x->code = 10 * x->code + (*p - '0');
	x->content_type = x->location = STR("");
	x->retry_after = x->retry_at = -1;
}

static void header_done(struct transport_exchange *x)
{
	read_retry_at(x);
	if (x->code < 200 || x->state != EXCHANGE_SENT)
		return;
	x->state = EXCHANGE_ANSWER;
	x->answered = loop_now(x->transport->o.loop);
	exchange_count_connections(x);
	if (x->request.kind == TRANSPORT_STREAM)
		exchange_limit(x, x->request.quiet);
	else
		exchange_limit(x, x->transport->o.stall_limit);
	if (x->request.began && x->code < 300)
		x->request.began(x->request.to);
}

size_t exchange_header(char *bytes, size_t size, size_t n, void *to)
{
	struct transport_exchange *x = to;
	struct str line = trim((struct str){ bytes, size * n });
	const char *colon = memchr(line.p, ':', line.n);

	if (x->cancelled)
		return 0;
	if (!line.n) {
		header_done(x);
	} else if (str_starts(line, STR("HTTP/"))) {
		status_line(x, line);
	} else if (colon) {
		struct str name = { line.p, (size_t)(colon - line.p) };
		struct str value = trim((struct str){ colon + 1, (size_t)(line.p + line.n - colon - 1) });
		name = str_lower(&x->arena, name);
		if (str_is(name, "content-type"))
			x->content_type = str_copy(&x->arena, value);
		else if (str_is(name, "location"))
			x->location = str_copy(&x->arena, value);
		else if (str_is(name, "retry-after"))
			note_retry_after(x, value);
		else if (str_is(name, "date"))
			note_date(x, value);
		else if (str_is(name, "warning"))
			note_warning(x, value);
	}
	return size * n;
}

/* ---- bodies ---- */

static bool is_type(struct str type, const char *wanted)
{
	size_t n = strlen(wanted);

	return type.n >= n && strncasecmp(type.p, wanted, n) == 0 &&
		(type.n == n || type.p[n] == ';' || type.p[n] == ' ');
}

/*
 * Does the answer have the expected content type? A success must be JSON, unless text was requested: any other type is,
 * for example, a login page.
 */
static bool type_is_right(const struct transport_exchange *x)
{
	return x->request.text ? !is_type(x->content_type, "text/html") : is_type(x->content_type, "application/json");
}

/*
 * Does the body come too slowly? Besides the limit for each pause, a body that has an end may take four times that
 * limit and a second for each 64 KiB; otherwise a server that sends a byte now and then would never end a command.
 */
static bool is_trickle(struct transport_exchange *x)
{
	int64_t may = 4 * x->transport->o.stall_limit + (x->bytes_in >> 16) * NS_PER_SECOND;

	return x->request.kind != TRANSPORT_STREAM && loop_now(x->transport->o.loop) - x->answered > may;
}

size_t exchange_body(char *bytes, size_t size, size_t n, void *to)
{
	struct transport_exchange *x = to;
	struct str piece = { bytes, size * n };
	bool success = x->code >= 200 && x->code < 300;

	if (x->cancelled)
		return 0;
	if (success && !x->bytes_in && !type_is_right(x)) {
		x->stopped = TRANSPORT_FOREIGN;
		return 0;
	}
	x->bytes_in += (int64_t)piece.n;
	x->transport->counts.bytes_in += piece.n;
	if (is_trickle(x)) {
		x->too_slow = x->trickled = true;
		return 0;
	}
	if (x->limit_ns)
		exchange_limit(x, x->limit_ns);
	if (success && x->request.take) {
		if (!x->request.take(x->request.to, piece) && !x->cancelled)
			x->stopped = TRANSPORT_STOPPED;
		return x->cancelled || x->stopped ? 0 : piece.n;
	}
	if (!success && x->body.n + piece.n > FAILURE_LARGEST)
		return piece.n;                 /* the collected part is enough to explain the failure */
	if (x->body.n + piece.n > TRANSPORT_LARGEST) {
		x->stopped = TRANSPORT_TOO_LARGE;
		return 0;
	}
	buf_put(&x->body, piece.p, piece.n);
	return piece.n;
}

/* ---- failures ---- */

static const struct data *map_member(const struct data *map, const char *name)
{
	return map && map->kind == DATA_MAP ? data_get(map, str_of(name)) : NULL;
}

static struct str answer_member(const struct data *map, const char *name)
{
	const struct data *d = map_member(map, name);

	return d && d->kind == DATA_STRING ? d->u.string : STR("");
}

static void read_details(struct transport_exchange *x, const struct data *details, struct transport_status *s)
{
	const struct data *causes = map_member(details, "causes"), *wait = map_member(details, "retryAfterSeconds");

	s->kind = answer_member(details, "kind");
	s->group = answer_member(details, "group");
	s->name = answer_member(details, "name");
	s->uid = answer_member(details, "uid");
	for (size_t i = 0; causes && causes->kind == DATA_LIST && i < causes->u.list.n; i++) {
		const struct data *c = causes->u.list.at[i];
		struct transport_cause cause = { answer_member(c, "reason"), answer_member(c, "field"),
			answer_member(c, "message") };
		ARENA_PUSH(&x->arena, s->causes, s->ncauses, cause);
	}
	if (wait && wait->kind == DATA_INT && wait->u.integer > 0 && x->retry_after < 0)
		x->retry_after = (wait->u.integer > 60 ? 60 : wait->u.integer) * NS_PER_SECOND;
}

static const char *code_words(int code)
{
	switch (code) {
	case 400: return "Bad Request";
	case 401: return "Unauthorized";
	case 403: return "Forbidden";
	case 404: return "Not Found";
	case 405: return "Method Not Allowed";
	case 406: return "Not Acceptable";
	case 409: return "Conflict";
	case 410: return "Gone";
	case 413: return "Request Entity Too Large";
	case 415: return "Unsupported Media Type";
	case 422: return "Unprocessable Entity";
	case 429: return "Too Many Requests";
	case 500: return "Internal Server Error";
	case 502: return "Bad Gateway";
	case 503: return "Service Unavailable";
	case 504: return "Gateway Timeout";
	default: return code < 400 ? "Redirect" : "Error";
	}
}

/* The first line of a plain text body. Empty for HTML, which contains no useful text. */
static struct str plain_message(struct transport_exchange *x)
{
	struct str text = trim(buf_text(&x->body));
	const char *newline = memchr(text.p, '\n', text.n);

	if (newline)
		text.n = (size_t)(newline - text.p);
	if (!text.n || text.p[0] == '<' || is_type(x->content_type, "text/html"))
		return str_printf(&x->arena, "%s%s", code_words(x->code),
			text.n ? " (the answer is a web page, not from an API server)" : "");
	if (text.n > 500)
		text.n = 500;
	return str_copy(&x->arena, text);
}

const struct transport_status *exchange_status(struct transport_exchange *x)
{
	struct transport_status *s = ARENA_NEW(&x->arena, struct transport_status);
	struct source source = { .text = str_copy(&x->arena, buf_text(&x->body)), .base = 1 };
	struct data *root = NULL;
	struct data_error error;

	if (is_type(x->content_type, "application/json") && data_read_json(&x->arena, &source, &root, &error) &&
	    str_is(answer_member(root, "kind"), "Status")) {
		s->is_object = true;
		s->reason = answer_member(root, "reason");
		s->message = answer_member(root, "message");
		s->continue_token = answer_member(map_member(root, "metadata"), "continue");
		read_details(x, map_member(root, "details"), s);
	}
	if (!s->message.n)
		s->message = s->is_object ? str_of(code_words(x->code)) : plain_message(x);
	return s;
}

/* ---- time and counts ---- */

void exchange_count_connections(struct transport_exchange *x)
{
	long opened = 0;

	if (x->easy && !x->counted && curl_easy_getinfo(x->easy, CURLINFO_NUM_CONNECTS, &opened) == CURLE_OK)
		x->transport->counts.connections += (uint64_t)opened;
	x->counted = true;
}

void exchange_limit(struct transport_exchange *x, int64_t ns)
{
	int64_t left = x->request.timeout ? x->started + x->request.timeout - loop_now(x->transport->o.loop)
		: INT64_MAX;

	x->limit_ns = ns && ns < left ? ns : x->request.timeout;
	if (!x->limit_ns)
		loop_timer_drop(x->transport->o.loop, &x->limit);
	else
		loop_timer_set(x->transport->o.loop, &x->limit, ns && ns < left ? ns : left);
}
