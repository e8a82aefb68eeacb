# SPDX-License-Identifier: Apache-2.0
# make            the libraries, the program and the bench, in build/
# make run        the main job: plan, check, model and, where a Hopper GPU is found, run a GEMM
# make test       every test; the last line is `N passed, N failed`      make test-units   without the worlds below
# make exhaustive the small worlds whole (tests/exhaustive, refute, oracle, models), which make test samples      make test-all   both
# make exhaustive ZLAY_EXHAUSTIVE=2 for hours: those worlds whole that docs/internals/truth.md names, and a million cases of each refuter
# make san        the tests under ASan and UBSan          make tsan    the thread test under TSan
# make portable   tests of the library with libc alone on other targets: CC=musl-gcc; CC=aarch64-linux-gnu-gcc RUN=qemu-aarch64-static
# make check-house  rooms, includes, READMEs, names, words: what the structure must not lose
# make fuzz       mutated input for every parser          make fuzz-cov   the same, led by coverage (clang)
# make bench      ratios, printed            make examples   the programs of examples/, built and run
# make device-test, -bench, -peers, -dram, -oracle, -banks, -wgmma, -words, -functions, -moves, -groups, -ragged, -edit, -python on a machine with a Hopper GPU
# make playground the page of docs/playground.md, by clang for wasm32          make test-playground  its answers, and the page in a browser
# make test-python  the Python package as a wheel, in an environment of its own
# make install    PREFIX=/usr/local LIBDIR=$(PREFIX)/lib DESTDIR=           make uninstall   with the same
# make generate   rewrite the tables of documents that come from src/
# make site       the documentation in build/site, for any browser, without a server      make doxygen   the headers, in build/doxygen/html
# CUTLASS_INCLUDE=FOLDER (of cute/layout.hpp, from the PyPI package nvidia-cutlass or a checkout) gives make bench CuTe's C++ as a peer;
# tests and examples that need it take else what tools/setup.sh put into build/cutlass.
# ENGINES=0 builds without isl, FLINT and GMP; so does a machine that lacks their headers.
# NO_INSTALL=1 keeps run and test from installing packages; V=1 shows the commands.

CC ?= cc
AR ?= ar
CXX ?= c++
CFLAGS ?= -O2 -g
PREFIX ?= /usr/local
LIBDIR ?= $(PREFIX)/lib
B ?= build

version = $(shell sed -n 's/^#define ZLAY_VERSION_$(1) //p' include/zlay/version.h)
MAJOR := $(call version,MAJOR)
MINOR := $(call version,MINOR)
VERSION := $(MAJOR).$(MINOR).$(call version,PATCH)
ABI := $(MAJOR).$(MINOR)

have = $(shell printf '\#include <$(1)>\n' | $(CC) $(CPPFLAGS) -E - >/dev/null 2>&1 && echo 1)
ENGINES ?= $(if $(and $(call have,isl/ctx.h),$(call have,flint/fmpz.h)),1,0)
ENGINE_LIBS := -Wl,--as-needed $(if $(filter 1,$(ENGINES)),-lisl -lflint -lgmp)

WARNINGS := -Wall -Wextra -Wpedantic -Wshadow -Wconversion
ZL_CPPFLAGS := -Iinclude -Isrc -DZL_ENGINES=$(ENGINES)
# What is built does not name the folder that it was built in (tests/checks/reproducible.sh).
ZL_CFLAGS := -std=c11 $(WARNINGS) -fvisibility=hidden -fPIC -ffile-prefix-map=$(CURDIR)=.
Q = $(if $(V),,@echo "  $@";)
COMPILE = $(Q)$(CC) $(ZL_CPPFLAGS) $(CPPFLAGS) $(ZL_CFLAGS) $(CFLAGS) -MMD -MP

# Rooms in the flow of data; which may include which stands in tests/checks/rooms.list.
ROOMS := base target algebra isa rules legality body pipe synth sim emit show
sources = $(sort $(shell find src/$(1) -name '*.c'))
objects = $(patsubst src/%.c,$(B)/%.o,$(call sources,$(1)))

BASE := $(call objects,base)
LIB := $(foreach room,$(ROOMS),$(call objects,$(room)))
RUNTIME := $(call objects,runtime)
JSON := $(call objects,json)
PRELOAD := $(call objects,preload)
CLI := $(filter-out $(B)/cli/main.o,$(call objects,cli))
BENCH := $(patsubst bench/%.c,$(B)/bench/%.o,$(sort $(wildcard bench/*.c)))

LIBRARIES := $(foreach name,zlay zlay-runtime zlay-json,$(B)/lib$(name).a $(B)/lib$(name).so)
HEADERS := $(sort $(wildcard include/zlay/*.h))
HEADERS_CXX := $(sort $(wildcard include/zlay/*.hpp))
PCS := $(patsubst pkgconfig/%.in,$(B)/%,$(sort $(wildcard pkgconfig/*.pc.in)))
CMAKES := $(patsubst cmake/%.in,$(B)/%,$(sort $(wildcard cmake/*.cmake.in)))
# A page of the manual for each command; and what a shell completes.
MANS := $(patsubst %,$(B)/zlay-%.1,$(subst !,-,$(shell sed -n 's/^COMMAND."\([^"]*\)".*/\1/p' src/cli/commands.def | tr ' ' '!')))
COMPLETIONS := $(addprefix $(B)/completions/,bash zsh fish)

# A preload has no sanitizer, and cannot have a libzlay.a with one inside.
EXPLAIN := $(if $(findstring -fsanitize,$(CFLAGS)),,$(B)/libzlay-explain.so)
all: $(LIBRARIES) $(EXPLAIN) $(B)/zlay $(B)/zlay-bench $(B)/zlay.cdef $(B)/zlay.1 $(MANS) $(COMPLETIONS) $(PCS) $(CMAKES)

# ---- objects ---------------------------------------------------------------

# The file changes when ENGINES does, and those that ask for it with it.
$(addprefix $(B)/,algebra/presburger/isl/isl.o algebra/presburger/isl/isl_object.o \
    algebra/presburger/isl/isl_function.o algebra/integer/flint.o bench/zmat.o tests/algebra/presburger/text): $(B)/.engines
$(B)/.engines: FORCE
	@mkdir -p $(@D)
	@[ "$$(cat $@ 2>/dev/null)" = $(ENGINES) ] || echo $(ENGINES) > $@

$(B)/%.o: src/%.c
	@mkdir -p $(@D)
	$(COMPILE) -c -o $@ $<

$(JSON): | $(B)/.jansson
$(B)/.jansson:
	@mkdir -p $(@D)
	@CC="$(CC)" NO_INSTALL=1 tools/setup.sh run
	@touch $@

# Peers are built as their users would: for this machine.  CUTLASS_INCLUDE is the folder that has cute/layout.hpp, CUDA_INCLUDE the toolkit's.
CUTLASS_INCLUDE ?=
PYTHON ?= python3
CUDA_INCLUDE ?= /usr/local/cuda/include
ifneq ($(CUTLASS_INCLUDE),)
BENCH += $(B)/bench/cute_peer.o
$(B)/bench/cute_cpp.o: COMPILE += -DHAVE_CUTE=1
endif
$(B)/bench/cute_cpp.o: $(B)/.cute
$(B)/.cute: FORCE
	@mkdir -p $(@D)
	@[ "$$(cat $@ 2>/dev/null)" = "$(CUTLASS_INCLUDE)" ] && [ -f $@ ] || echo "$(CUTLASS_INCLUDE)" > $@
# clang 19 warns of its own -march=native where the processor has AVX10.
NATIVE := -O3 $(shell for flags in "-march=native" "-march=native -Wno-invalid-feature-combination"; do \
    printf "" | $(CC) $$flags -Werror -xc -c -o /dev/null - 2>/dev/null && echo "$$flags" && break; done)
$(B)/bench/by_hand.o: COMPILE += $(NATIVE)
$(B)/bench/cute_peer.o: bench/cute_peer.cpp
	@mkdir -p $(@D)
	$(Q)$(CXX) -std=c++17 $(NATIVE) -w -isystem $(CUTLASS_INCLUDE) -isystem $(CUDA_INCLUDE) \
	    -isystem $(CUDA_INCLUDE)/cccl -c -o $@ $<

ISL := $(call have,isl/ctx.h)
$(B)/bench/%.o: bench/%.c
	@mkdir -p $(@D)
	$(COMPILE) $(if $(ISL),-DHAVE_ISL=1) -c -o $@ $<

# ---- libraries and programs ------------------------------------------------

$(B)/libzlay-base.a: $(BASE)
$(B)/libzlay.a: $(LIB)
$(B)/libzlay-runtime.a: $(RUNTIME)
$(B)/libzlay-json.a: $(JSON)
$(B)/libzlay-cli.a: $(CLI)
$(B)/%.a:
	@rm -f $@
	$(Q)$(AR) qcsD $@ $^

# The base layer's internals are hidden in libzlay.so, so each library beside it has its own copy,
# which it does not export; it keeps no state, and a ctx has one form within a soname.
shared = $(Q)$(CC) -shared -Wl,-soname,$(@F).$(ABI) -Wl,-z,defs $(CFLAGS) $(LDFLAGS) -o $@
besides = $(B)/libzlay-base.a -Wl,--exclude-libs,libzlay-base.a -L$(B) -lzlay

$(B)/libzlay.so: $(LIB)
	$(shared) $^ $(ENGINE_LIBS) -lm
	@ln -sf $(@F) $@.$(ABI)
$(B)/libzlay-runtime.so: $(RUNTIME) $(B)/libzlay-base.a $(B)/libzlay.so
	$(shared) $(RUNTIME) $(besides) -ldl
	@ln -sf $(@F) $@.$(ABI)
$(B)/libzlay-json.so: $(JSON) $(B)/libzlay-base.a $(B)/libzlay.so
	$(shared) $(JSON) $(besides) -ljansson
	@ln -sf $(@F) $@.$(ABI)

# For LD_PRELOAD into any program: it has what it needs of libzlay inside and exports nothing of it.  Without a sanitizer, and
# optimised, for its dlsym has to leave by a jump (src/preload/find.c).
$(PRELOAD) $(B)/libzlay-explain.so: override CFLAGS := -O2 -g1 $(filter -Werror,$(CFLAGS))
$(B)/libzlay-explain.so: $(PRELOAD) $(B)/libzlay.a src/preload/symbols.map
	$(shared) $(PRELOAD) $(B)/libzlay.a -Wl,-Bsymbolic -Wl,--defsym=dlsym=zl_preload_dlsym -Wl,--version-script=src/preload/symbols.map \
	    $(ENGINE_LIBS) -ldl -lm

ARCHIVES := $(B)/libzlay-cli.a $(B)/libzlay-json.a $(B)/libzlay-runtime.a $(B)/libzlay.a
link = $(Q)$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $(filter %.o %.a,$^)

$(B)/zlay: $(B)/cli/main.o $(ARCHIVES)
	$(link) $(ENGINE_LIBS) -ljansson -ldl -lm
$(B)/zlay-bench: $(BENCH) $(B)/libzlay-runtime.a $(B)/libzlay.a
	$(link) $(if $(ISL),-lisl) $(ENGINE_LIBS) $(if $(CUTLASS_INCLUDE),-lstdc++) -ldl -lm

$(B)/zlay.cdef: tools/gen-cdef $(HEADERS)
	@mkdir -p $(@D)
	$(Q)CC="$(CC)" tools/gen-cdef $(HEADERS) > $@.new && mv $@.new $@
$(B)/zlay.1: tools/gen-man.sh $(B)/zlay $(wildcard src/cli/*.def)
	@mkdir -p $(@D)
	$(Q)CC="$(CC)" tools/gen-man.sh $(RUN) $(B)/zlay > $@.new && mv $@.new $@
$(MANS): $(B)/zlay-%.1: tools/gen-man.sh tools/rows.sh $(wildcard src/cli/*.def)
	$(Q)CC="$(CC)" tools/gen-man.sh command $* > $@.new && mv $@.new $@
$(COMPLETIONS): $(B)/completions/%: tools/gen-completions.sh tools/rows.sh $(wildcard src/cli/*.def src/json/rows/*.def) src/target/targets.def
	@mkdir -p $(@D)
	$(Q)CC="$(CC)" tools/gen-completions.sh $* > $@.new && mv $@.new $@
# Always anew: PREFIX and LIBDIR may differ from those of the last time. A libdir below the prefix is written so, for
# pkg-config --define-prefix.
fill_in = @mkdir -p $(@D); sed -e 's|@PREFIX@|$(PREFIX)|' -e 's|@LIBDIR@|$(LIBDIR)|' -e 's|@VERSION@|$(VERSION)|' -e 's|@MAJOR@|$(MAJOR)|' \
    -e 's|@ABI@|$(ABI)|' -e 's|@ENGINES@|$(filter -l%,$(ENGINE_LIBS))|' -e 's|^libdir=$(PREFIX)/|libdir=$${prefix}/|' $< > $@
$(PCS): $(B)/%: pkgconfig/%.in FORCE
	$(fill_in)
$(CMAKES): $(B)/%: cmake/%.in FORCE
	$(fill_in)

# ---- the main job ----------------------------------------------------------

run:
	@CC="$(CC)" tools/setup.sh run
	@$(MAKE) --no-print-directory $(B)/zlay
	@tools/run.sh $(B)

# ---- tests -----------------------------------------------------------------

# A program a file: folders as in src/, then random and whole small worlds, refuters, other programs as oracles, models.
UNITS := $(ROOMS) json runtime
WORLDS := exhaustive refute oracle models
programs = $(filter-out $(LEFT:%=$(B)/tests/%),$(patsubst tests/%.c,$(B)/tests/%,$(sort $(shell find $(wildcard $(1:%=tests/%)) -name '*.c'))))
# Programs whose time goes to their own machines, which execute kernels or every interleaving, or to ptxas: LEFT='$(MACHINES)'
# leaves them out where a second compiler made the same library; sanitizers leave out the longest.
LONGEST := emit/attention/run pipe/runs/mutants
MACHINES := $(LONGEST) $(addprefix emit/,attention/text pipe/block_scales_run pipe/run gcn/attention gcn/epilogue gcn/types) \
    $(addprefix emit/gemm/,block_scales multicast quantise scales split stream swap sync tmem types weights)
TESTS := $(call programs,$(UNITS) $(WORLDS))
# Two builds for one check are too long for `make test`; `make test-all` has it.
CHECKS := $(sort $(filter-out $(if $(filter 1,$(ZLAY_EXHAUSTIVE)),,tests/checks/reproducible.sh),$(wildcard tests/checks/*.sh)))
# `make test TESTS=build/tests/algebra/layout/layout CHECKS=` runs one program.

# The interpreters of PTX and AMDGCN are compiled once, not into each program that executes a kernel; and without a
# sanitizer, which looks at the library and at the tests, not at the machine below them: it bounds its own memory.
INTERPRETERS := $(patsubst %.c,$(B)/%.o,tests/ptx/run.c tests/gcn/run.c)
$(INTERPRETERS): override CFLAGS := $(if $(findstring -fsanitize,$(CFLAGS)),-O2 -g1 $(filter -Werror,$(CFLAGS)),$(CFLAGS))
# Loops over the elements of a product, which gcc makes vectors of.
$(B)/tests/gcn/run.o: override CFLAGS += -O3
$(INTERPRETERS): $(B)/%.o: %.c
	@mkdir -p $(@D)
	$(COMPILE) -Itests/support -Itests -c -o $@ $<
$(B)/libinterpreters.a: $(INTERPRETERS)
# Most programs of the units run for less time than their own optimisation would take; what they call is optimised.  Those that
# compute much themselves, by explorers and whole tables, are BUSY, as are the worlds.
BUSY := pipe/runs/% emit/%_run emit/%/run emit/gemm/% emit/gcn/% emit/machines/gcn% emit/move/copy emit/move/move emit/function/copy% emit/function/ragged synth/copy/unknowns synth/tensormap/store synth/swizzle/% \
    algebra/ops/beside_powers algebra/decide/large algebra/decide/pieces algebra/layout/eval_many
$(filter-out $(BUSY:%=$(B)/tests/%),$(call programs,$(UNITS))): private COMPILE += -O0
# Hundreds of programs are linked with archives that have debugging information: gold takes half of the time there.
GOLD := $(if $(shell command -v ld.gold 2> /dev/null),-fuse-ld=gold)
TEST_LD = $(if $(findstring -fsanitize,$(CFLAGS)),,$(GOLD))
$(B)/tests/%: tests/%.c $(ARCHIVES) $(B)/libinterpreters.a
	@mkdir -p $(@D)
	$(COMPILE) -Itests/support -Itests -o $@ $< $(TEST_LD) $(LDFLAGS) $(B)/libinterpreters.a $(ARCHIVES) -Wl,--as-needed -lcmocka -lisl -lflint -lgmp \
	    -ljansson -ldl -lm -lpthread

tests: $(TESTS)
units: $(call programs,$(UNITS))
test:
	@CC="$(CC)" CUTLASS_INCLUDE="$(CUTLASS_INCLUDE)" CUDA_INCLUDE="$(CUDA_INCLUDE)" tools/setup.sh test
	@$(MAKE) --no-print-directory all $(TESTS)
	@CC="$(CC)" CXX="$(CXX)" MAKE="$(MAKE)" B="$(B)" CUTLASS_INCLUDE="$(CUTLASS_INCLUDE)" CUDA_INCLUDE="$(CUDA_INCLUDE)" tests/run.sh $(TESTS) $(CHECKS)

# Without the worlds: what sanitizers and other compilers run of all that is built.
test-units:
	@$(MAKE) --no-print-directory test TESTS="$(call programs,$(UNITS))"
exhaustive:
	@CC="$(CC)" tools/setup.sh test
	@ZLAY_EXHAUSTIVE=$${ZLAY_EXHAUSTIVE:-1} $(MAKE) --no-print-directory test TESTS="$(call programs,$(WORLDS))" CHECKS=
test-all:
	@ZLAY_EXHAUSTIVE=$${ZLAY_EXHAUSTIVE:-1} $(MAKE) --no-print-directory test

# Of the library with libc alone: programs that ask for no package and fork nothing.  tests/portable/cmocka.h has
# cmocka's assertions.  RUN=qemu-aarch64-static runs what CC=aarch64-linux-gnu-gcc makes.
PORTABLE := algebra/decide/kinds algebra/decide/pieces algebra/f2/f2 algebra/f2/memory algebra/f2/modular \
    algebra/f2/wide algebra/find/lower algebra/layout/layout algebra/layout/memory algebra/layout/text \
    algebra/ops/complement algebra/ops/cute algebra/ops/cute_memory algebra/ops/cute_random \
    algebra/symbolic/symbol algebra/text/import base/base base/threads emit/emit emit/run legality/bank/bank \
    legality/bank/counted legality/barrier/barrier legality/copy/copy legality/copy/edges \
    legality/descriptor/smemdesc legality/matrix/fragment legality/tensormap/bits \
    legality/tensormap/tensormap legality/tmem/tmem pipe/fences/fences pipe/language/build \
    pipe/language/text pipe/runs/bugs pipe/runs/pipe pipe/runs/queues pipe/runs/trips pipe/runs/verdicts \
    rules/edges rules/applied sim/body sim/body_approx sim/body_integers sim/body_rows sim/fault sim/packed sim/reduce sim/sim sim/types synth/cluster/exchange \
    synth/cluster/multicast synth/copy/names synth/swizzle/swizzle synth/tensormap/least synth/word/factor \
    synth/word/word
RUN ?=
portable:
	@$(MAKE) --no-print-directory B="$(B)/portable/$(lastword $(CC))" ENGINES=0 run-portable
run-portable: $(B)/libzlay.so $(PORTABLE:%=$(B)/portable/%)
	@RUN="$(RUN)" B="$(B)" tests/run.sh $(filter $(B)/portable/%,$^)
$(B)/portable/%: tests/%.c tests/portable/cmocka.h $(B)/libzlay.a
	@mkdir -p $(@D)
	$(COMPILE) -Itests/portable -Itests/support -Itests -o $@ $< -static $(LDFLAGS) $(B)/libzlay.a -lm -lpthread

# A sanitizer run has the units, but for the longest, and a quarter of the refuters' cases. The other worlds ask the same
# functions again; checks look at the package, not at what runs.
SAN := -O1 -g1 -fno-omit-frame-pointer -fno-sanitize-recover=all
san:
	@$(MAKE) --no-print-directory test B=build/san CFLAGS="$(SAN) -fsanitize=address,undefined" CHECKS= \
	    TESTS="$(patsubst $(B)/%,build/san/%,$(filter-out $(LONGEST:%=$(B)/tests/%),$(call programs,$(UNITS))))"
	@ZLAY_SCALE=$${ZLAY_SCALE:-1/4} $(MAKE) --no-print-directory test B=build/san CHECKS= \
	    CFLAGS="$(SAN) -fsanitize=address,undefined" TESTS="$(patsubst $(B)/%,build/san/%,$(call programs,refute))"
tsan:
	@$(MAKE) --no-print-directory test B=build/tsan CFLAGS="-O0 -g1 -fno-sanitize-recover=all -fsanitize=thread" \
	    TESTS=build/tsan/tests/base/threads CHECKS=

# FUZZ_RUNS and ZLAY_SEED say how many and which.
fuzz:
	@$(MAKE) --no-print-directory B=build/san CFLAGS="$(SAN) -fsanitize=address,undefined" build/san/fuzz build/san/zlay
	build/san/fuzz build/san/zlay tests/fuzz/corpus
$(B)/fuzz: $(sort $(wildcard tests/fuzz/*.c)) $(ARCHIVES)
	$(COMPILE) -Itests/support -Itests -o $@ $(filter %.c,$^) $(LDFLAGS) $(ARCHIVES) $(ENGINE_LIBS) -ljansson -ldl -lm

# Coverage chooses the bytes: clang's libFuzzer, FUZZ_SECONDS of each target from the corpus, or FUZZ_RUNS inputs, which are
# the same each time.  What it finds worth keeping stands in build/cov/corpus, what breaks a target in tests/fuzz/crashers,
# which make test replays.
FUZZ_CC ?= clang-22
FUZZ_SECONDS ?= 4
fuzz-cov:
	@CC="$(FUZZ_CC)" tools/setup.sh fuzz
	@$(MAKE) --no-print-directory B=build/cov CC="$(FUZZ_CC)" CFLAGS="-O1 -g1 -fsanitize=fuzzer-no-link,address,undefined \
	    -fno-sanitize-recover=all" build/cov/fuzz-cov
	FUZZ_RUNS=$(FUZZ_RUNS) tests/fuzz/cover/run.sh build/cov/fuzz-cov $(FUZZ_SECONDS)
$(B)/fuzz-cov: tests/fuzz/cover/cover.c tests/fuzz/targets.c tests/fuzz/texts.c $(ARCHIVES)
	$(COMPILE) -Itests/support -Itests -fsanitize=fuzzer -o $@ $(filter %.c,$^) $(LDFLAGS) $(ARCHIVES) $(ENGINE_LIBS) -ljansson -ldl -lm

check-layers:
	@tests/checks/layers.sh
# What the structure must not lose: who may include whom, READMEs, one name for one thing, no private words.
check-house: $(B)/zlay
	@B="$(B)" tests/checks/rooms.sh && tests/checks/house.sh
doc-check: $(B)/zlay
	@B="$(B)" tests/checks/docs.sh

# ---- on a device: no cmocka but tests/portable/cmocka.h, no jansson ------------

DEVICE := $(patsubst tests/device/%.c,$(B)/device/%.o,$(sort $(wildcard tests/device/*/*.c)))
DEVICE_MAIN := $(patsubst tests/device/%.c,$(B)/device/%.o,$(sort $(wildcard tests/device/*/device_*.c)))
$(B)/device/%.o: tests/device/%.c
	@mkdir -p $(@D)
	$(COMPILE) -Itests/portable -Itests/support -Itests -c -o $@ $<
# Programs on the rig; those below stand on less.
ON_RIG := $(filter-out $(DEVICE_MAIN),$(DEVICE)) $(B)/libzlay-runtime.a $(B)/libzlay.a
$(addprefix $(B)/device-,test bench): $(B)/device-%: $(B)/device/kernels/device_%.o $(ON_RIG)
	$(link) $(ENGINE_LIBS) -ldl -lm -lpthread
$(addprefix $(B)/device-,copies wgmma): $(B)/device-%: $(B)/device/hardware/device_%.o $(ON_RIG)
	$(link) $(ENGINE_LIBS) -ldl -lm -lpthread
# By dlopen alone: no runtime library, no toolkit.
ORACLE := $(addprefix $(B)/device/,driver/device_oracle.o rig/cuda_now.o driver/sample.o driver/use_run.o)
$(B)/device-oracle: $(ORACLE) $(B)/libzlay.a
	$(link) $(ENGINE_LIBS) -ldl -lm
$(B)/device-synth: $(addprefix $(B)/device/,moves/device_synth.o rig/cuda_now.o) $(B)/libzlay.a
	$(link) $(ENGINE_LIBS) -ldl -lm
device-oracle: $(B)/device-oracle
	$(B)/device-oracle
device-wgmma: $(B)/device-wgmma
	$(B)/device-wgmma
$(B)/device-copy-synth: $(addprefix $(B)/device/,moves/device_copy_synth.o moves/copy_kernel.o moves/copy_rates.o rig/cuda_now.o) $(B)/libzlay.a
	$(link) $(ENGINE_LIBS) -ldl -lm
$(B)/device-pipes: $(addprefix $(B)/device/,kernels/device_pipes.o rig/cuda_now.o) $(B)/libzlay.a
	$(link) $(ENGINE_LIBS) -ldl -lm
device-pipes: $(B)/device-pipes
	$(B)/device-pipes
$(B)/device-moves: $(addprefix $(B)/device/,moves/device_moves.o rig/cuda_now.o) $(B)/libzlay.a
	$(link) $(ENGINE_LIBS) -ldl -lm
device-copy-synth: $(B)/device-copy-synth
	$(B)/device-copy-synth
$(B)/device-ragged: $(addprefix $(B)/device/,moves/device_ragged.o rig/cuda_now.o) $(B)/libzlay.a
	$(link) $(ENGINE_LIBS) -ldl -lm
device-ragged: $(B)/device-ragged
	$(B)/device-ragged
$(B)/device-groups: $(addprefix $(B)/device/,kernels/device_groups.o kernels/groups_attention.o kernels/groups_rows.o) $(B)/libzlay-runtime.a $(B)/libzlay.a
	$(link) $(ENGINE_LIBS) -ldl -lm
device-groups: $(B)/device-groups
	$(B)/device-groups
device-moves: $(B)/device-moves
	$(B)/device-moves
$(B)/device-module: $(B)/device/kernels/device_module.o $(B)/libzlay-runtime.a $(B)/libzlay.a
	$(link) $(ENGINE_LIBS) -ldl -lm
device-test: $(addprefix $(B)/device-,test synth copy-synth moves words functions pipes module groups)
	$(B)/device-test
	$(B)/device-synth
	$(B)/device-copy-synth
	$(B)/device-moves
	$(B)/device-words
	$(B)/device-functions
	$(B)/device-pipes
	$(B)/device-module
	$(B)/device-groups
	@$(MAKE) --no-print-directory examples EXAMPLES=cutlass_host
device-synth: $(B)/device-synth
	$(B)/device-synth
device-copies: $(B)/device-copies
	$(B)/device-copies
$(B)/device-words: $(B)/device/functions/device_words.o $(B)/device/rig/cuda_now.o $(B)/libzlay.a
	$(link) $(ENGINE_LIBS) -ldl -lm
device-words: $(B)/device-words
	$(B)/device-words
$(B)/device-functions: $(addprefix $(B)/device/,functions/device_functions.o functions/function_kernels.o rig/cuda_now.o) $(B)/libzlay.a
	$(link) $(ENGINE_LIBS) -ldl -lm
device-functions: $(B)/device-functions
	$(B)/device-functions
# Beside PyTorch: GEMMs of all types, attention.  SHAPES=FILE of lines `M N K` adds those.
device-peers: $(B)/zlay
	$(PYTHON) tests/device/peers/peers.py --zlay $(B)/zlay $(if $(SHAPES),--shapes $(SHAPES)) correct large types small edges scales int4 transposes attention $(if $(SHAPES),lm)
# Bytes of global memory that io.gemm and io.attention say, beside what Nsight Compute counts.
device-dram: $(B)/zlay
	$(PYTHON) tests/device/hardware/dram.py --zlay $(B)/zlay
	$(PYTHON) tests/device/hardware/dram.py --zlay $(B)/zlay --held
# The Python package that $(PYTHON) finds, on tensors of PyTorch.
device-python:
	$(PYTHON) tests/device/kernels/python.py
# What plans reckon with: times of K steps, the rows of a machine that are measured, and the constants fitted to random requests.  It
# takes some ten minutes, of which three plan and print 4,000 kernels, and one compiles them on 16 cores.
device-calibrate: $(B)/zlay
	python3 tests/device/fit/calibrate.py --zlay $(B)/zlay > $(B)/times.def
	python3 tests/device/fit/machine.py --build $(B)/device-machine > $(B)/machine_h200.def
	mv $(B)/times.def src/synth/gemm/times.def
	mv $(B)/machine_h200.def src/target/machine_h200.def
	python3 tests/device/fit/fit.py plan $(B)/fit.xz --zlay $(B)/zlay
	python3 tests/device/fit/fit.py run $(B)/fit.xz --rounds 5 --json $(B)/fit.json
	python3 tests/device/fit/fit.py keep $(B)/fit.json > tests/data/plan_times.txt
	python3 tests/device/fit/fit.py fit tests/data/plan_times.txt --write
device-bench: $(B)/device-bench
	$(B)/device-bench
device-banks:
	tests/device/hardware/banks.sh $(B)/device-banks
device-edit: $(B)/zlay # maps edited by tensormap.replace
	tests/device/driver/edit.sh $(B)/zlay $(B)/device-edit

# The programs of examples/, each built and run; what the machine lacks the means for is skipped by name.  EXAMPLES='gemm' takes one.
examples: $(B)/libzlay.a $(B)/libzlay-runtime.a $(B)/zlay.pc $(if $(filter cutlass_host,$(EXAMPLES)),,$(EXPLAIN) $(B)/zlay)
	@CC="$(CC)" CXX="$(CXX)" B="$(B)" CUTLASS_INCLUDE="$(CUTLASS_INCLUDE)" CUDA_INCLUDE="$(CUDA_INCLUDE)" tools/examples.sh $(EXAMPLES)

bench: $(B)/zlay-bench
	$(B)/zlay-bench
	$(PYTHON) bench/linear_layout.py $(B)/libzlay.so

# tests/python says which environments and packages it makes for itself.
test-python: $(B)/zlay
	@B="$(B)" CC="$(CC)" PYTHON="$(PYTHON)" tests/python/run.sh

# ---- the playground: libzlay for wasm32 with libc alone, inside one page -----

# docs/playground.md says what is in it. Debian's wasi-libc, and the builtins of the compiler's own package; JANSSON is a folder with
# the source of the JSON library, configured.
WASM_CC ?= clang-22
WASM_LD ?= wasm-ld-22
WASI ?= /usr
JANSSON ?= $(B)/jansson/src
WASM := $(B)/wasm
WASM_TARGET := --target=wasm32-wasip1 -isystem $(WASI)/include/wasm32-wasi -isystem $(JANSSON) -Os
# Counts of objects are 64 bits wide, memory of wasm32 is not: what was allocated fits (zl_alloc), so its size is narrowed at will.
WASM_COMPILE = $(Q)$(WASM_CC) $(WASM_TARGET) -Iinclude -Isrc -DZL_ENGINES=0 -std=c11 $(WARNINGS) -Wno-shorten-64-to-32 $(filter -Werror,$(CFLAGS)) \
    -fvisibility=hidden -MMD -MP
WASM_OBJECTS := $(patsubst $(B)/%,$(WASM)/%,$(LIB) $(JSON)) $(WASM)/entry.o
WASM_JANSSON := $(addprefix $(WASM)/jansson/,dump.o error.o hashtable.o hashtable_seed.o load.o memory.o pack_unpack.o strbuffer.o strconv.o utf.o \
    value.o version.o)
PAGE := $(sort $(wildcard playground/*.html playground/*.css playground/*.js)) tools/playground.py tests/pipes/ring.pipe

$(B)/jansson/src/jansson.h:
	@mkdir -p $(B)
	$(Q)tools/jansson.sh $(B)/jansson
$(WASM_OBJECTS): | $(JANSSON)/jansson.h
$(WASM)/jansson/%.o: $(JANSSON)/jansson.h
	@mkdir -p $(@D)
	$(Q)$(WASM_CC) $(WASM_TARGET) -w -DHAVE_STDINT_H -DNDEBUG -c -o $@ $(JANSSON)/$*.c
$(WASM)/%.o: src/%.c
	@mkdir -p $(@D)
	$(WASM_COMPILE) -c -o $@ $<
$(WASM)/entry.o: playground/entry.c
	@mkdir -p $(@D)
	$(WASM_COMPILE) -c -o $@ $<
$(B)/playground/zlay.wasm: $(WASM_OBJECTS) $(WASM_JANSSON)
	@mkdir -p $(@D)
	$(Q)$(WASM_LD) -o $@ --no-entry --export=_initialize --gc-sections --strip-all -O2 --stack-first -z stack-size=4194304 \
	    $(WASI)/lib/wasm32-wasi/crt1-reactor.o $^ -L$(WASI)/lib/wasm32-wasi -lc -lm \
	    $(shell $(WASM_CC) -print-resource-dir)/lib/wasi/libclang_rt.builtins-wasm32.a
$(B)/playground/index.html: $(B)/playground/zlay.wasm $(PAGE)
	$(Q)$(PYTHON) tools/playground.py $< tests/pipes/ring.pipe > $@.new && mv $@.new $@
playground:
	@CC="$(WASM_CC)" LD="$(WASM_LD)" WASI="$(WASI)" tools/setup.sh playground
	@$(MAKE) --no-print-directory $(B)/playground/index.html

# The requests that the programs of tests/json send, as they send them, are sent to the module too.
RECORD := $(patsubst tests/json/%.c,$(B)/record/%,$(sort $(wildcard tests/json/*.c)))
$(RECORD): private COMPILE += -O0
$(B)/record/%: tests/json/%.c tests/playground/record.c $(ARCHIVES)
	@mkdir -p $(@D)
	$(COMPILE) -Itests/support -Itests -o $@ $< tests/playground/record.c $(LDFLAGS) -Wl,--wrap=zlay_json_call $(ARCHIVES) -Wl,--as-needed \
	    -lcmocka -lisl -lflint -lgmp -ljansson -ldl -lm -lpthread
test-playground: playground
	@CC="$(CC)" CUTLASS_INCLUDE="$(CUTLASS_INCLUDE)" CUDA_INCLUDE="$(CUDA_INCLUDE)" tools/setup.sh test
	@CC="$(WASM_CC)" LD="$(WASM_LD)" WASI="$(WASI)" tools/setup.sh test-playground
	@$(MAKE) --no-print-directory $(RECORD)
	@$(MAKE) --no-print-directory B=$(B)/bare ENGINES=0 CFLAGS=-O1 $(B)/bare/zlay
	B="$(B)" tests/playground/run.sh $(RECORD)

# ---- documents, packages ---------------------------------------------------

# The texts of tests/golden, as they are printed now.
golden: $(addprefix $(B)/tests/emit/,pipe/pipe gcn/wave gemm/scales gcn/scales)
	$(B)/tests/emit/pipe/pipe golden
	$(B)/tests/emit/gcn/wave golden
	$(B)/tests/emit/gemm/scales golden
	$(B)/tests/emit/gcn/scales golden

# What tests/checks/census.sh holds the tree to; what is lost stays in the list until tests/census.gone says why.
census: all
	@B="$(B)" MAKE="$(MAKE)" tools/census.sh | LC_ALL=C sort > $(B)/census
	@sed '/^#/d; s/: .*//' tests/census.gone | LC_ALL=C sort | LC_ALL=C comm -13 - tests/census.list | \
	    LC_ALL=C sort -u - $(B)/census > $(B)/census.list && mv $(B)/census.list tests/census.list
generate: $(B)/zlay
	$(PYTHON) tools/site/pages.py > docs/index.md.new && mv docs/index.md.new docs/index.md
	B="$(B)" CC="$(CC)" tools/generate.sh
	$(PYTHON) tools/gen-python.py $(B)/zlay python/zlay
	CC="$(CC)" tools/gen-rules.sh > docs/rules.md.new && mv docs/rules.md.new docs/rules.md
	CC="$(CC)" tools/gen-forms.sh > docs/instructions.md.new && mv docs/instructions.md.new docs/instructions.md
	CC="$(CC)" tools/gen-rules.sh man > docs/zlay_rules.7.new && mv docs/zlay_rules.7.new docs/zlay_rules.7

site:
	@CC="$(CC)" tools/setup.sh site
	@$(PYTHON) tools/site/site.py "$(B)/site" $(wildcard $(B)/playground/index.html)
# A warning is an error, and so is a public name without a comment.
doxygen:
	@CC="$(CC)" tools/setup.sh doxygen
	@$(PYTHON) tools/site/headers.py check include/zlay/*.h
	@rm -rf "$(B)/doxygen" && mkdir -p "$(B)/doxygen"
	@(cat docs/Doxyfile; echo 'OUTPUT_DIRECTORY = "$(B)/doxygen"') | doxygen -

# Folders may have blanks; what is below them has none.
ROOT = $(DESTDIR)$(PREFIX)
LIBS = $(DESTDIR)$(LIBDIR)
DOCS = $(ROOT)/share/doc/zlay
EXAMPLE_FOLDERS := $(sort $(wildcard examples/*/))
SOS := $(notdir $(filter %.so,$(LIBRARIES)))
# Where each shell looks; the shell is the word before the first - or / of the path.
COMPLETE := share/bash-completion/completions/zlay share/zsh/site-functions/_zlay share/fish/vendor_completions.d/zlay.fish

install: all
	install -d "$(ROOT)/bin" "$(ROOT)/include/zlay" "$(LIBS)/pkgconfig" "$(LIBS)/cmake/zlay" "$(DOCS)/docs/internals" "$(DOCS)/docs/pictures" "$(DOCS)/docs/recipes" \
	    $(EXAMPLE_FOLDERS:%="$(DOCS)/%") "$(ROOT)/share/man/man1" "$(ROOT)/share/man/man7" $(foreach to,$(COMPLETE),"$(ROOT)/$(dir $(to))")
	install -m 755 $(B)/zlay "$(ROOT)/bin"
	install -m 644 $(HEADERS) $(HEADERS_CXX) $(B)/zlay.cdef "$(ROOT)/include/zlay"
	install -m 644 $(filter %.a,$(LIBRARIES)) "$(LIBS)"
	for so in $(SOS); do \
	    install -m 755 $(B)/$$so "$(LIBS)/$$so.$(VERSION)" && \
	    ln -sf $$so.$(VERSION) "$(LIBS)/$$so.$(ABI)" && \
	    ln -sf $$so.$(ABI) "$(LIBS)/$$so" || exit 1; done
	install -m 755 $(EXPLAIN) "$(LIBS)"
	install -m 644 $(PCS) "$(LIBS)/pkgconfig"
	install -m 644 $(CMAKES) "$(LIBS)/cmake/zlay"
	install -m 644 LICENSE README.md "$(DOCS)"
	install -m 644 $(wildcard docs/*.md) "$(DOCS)/docs"
	install -m 644 $(wildcard docs/internals/*.md) "$(DOCS)/docs/internals"
	install -m 644 $(wildcard docs/pictures/*.png) "$(DOCS)/docs/pictures"
	install -m 644 $(wildcard docs/recipes/*.md) "$(DOCS)/docs/recipes"
	for file in $(patsubst examples/%,%,$(filter-out $(EXAMPLE_FOLDERS:%/=%),$(wildcard examples/* $(EXAMPLE_FOLDERS:%=%*)))); do \
	    install -m 644 "examples/$$file" "$(DOCS)/examples/$$file" || exit 1; done
	install -m 644 $(B)/zlay.1 $(MANS) "$(ROOT)/share/man/man1"
	install -m 644 docs/zlay_rules.7 "$(ROOT)/share/man/man7"
	$(foreach to,$(COMPLETE),install -m 644 "$(B)/completions/$(firstword $(subst -, ,$(subst /, ,$(to:share/%=%))))" "$(ROOT)/$(to)" && ):

# What install puts there, by the same PREFIX, LIBDIR and DESTDIR.
uninstall:
	rm -f "$(ROOT)/bin/zlay" $(foreach page,zlay.1 $(notdir $(MANS)),"$(ROOT)/share/man/man1/$(page)") \
	    "$(ROOT)/share/man/man7/zlay_rules.7" $(COMPLETE:%="$(ROOT)/%")
	rm -rf "$(ROOT)/include/zlay" "$(DOCS)" "$(LIBS)/cmake/zlay"
	cd "$(LIBS)" && rm -f $(notdir $(EXPLAIN) $(filter %.a,$(LIBRARIES))) $(foreach so,$(SOS),$(so) $(so).$(ABI) $(so).$(VERSION)) \
	    $(patsubst $(B)/%,pkgconfig/%,$(PCS))

clean:
	rm -rf $(B)

-include $(LIB:.o=.d) $(INTERPRETERS:.o=.d) $(RUNTIME:.o=.d) $(PRELOAD:.o=.d) $(JSON:.o=.d) $(CLI:.o=.d) $(B)/cli/main.d $(BENCH:.o=.d) \
    $(DEVICE:.o=.d) $(addsuffix .d,$(TESTS)) $(WASM_OBJECTS:.o=.d)

FORCE:
.DELETE_ON_ERROR:
.PHONY: all run tests units test test-units test-all exhaustive portable run-portable san tsan fuzz fuzz-cov check-layers check-house doc-check device-test device-synth device-copy-synth device-moves device-ragged device-words device-functions device-groups device-pipes device-copies device-bench device-calibrate device-peers device-dram device-banks device-edit device-oracle device-wgmma bench examples golden playground test-playground generate census install uninstall clean site doxygen
