# make            build build/spangraph
# make demo       install what is missing, build, start, replay a trace, ask
# make test       install what is missing, build, run every test
# make check      format, lint, include rules, tests under sanitizers
# make bench      measure against peers and limits in the same run
# make deps       install what is missing (Debian packages, npm)
# make fuzz       each fuzz target for FUZZ_SECONDS (60)
# make format     format the sources
# make help       this text
#
# One make, no recursion into folders, no generated makefiles.  A new .c file
# in a known folder is picked up by itself; a new folder is a design decision
# and is therefore listed by hand, here and in tests/layers.txt.

LAYERS = base model net store graph runtime otlp index gc mcp api

CC     ?= cc
CXX    ?= c++
MODE   ?= release
GRPC   ?= core
STD     = -std=c17 -D_GNU_SOURCE
WARN    = -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wno-sign-conversion \
          -Wstrict-prototypes -Wmissing-prototypes -Wold-style-definition \
          -Wpointer-arith -Wcast-qual -Wwrite-strings -Wundef -Wvla \
          -Wformat=2 -Wimplicit-fallthrough -Wdouble-promotion
HARDEN  = -fno-common -fstack-protector-strong -fPIE

FLAGS_debug   = -Og -g3
FLAGS_san     = -O1 -g -fno-omit-frame-pointer \
                -fsanitize=address,undefined -fno-sanitize-recover=all
FLAGS_tsan    = -O1 -g -fsanitize=thread
FLAGS_release = -O2 -g -DNDEBUG -D_FORTIFY_SOURCE=2
LINK_release  = -Wl,-z,relro,-z,now

BUILD  ?= build
B       = $(BUILD)/$(MODE)
FLAGS   = $(STD) $(WARN) $(HARDEN) $(FLAGS_$(MODE)) $(if $(WERROR),-Werror)
INC     = -I. -I$(BUILD)/gen
LDLIBS  = -lprotobuf-c -lnghttp2 -lhttp_parser -luv -lssl -lcrypto -ldeflate \
          -lz -lzstd -lsqlite3 -lcjson -lxxhash -lyaml -lpthread -lm
ifeq ($(GRPC),core)
LDLIBS += -lgrpc -lgpr
else
FLAGS  += -DGRPC_NGHTTP2
endif

SRC     = $(foreach d,$(LAYERS),$(wildcard $(d)/*.c))
CMDSRC  = $(wildcard cmd/*.c)
PROTO   = $(wildcard otlp/proto/*.proto)
GENSRC  = $(PROTO:otlp/proto/%.proto=$(BUILD)/gen/otlp/proto/%.pb-c.c)
OBJ     = $(SRC:%.c=$(B)/%.o)
GENOBJ  = $(GENSRC:$(BUILD)/gen/%.c=$(B)/gen/%.o)
CMDOBJ  = $(CMDSRC:%.c=$(B)/%.o)
LIB     = $(B)/libspangraph.a
TESTSRC = $(wildcard tests/*/test_*.c)
TESTS   = $(TESTSRC:%.c=$(B)/%)
TESTLIB = $(patsubst %.c,$(B)/%.o,$(wildcard tests/support/*.c))
ALL     = $(wildcard $(foreach d,$(LAYERS) cmd tests/* ,$(d)/*.c $(d)/*.h))

all: $(BUILD)/spangraph

$(BUILD)/spangraph: $(B)/spangraph
	@cp -f $< $@

$(B)/spangraph: $(CMDOBJ) $(LIB)
	$(CXX) $(FLAGS_$(MODE)) $(LINK_$(MODE)) $(LDFLAGS) -pie -o $@ $^ $(LDLIBS)

$(LIB): $(OBJ) $(GENOBJ)
	@rm -f $@
	@ar rcs $@ $^

$(BUILD)/gen/otlp/proto/%.pb-c.c: otlp/proto/%.proto
	@mkdir -p $(@D)
	protoc-c --proto_path=otlp/proto --c_out=$(BUILD)/gen/otlp/proto $<

$(OBJ) $(CMDOBJ) $(TESTLIB) $(TESTS:=.o): | $(GENSRC)

$(B)/%.o: %.c
	@mkdir -p $(@D)
	$(CC) $(FLAGS) $(INC) $(CPPFLAGS) $(CFLAGS) -MMD -MP -c -o $@ $<

$(B)/gen/%.o: $(BUILD)/gen/%.c
	@mkdir -p $(@D)
	$(CC) $(STD) $(HARDEN) $(FLAGS_$(MODE)) $(INC) -I$(BUILD)/gen/otlp/proto -c -o $@ $<

$(B)/tests/%: $(B)/tests/%.o $(TESTLIB) $(LIB)
	$(CXX) $(FLAGS_$(MODE)) $(LDFLAGS) -pie -o $@ $^ $(LDLIBS) -lcmocka

# The conformance fixture is one program of several files.
FIXTURE = $(patsubst %.c,$(B)/%.o,$(wildcard tests/mcp/fixture_*.c))
$(B)/tests/mcp/conformance_server: $(FIXTURE)

tests: $(TESTS)

layers:
	@tests/layers.sh

format:
	clang-format -i $(ALL)

check-format:
	clang-format --dry-run --Werror $(ALL)

tidy:
	printf '%s\n' $(filter-out tests/%,$(filter %.c,$(ALL))) | \
	    xargs -P 2 -n 4 clang-tidy --quiet --warnings-as-errors='*' -- 

help:
	@sed -n '1,9s/^# //p' Makefile

clean:
	rm -rf build

-include $(OBJ:.o=.d) $(CMDOBJ:.o=.d) $(TESTS:=.d) $(TESTLIB:.o=.d)
.SECONDARY:
.PHONY: all tests layers format check-format tidy help clean
