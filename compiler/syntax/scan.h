/*
 * scan.h - the functions that the rules of trainc.l call. The rules move through the text and report what they found.
 * Everything more difficult (which kind of number this is, where a string ends when its quote is missing) is done here,
 * in C.
 */
#ifndef TRAINC_SYNTAX_SCAN_H
#define TRAINC_SYNTAX_SCAN_H

#include "syntax/token.h"

/* An open string, and the `${` inside it that is being read. */
struct string_mode {
	int condition;                  /* start condition of the string */
	uint32_t open;                  /* offset of the string's opening quote */
	uint32_t interpolation;         /* offset of the `${` of the interpolation */
	unsigned braces;                /* number of `{` inside the interpolation that are still open */
	bool broken;
	unsigned indent;                /* indentation of the line of `${`, plus one; 0: not computed yet */
};

struct scan {
	struct tokens *ts;
	uint32_t start, end;            /* global offsets of the current match */
	unsigned char flags;            /* flags of the next token */
	bool marks;                     /* the text holds bytes that no program may contain (see MARK) */
	bool hidden;                    /* the text holds invisible characters */
	int condition;                  /* start condition of the string that is being read */
	uint32_t open;                  /* offset of the string's opening quote */
	bool broken;                    /* the string has a fault */
	/* opening quote of the last unclosed string that was reported */
	uint32_t told;
	uint32_t bad_line;              /* end of the last line that was reported for a bad character */
	/*
	 * set once text in single quotes was reported: where to link the next edit, since one fix covers all such texts
	 */
	struct diag_edit **single;
	/* end of the last line with a '$' outside a string: quotes on that line are probably misplaced */
	uint32_t dollar_line;
	struct string_mode *modes;
	size_t nmodes;
	unsigned newlines;              /* number of line ends since the last token or comment */
	size_t attached;                /* number of comments whose following token is known */
	char *clean;                    /* the text that is scanned */
};

/* Stands in the cleaned text for a byte that no program may contain; the text has no other control characters. */
#define MARK 1

void scan_token(struct scan *s, int kind);
void scan_newline(struct scan *s);
void scan_comment(struct scan *s);
void scan_word(struct scan *s);
void scan_number(struct scan *s);
void scan_junk(struct scan *s);

/* Strings. A function that returns a start condition returns the one in which scanning continues. */
int scan_string_open(struct scan *s, int condition);
int scan_string_begin(struct scan *s, int condition);    /* starts a string: reads the quote and the text after it */
void scan_string_text(struct scan *s);
void scan_string_bad(struct scan *s);
int scan_string_close(struct scan *s);
int scan_string_unclosed(struct scan *s);       /* reports a string that ends with its line or with the file */
/* Reports, once, that a string on one line was meant to continue on the next; called at a line end. */
bool scan_string_line(struct scan *s);
int scan_interpolation(struct scan *s);
int scan_brace_close(struct scan *s, int condition);
/*
 * Called at a new line inside `${`: returns the condition in which to continue, and repairs a `${` that was never
 * closed.
 */
int scan_interpolation_line(struct scan *s, int condition);

/* Generated from trainc.l: scans TEXT (n bytes and two NULs, writable). */
void scan_run(struct scan *s, char *text, size_t n);

#endif
