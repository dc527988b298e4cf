# make            build build/spangraph
# make demo       install what is missing, build, start, replay a trace, ask
# make test       install what is missing, build, run every test
# make check      format, lint, include rules, tests under sanitizers
# make bench      install what is missing, measure against peers and limits
# make bench-calls hold call resolution against compilers (docs/calls.md)
# make bench-search  judge what search finds, on pinned packages (docs/search.md)
# make apiserver  give deploy/ to a real kube-apiserver (Go 1.26, etcd; minutes)
# make deps       install what is missing (Debian packages, npm)
# make fuzz       each fuzz target for FUZZ_SECONDS (60)
# make unwritten  the decoders under the memory sanitizer, for as long
# make format     format the sources
# make screenshots the pictures of docs/ui.md, in Chromium
# make dist, deb, sbom   a tarball, a Debian package, a bill of materials
# make help       this text
#
# V=1 shows the commands; MODE=debug, san, tsan or release; GRPC=nghttp2 leaves
# gRPC core out.
#
# One make, no recursion into folders, no generated makefiles.  A new .c file
# in a known folder is picked up by itself; a new folder is a design decision
# and is therefore listed by hand, here and in tests/layers.txt.

LAYERS = base model net store graph runtime otlp relay index gc crawl knowledge mcp api

CC     ?= cc
CXX    ?= c++
MODE   ?= release
GRPC   ?= core
STD     = -std=c17 -D_GNU_SOURCE
WARN    = -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wno-sign-conversion \
          -Wstrict-prototypes -Wmissing-prototypes -Wold-style-definition \
          -Wpointer-arith -Wcast-qual -Wwrite-strings -Wundef -Wvla \
          -Wformat=2 -Wimplicit-fallthrough -Wdouble-promotion
HARDEN  = -fno-common -fstack-protector-strong -fPIE $(HARDEN_CPU)
ifeq ($(shell uname -m),x86_64)
HARDEN_CPU = -fcf-protection
endif

FLAGS_debug   = -Og -g3
FLAGS_san     = -O1 -g -fno-omit-frame-pointer \
                -fsanitize=address,undefined -fno-sanitize-recover=all
FLAGS_tsan    = -O1 -g -fsanitize=thread
FLAGS_release = -O2 -g -DNDEBUG -D_FORTIFY_SOURCE=3 -fstack-clash-protection
LINK_release  = -Wl,-z,relro,-z,now,-z,noexecstack,-z,pack-relative-relocs

BUILD  ?= build
Q       = $(if $(V),,@echo '  ' $@;)
B       = $(BUILD)/$(MODE)$(if $(filter core,$(GRPC)),,-$(GRPC))
FLAGS   = $(STD) $(WARN) $(HARDEN) $(FLAGS_$(MODE)) $(if $(WERROR),-Werror)
INC     = -I. -I$(BUILD)/gen -I$(BUILD)/grammars/include
LDLIBS  = -lprotobuf-c -lnghttp2 -lhttp_parser -luv -lssl -lcrypto -ldeflate \
          -lz -lzstd -lsqlite3 -lcjson -lxxhash -lyaml -lgumbo -lpthread -lm
ifeq ($(GRPC),core)
# In the program itself core calls its functions and finds the variables of its
# threads without asking tables first: a seventh more calls a CPU second.  The
# sanitizers know it by the names of its shared libraries (tests/tsan.supp).
CORE_AT := $(dir $(shell $(CC) -print-file-name=libgrpc.a))
CORE_A  := $(wildcard $(patsubst %,$(CORE_AT)lib%.a,grpc gpr upb re2 cares \
               address_sorting absl_*))
ifeq ($(MODE)$(if $(filter %/libgrpc.a,$(CORE_A)),,-shared),release)
LDLIBS := -Wl,--export-dynamic-symbol='*SetMutexDeadlockDetectionMode*' \
          -Wl,--start-group $(CORE_A) -Wl,--end-group $(LDLIBS)
else
LDLIBS += -lgrpc -lgpr
endif
NO_SRC  = net/grpc_nghttp2.c
else
NO_SRC  = net/grpc.c $(wildcard net/grpc_rpc.c net/grpc_head.c net/grpc_body.c \
              net/grpc_reply.c net/grpc_cert.c net/grpc_place.c \
              net/grpc_cork.c net/grpc_home.c net/grpc_log.c \
              net/grpc_portion.c net/grpc_frames.c net/grpc_frames_tls.c \
              net/grpc_unary.c net/grpc_pace.c)
NO_TEST = $(wildcard tests/net/test_grpc*.c) tests/support/grpc_client.c \
          tests/support/echo_server.c
NO_FUZZ = tests/fuzz/fuzz_grpc_frames.c
endif

SRC     = $(filter-out $(NO_SRC),$(foreach d,$(LAYERS),$(wildcard $(d)/*.c)))
CMDSRC  = $(wildcard cmd/*.c)
PROTO   = $(wildcard otlp/proto/*.proto)
UIGEN   = $(BUILD)/gen/api/ui_assets.c
GENSRC  = $(PROTO:otlp/proto/%.proto=$(BUILD)/gen/otlp/proto/%.pb-c.c) $(UIGEN)
OBJ     = $(SRC:%.c=$(B)/%.o)
GENOBJ  = $(GENSRC:$(BUILD)/gen/%.c=$(B)/gen/%.o)
CMDOBJ  = $(CMDSRC:%.c=$(B)/%.o)
LIB     = $(B)/libspangraph.a
GRAMMARS = $(BUILD)/grammars/libgrammars.a
CMDLIB  = $(B)/libspangraph_cmd.a
TESTSRC = $(filter-out tests/support/% $(NO_TEST),$(wildcard tests/*/test_*.c))
TESTS   = $(TESTSRC:%.c=$(B)/%)
TESTOBJ = $(patsubst %.c,$(B)/%.o,$(filter-out $(NO_TEST),$(wildcard tests/support/*.c)))
TESTLIB = $(B)/libtests.a
ALL     = $(wildcard $(foreach d,$(LAYERS) cmd tests/* ,$(d)/*.c $(d)/*.h))

all: $(BUILD)/spangraph

# Whatever MODE and GRPC were last: the program asked for now.
$(BUILD)/spangraph: $(B)/spangraph FORCE
	@cmp -s $< $@ || cp -f $< $@

# The parsers of source code: C from npm, compiled once for all modes.
$(GRAMMARS): index/grammars/package-lock.json index/grammar.h deploy/grammars.sh
	@deploy/grammars.sh

$(B)/spangraph: $(CMDOBJ) $(LIB) $(GRAMMARS)
	$(Q)$(CXX) $(FLAGS_$(MODE)) $(LINK_$(MODE)) $(LDFLAGS) -pie -o $@ $^ $(LDLIBS)

$(LIB): $(OBJ) $(GENOBJ)
	@rm -f $@
	@ar rcs $@ $^

# What tests may link of cmd/: everything but main.
$(CMDLIB): $(filter-out %/main.o,$(CMDOBJ))
	@rm -f $@
	@ar rcs $@ $^

$(BUILD)/gen/otlp/proto/%.pb-c.c: otlp/proto/%.proto
	@mkdir -p $(@D)
	$(Q)protoc-c --proto_path=otlp/proto --c_out=$(BUILD)/gen/otlp/proto $<

# The web page: bundled by esbuild from npm, then put into the program.
$(UIGEN): $(wildcard ui/*.* ui/src/*) deploy/ui.sh
	@deploy/ui.sh

$(TESTLIB): $(TESTOBJ)
	@rm -f $@
	@ar rcs $@ $^

$(OBJ) $(CMDOBJ) $(TESTOBJ) $(TESTS:=.o): | $(GENSRC) $(GRAMMARS)

# What only tests and benchmarks need is not installed by `make demo`.
$(TESTOBJ) $(TESTS:=.o): | cmocka
cmocka:
	@echo '#include <cmocka.h>' | $(CC) $(INC) $(CPPFLAGS) -E -o /dev/null - 2>/dev/null || \
	    { echo 'tests and benchmarks need packages that are missing: make deps' >&2; exit 1; }

$(B)/%.o: %.c
	@mkdir -p $(@D)
	$(Q)$(CC) $(FLAGS) $(INC) $(CPPFLAGS) $(CFLAGS) -MMD -MP -c -o $@ $<

$(B)/gen/%.o: $(BUILD)/gen/%.c
	@mkdir -p $(@D)
	$(Q)$(CC) $(STD) $(HARDEN) $(FLAGS_$(MODE)) $(INC) -I$(BUILD)/gen/otlp/proto -c -o $@ $<

$(B)/tests/%: $(B)/tests/%.o $(TESTLIB) $(CMDLIB) $(LIB) $(GRAMMARS)
	$(Q)$(CXX) $(FLAGS_$(MODE)) $(LDFLAGS) -pie -o $@ $^ $(LDLIBS) -lcmocka

# It makes repositories that git refuses; the program loads the library itself.
$(B)/tests/index/test_tree_hostile: LDLIBS += -lgit2

# Test programs that stand in for some functions of the product.
$(B)/tests/runtime/test_sim $(B)/tests/runtime/test_sim_horizon: \
    LDFLAGS += -Wl,--wrap=hash_seed
$(B)/tests/graph/test_world: LDFLAGS += -Wl,--wrap=code_db_hold
$(B)/tests/cmd/test_clock: LDFLAGS += -Wl,--wrap=clock_wall_ns \
                                   -Wl,--wrap=clock_boot_ns
# Its getaddrinfo is to be found by libraries, too.
$(B)/tests/crawl/test_http: LDFLAGS += -Wl,--export-dynamic-symbol=getaddrinfo
$(B)/tests/store/test_journal_names: LDFLAGS += -Wl,--wrap=fsync
$(B)/tests/store/test_files: LDFLAGS += -Wl,--wrap=fsync -Wl,--wrap=flock \
                                   -Wl,--wrap=fstat
$(B)/tests/store/test_index_room: LDFLAGS += -Wl,--wrap=fallocate
$(B)/tests/knowledge/test_search: LDFLAGS += -Wl,--wrap=clock_mono_ns
NO_MEMORY = $(addprefix $(B)/tests/,base/test_grow base/test_ids base/test_idset \
                                    cmd/test_no_memory graph/test_durations \
                                    graph/test_query_ways net/test_session_no_memory \
                                    runtime/test_intake_batch)
$(NO_MEMORY): LDFLAGS += $(foreach f,malloc calloc realloc aligned_alloc \
                                   strdup asprintf,-Wl,--wrap=$(f))

# The demo's recording is in the program.
$(B)/cmd/demo_trace.o: examples/shop/trace.jsonl examples/shop/routes.txt

# The conformance fixture is one program of several files.
FIXTURE = $(patsubst %.c,$(B)/%.o,$(wildcard tests/mcp/fixture_*.c))
$(B)/tests/mcp/conformance_server: $(FIXTURE)

tests: $(TESTS)
list-tests:
	@printf '%s\n' $(TESTS)

# Programs whose threads ThreadSanitizer watches; not confinement, which it does
# not survive, nor TLS, whose libraries it cannot see into, nor those where each
# byte of megabytes is looked at: they would take minutes.
THREADED = $(filter-out tests/net/test_%_tls.c tests/cmd/test_confine.c \
    tests/net/test_server_place.c tests/net/test_stream_room.c,\
    $(shell grep -lE 'pthread_create|(server|engine|gc|endpoint|relay|relay_rig|kit|aside)_start' \
            $(TESTSRC) /dev/null))
thread-tests: $(THREADED:%.c=$(B)/%)
list-thread-tests:
	@printf '%s\n' $(THREADED:%.c=$(B)/%)

# The test programs beside the product, that other test suites run.
mcp-fixture: $(B)/tests/mcp/conformance_server

# libFuzzer brings its own main and its own instrumentation of everything.
FUZZ_SECONDS ?= 60
FUZZSRC = $(filter-out tests/fuzz/fuzz_session.c $(NO_FUZZ),$(wildcard tests/fuzz/fuzz_*.c))
FUZZERS = $(FUZZSRC:tests/fuzz/%.c=$(BUILD)/fuzz/bin/%)
FUZZOBJ = $(SRC:%.c=$(BUILD)/fuzz/%.o) $(TESTOBJ:$(B)/%=$(BUILD)/fuzz/%) \
          $(BUILD)/fuzz/tests/fuzz/fuzz_session.o \
          $(GENSRC:$(BUILD)/gen/%.c=$(BUILD)/fuzz/gen/%.o)
FUZZFLAGS = $(STD) -O1 -g -fsanitize=fuzzer-no-link,address,undefined \
            -fno-sanitize-recover=all $(INC) -I$(BUILD)/gen/otlp/proto

$(BUILD)/fuzz/%.o: %.c | $(GENSRC) $(GRAMMARS)
	@mkdir -p $(@D)
	$(Q)clang $(FUZZFLAGS) -MMD -MP -c -o $@ $<
$(BUILD)/fuzz/gen/%.o: $(BUILD)/gen/%.c
	@mkdir -p $(@D)
	$(Q)clang $(FUZZFLAGS) -c -o $@ $<
$(BUILD)/fuzz/libspangraph.a: $(FUZZOBJ)
	@rm -f $@
	@ar rcs $@ $^
$(BUILD)/fuzz/bin/%: $(BUILD)/fuzz/tests/fuzz/%.o $(BUILD)/fuzz/libspangraph.a $(GRAMMARS)
	@mkdir -p $(@D)
	$(Q)clang++ -fsanitize=fuzzer,address,undefined -o $@ $^ $(LDLIBS)
# The decoders as a machine has them that is no x86-64: without wide registers.
PLAINSRC = $(wildcard otlp/decode*.c otlp/json*.c) otlp/attr_hash.c otlp/bytes64.c
PLAINFUZZERS = $(addprefix $(BUILD)/fuzz/bin/fuzz_,decode_pb_plain decode_json_plain)
FUZZERS += $(PLAINFUZZERS)
$(BUILD)/fuzz/plain/%.o: %.c | $(GENSRC)
	@mkdir -p $(@D)
	$(Q)clang $(FUZZFLAGS) -DBYTES64_PLAIN -MMD -MP -c -o $@ $<
$(BUILD)/fuzz/bin/fuzz_%_plain: $(BUILD)/fuzz/plain/tests/fuzz/fuzz_%.o \
        $(PLAINSRC:%.c=$(BUILD)/fuzz/plain/%.o) $(BUILD)/fuzz/libspangraph.a $(GRAMMARS)
	@mkdir -p $(@D)
	$(Q)clang++ -fsanitize=fuzzer,address,undefined -o $@ $^ $(LDLIBS)
fuzzers: $(FUZZERS)
fuzz: fuzzers
	@tests/fuzz/run.sh $(FUZZ_SECONDS) $(FUZZERS)

# The decoders alone: how much of them the fuzzers reach, and whether they read
# memory that nobody wrote.
DECODESRC = $(wildcard base/*.c otlp/decode*.c otlp/json*.c otlp/wire.c otlp/attr_hash.c otlp/bytes64.c \
                net/inflate.c net/unpack.c net/resolve.c net/grpc_frame.c net/exchange.c net/aside.c net/turns.c net/hub.c net/answer.c net/request.c net/server.c \
                net/listener.c net/cors.c net/peers.c net/spare.c net/conn.c net/conn_out.c net/tls.c net/tls_suites.c net/tokens.c net/http1*.c \
                net/http2*.c net/http_date.c net/glance.c net/stranger.c)
COVERED = $(BUILD)/coverage
COVEROBJ = $(DECODESRC:%.c=$(COVERED)/%.o) $(GENSRC:$(BUILD)/%.c=$(COVERED)/%.o) \
           $(addprefix $(COVERED)/tests/support/,pb_mutate.o otlp_oracle.o otlp_json.o decode_seen.o)
COVERERS = $(addprefix $(COVERED)/bin/fuzz_,decode_pb decode_json inflate grpc_frame)
COVERFLAGS = $(STD) -O1 -g -fprofile-instr-generate -fcoverage-mapping $(INC) \
             -I$(BUILD)/gen/otlp/proto
$(COVERED)/gen/%.o: $(BUILD)/gen/%.c
	@mkdir -p $(@D)
	$(Q)clang $(COVERFLAGS) -fsanitize=fuzzer-no-link -MMD -MP -c -o $@ $<
$(COVERED)/%.o: %.c | $(GENSRC)
	@mkdir -p $(@D)
	$(Q)clang $(COVERFLAGS) -fsanitize=fuzzer-no-link -MMD -MP -c -o $@ $<
$(COVERED)/bin/%: $(COVERED)/tests/fuzz/%.o $(COVEROBJ)
	@mkdir -p $(@D)
	$(Q)clang $(COVERFLAGS) -fsanitize=fuzzer -o $@ $^ $(LDLIBS) -lcmocka
coverage: $(COVERERS)
	@tests/fuzz/coverage.sh 90 $(COVERED)/bin

# The decoders under clang's memory sanitizer: do they read what nobody wrote.
UNWRITTEN = $(BUILD)/msan
UNWRITTENSRC = tests/fuzz/unwritten.c $(wildcard base/*.c otlp/decode*.c otlp/json*.c) \
               otlp/wire.c otlp/attr_hash.c otlp/bytes64.c \
               $(addprefix tests/support/,pb_mutate.c otlp_oracle.c otlp_json.c)
$(UNWRITTEN)/%.o: %.c | $(GENSRC)
	@mkdir -p $(@D)
	$(Q)clang $(STD) -O1 -g -fsanitize=fuzzer-no-link,memory \
	    -fsanitize-memory-track-origins $(INC) -I$(BUILD)/gen/otlp/proto -MMD -MP -c -o $@ $<
$(UNWRITTEN)/unwritten: $(UNWRITTENSRC:%.c=$(UNWRITTEN)/%.o) $(GENSRC:$(BUILD)/%.c=$(UNWRITTEN)/%.o)
	$(Q)clang -fsanitize=fuzzer,memory -o $@ $^ $(LDLIBS)
$(UNWRITTEN)/gen/%.o: $(BUILD)/gen/%.c
	@mkdir -p $(@D)
	$(Q)clang $(STD) -O1 -g -fsanitize=fuzzer-no-link,memory -I$(BUILD)/gen/otlp/proto $(INC) -c -o $@ $<
unwritten: $(UNWRITTEN)/unwritten
	@mkdir -p $(UNWRITTEN)/found
	@$< -seed=$${FUZZ_SEED:-0} -max_total_time=$(FUZZ_SECONDS) -timeout=10 -artifact_prefix=$(UNWRITTEN)/ \
	    $(UNWRITTEN)/found tests/fuzz/corpus/decode_pb tests/fuzz/corpus/decode_json \
	    >$(UNWRITTEN)/log 2>&1 || { tail -40 $(UNWRITTEN)/log; exit 1; }
	@echo "ok no decoder reads what nobody wrote: $$(tail -1 $(UNWRITTEN)/log)"

# gcc's analyzer, which of C is experimental, over all that is the service's.
analyze: $(GENSRC) $(GRAMMARS)
	@tests/analyze.sh 'gcc $(STD) $(INC)' $(SRC) $(CMDSRC)

# Benchmarks are programs, or scripts around the service; what they share is
# the other files of the folder.
BENCHSRC = $(wildcard tests/bench/bench_*.c)
BENCHES  = $(BENCHSRC:%.c=$(B)/%)
BENCHCLIENTS = $(B)/tests/bench/blast $(B)/tests/bench/knock
BENCHLIB = $(patsubst %.c,$(B)/%.o,$(filter-out $(BENCHSRC) $(BENCHCLIENTS:$(B)/%=%.c),\
               $(wildcard tests/bench/*.c)))
$(BENCHES) $(BENCHCLIENTS): %: %.o $(BENCHLIB) $(TESTLIB) $(LIB) $(GRAMMARS)
	$(Q)$(CXX) $(FLAGS_$(MODE)) $(LDFLAGS) -pie -o $@ $^ $(LDLIBS) -lcmocka
# What the resolver says against what compilers say (docs/calls.md).
CALL_SITES = $(B)/tests/bench/calls/call_sites
LANGOBJ = $(filter $(B)/index/lang_%,$(OBJ))
$(CALL_SITES): %: %.o $(LANGOBJ) $(LIB) $(GRAMMARS)
	$(Q)$(CXX) $(FLAGS_$(MODE)) $(LDFLAGS) -pie -o $@ $^ $(LDLIBS)
# What bench_search.sh asks.
SEARCH_WORLD = $(B)/tests/bench/search/world
$(SEARCH_WORLD): %: %.o $(LIB) $(GRAMMARS)
	$(Q)$(CXX) $(FLAGS_$(MODE)) $(LDFLAGS) -pie -o $@ $^ $(LDLIBS)
bench-calls: $(CALL_SITES)
	@tests/bench/calls/run.sh $(CALL_SITES)
bench-routes: $(BUILD)/spangraph
	@tests/bench/routes/run.sh $(BUILD)/spangraph
bench-search: $(BUILD)/spangraph
	@tests/bench/search/run.sh $(BUILD)/spangraph
benches: $(BENCHES) $(BENCHCLIENTS) $(SEARCH_WORLD)
bench:
	@deploy/deps.sh test
	@$(MAKE) --no-print-directory -s -j$$(nproc) all benches
	@tests/bench/run.sh $(BENCHES)

deps:
	@deploy/deps.sh test

demo:
	@deploy/deps.sh build
	@$(MAKE) --no-print-directory -s -j$$(nproc) all
	@examples/shop/demo.sh

test:
	@deploy/deps.sh test
	@tests/run.sh

check:
	@deploy/deps.sh test
	@tests/run.sh check tidy unit threads

# Not on each run: fonts and drawing differ between machines.
screenshots: all
	@mkdir -p docs/images
	@SCREENSHOTS=$(CURDIR)/docs/images bash tests/e2e/test_ui.sh

# Not in make test: it builds kube-apiserver.
apiserver:
	@tests/deploy/apiserver.sh

layers:
	@tests/layers.sh

format:
	clang-format -i $(ALL)

check-format:
	clang-format --dry-run --Werror $(ALL)

TIDYSRC = $(filter-out tests/%,$(filter %.c,$(ALL)))
tidy: $(GENSRC) $(GRAMMARS)
	@printf '%s\n' $(TIDYSRC) | xargs -P $$(nproc) -n 4 sh -c \
	    'clang-tidy --quiet "$$@" -- $(STD) $(INC) 2>/dev/null' sh

# What is given to others; SOURCE_DATE_EPOCH is the commit's, so that the same
# sources make the same files.
export SOURCE_DATE_EPOCH ?= $(shell git log -1 --format=%ct 2>/dev/null || echo 0)
dist:
	@deploy/package/dist.sh HEAD $(BUILD)/dist
deb: all
	@deploy/package/deb.sh $(BUILD)/spangraph $(BUILD)/dist
sbom: all
	@mkdir -p $(BUILD)/dist
	@node deploy/package/sbom.js $(BUILD)/spangraph >$(BUILD)/dist/spangraph.spdx.json
	@echo $(BUILD)/dist/spangraph.spdx.json

help:
	@sed -n '1,18s/^# \{0,1\}//p' Makefile

clean:
	rm -rf build

-include $(FUZZOBJ:.o=.d) $(FUZZSRC:%.c=$(BUILD)/fuzz/%.d) \
         $(PLAINSRC:%.c=$(BUILD)/fuzz/plain/%.d) \
         $(wildcard $(BUILD)/fuzz/plain/tests/fuzz/*.d) \
         $(COVEROBJ:.o=.d) $(wildcard $(COVERED)/tests/fuzz/*.d) \
         $(UNWRITTENSRC:%.c=$(UNWRITTEN)/%.d) \
         $(wildcard $(B)/tests/bench/*.d) $(CALL_SITES:=.d)
-include $(OBJ:.o=.d) $(CMDOBJ:.o=.d) $(TESTS:=.d) $(TESTOBJ:.o=.d) $(FIXTURE:.o=.d) $(B)/tests/mcp/conformance_server.d
FORCE:
.SECONDARY: $(TESTS:=.o) $(BENCHES:=.o) $(BUILD)/release/tests/bench/blast.o \
            $(BUILD)/release/tests/bench/knock.o \
            $(FUZZSRC:%.c=$(BUILD)/fuzz/%.o) $(GENSRC) \
            $(PLAINFUZZERS:$(BUILD)/fuzz/bin/%_plain=$(BUILD)/fuzz/plain/tests/fuzz/%.o) \
            $(B)/tests/mcp/conformance_server.o
.PHONY: all tests list-tests thread-tests list-thread-tests mcp-fixture \
        cmocka fuzzers fuzz unwritten coverage analyze benches bench bench-calls bench-routes \
        bench-search deps \
        demo test check apiserver layers format screenshots dist deb sbom \
        check-format tidy help clean
