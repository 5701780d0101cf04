# trainc - see README.md.
#
#   make                 builds build/trainc and the program for clusters
#   make demo            builds, compiles an example, and shows the result
#   make install         DESTDIR= PREFIX=/usr/local
#   make uninstall       removes the files that make install wrote there
#   make clean
#
#   make test            runs every test that needs no cluster
#   make asan            runs the same tests under sanitizers
#   make fuzz            runs each fuzz target for FUZZ_SECONDS
#   make fuzz-new        searches for new inputs of fuzz targets, and prints which lines they reach
#   make cover           prints line coverage of compiler/ and runtime/
#   make bench           compares speed and memory with their targets
#   make reproducible    builds twice, in two directories, and compares the programs byte for byte
#   make libraries       compares the libraries in the programs with the newest ones of the distribution
#   make sbom            writes build/trainc.spdx.json, which lists them in the format SPDX
#   make test-sbom       checks that file with the tools of SPDX (needs Python packages)
#   make torture         measures inputs of doubling sizes, and makes calls fail, one after the other, in typical commands
#   make cascade         damages the examples, one slip at a time, and judges the messages
#   make analyze         runs analyzers of C (tests/analyze)
#   make cross           builds for other machines and with clang, and compares the goldens there (tests/cross.sh)
#   make longest         lists the longest functions
#   make frameworks      lets real frameworks read our environment
#   make test-editors    tests Neovim, Emacs and VS Code as clients of the language server, the colors and the
#                        indentation of every editor, and the playground
#   make test-wasm       builds the playground and tests the page
#   make site            builds the documentation as pages in BUILD/site; make test-site tests them
#
#   make e2e             tests against a real control plane
#   make e2e-upstream    runs the training operator's examples and its SDK, without the operator
#   make e2e-attacks     attacks the controller as users with narrow roles (a part of make e2e)
#   make e2e-hostile     200 jobs beside a tenant who attacks the controller: time and memory
#   make e2e-operator    compares the training operator with our controller, job by job
#   make bench-operator  measures what both need
#   make bench-cluster   compares the commands with kubectl
#   make soak            SECONDS=3600: creates and deletes objects; the memory of the commands must not grow
#   make soak-supervise  the same for the controller, with an API server in memory
#   make rights          takes each permission of the controller away in turn; what fails must be named (minutes)
#   make hostile         users who fill the controller's memory, in a control group with the limit of the manifest
#
#   make docs            writes docs/diagnostics.md from the pages of the diagnostics, docs/frameworks.md from the library,
#                        the tables of fields from the vocabulary, and the lists in the manual pages from the table of options
#   make editors         writes grammar/editors from the table of words
#   make wasm            builds the compiler and the language server for WebAssembly
#   make playground      builds one page that contains them
#   make vsix            builds the extension of VS Code that contains the server (needs npm)
#
#   make dist            builds a release in DIST=dist: static programs for every Linux, in a tarball with its checksum
#   make wheel           builds the wheel of Python (a part of make dist)
#   make test-dist       installs that release in clean places and uses it there
#   make dist-check      builds the release twice, in two directories, and compares all files
#   make test-python     tests the module of Python against the build: types, threads, memory, runs
#
# BUILD= chooses the build directory, CC= the compiler, CFLAGS= and LDFLAGS= its flags. V=1 prints commands, WERROR=1
# makes warnings errors.

BUILD   ?= build
PREFIX  ?= /usr/local
DESTDIR ?=
# Flags that make a mistake in C harder to exploit. See docs/security.md; tests/tree/hardened.sh checks them.
HARDEN  := -fstack-protector-strong -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=2 -fPIE
CFLAGS  ?= -O2 -g -ffunction-sections $(HARDEN)
# A static program starts in half the time, because it need not find and load the C library.
LDFLAGS ?= -static -Wl,-z,relro,-z,now
WARN    := -Wall -Wextra -Wpedantic -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wcast-qual -Wwrite-strings $(if $(WERROR),-Werror)
LIBS    := -lyaml -lz
STD     := -std=c11
CPPFLAGS += -D_GNU_SOURCE -Icompiler -Igrammar -I. -I$(BUILD)/gen
FUZZ_SECONDS ?= 60
# The commit of the source, if this directory is the top of a repository.
COMMIT  ?= $(if $(wildcard .git),$(shell git describe --always --dirty --abbrev=40 --exclude='*' 2>/dev/null),$(shell sed -n 's/^commit \([0-9a-f]*\)$$/\1/p' .ci/commit))
# Two builds in different directories are equal: debug information has paths that begin here. See `make reproducible`.
MAP     := -ffile-prefix-map=$(CURDIR)=.
# Recursive calls of make use all processors, unless the caller has given -j.
JOBS    = $$(case "$$MAKEFLAGS" in *-j*) ;; *) echo -j$$(nproc) ;; esac)
comma   := ,
# What is built: one line for each folder of C and each other file. V=1 prints the commands instead, -s nothing.
Q       := $(if $(V),,@)
QUIET   := $(V)$(findstring s,$(filter-out --%,$(firstword -$(MAKEFLAGS))))
say      = $(if $(QUIET),,@echo '  $1	$(or $2,$@)')
say_folder = $(if $(QUIET)$(filter $1:$(<D),$(SAID)),,$(eval SAID += $1:$(<D)); echo '  $1	$(<D)')

GEN     := $(BUILD)/gen
SRC     := $(filter-out runtime/cluster/% runtime/supervise/% compiler/web/%,$(sort $(wildcard compiler/*.c compiler/*/*.c compiler/syntax/help/*.c \
	compiler/emit/target/*.c runtime/*/*.c)))
OBJ     := $(SRC:%.c=$(BUILD)/obj/%.o)
GENSRC  := $(GEN)/trainc.tab.c $(GEN)/trainc.lex.c $(GEN)/stdlib.c $(GEN)/library.c $(GEN)/pages.c $(GEN)/schema.c $(GEN)/skill.c
GENOBJ  := $(GENSRC:$(GEN)/%.c=$(BUILD)/obj/gen/%.o)
LIB     := $(BUILD)/libtrainc.a
# The program for clusters: everything that needs libcurl and OpenSSL, so that the first program stays small. Of its
# libraries only the C library is shared, because that loads modules of the system to look up host names.
# HALFLIBS='-lcurl -lssl -lcrypto -lyaml -lz' links the shared form of all libraries.
HALFSRC := $(sort $(wildcard runtime/cluster/*.c runtime/supervise/*.c))
HALFOBJ := $(HALFSRC:%.c=$(BUILD)/obj/%.o) $(BUILD)/obj/gen/manifests.o
HALFLIB := $(BUILD)/libcluster.a
HALF    := $(BUILD)/libexec/trainc/trainc-cluster
UNUSED  := $(BUILD)/obj/gen/unused.o
HALFLIBS := $(UNUSED) -Wl,-Bstatic -lcurl -lssl -lcrypto -lnghttp2 -lidn2 -lunistring -lz $(LIBS) -Wl,-Bdynamic
HALF_LDFLAGS := $(patsubst -static,-pie -Wl$(comma)-z$(comma)pack-relative-relocs -Wl$(comma)-T$(comma)$(GEN)/first.ld,$(LDFLAGS))
UNIT    := $(patsubst tests/unit/%.c,$(BUILD)/unit/%,$(wildcard tests/unit/*.c))

.PHONY: reproducible libraries sbom test-sbom build unit test demo asan fuzz torture analyze cross cascade cover bench install uninstall longest docs e2e e2e-upstream e2e-operator bench-operator bench-cluster soak soak-supervise hostile frameworks editors test-editors wasm wasm-sources print-sources print-door macos-generated playground test-wasm site test-site vsix dist dist-fetch dist-files dist-begin dist-tar dist-macos dist-wheel dist-lib wheel dist-index dist-image dist-packages dist-source dist-site dist-vsix dist-editors dist-notes dist-ci dist-sbom dist-provenance dist-sums test-dist test-python dist-check clean FORCE
.DELETE_ON_ERROR:
build: $(BUILD)/trainc $(HALF)

# ---- generated sources ----

$(GEN):
	@mkdir -p $@

$(GEN)/trainc.tab.c $(GEN)/trainc.tab.h &: grammar/trainc.y | $(GEN)
	$(call say,GEN,$(GEN)/trainc.tab.c)
	$Qbison -Wall -Werror -Wno-yacc --header=$(GEN)/trainc.tab.h -o $(GEN)/trainc.tab.c $<
$(GEN)/trainc.lex.c $(GEN)/trainc.lex.h &: grammar/trainc.l | $(GEN)
	$(call say,GEN,$(GEN)/trainc.lex.c)
	$Qflex --header-file=$(GEN)/trainc.lex.h -o $(GEN)/trainc.lex.c $<

# Files that depend on a list (of modules, pages, sources, libraries or flags) are made each time, but are replaced only
# when they change.
replace = cmp -s $@.new $@ && rm $@.new || mv $@.new $@
$(GEN)/stdlib.c: stdlib/embed.sh FORCE | $(GEN)
	@sh stdlib/embed.sh $(sort $(wildcard stdlib/std/*.tj)) >$@.new; $(replace)
$(GEN)/skill.c: stdlib/skill.sh FORCE | $(GEN)
	@sh stdlib/skill.sh stdlib/skill.md >$@.new; $(replace)
$(GEN)/manifests.c: runtime/supervise/embed.sh FORCE | $(GEN)
	@sh runtime/supervise/embed.sh runtime/supervise/manifest/*.yaml >$@.new; $(replace)
$(GEN)/pages.c: compiler/diag/pages.sh FORCE | $(GEN)
	@sh compiler/diag/pages.sh $(sort $(wildcard compiler/diag/pages/*.md)) >$@.new; $(replace)
# A program of the build makes the tables of schemas, with the reader that also reads a project's own kinds.
SCHEMA_TOOL := compiler/kube/schema/compile_schema.c compiler/kube/schema.c compiler/kube/schema_text.c $(wildcard compiler/base/*.c)
$(GEN)/schema_compile: $(SCHEMA_TOOL) $(wildcard compiler/base/*.h compiler/kube/schema*.h) | $(GEN)
	$(call say,CC)
	$Q$(CC) $(STD) $(CPPFLAGS) $(WARN) -O1 -o $@ $(SCHEMA_TOOL)
$(GEN)/schema.c: $(GEN)/schema_compile compiler/kube/schema_addons.tbl $(sort $(wildcard compiler/kube/schema_1.*.tbl))
	$(call say,GEN)
	$Q$(GEN)/schema_compile $(filter %.tbl,$^) >$@.new && mv $@.new $@
# Another program of the build makes the trees of the library's modules, with the parser of programs.
LIBRARY_TOOL := compiler/check/library/compile_library.c $(wildcard compiler/base/*.c compiler/syntax/*.c compiler/syntax/help/*.c) \
	$(addprefix compiler/diag/,allow.c code.c diag.c suggest.c)
$(GEN)/library_compile: $(LIBRARY_TOOL) compiler/check/library_part.h $(wildcard compiler/base/*.h compiler/syntax/*.h compiler/syntax/help/*.h) \
		$(GEN)/trainc.tab.c $(GEN)/trainc.lex.c
	$(call say,CC)
	$Q$(CC) $(STD) $(CPPFLAGS) -w -O0 -o $@ $(filter %.c,$^)
$(GEN)/library.c: $(GEN)/library_compile $(sort $(wildcard stdlib/std/*.tj))
	$(call say,GEN)
	$Q$(GEN)/library_compile $(filter %.tj,$^) >$@.new && mv $@.new $@
$(GEN)/unused.c: runtime/cluster/unused.sh | $(GEN)
	@sh $< "$$($(CC) -print-file-name=libcurl.a)" >$@.new && mv $@.new $@
# In both programs, the code that common commands use is linked first (compiler/first.py).
$(GEN)/first.ld: runtime/cluster/first.txt | $(GEN)
	@awk '{ text = text "*" $$1 "(.text .text.*)\n"; constants = constants "*" $$1 "(.rodata .rodata.*)\n" } \
		END { printf "SECTIONS {\n.text.first : {\n%s}\n}\nINSERT BEFORE .text;\n", text; \
		printf "SECTIONS {\n. = ALIGN(CONSTANT(MAXPAGESIZE));\n.rodata.first : {\n%s}\n}\nINSERT BEFORE .rodata;\n", constants }' $< >$@
$(GEN)/functions.ld: compiler/first.txt | $(GEN)
	@awk '{ text = text (/:/ ? "*" $$1 "(.text .text.*)\n" : "*(.text." $$1 " .text." $$1 ".*)\n") } \
		END { printf "SECTIONS {\n.text.first : {\n%s}\n}\nINSERT BEFORE .text;\n", text }' $< >$@
# The libraries in the programs, and the commit: linked.c prints both. The table is made again when packages change.
LIBRARY_ROWS ?= sh compiler/command/libraries.sh
$(GEN)/libraries.def: compiler/command/libraries.sh $(BUILD)/flags $(wildcard /var/lib/dpkg/status) | $(GEN)
	@$(LIBRARY_ROWS) '$(CC)' '$(HALFLIBS)' >$@.new && mv $@.new $@
$(GEN)/commit.h: FORCE | $(GEN)
	@echo '#define TRAINC_COMMIT "$(COMMIT)"' >$@.new; $(replace)
$(BUILD)/obj/compiler/command/linked.o: $(GEN)/libraries.def $(GEN)/commit.h
$(BUILD)/flags: FORCE | $(GEN)
	@echo '$(CC) $(STD) $(CPPFLAGS) $(WARN) $(CFLAGS) $(MAP) $(LDFLAGS)' >$@.new; $(replace)
$(BUILD)/sources: FORCE | $(GEN)
	@echo '$(SRC) $(HALFSRC) $(HALFLIBS)' >$@.new; $(replace)

# ---- the program ----

$(BUILD)/obj/%.o: %.c $(BUILD)/flags | $(GEN)/trainc.tab.h $(GEN)/trainc.lex.h
	@mkdir -p $(@D)$(call say_folder,CC)
	$Q$(CC) $(STD) $(CPPFLAGS) $(WARN) $(CFLAGS) $(MAP) -MMD -MP -c $< -o $@
$(BUILD)/obj/gen/%.o: $(GEN)/%.c $(BUILD)/flags | $(GEN)/trainc.tab.h $(GEN)/trainc.lex.h
	@mkdir -p $(@D)$(call say_folder,CC)
	$Q$(CC) $(STD) $(CPPFLAGS) -w $(CFLAGS) $(MAP) -MMD -MP -c $< -o $@
-include $(OBJ:.o=.d) $(HALFOBJ:.o=.d) $(GENOBJ:.o=.d)

# Append (q) instead of replacing by name (r): several directories have files of the same name.
$(LIB): $(filter-out %/compiler/main.o,$(OBJ)) $(GENOBJ) $(BUILD)/sources
	@rm -f $@
	$(call say,AR)
	@ar qcsD $@ $(filter %.o,$^)
$(BUILD)/trainc: $(BUILD)/obj/compiler/main.o $(LIB) $(GEN)/functions.ld
	$(call say,LD)
	$Q$(CC) $(CFLAGS) $(patsubst -static,-static -Wl$(comma)-T$(comma)$(GEN)/functions.ld,$(LDFLAGS)) -o $@ $(filter-out %.ld,$^) $(LIBS)
$(HALFLIB): $(filter-out %/cluster/main.o,$(HALFOBJ)) $(BUILD)/sources | $(filter $(UNUSED),$(HALFLIBS))
	@rm -f $@
	$(call say,AR)
	@ar qcsD $@ $(filter %.o,$^)
$(HALF): $(BUILD)/obj/runtime/cluster/main.o $(HALFLIB) $(LIB) $(GEN)/first.ld
	@mkdir -p $(@D)
	$(call say,LD)
	$Q$(CC) $(CFLAGS) $(HALF_LDFLAGS) -o $@ $(filter-out %.ld,$^) $(HALFLIBS)

# The library as a shared object, for programs in other languages; the Python module loads it (runtime/python). It has the
# sources that the door needs, and exports the functions of trainc.h alone.
SHARED    := $(BUILD)/libtrainc.so.0
SHAREDSRC := $(filter-out compiler/main.c compiler/command/% compiler/lsp/% compiler/import/% compiler/explain/% compiler/cel/% \
	compiler/base/restriction.c compiler/code/% runtime/%,$(SRC))
SHAREDOBJ := $(SHAREDSRC:%.c=$(BUILD)/pic/%.o) $(GENSRC:$(GEN)/%.c=$(BUILD)/pic/gen/%.o)
PIC       := -fPIC -fvisibility=hidden -fdata-sections
$(BUILD)/pic/gen/%.o: $(GEN)/%.c $(BUILD)/flags | $(GEN)/trainc.tab.h $(GEN)/trainc.lex.h
	@mkdir -p $(@D)
	$(Q)$(CC) $(STD) $(CPPFLAGS) -w $(CFLAGS) $(PIC) $(MAP) -MMD -MP -c $< -o $@
$(BUILD)/pic/%.o: %.c $(BUILD)/flags | $(GEN)/trainc.tab.h $(GEN)/trainc.lex.h
	@mkdir -p $(@D)
	$(Q)$(CC) $(STD) $(CPPFLAGS) $(WARN) $(CFLAGS) $(PIC) $(MAP) -MMD -MP -c $< -o $@
$(SHARED): $(SHAREDOBJ) compiler/exports
	@echo linking $@
	@$(CC) -shared -Wl,-soname,libtrainc.so.0 -Wl,--version-script,compiler/exports -Wl,--gc-sections -Wl,-z,relro,-z,now,-z,defs \
		$(SHARED_LDFLAGS) -o $@ $(filter %.o,$^) $(filter-out -lz,$(LIBS))
-include $(SHAREDOBJ:.o=.d)
.PHONY: shared
shared: $(SHARED)

# ---- tests ----

# trainc with calls of the C library that fail when a test requests it (tests/torture/fault.c).
WRAPPED = $(shell sh tests/torture/wrapped)
$(BUILD)/torture/trainc: tests/torture/fault.c $(BUILD)/obj/compiler/main.o $(LIB)
	@mkdir -p $(@D)
	$(call say,LD)
	$Q$(CC) $(STD) -D_GNU_SOURCE $(WARN) $(CFLAGS) $(LDFLAGS) $(WRAPPED:%=-Wl,--wrap=%) -o $@ $^ $(LIBS)
$(BUILD)/torture/trainc-cluster: tests/torture/fault.c $(BUILD)/obj/runtime/cluster/main.o $(HALFLIB) $(LIB) $(GEN)/first.ld
	@mkdir -p $(@D)
	$(call say,LD)
	$Q$(CC) $(STD) -D_GNU_SOURCE $(WARN) $(CFLAGS) $(HALF_LDFLAGS) $(WRAPPED:%=-Wl,--wrap=%) -o $@ $(filter-out %.ld,$^) $(HALFLIBS)

$(BUILD)/unit/%: tests/unit/%.c $(LIB)
	@mkdir -p $(@D)$(call say_folder,CC)
	$Q$(CC) $(STD) $(CPPFLAGS) $(WARN) $(CFLAGS) -MMD -MP $< $(LIB) $(UNIT_LIBS) $(LIBS) -o $@
-include $(UNIT:=.d)
# These tests read our output back with another library.
$(BUILD)/unit/yaml_%: UNIT_LIBS := -lcjson
# The allocations of the C library and of libyaml are made to fail, one after the other.
$(BUILD)/unit/trainc_memory_test: UNIT_LIBS = $(LDFLAGS) $(addprefix -Wl$(comma)--wrap=,malloc calloc realloc free mmap munmap)
$(BUILD)/unit/cluster_%: UNIT_LIBS = $(HALFLIB) $(LIB) $(HALFLIBS)
$(filter $(BUILD)/unit/cluster_%,$(UNIT)): $(HALFLIB)
unit: $(UNIT) $(BUILD)/standin $(BUILD)/torture/trainc $(BUILD)/torture/trainc-cluster
# The scripted API server of the tests.
$(BUILD)/standin: $(wildcard tests/cluster/standin/*.[ch])
	$(call say,CC)
	$Q$(CC) $(STD) -D_GNU_SOURCE $(WARN) $(filter-out -DARENA_DEBUG,$(CFLAGS)) -pthread $(filter %.c,$^) -lnghttp2 -lssl -lcrypto -o $@

test:
	@sh .ci/deps test
	@$(MAKE) $(JOBS) --no-print-directory build unit
	@BUILD=$(BUILD) sh tests/run.sh
demo:
	@sh .ci/deps demo
	@$(MAKE) $(JOBS) --no-print-directory build
	@BUILD=$(BUILD) sh examples/demo.sh

# Uninitialized variables contain a pattern, so that reading one is noticed each time.
# -g1 is enough for the lines of a report, and compiles faster. These flags cause false warnings, so that they are no
# errors here.
SANITIZE := -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer -ftrivial-auto-var-init=pattern
asan:
	@sh .ci/deps test
	@$(MAKE) $(JOBS) --no-print-directory WERROR= BUILD=build-asan CFLAGS='-O1 -g1 -DARENA_DEBUG -DTRAINC_UNRESTRICTED $(SANITIZE)' LDFLAGS= build unit
	@BUILD=build-asan sh tests/run.sh

# The parts of both programs for fuzz targets. Libraries are shared: they need not start quickly.
FUZZ_PARTS := build-fuzz/libtrainc.a build-fuzz/libcluster.a
FUZZ_BUILD  = $(MAKE) $(JOBS) --no-print-directory WERROR= BUILD=build-fuzz CC=clang LDFLAGS= HALFLIBS='-lcurl -lssl -lcrypto -lyaml -lz' \
	CFLAGS='-O1 -g -DARENA_DEBUG -DFUZZING_BUILD_MODE_UNSAFE_FOR_PRODUCTION -fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=all -ftrivial-auto-var-init=pattern' $(FUZZ_PARTS)
fuzz:
	@sh .ci/deps fuzz
	@$(FUZZ_BUILD)
	@BUILD=build-fuzz FUZZ_SECONDS=$(FUZZ_SECONDS) FUZZ_SEED=$(FUZZ_SEED) sh tests/fuzz/run.sh

# Searches for new inputs, from those of the tree and of earlier searches in build-fuzz/corpus. TARGETS= chooses targets,
# SEED= repeats a search.
.PHONY: fuzz-new
fuzz-new:
	@sh .ci/deps fuzz
	@$(FUZZ_BUILD)
	@$(MAKE) $(JOBS) --no-print-directory BUILD=build-fuzz/cover LDFLAGS= HALFLIBS='-lcurl -lssl -lcrypto -lyaml -lz' \
		CFLAGS='-O0 -g --coverage -DFUZZING_BUILD_MODE_UNSAFE_FOR_PRODUCTION' $(FUZZ_PARTS:build-fuzz/%=build-fuzz/cover/%)
	@SECONDS=$(or $(SECONDS),60) SEED=$(SEED) sh tests/fuzz/new.sh $(TARGETS)

torture:
	@$(MAKE) $(JOBS) --no-print-directory build $(BUILD)/torture/trainc $(BUILD)/torture/trainc-cluster
	@python3 tests/torture/families.py $(BUILD)/trainc
	@python3 tests/torture/faults.py $(BUILD)/torture/trainc
	@python3 tests/torture/cluster_faults.py $(BUILD) --step 11

analyze:
	@sh .ci/deps analyze
	@$(MAKE) $(JOBS) --no-print-directory $(BUILD)/gen/trainc.tab.h $(BUILD)/gen/trainc.lex.h $(BUILD)/gen/libraries.def $(BUILD)/gen/commit.h
	@python3 tests/analyze/run.py $(BUILD)

# MACHINES= chooses some of aarch64, s390x and clang.
cross:
	@sh .ci/deps cross
	@sh tests/cross.sh $(MACHINES)

cascade: build
	@TRAINC=$$PWD/$(BUILD)/trainc sh tests/cascade/cascade.sh --all
cover:
	@sh .ci/deps test
	@$(MAKE) $(JOBS) --no-print-directory BUILD=build-cover CFLAGS='-O0 -g -DTRAINC_UNRESTRICTED --coverage' LDFLAGS= build unit
	@find build-cover -name '*.gcda' -delete
	@BUILD=build-cover sh tests/run.sh | tail -1
	@BUILD=build-cover sh tests/cover.sh

reproducible:
	@sh tests/reproducible.sh
libraries: build
	@python3 .ci/libraries $(BUILD)/trainc
sbom: build
	@python3 .ci/sbom $(BUILD)
test-sbom: sbom
	@test -x $(BUILD)/spdx/bin/pyspdxtools || { python3 -m venv $(BUILD)/spdx && $(BUILD)/spdx/bin/pip -q install spdx-tools==0.8.3; }
	@$(BUILD)/spdx/bin/pyspdxtools -i $(BUILD)/trainc.spdx.json && echo "1 passed, 0 failed"

bench: build
	@BUILD=$(BUILD) python3 tests/bench/run.py
docs: build
	@python3 docs/manual.py
	@python3 docs/diagnostics.py
	@python3 docs/fields.py
	@python3 docs/schema.py
	@BUILD=$(BUILD) python3 docs/frameworks.py
	@BUILD=$(BUILD) python3 docs/pictures.py
longest:
	@sh tests/tree/longest.sh -v
e2e: build
	@BUILD=$(BUILD) bash tests/e2e/run.sh
e2e-upstream: build
	@BUILD=$(BUILD) bash tests/e2e/run.sh upstream $(CHECKS)
.PHONY: rights
rights: build
	@TRAINC=$(abspath $(BUILD))/trainc PYTHONDONTWRITEBYTECODE=1 python3 tests/supervise/removal.py $(WORDS)
hostile: build
	@TRAINC=$(abspath $(BUILD))/trainc PYTHONDONTWRITEBYTECODE=1 python3 tests/supervise/hostile.py --long
# The API server is down for a minute; then jobs come and go for SECONDS (an hour), and the controller's memory must not
# grow.
soak-supervise: build
	@TRAINC=$(abspath $(BUILD))/trainc PYTHONDONTWRITEBYTECODE=1 python3 tests/supervise/absence.py
	@TRAINC=$(abspath $(BUILD))/trainc PYTHONDONTWRITEBYTECODE=1 SECONDS=$(or $(SECONDS),3600) SEED=$(SEED) python3 tests/supervise/soak.py
.PHONY: e2e-attacks e2e-hostile
e2e-attacks: build
	@BUILD=$(BUILD) bash tests/e2e/run.sh attacks $(CHECKS)
e2e-hostile: build
	@BUILD=$(BUILD) bash tests/e2e/run.sh hostile
e2e-operator: build
	@BUILD=$(BUILD) bash tests/e2e/run.sh operator $(ROWS)
bench-cluster: build
	@BUILD=$(BUILD) bash tests/e2e/run.sh bench-cluster $(SCENARIOS)
soak: build
	@BUILD=$(BUILD) bash tests/e2e/run.sh soak $(SECONDS)
bench-operator: build
	@BUILD=$(BUILD) bash tests/e2e/run.sh bench $(SCENARIOS)
# Writes the files for editors from the table of words; also the parser of tree-sitter, if its program is installed.
editors:
	@python3 grammar/editors/generate.py
	@sh tests/editors/newer.sh $(abspath $(BUILD))/editors/newer || true
	@PATH="$$PATH:$(abspath $(BUILD))/editors/newer/bin"; command -v tree-sitter >/dev/null && cd grammar/editors/tree-sitter && \
		tree-sitter generate --abi 14 --no-bindings grammar.js && rm -f src/tree_sitter/alloc.h src/tree_sitter/array.h src/grammar.json || \
		echo "tree-sitter is not installed: its parser.c is as it was"
# Packages of npm, in the versions of the lock file beside their list. Only tests and packaging use them.
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
# The compiler and the language server without commands, files, clocks and the trees of the library, whose text is enough.
WASM_SRC  := $(filter-out compiler/main.c compiler/command/% compiler/base/file.c compiler/base/file_write.c compiler/base/file_place.c compiler/base/restriction.c compiler/base/system.c compiler/base/words.c compiler/explain/explain_command.c compiler/code/% \
	runtime/%,$(SRC)) compiler/web/web.c
WASM_YAML := api dumper emitter loader parser reader scanner writer
WASM_OBJ  := $(WASM_SRC:%.c=$(WASM)/obj/%.o) $(patsubst $(GEN)/%.c,$(WASM)/obj/gen/%.o,$(filter-out %/library.c %/skill.c,$(GENSRC))) $(WASM_YAML:%=$(WASM)/obj/yaml/%.o)
# These features are in all browsers since 2021. The module is optimized as a whole (-flto), which clang 14 can only do
# without thread-local variables. It is linked without -O, because clang would call wasm-opt if that is installed.
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
	@mkdir -p $(@D)$(call say_folder,WASM)
	$Q$(WASM_CC) -DHAVE_CONFIG_H -c $(WASM)/libyaml/src/$*.c -o $@
$(WASM)/obj/gen/%.o: $(GEN)/%.c $(WASM)/flags
	@mkdir -p $(@D)$(call say_folder,WASM)
	$Q$(WASM_CC) -c $< -o $@
$(WASM)/obj/%.o: %.c $(WASM)/flags | $(GEN)/trainc.tab.h $(GEN)/trainc.lex.h
	@mkdir -p $(@D)$(call say_folder,WASM)
	$Q$(WASM_CC) -MMD -MP -c $< -o $@
-include $(WASM_SRC:%.c=$(WASM)/obj/%.d)
$(WASM)/trainc.wasm: $(WASM_OBJ)
	$(call say,LD)
	@$(WASM_MACHINE) -mexec-model=reactor $(WASM_LD) -Wl,-z,stack-size=8388608 -o $@ $^ -lwasi-emulated-mman
# Built separately and optimized for speed, because the page waits for it.
$(WASM)/unpack.wasm: compiler/web/unpack.c
	@mkdir -p $(@D)
	$(call say,LD)
	$Q$(WASM_MACHINE) $(WARN) -O2 -c $< -o $(WASM)/unpack.o
	$Q$(WASM_MACHINE) -nostdlib -Wl,--no-entry $(WASM_LD) -Wl,-z,stack-size=16384 -o $@ $(WASM)/unpack.o
# .ci/dist/macos/programs builds most of these files; the door is what libtrainc.so.0 has.
print-sources:
	@echo $(SRC) $(GENSRC)
print-door:
	@echo $(SHAREDSRC) $(GENSRC)
macos-generated: $(GENSRC) $(GEN)/commit.h
# tests/wasm/browser.py reads this list.
wasm-sources:
	@echo $(WASM_SRC) $(filter-out %/library.c %/skill.c,$(GENSRC))
playground: wasm
	@$(MAKE) $(JOBS) --no-print-directory $(BUILD)/trainc
	@mkdir -p $(BUILD)/playground
	@python3 docs/playground/build.py $(WASM) $(BUILD)/trainc $(BUILD)/playground/index.html
# The extension of VS Code. Its language client and the bundler come from npm, in the versions of the lock file.
$(BUILD)/vsix/node_modules: grammar/editors/vscode/node/package-lock.json
	@mkdir -p $(@D)
	@cp grammar/editors/vscode/node/package.json $< $(@D)
	cd $(@D) && npm ci --ignore-scripts --no-audit --no-fund
vsix: wasm $(BUILD)/vsix/node_modules
	@python3 grammar/editors/vscode/build.py $(BUILD)/vsix $(WASM)/trainc.wasm $(BUILD)/vsix/trainc.vsix
test-wasm: playground
	@BUILD=$(BUILD) python3 tests/wasm/page.py
# The documentation as pages that need no server and no network, with the playground. Debian's packages belong to its Python.
SITE_PYTHON = $$(python3 -c 'import markdown_it, pygments' 2>/dev/null && echo python3 || echo /usr/bin/python3)
site: playground
	@sh .ci/deps site
	@$(SITE_PYTHON) docs/site/build.py $(BUILD) $(BUILD)/site
test-site: site
	@TRAINC=$(BUILD)/trainc python3 tests/site/site.py $(BUILD)/site

# ---- releases ----

# Static programs that run on every Linux, and what is packed from them, in DIST. Only dist-fetch needs a network. See
# .ci/dist. RELEASE_URL is the address from which install.sh downloads, HOMEPAGE that of the project, IMAGE_SOURCE the one
# that labels of the image name.
DIST          ?= dist
VERSION       := $(shell sed -n 's/^.define TRAINC_VERSION "\(.*\)"/\1/p' compiler/base/version.h)
DIST_SOURCES  ?= $(BUILD)/dist/sources
HOMEPAGE      ?= https://trainc.example.com
RELEASE_URL   ?= https://releases.example.com/trainc
CI_IMAGE      ?= registry.example.com/debian:12
# The machine that builds comes first: its programs write the completions for all.
ARCHITECTURES ?= x86_64 aarch64
tarballs       = $(ARCHITECTURES:%=$(abspath $(DIST))/trainc-$(VERSION)-linux-%.tar.gz)
dist-fetch:
	@sh .ci/deps dist
	@bash .ci/dist/fetch $(DIST_SOURCES)
	@$(MAKE) -s --no-print-directory $(BUILD)/vsix/node_modules
dist-tar:
	@set -e; for machine in $(ARCHITECTURES); do \
		bash .ci/dist/libraries $(DIST_SOURCES) $$machine-linux-musl; \
		bash .ci/dist/programs $(DIST_SOURCES) $$machine-linux-musl $(BUILD)/dist/$$machine; \
		bash .ci/dist/tarball $(DIST_SOURCES) linux-$$machine $(BUILD)/dist/$$machine $(DIST); \
	done
# The compiler for macOS, in a tarball and a wheel: built, and never run there.
dist-macos: dist-tar
	@set -e; for machine in $(ARCHITECTURES); do \
		built=$(BUILD)/dist/macos-$$machine; \
		bash .ci/dist/macos/programs $(DIST_SOURCES) $$machine $$built; \
		bash .ci/dist/tarball $(DIST_SOURCES) macos-$$machine $$built $(DIST); \
		python3 .ci/dist/wheel $(abspath $(DIST)/trainc-$(VERSION)-macos-)$$machine.tar.gz $$built/libtrainc.0.dylib \
			macosx_11_0_$$(echo $$machine | sed s/aarch64/arm64/) $(abspath $(DIST)); \
	done
# A release is of a commit, and DIST has its files only: those of an earlier one are removed, those of somebody else are not.
dist-begin:
	@test ! -e .git || test -z "$$(git status --porcelain)" || { echo "commit first: a release is built from a commit without changes" >&2; exit 1; }
	@mkdir -p $(DIST) && cd $(DIST) && if test -f SHA256SUMS; then cut -c67- SHA256SUMS | tr '\n' '\0' | xargs -0 rm -f && rm SHA256SUMS; fi && \
		find . -mindepth 1 -type d -empty -delete && if find . -type f | grep -q .; then echo "$(DIST) has files that no release wrote: remove them, or set DIST=" >&2; exit 1; fi
# Files that name the archives with their checksums: the installer, the formula of Homebrew, the plugin of krew, CI.
for_sed = $(subst &,\&,$(subst |,\|,$1))
fill = sed -e "s|@VERSION@|$(VERSION)|g" -e 's|@RELEASE_URL@|$(call for_sed,$(RELEASE_URL))|g' -e 's|@HOMEPAGE@|$(call for_sed,$(HOMEPAGE))|g' -e 's|@CI_IMAGE@|$(call for_sed,$(CI_IMAGE))|g' \
	$(foreach a,$(ARCHITECTURES),$(foreach s,linux macos,-e "s|@SHA256_$s_$a@|$$(sha256sum <$(DIST)/trainc-$(VERSION)-$s-$a.tar.gz | cut -d' ' -f1)|g"))
dist-index:
	@mkdir -p $(DIST)/homebrew $(DIST)/krew
	@$(fill) .ci/dist/install.sh >$(DIST)/install.sh && chmod 755 $(DIST)/install.sh
	@$(fill) .ci/dist/trainc.rb >$(DIST)/homebrew/trainc.rb
	@$(fill) .ci/dist/krew.yaml >$(DIST)/krew/trainc.yaml
	@! grep -nE '@[A-Za-z_0-9]+@' $(DIST)/homebrew/trainc.rb $(DIST)/krew/trainc.yaml || { echo "these entries name both machines: build ARCHITECTURES='x86_64 aarch64'" >&2; exit 1; }
dist-ci: dist-index
	@rm -rf $(DIST)/ci && mkdir -p $(DIST)/ci && cp -r .ci/ci/. $(DIST)/ci
	@find $(DIST)/ci -type f | while read -r file; do $(fill) "$$file" >$(DIST)/filled && cat $(DIST)/filled >"$$file" && rm $(DIST)/filled; done
	@cp $(DIST)/install.sh $(DIST)/ci/action
# The library for programs in C and other languages, as dist-wheel built it for glibc.
dist-lib: dist-wheel
	@set -e; for machine in $(ARCHITECTURES); do \
		bash .ci/dist/library $(DIST_SOURCES) $$machine-linux-gnu.2.17 $(BUILD)/dist/shared/$$machine-linux-gnu.2.17 $(DIST); \
	done
# Python's wheels: the same two programs and the library, for every Linux with glibc 2.17 or newer, and with musl.
dist-wheel:
	@set -e; for machine in $(ARCHITECTURES); do for libc in gnu.2.17:manylinux_2_17_$$machine.manylinux2014_$$machine musl:musllinux_1_2_$$machine; do \
		target=$$machine-linux-$${libc%%:*}; built=$(BUILD)/dist/shared/$$target; \
		bash .ci/dist/libraries $(DIST_SOURCES) $$target libyaml; \
		bash .ci/dist/shared $(DIST_SOURCES) $$target $$built; \
		python3 .ci/dist/wheel $(abspath $(DIST)/trainc-$(VERSION)-linux-)$$machine.tar.gz $$built/libtrainc.so.0 $${libc#*:} $(abspath $(DIST)); \
	done; done
wheel: dist-tar dist-wheel dist-sums
# An image in the layout of OCI, without a container engine.
dist-image:
	@REVISION='$(COMMIT)' IMAGE_SOURCE='$(IMAGE_SOURCE)' python3 .ci/dist/image $(abspath $(DIST_SOURCES)/certifi) $(abspath $(DIST)) $(tarballs)
# Packages of Debian, Red Hat and Alpine.
dist-packages:
	@set -e; for tarball in $(tarballs); do HOMEPAGE='$(HOMEPAGE)' python3 .ci/dist/packages $$tarball $(DIST_SOURCES) $(abspath $(DIST)); done
# The documentation as pages, in one archive.
dist-site: site
	@mkdir -p $(DIST) && tar -C $(BUILD) --sort=name --mtime="@$${SOURCE_DATE_EPOCH:-$$(git log -1 --format=%ct 2>/dev/null || echo 0)}" --owner=0 --group=0 --numeric-owner \
		--mode=u=rwX,go=rX --transform='s|^site|trainc-$(VERSION)-site|' -cf - site | gzip -n -9 >$(DIST)/trainc-$(VERSION)-site.tar.gz
# The extension of VS Code, with the packages of npm that dist-fetch has fetched.
dist-vsix:
	@HOMEPAGE='$(HOMEPAGE)' $(MAKE) -s --no-print-directory vsix
	@mkdir -p $(DIST) && cp $(BUILD)/vsix/trainc.vsix $(DIST)/trainc-$(VERSION).vsix
# The files for editors, and the grammar of tree-sitter as a package of npm.
dist-editors:
	@python3 .ci/dist/editors $(DIST)
# The source as distributions want it: it builds without git, and knows its commit (.ci/commit).
dist-source:
	@git archive --prefix=trainc-$(VERSION)/ HEAD | gzip -n -9 >$(DIST)/trainc-$(VERSION)-source.tar.gz
# What this version is, from CHANGELOG.md.
dist-notes:
	@awk '/^## /{ on = index($$0, "$(VERSION)") } on' CHANGELOG.md >$(DIST)/RELEASE_NOTES.md && test -s $(DIST)/RELEASE_NOTES.md
# What is inside, how it was built, and the checksums of all: in this order, since each lists the files before it.
dist-sbom:
	@python3 .ci/dist/sbom $(DIST)
dist-provenance:
	@COMMIT='$(COMMIT)' HOMEPAGE='$(HOMEPAGE)' RELEASE_URL='$(RELEASE_URL)' IMAGE_SOURCE='$(IMAGE_SOURCE)' python3 .ci/dist/provenance $(DIST)
dist-sums:
	@cd $(DIST) && find . -type f ! -name SHA256SUMS | sed 's|^\./||' | LC_ALL=C sort | xargs sha256sum >SHA256SUMS
dist-files: dist-begin dist-tar dist-macos dist-wheel dist-lib dist-image dist-packages dist-source dist-site dist-vsix dist-editors dist-notes dist-ci dist-sbom dist-provenance dist-sums
dist: dist-fetch dist-files
test-dist:
	@DIST=$(abspath $(DIST)) SOURCES=$(abspath $(DIST_SOURCES)) bash tests/dist/run.sh
	@DIST=$(abspath $(DIST)) SOURCES=$(abspath $(DIST_SOURCES)) bash tests/dist/wheel.sh
	@DIST=$(abspath $(DIST)) bash tests/dist/image.sh
	@DIST=$(abspath $(DIST)) bash tests/dist/ci.sh
	@DIST=$(abspath $(DIST)) bash tests/dist/packages.sh
	@DIST=$(abspath $(DIST)) bash tests/dist/library.sh
	@DIST=$(abspath $(DIST)) SOURCES=$(abspath $(DIST_SOURCES)) bash tests/dist/macos.sh
	@DIST=$(abspath $(DIST)) bash tests/dist/machines.sh
	@DIST=$(abspath $(DIST)) bash tests/dist/debian.sh
dist-check:
	@DIST=$(abspath $(DIST)) SOURCES=$(abspath $(DIST_SOURCES)) bash tests/dist/twice.sh
# The Python API with the library and the programs of this build; tests/dist/wheel.sh does the same with the wheel.
test-python: build shared
	@sh tests/python/types $(BUILD)/mypy
	@PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=runtime/python TRAINC_LIBRARY=$(abspath $(SHARED)) \
		python3 tests/python/api.py $(abspath $(BUILD))/trainc

frameworks: build
	@BUILD=$(BUILD) bash tests/frameworks/run.sh

install: build
	@BUILD=$(BUILD) sh .ci/install $(DESTDIR)$(PREFIX)
uninstall:
	@sh .ci/install --remove $(DESTDIR)$(PREFIX)
clean:
	rm -rf build build-asan build-fuzz build-cover build-cross
