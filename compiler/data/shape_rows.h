/*
 * shape_rows.h - the macros of a list of rows (shape.h) as tables. Include the list after this file, and then
 * shape_end.h. The types, words and functions that the rows name must be declared before.
 */
#define SHAPE(owner) static const struct shape_row owner##_rows[] = {
#define SHAPE_END(owner) }; const struct shape shape_##owner = { #owner, owner##_rows, \
	sizeof owner##_rows / sizeof *owner##_rows, sizeof(struct owner) };
#define MEMBER(owner, type, name, ...) ROW(owner, name, #name, .member = true, __VA_ARGS__)
#define NAMED(owner, type, name, key, ...) ROW(owner, name, key, .member = true, __VA_ARGS__)
#define LIST(owner, type, name, count, key, ...) ROW(owner, name, key, .member = true, WITH(owner, count), \
	__VA_ARGS__)
#define ROW(owner, member, name, ...) { .key = name, .offset = offsetof(struct owner, member), __VA_ARGS__ },
#define PLACE(owner, name)
