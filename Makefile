# trainc - see README.md.  BUILD= chooses the build directory.
BUILD   ?= build
CC      ?= gcc
CFLAGS  ?= -O2 -g
WARN    := -Wall -Wextra -Wpedantic -Wshadow -Wstrict-prototypes -Wmissing-prototypes
CPPFLAGS += -D_GNU_SOURCE -Icompiler -Igrammar -I. -I$(BUILD)/gen
STD     := -std=c11

SRC := $(wildcard compiler/*.c compiler/*/*.c runtime/*.c runtime/*/*.c)
OBJ := $(SRC:%.c=$(BUILD)/obj/%.o)

$(BUILD)/obj/%.o: %.c
	@mkdir -p $(@D)
	$(CC) $(STD) $(CPPFLAGS) $(WARN) $(CFLAGS) -MMD -MP -c $< -o $@
-include $(OBJ:.o=.d)
