/*
 * shape_structs.h - the macros of a list of rows (shape.h) as structs. Include the list after this file, and then
 * shape_end.h.
 */
struct shape;
#define SHAPE(owner) struct owner {
#define SHAPE_END(owner) }; extern const struct shape shape_##owner;
#define MEMBER(owner, type, name, ...) type name;
#define NAMED(owner, type, name, key, ...) type name;
#define LIST(owner, type, name, count, key, ...) type name; size_t count;
#define ROW(owner, member, key, ...)
#define PLACE(owner, name) struct span name;
