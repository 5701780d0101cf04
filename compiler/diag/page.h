/*
 * page.h - the explanation of a diagnostic, for people who have just met it.
 *
 * compiler/diag/pages/CODE.md, as text in the binary.  A page is paragraphs of
 * plain Markdown, and fences:
 *
 *     ```tj wrong      a program that gets the diagnostic
 *     ```tj right      what to write instead; nothing is said about it
 *     ```yaml wrong    the same for a manifest, which is given to `import`
 *
 * A fence may begin with `# run: WORDS`, what follows `trainc` when it is not
 * `check job.tj`: a command, options, and a file when that is not job.tj, or
 * job.yaml for a manifest, whose words begin with `import`.
 * `# also: CODES` names what else is rightly said about a wrong program.  A
 * line `# file: NAME` begins another file; what is before the first one is
 * job.tj or job.yaml.  tests/diag/pages.sh compiles all of them.
 */
#ifndef TRAINC_DIAG_PAGE_H
#define TRAINC_DIAG_PAGE_H

#include "base/buf.h"
#include "diag/diag.h"

/* The text of the whole page; generated into build/. */
struct str diag_page(enum diag_code code);

/* The paragraphs before the first fence, without the newline at the end. */
struct str diag_page_text(enum diag_code code);

/* A part of a page: consecutive paragraphs, or the content of a fence. */
struct page_part {
	enum { PAGE_TEXT, PAGE_WRONG, PAGE_RIGHT } kind;
	struct str text;                /* text of the part: of a fence, whole lines; of paragraphs, without blank lines
					 * at the ends */
	struct str run;                 /* the words after `# run:`, a line that is not in `text`; p == NULL if there is
					 * none */
};
/* Takes the next part from the front of *REST; false at the end. */
bool page_next(struct str *rest, struct page_part *ret);

/* Writes the command that a part with words in `run` is for, such as `trainc check jobs.tj`. */
void page_command(struct buf *b, const struct page_part *part);

/* Do the words of a command end in the name of a file? */
bool page_names_file(struct str words);

/* The file that a part begins with: `job.tj`, or `job.yaml` where a manifest is imported. */
struct str page_first_file(const struct page_part *part);

/* The whole page with a title, as Markdown for an editor, without the messages about its wrong programs. */
struct str page_markdown(struct arena *a, enum diag_code code);

/* Takes a line without its newline from the front of *REST; false at the end. */
bool page_line(struct str *rest, struct str *ret);

#endif
