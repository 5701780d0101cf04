# trainc - see README.md.
#
#   make            build/trainc                  make demo      build, compile an example, show what came out
#   make test       every test that needs no cluster            make asan      the same under sanitizers
#   make e2e        against a real control plane  make frameworks  real frameworks read our environment
#   make e2e-upstream  the operator's examples and its SDK, without it     make soak-supervise  an hour of jobs, and flat memory
#   make e2e-operator  the training operator and ours, job by job      make bench-operator  ... and what both need
#   make fuzz       FUZZ_SECONDS of each target   make cover     line coverage of compiler/
#   make test-editors  Neovim, Emacs and VS Code as clients of the language server; colors and indentation of every editor; the playground
#   make editors    grammar/editors from the table of words
#   make wasm       the compiler and the language server for WebAssembly    make playground  one page with them inside
#   make vsix       the extension of VS Code with the server inside (needs npm)
#   make test-wasm  builds both and tests the page
#   make bench-cluster  the commands beside kubectl         make soak SECONDS=3600  churn: memory stays flat
#   make bench      speed and memory beside their targets       make longest   the longest functions
#   make torture    inputs of doubling sizes and what they cost; calls that fail, one after the other, in typical commands
#   make analyze    what analyzers of C say (tests/analyze)
#   make cross      built for other machines and by clang, and the goldens there (tests/cross.sh)
#   make docs       docs/diagnostics.md from the pages of the diagnostics, docs/frameworks.md from the library,
#                   the lists in the manual pages from the table of options
#   make cascade    every single slip in the examples: what is said about it
#   make install DESTDIR= PREFIX=/usr/local       make clean
#
# BUILD= chooses the build directory, CC= the compiler, CFLAGS= and LDFLAGS= what one wants of it.

BUILD   ?= build
PREFIX  ?= /usr/local
DESTDIR ?=
# What makes a mistake in C harder to use; docs/security.md says how much of it, and tests/cli/hardened.sh keeps it.
HARDEN  := -fstack-protector-strong -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=2 -fPIE
CFLAGS  ?= -O2 -g -ffunction-sections $(HARDEN)
# A static program starts in half the time of one that has the C library to find.
LDFLAGS ?= -static -Wl,-z,relro,-z,now
WARN    := -Wall -Wextra -Wpedantic -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wcast-qual -Wwrite-strings
LIBS    := -lyaml
STD     := -std=c11
CPPFLAGS += -D_GNU_SOURCE -Icompiler -Igrammar -I. -I$(BUILD)/gen
FUZZ_SECONDS ?= 60
# What calls make again uses all processors, unless it was told how many.
JOBS    = $$(case "$$MAKEFLAGS" in *-j*) ;; *) echo -j$$(nproc) ;; esac)
comma   := ,

GEN     := $(BUILD)/gen
SRC     := $(filter-out runtime/cluster/% runtime/supervise/% compiler/web/%,$(sort $(wildcard compiler/*.c compiler/*/*.c compiler/syntax/help/*.c \
	compiler/emit/target/*.c runtime/*/*.c)))
OBJ     := $(SRC:%.c=$(BUILD)/obj/%.o)
GENSRC  := $(GEN)/trainc.tab.c $(GEN)/trainc.lex.c $(GEN)/stdlib.c $(GEN)/library.c $(GEN)/pages.c $(GEN)/schema.c
GENOBJ  := $(GENSRC:$(GEN)/%.c=$(BUILD)/obj/gen/%.o)
LIB     := $(BUILD)/libtrainc.a
# The cluster half: what needs libcurl and OpenSSL is in a second program, so that the first stays small. Only the C library is
# shared, because it loads modules of the system to look up host names. HALFLIBS='-lcurl -lssl -lcrypto -lyaml' shares them all.
HALFSRC := $(sort $(wildcard runtime/cluster/*.c runtime/supervise/*.c))
HALFOBJ := $(HALFSRC:%.c=$(BUILD)/obj/%.o)
HALFLIB := $(BUILD)/libcluster.a
HALF    := $(BUILD)/libexec/trainc/trainc-cluster
UNUSED  := $(BUILD)/obj/gen/unused.o
HALFLIBS := $(UNUSED) -Wl,-Bstatic -lcurl -lssl -lcrypto -lnghttp2 -lidn2 -lunistring -lz $(LIBS) -Wl,-Bdynamic
HALF_LDFLAGS := $(patsubst -static,-pie -Wl$(comma)-z$(comma)pack-relative-relocs -Wl$(comma)-T$(comma)$(GEN)/first.ld,$(LDFLAGS))
UNIT    := $(patsubst tests/unit/%.c,$(BUILD)/unit/%,$(wildcard tests/unit/*.c))

.PHONY: build unit test demo asan fuzz torture analyze cross cascade cover bench install longest docs e2e e2e-upstream e2e-operator bench-operator bench-cluster soak soak-supervise frameworks editors test-editors wasm wasm-sources playground test-wasm vsix clean FORCE
.DELETE_ON_ERROR:
build: $(BUILD)/trainc $(HALF)

# ---- what is generated ----

$(GEN):
	@mkdir -p $@

$(GEN)/trainc.tab.c $(GEN)/trainc.tab.h &: grammar/trainc.y | $(GEN)
	bison -Wall -Werror -Wno-yacc --header=$(GEN)/trainc.tab.h -o $(GEN)/trainc.tab.c $<
$(GEN)/trainc.lex.c $(GEN)/trainc.lex.h &: grammar/trainc.l | $(GEN)
	flex --header-file=$(GEN)/trainc.lex.h -o $(GEN)/trainc.lex.c $<

# Files that depend on a list (of modules, of pages, of sources and libraries, of flags) are made every time, and touched only when they change.
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
# The trees of the library's modules are made by a program of the build too, with the parser of programs.
LIBRARY_TOOL := compiler/check/library/compile.c $(wildcard compiler/base/*.c compiler/syntax/*.c compiler/syntax/help/*.c) \
	$(addprefix compiler/diag/,allow.c code.c diag.c suggest.c)
$(GEN)/library_compile: $(LIBRARY_TOOL) compiler/check/library_part.h $(wildcard compiler/base/*.h compiler/syntax/*.h compiler/syntax/help/*.h) \
		$(GEN)/trainc.tab.c $(GEN)/trainc.lex.c
	$(CC) $(STD) $(CPPFLAGS) -w -O0 -o $@ $(filter %.c,$^)
$(GEN)/library.c: $(GEN)/library_compile $(sort $(wildcard stdlib/std/*.tj))
	$(GEN)/library_compile $(filter %.tj,$^) >$@.new && mv $@.new $@
$(GEN)/unused.c: runtime/cluster/unused.sh | $(GEN)
	@sh $< "$$($(CC) -print-file-name=libcurl.a)" >$@.new && mv $@.new $@
# What common commands run lies together in trainc (first.sh).
$(GEN)/functions.ld: compiler/first.txt | $(GEN)
	@awk '{ print "*(.text." $$1 " .text." $$1 ".*)" }' $< | sed '1i SECTIONS { .text.first : {' >$@
	@echo '} } INSERT BEFORE .text;' >>$@
# What commands run lies together in trainc-cluster, in front of the rest of its text and constants (first.py).
$(GEN)/first.ld: runtime/cluster/first.txt | $(GEN)
	@awk '{ text = text "*" $$1 "(.text .text.*)\n"; constants = constants "*" $$1 "(.rodata .rodata.*)\n" } \
		END { printf "SECTIONS {\n.text.first : {\n%s}\n}\nINSERT BEFORE .text;\n", text; \
		printf "SECTIONS {\n. = ALIGN(CONSTANT(MAXPAGESIZE));\n.rodata.first : {\n%s}\n}\nINSERT BEFORE .rodata;\n", constants }' $< >$@
$(BUILD)/flags: FORCE | $(GEN)
	@echo '$(CC) $(STD) $(CPPFLAGS) $(WARN) $(CFLAGS) $(LDFLAGS)' >$@.new; $(replace)
$(BUILD)/sources: FORCE | $(GEN)
	@echo '$(SRC) $(HALFSRC) $(HALFLIBS)' >$@.new; $(replace)

# ---- the program ----

$(BUILD)/obj/%.o: %.c $(BUILD)/flags | $(GEN)/trainc.tab.h $(GEN)/trainc.lex.h
	@mkdir -p $(@D)
	$(CC) $(STD) $(CPPFLAGS) $(WARN) $(CFLAGS) -MMD -MP -c $< -o $@
$(BUILD)/obj/gen/%.o: $(GEN)/%.c $(BUILD)/flags | $(GEN)/trainc.tab.h $(GEN)/trainc.lex.h
	@mkdir -p $(@D)
	$(CC) $(STD) $(CPPFLAGS) -w $(CFLAGS) -MMD -MP -c $< -o $@
-include $(OBJ:.o=.d) $(HALFOBJ:.o=.d) $(GENOBJ:.o=.d)

# Appended (q), not replaced by name (r): files of one name live in several directories.
$(LIB): $(filter-out %/compiler/main.o,$(OBJ)) $(GENOBJ) $(BUILD)/sources
	@rm -f $@
	@echo ar qcs $@
	@ar qcs $@ $(filter %.o,$^)
$(BUILD)/trainc: $(BUILD)/obj/compiler/main.o $(LIB) $(GEN)/functions.ld
	$(CC) $(CFLAGS) $(patsubst -static,-static -Wl$(comma)-T$(comma)$(GEN)/functions.ld,$(LDFLAGS)) -o $@ $(filter-out %.ld,$^) $(LIBS)
$(HALFLIB): $(filter-out %/cluster/main.o,$(HALFOBJ)) $(BUILD)/sources | $(filter $(UNUSED),$(HALFLIBS))
	@rm -f $@
	@echo ar qcs $@
	@ar qcs $@ $(filter %.o,$^)
$(HALF): $(BUILD)/obj/runtime/cluster/main.o $(HALFLIB) $(LIB) $(GEN)/first.ld
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) $(HALF_LDFLAGS) -o $@ $(filter-out %.ld,$^) $(HALFLIBS)

# ---- tests ----

# trainc with calls of the C library that fail when a test wants them to (tests/torture/fault.c).
WRAPPED = $(shell sh tests/torture/wrapped)
$(BUILD)/torture/trainc: tests/torture/fault.c $(BUILD)/obj/compiler/main.o $(LIB)
	@mkdir -p $(@D)
	$(CC) $(STD) -D_GNU_SOURCE $(WARN) $(CFLAGS) $(LDFLAGS) $(WRAPPED:%=-Wl,--wrap=%) -o $@ $^ $(LIBS)

$(BUILD)/unit/%: tests/unit/%.c $(LIB)
	@mkdir -p $(@D)
	$(CC) $(STD) $(CPPFLAGS) $(WARN) $(CFLAGS) -MMD -MP $< $(LIB) $(UNIT_LIBS) $(LIBS) -o $@
-include $(UNIT:=.d)
# Tests read our output back with other people's readers.
$(BUILD)/unit/yaml_%: UNIT_LIBS := -lcjson
# In front of the C library and libyaml: their allocations fail one after the other.
$(BUILD)/unit/trainc_memory_test: UNIT_LIBS = $(LDFLAGS) $(addprefix -Wl$(comma)--wrap=,malloc calloc realloc free mmap munmap)
$(BUILD)/unit/cluster_%: UNIT_LIBS = $(HALFLIB) $(LIB) $(HALFLIBS)
$(filter $(BUILD)/unit/cluster_%,$(UNIT)): $(HALFLIB)
unit: $(UNIT) $(BUILD)/standin $(BUILD)/torture/trainc
# The scripted API server of the tests.
$(BUILD)/standin: $(wildcard tests/cluster/standin/*.[ch])
	$(CC) $(STD) -D_GNU_SOURCE $(WARN) $(filter-out -DARENA_DEBUG,$(CFLAGS)) -pthread $(filter %.c,$^) -lnghttp2 -lssl -lcrypto -o $@

test:
	@sh .ci/deps test
	@$(MAKE) $(JOBS) --no-print-directory build unit
	@BUILD=$(BUILD) sh tests/run.sh
demo:
	@sh .ci/deps demo
	@$(MAKE) $(JOBS) --no-print-directory build
	@BUILD=$(BUILD) sh examples/demo.sh

# Variables without a value begin as a pattern, so that reading one is seen each time.
SANITIZE := -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer -ftrivial-auto-var-init=pattern
asan:
	@sh .ci/deps test
	@$(MAKE) $(JOBS) --no-print-directory BUILD=build-asan CFLAGS='-O1 -g -DARENA_DEBUG $(SANITIZE)' LDFLAGS= build unit
	@BUILD=build-asan sh tests/run.sh

fuzz:
	@sh .ci/deps fuzz
	@$(MAKE) $(JOBS) --no-print-directory BUILD=build-fuzz CC=clang LDFLAGS= \
		CFLAGS='-O1 -g -DARENA_DEBUG -DFUZZING_BUILD_MODE_UNSAFE_FOR_PRODUCTION -fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=all -ftrivial-auto-var-init=pattern' build-fuzz/libtrainc.a
	@BUILD=build-fuzz FUZZ_SECONDS=$(FUZZ_SECONDS) FUZZ_SEED=$(FUZZ_SEED) sh tests/fuzz/run.sh

torture:
	@$(MAKE) $(JOBS) --no-print-directory build $(BUILD)/torture/trainc
	@python3 tests/torture/families.py $(BUILD)/trainc
	@python3 tests/torture/faults.py $(BUILD)/torture/trainc

analyze:
	@sh .ci/deps analyze
	@$(MAKE) $(JOBS) --no-print-directory $(BUILD)/gen/trainc.tab.h $(BUILD)/gen/trainc.lex.h
	@python3 tests/analyze/run.py $(BUILD)

# MACHINES= chooses some of aarch64, s390x and clang.
cross:
	@sh .ci/deps cross
	@sh tests/cross.sh $(MACHINES)

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
	@python3 docs/fields.py
	@BUILD=$(BUILD) python3 docs/frameworks.py
	@BUILD=$(BUILD) python3 docs/pictures.py
longest:
	@sh tests/tree/longest.sh -v
e2e: build
	@BUILD=$(BUILD) bash tests/e2e/run.sh
e2e-upstream: build
	@BUILD=$(BUILD) bash tests/e2e/run.sh upstream $(CHECKS)
# The API server is away for a minute; then jobs come and go for SECONDS (an hour), and the memory of the controller stays as it is.
soak-supervise: build
	@TRAINC=$(abspath $(BUILD))/trainc PYTHONDONTWRITEBYTECODE=1 python3 tests/supervise/absence.py
	@TRAINC=$(abspath $(BUILD))/trainc PYTHONDONTWRITEBYTECODE=1 SECONDS=$(or $(SECONDS),3600) SEED=$(SEED) python3 tests/supervise/soak.py
e2e-operator: build
	@BUILD=$(BUILD) bash tests/e2e/run.sh operator $(ROWS)
bench-cluster: build
	@BUILD=$(BUILD) bash tests/e2e/run.sh bench-cluster $(SCENARIOS)
soak: build
	@BUILD=$(BUILD) bash tests/e2e/run.sh soak $(SECONDS)
bench-operator: build
	@BUILD=$(BUILD) bash tests/e2e/run.sh bench $(SCENARIOS)
# The files for editors, from the table of words; tree-sitter's parser too, where its program is installed.
editors:
	@python3 grammar/editors/generate.py
	@sh tests/editors/newer.sh $(abspath $(BUILD))/editors/newer || true
	@PATH="$$PATH:$(abspath $(BUILD))/editors/newer/bin"; command -v tree-sitter >/dev/null && cd grammar/editors/tree-sitter && \
		tree-sitter generate --abi 14 --no-bindings grammar.js && rm -f src/tree_sitter/alloc.h src/tree_sitter/array.h src/grammar.json || \
		echo "tree-sitter is not installed: its parser.c is as it was"
# Packages of npm, pinned by the lock file beside their list; only tests and packaging use them.
$(BUILD)/editors/node/node_modules: tests/editors/node/package-lock.json
	@mkdir -p $(@D)
	@cp tests/editors/node/package.json $< $(@D)
	cd $(@D) && npm ci --ignore-scripts --no-audit --no-fund
test-editors: build
	@sh .ci/deps editors || true
	@$(MAKE) --no-print-directory $(BUILD)/editors/node/node_modules || true
	@$(MAKE) --no-print-directory playground vsix || true
	@sh tests/editors/code-server.sh $(abspath $(BUILD))/editors/code-server || true
	@sh tests/editors/newer.sh $(abspath $(BUILD))/editors/newer || true
	@BUILD=$(BUILD) sh tests/editors/run.sh

# ---- for the browser ----

WASM      := $(BUILD)/wasm
# The compiler and the language server without commands, files and clocks, and without the trees of the library: its text is enough.
WASM_SRC  := $(filter-out compiler/main.c compiler/command/% compiler/base/file.c compiler/base/file_write.c compiler/base/words.c compiler/explain/explain_command.c \
	runtime/%,$(SRC)) compiler/web/web.c
WASM_YAML := api dumper emitter loader parser reader scanner writer
WASM_OBJ  := $(WASM_SRC:%.c=$(WASM)/obj/%.o) $(patsubst $(GEN)/%.c,$(WASM)/obj/gen/%.o,$(filter-out %/library.c,$(GENSRC))) $(WASM_YAML:%=$(WASM)/obj/yaml/%.o)
# What browsers have had since 2021. Optimized as a whole, which clang 14 can do without thread-local variables only.
# Linked without -O: clang would call wasm-opt where that is installed.
WASM_MACHINE := clang --target=wasm32-wasi $(STD) -mbulk-memory -msign-ext -mnontrapping-fptoint
WASM_CC   := $(WASM_MACHINE) $(CPPFLAGS) -Oz -flto -w -ffunction-sections -fdata-sections -D_WASI_EMULATED_MMAN \
	-D_Thread_local= -D__thread= -I$(WASM)/libyaml/include
WASM_LD   := -Wl,--gc-sections,--strip-all,--stack-first
wasm:
	@sh .ci/deps wasm
	@sh .ci/libyaml $(WASM)/libyaml
	@$(MAKE) $(JOBS) --no-print-directory $(WASM)/trainc.wasm $(WASM)/unpack.wasm
$(WASM)/flags: FORCE
	@mkdir -p $(@D)
	@echo '$(WASM_CC)' >$@.new; $(replace)
$(WASM)/obj/yaml/%.o: $(WASM)/flags
	@mkdir -p $(@D)
	$(WASM_CC) -DHAVE_CONFIG_H -c $(WASM)/libyaml/src/$*.c -o $@
$(WASM)/obj/gen/%.o: $(GEN)/%.c $(WASM)/flags
	@mkdir -p $(@D)
	$(WASM_CC) -c $< -o $@
$(WASM)/obj/%.o: %.c $(WASM)/flags | $(GEN)/trainc.tab.h $(GEN)/trainc.lex.h
	@mkdir -p $(@D)
	$(WASM_CC) -MMD -MP -c $< -o $@
-include $(WASM_SRC:%.c=$(WASM)/obj/%.d)
$(WASM)/trainc.wasm: $(WASM_OBJ)
	@echo linking $@
	@$(WASM_MACHINE) -mexec-model=reactor $(WASM_LD) -Wl,-z,stack-size=8388608 -o $@ $^ -lwasi-emulated-mman
# Alone and for speed: it is what a page waits for.
$(WASM)/unpack.wasm: compiler/web/unpack.c
	@mkdir -p $(@D)
	$(WASM_MACHINE) $(WARN) -O2 -c $< -o $(WASM)/unpack.o
	$(WASM_MACHINE) -nostdlib -Wl,--no-entry $(WASM_LD) -Wl,-z,stack-size=16384 -o $@ $(WASM)/unpack.o
# For tests/wasm/browser.py.
wasm-sources:
	@echo $(WASM_SRC) $(filter-out %/library.c,$(GENSRC))
playground: wasm
	@$(MAKE) $(JOBS) --no-print-directory $(BUILD)/trainc
	@mkdir -p $(BUILD)/playground
	@python3 docs/playground/build.py $(WASM) $(BUILD)/trainc $(BUILD)/playground/index.html
# The extension of VS Code. Its language client and the program that bundles it come from npm, pinned by the lock file.
$(BUILD)/vsix/node_modules: grammar/editors/vscode/node/package-lock.json
	@mkdir -p $(@D)
	@cp grammar/editors/vscode/node/package.json $< $(@D)
	cd $(@D) && npm ci --ignore-scripts --no-audit --no-fund
vsix: wasm $(BUILD)/vsix/node_modules
	@python3 grammar/editors/vscode/build.py $(BUILD)/vsix $(WASM)/trainc.wasm $(BUILD)/vsix/trainc.vsix
test-wasm: playground
	@BUILD=$(BUILD) python3 tests/wasm/page.py

frameworks: build
	@BUILD=$(BUILD) bash tests/frameworks/run.sh

install: build
	@BUILD=$(BUILD) sh .ci/install $(DESTDIR)$(PREFIX)
clean:
	rm -rf build build-asan build-fuzz build-cover build-cross
