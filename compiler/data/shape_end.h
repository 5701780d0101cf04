/*
 * shape_end.h - ends the use of a list of rows: see shape.h.
 */
#undef SHAPE
#undef SHAPE_END
#undef MEMBER
#undef NAMED
#undef LIST
#undef ROW
#undef PLACE
