/*
 * page.h - the page that explains a diagnostic to people who have just received it.
 *
 * The pages are compiler/diag/pages/CODE.md, and their text is in the binary. A page consists of paragraphs of plain
 * Markdown and of fences:
 *
 *     ```tj wrong      a program that gets the diagnostic
 *     ```tj right      what to write instead, which has no diagnostics
 *     ```yaml wrong    the same for a manifest, which is given to `import`
 *
 * A fence may start with the line `# run: WORDS`. WORDS are the arguments of `trainc`, if they are not `check job.tj`:
 * a command, options, and a file unless it is job.tj, or job.yaml for a manifest, where the command is `import`. The
 * line `# also: CODES` lists further diagnostics that a wrong program has. A line `# file: NAME` starts another file;
 * the text before the first such line is job.tj or job.yaml. tests/diag/pages.sh compiles all of them.
 */
#ifndef TRAINC_DIAG_PAGE_H
#define TRAINC_DIAG_PAGE_H

#include "base/buf.h"
#include "diag/diag.h"

/* The text of the whole page. The function is generated into build/. */
struct str diag_page(enum diag_code code);

/* The paragraphs before the first fence, without the newline at the end. */
struct str diag_page_text(enum diag_code code);

/* A part of a page: consecutive paragraphs, or the content of a fence. */
struct page_part {
	enum { PAGE_TEXT, PAGE_WRONG, PAGE_RIGHT } kind;
	struct str text;                /* the text of the part: whole lines for a fence; paragraphs without blank lines
					 * at either end */
	struct str run;                 /* the words after `# run:` (this line is not in `text`); p == NULL if the page
					 * has no such line */
};
/* Takes the next part from the front of *REST; false at the end. */
bool page_next(struct str *rest, struct page_part *ret);

/* Writes the command of a part that has words in `run`, such as `trainc check jobs.tj`. */
void page_command(struct buf *b, const struct page_part *part);

/* Do the words of a command end with the name of a file? */
bool page_names_file(struct str words);

/* The name of the first file in a part: `job.tj`, or `job.yaml` where a manifest is imported. */
struct str page_first_file(const struct page_part *part);

/* The whole page with a title, as Markdown for an editor, without the messages about its wrong programs. */
struct str page_markdown(struct arena *a, enum diag_code code);

/* Takes a line without its newline from the front of *REST; false at the end. */
bool page_line(struct str *rest, struct str *ret);

#endif
