# trainc - see README.md.
#
#   make            build/trainc                  make demo      build, compile an example, show what came out
#   make test       every test that needs no cluster            make asan      the same under sanitizers
#   make e2e        against a real control plane  make frameworks  real frameworks read our environment
#   make fuzz       FUZZ_SECONDS of each target   make cover     line coverage of compiler/
#   make bench      speed and memory beside their targets       make longest   the longest functions
#   make docs       docs/diagnostics.md from the pages of the diagnostics, docs/frameworks.md from the library,
#                   the lists in the manual pages from the table of options
#   make cascade    every single slip in the examples: what is said about it
#   make install DESTDIR= PREFIX=/usr/local       make clean
#
# BUILD= chooses the build directory, CC= the compiler, CFLAGS= and LDFLAGS= what one wants of it.

BUILD   ?= build
PREFIX  ?= /usr/local
DESTDIR ?=
CFLAGS  ?= -O2 -g
# A static program starts in half the time of one that has the C library to find.
LDFLAGS ?= -static
WARN    := -Wall -Wextra -Wpedantic -Wshadow -Wstrict-prototypes -Wmissing-prototypes
LIBS    := -lyaml
STD     := -std=c11
CPPFLAGS += -D_GNU_SOURCE -Icompiler -Igrammar -I. -I$(BUILD)/gen
FUZZ_SECONDS ?= 60
# What calls make again uses all processors, unless it was told how many.
JOBS    = $$(case "$$MAKEFLAGS" in *-j*) ;; *) echo -j$$(nproc) ;; esac)

GEN     := $(BUILD)/gen
SRC     := $(sort $(wildcard compiler/*.c compiler/*/*.c runtime/*.c runtime/*/*.c))
OBJ     := $(SRC:%.c=$(BUILD)/obj/%.o)
GENSRC  := $(GEN)/trainc.tab.c $(GEN)/trainc.lex.c $(GEN)/stdlib.c $(GEN)/pages.c $(GEN)/schema.c
GENOBJ  := $(GENSRC:$(GEN)/%.c=$(BUILD)/obj/gen/%.o)
LIB     := $(BUILD)/libtrainc.a
UNIT    := $(patsubst tests/unit/%.c,$(BUILD)/unit/%,$(wildcard tests/unit/*.c))

.PHONY: build unit test demo asan fuzz cascade cover bench install longest docs e2e frameworks clean FORCE
.DELETE_ON_ERROR:
build: $(BUILD)/trainc

# ---- what is generated ----

$(GEN):
	@mkdir -p $@

$(GEN)/trainc.tab.c $(GEN)/trainc.tab.h &: grammar/trainc.y | $(GEN)
	bison -Wall -Werror -Wno-yacc --header=$(GEN)/trainc.tab.h -o $(GEN)/trainc.tab.c $<
$(GEN)/trainc.lex.c $(GEN)/trainc.lex.h &: grammar/trainc.l | $(GEN)
	flex --header-file=$(GEN)/trainc.lex.h -o $(GEN)/trainc.lex.c $<

# Files that depend on a list (of modules, of pages, of sources, of flags) are made every time, and touched only when they change.
replace = cmp -s $@.new $@ && rm $@.new || mv $@.new $@
$(GEN)/stdlib.c: stdlib/embed.sh FORCE | $(GEN)
	@sh stdlib/embed.sh stdlib/std/*.tj >$@.new; $(replace)
$(GEN)/pages.c: compiler/diag/pages.sh FORCE | $(GEN)
	@sh compiler/diag/pages.sh compiler/diag/pages/*.md >$@.new; $(replace)
# The tables of schemas are made by a program of the build, from the same reader that a project's own kinds go through.
SCHEMA_TOOL := compiler/kube/schema/compile.c compiler/kube/schema.c compiler/kube/schema_text.c $(wildcard compiler/base/*.c)
$(GEN)/schema_compile: $(SCHEMA_TOOL) $(wildcard compiler/base/*.h compiler/kube/schema*.h) | $(GEN)
	$(CC) $(STD) $(CPPFLAGS) $(WARN) -O1 -o $@ $(SCHEMA_TOOL)
$(GEN)/schema.c: $(GEN)/schema_compile compiler/kube/schema_addons.tbl $(sort $(wildcard compiler/kube/schema_1.*.tbl))
	$(GEN)/schema_compile $(filter %.tbl,$^) >$@.new && mv $@.new $@
$(BUILD)/flags: FORCE | $(GEN)
	@echo '$(CC) $(STD) $(CPPFLAGS) $(WARN) $(CFLAGS) $(LDFLAGS)' >$@.new; $(replace)
$(BUILD)/sources: FORCE | $(GEN)
	@echo '$(SRC)' >$@.new; $(replace)

# ---- the program ----

$(BUILD)/obj/%.o: %.c $(BUILD)/flags | $(GEN)/trainc.tab.h $(GEN)/trainc.lex.h
	@mkdir -p $(@D)
	$(CC) $(STD) $(CPPFLAGS) $(WARN) $(CFLAGS) -MMD -MP -c $< -o $@
$(BUILD)/obj/gen/%.o: $(GEN)/%.c $(BUILD)/flags | $(GEN)/trainc.tab.h $(GEN)/trainc.lex.h
	@mkdir -p $(@D)
	$(CC) $(STD) $(CPPFLAGS) -w $(CFLAGS) -MMD -MP -c $< -o $@
-include $(OBJ:.o=.d) $(GENOBJ:.o=.d)

# Appended (q), not replaced by name (r): files of one name live in several directories.
$(LIB): $(filter-out %/compiler/main.o,$(OBJ)) $(GENOBJ) $(BUILD)/sources
	@rm -f $@
	@echo ar qcs $@
	@ar qcs $@ $(filter %.o,$^)
$(BUILD)/trainc: $(BUILD)/obj/compiler/main.o $(LIB)
	$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $^ $(LIBS)

# ---- tests ----

$(BUILD)/unit/%: tests/unit/%.c $(LIB)
	@mkdir -p $(@D)
	$(CC) $(STD) $(CPPFLAGS) $(WARN) $(CFLAGS) -MMD -MP $< $(LIB) $(UNIT_LIBS) $(LIBS) -o $@
-include $(UNIT:=.d)
# Tests read our output back with other people's readers.
$(BUILD)/unit/yaml_%: UNIT_LIBS := -lcjson
unit: $(UNIT)

test:
	@sh .ci/deps test
	@$(MAKE) $(JOBS) --no-print-directory build unit
	@BUILD=$(BUILD) sh tests/run.sh
demo:
	@sh .ci/deps demo
	@$(MAKE) $(JOBS) --no-print-directory build
	@BUILD=$(BUILD) sh examples/demo.sh

SANITIZE := -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer
asan:
	@sh .ci/deps test
	@$(MAKE) $(JOBS) --no-print-directory BUILD=build-asan CFLAGS='-O1 -g -DARENA_DEBUG $(SANITIZE)' LDFLAGS= build unit
	@BUILD=build-asan sh tests/run.sh

fuzz:
	@sh .ci/deps fuzz
	@$(MAKE) $(JOBS) --no-print-directory BUILD=build-fuzz CC=clang LDFLAGS= \
		CFLAGS='-O1 -g -DFUZZING_BUILD_MODE_UNSAFE_FOR_PRODUCTION -fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=all' build-fuzz/libtrainc.a
	@BUILD=build-fuzz FUZZ_SECONDS=$(FUZZ_SECONDS) FUZZ_SEED=$(FUZZ_SEED) sh tests/fuzz/run.sh

cascade: build
	@TRAINC=$$PWD/$(BUILD)/trainc sh tests/cascade/cascade.sh --all
cover:
	@sh .ci/deps test
	@$(MAKE) $(JOBS) --no-print-directory BUILD=build-cover CFLAGS='-O0 -g --coverage' LDFLAGS= build unit
	@find build-cover -name '*.gcda' -delete
	@BUILD=build-cover sh tests/run.sh | tail -1
	@BUILD=build-cover sh tests/cover.sh

bench: build
	@BUILD=$(BUILD) python3 tests/bench/run.py
docs: build
	@python3 docs/manual.py
	@python3 docs/diagnostics.py
	@BUILD=$(BUILD) python3 docs/frameworks.py
longest:
	@sh tests/longest.sh
e2e: build
	@BUILD=$(BUILD) bash tests/e2e/run.sh
frameworks: build
	@BUILD=$(BUILD) bash tests/frameworks/run.sh

install: build
	@BUILD=$(BUILD) sh .ci/install $(DESTDIR)$(PREFIX)
clean:
	rm -rf build build-asan build-fuzz build-cover
