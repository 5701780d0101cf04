/*
 * timeline_html.c - writes the page around the drawing: the state of each run, and the last words of its first failing
 * rank.
 */
#include "runtime/run/timeline_internal.h"

#include "base/words.h"

static const char style[] =
	"<style>\n"
	":root{color-scheme:light dark}body{font:15px/1.45 system-ui,sans-serif;margin:2rem "
		"auto;max-width:1000px;padding:0 1rem}\n"
	"h1{font-size:1.3rem;margin:0}dl{display:grid;grid-template-columns:max-content 1fr;gap:.1rem "
		"1rem;margin:.8rem 0}dt{opacity:.7}dd{margin:0}\n"
	"pre{overflow-x:auto;border-left:3px solid #c0362c;padding:.4rem .8rem;margin:.8rem "
		"0}.chart{overflow-x:auto}svg{display:block}section{margin-bottom:2.5rem}\n"
	"</style>\n";

static void put_fact(struct buf *out, const char *word, struct str value)
{
	if (!value.n)
		return;
	buf_printf(out, "<dt>%s</dt><dd>", word);
	timeline_text(out, value);
	buf_z(out, "</dd>\n");
}

static void put_when(struct buf *out, const char *word, int64_t t)
{
	struct buf text = { 0 };

	if (t)
		put_time(&text, t, 0);
	put_fact(out, word, buf_text(&text));
	buf_release(&text);
}

static void put_last_lines(const struct run_state *s, struct buf *out)
{
	const struct run_failure *f = &s->failure;

	if (!f->known || !f->nlog || s->phase == RUN_SUCCEEDED)
		return;
	buf_z(out, "<p>The last lines of ");
	timeline_text(out, f->role);
	buf_printf(out, " %lld, which failed first:</p>\n<pre tabindex=\"0\">", (long long)f->index);
	for (size_t i = 0; i < f->nlog; i++) {
		timeline_text(out, f->log[i]);
		buf_char(out, '\n');
	}
	buf_z(out, "</pre>\n");
}

static void put_run_section(const struct run_state *s, int64_t now, struct buf *out)
{
	buf_z(out, "<section>\n<h1>");
	timeline_text(out, s->name);
	buf_z(out, "</h1>\n<p>");
	timeline_headline(s, out);
	buf_z(out, "</p>\n<dl>\n");
	put_fact(out, "Namespace", s->ns);
	put_fact(out, "Framework", s->framework);
	put_fact(out, "Program", s->file);
	put_when(out, "Began", s->begin);
	put_when(out, "Ended", s->end);
	buf_z(out, "</dl>\n");
	put_last_lines(s, out);
	/* in a narrow window the drawing scrolls, because its text would become too small to read */
	buf_z(out, "<div class=\"chart\" tabindex=\"0\" role=\"group\" aria-label=\"Time line\">\n");
	timeline_draw(&s, 1, now, false, out);
	buf_z(out, "</div>\n</section>\n");
}

void timeline_html(const struct run_state *const *runs, size_t n, int64_t now, struct buf *out)
{
	buf_z(out, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
		"<meta name=\"viewport\" content=\"width=device-width\">\n<title>");
	if (n == 1)
		timeline_text(out, runs[0]->name);
	else
		buf_printf(out, "%zu runs", n);
	buf_z(out, "</title>\n");
	buf_z(out, style);
	buf_z(out, "</head>\n<body>\n<main>\n");
	for (size_t i = 0; i < n; i++)
		put_run_section(runs[i], now, out);
	buf_z(out, "</main>\n</body>\n</html>\n");
}
