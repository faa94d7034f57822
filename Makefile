# The commands that everybody needs: `make run`, `make test` and `make install`.

GO      ?= go
BIN     := bin
export CGO_ENABLED ?= 0
# Programs built with -race otherwise sleep for a second before they exit.
export GORACE ?= atexit_sleep_ms=0

.PHONY: help run build share install uninstall release release-check test vet agents agents-more agents-test bench bench-quick bench-echo bench-nodes bench-conversations bench-hooks drill soak drill-tasks drill-approvals drill-worktrees drill-gits drill-hooks drill-fleet drill-nodes conformance lint fuzz fuzz-keep pictures clean

help: ## show this list
	@awk -F':.*## ' '/^[a-z-]+:.*## /{printf "  make %-12s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

run: build ## build and open ccdir
	$(BIN)/ccdir

# VERSION is what the programs say; without it that of the tag, or the next one (api.Version).
VERSION ?=
LDFLAGS := $(if $(VERSION),-ldflags "-X ccdir/api.Version=$(VERSION)")
build: ## build bin/ccdir with its companions ccdir-daemon, ccdir-shim and ccdir-fleet
	$(GO) build -trimpath $(LDFLAGS) -tags split -o $(BIN)/ccdir .
	$(GO) build -trimpath $(LDFLAGS) -o $(BIN)/ccdir-daemon ./cmd/ccdir-daemon
	$(GO) build -trimpath $(LDFLAGS) -o $(BIN)/ccdir-shim ./cmd/ccdir-shim
	$(GO) build -trimpath $(LDFLAGS) -o $(BIN)/ccdir-fleet ./cmd/ccdir-fleet

# What is installed beside the programs: manual pages, completions of shells, and for
# releases the install script, which has to know where releases are (RELEASES, nowhere else).
SHARE := $(BIN)/share
RELEASES ?= https://ccdir.invalid/releases
share: build
	$(GO) run -trimpath $(LDFLAGS) ./cmd/ccdir-man $(SHARE)/man
	@for shell in bash zsh fish; do $(BIN)/ccdir completion $$shell >$(SHARE)/completion.$$shell || exit 1; done
	@sed 's|@RELEASES@|$(RELEASES)|' contrib/install.sh >$(SHARE)/install.sh && chmod 755 $(SHARE)/install.sh

# Where things go: `make install PREFIX=~/.local` needs no root. DESTDIR is put before it
# all and is for packagers. (Not every shell expands the ~ in an argument.)
PREFIX ?= /usr/local
override PREFIX := $(patsubst ~/%,$(HOME)/%,$(PREFIX))
TO   := $(DESTDIR)$(PREFIX)
MAN  := $(TO)/share/man/man1
DOC  := $(TO)/share/doc/ccdir
BASH := $(TO)/share/bash-completion/completions
ZSH  := $(TO)/share/zsh/site-functions
FISH := $(TO)/share/fish/vendor_completions.d
# Recipes of packages name themselves here, so that `ccdir update` names their command.
INSTALLED_BY ?= make
PROGRAMS := ccdir-fleet ccdir-shim ccdir-daemon ccdir

# Each program takes the place of the old one at once: a ccdir that runs keeps its own.
# Where Go is missing (root's PATH), what was built before is installed.
install: $(if $(shell command -v $(GO) 2>/dev/null),share) ## install the programs, manual pages and completions below PREFIX (/usr/local)
	@test -x "$(BIN)/ccdir" || { echo "nothing is built yet, and $(GO) was not found: run 'make share' first" >&2; exit 1; }
	@mkdir -p "$(TO)/bin" "$(MAN)" "$(DOC)" "$(BASH)" "$(ZSH)" "$(FISH)" "$(TO)/share/ccdir"
	@for p in $(PROGRAMS); do \
		install -m 755 "$(BIN)/$$p" "$(TO)/bin/.$$p.new" && mv -f "$(TO)/bin/.$$p.new" "$(TO)/bin/$$p" || exit 1; \
	done
	@rm -f "$(MAN)/ccdir.1" "$(MAN)"/ccdir-*.1
	@install -m 644 $(SHARE)/man/*.1 "$(MAN)"
	@for f in $(wildcard LICENSE NOTICE CHANGELOG.md); do install -m 644 $$f "$(DOC)" || exit 1; done
	@echo "$(INSTALLED_BY)" >"$(TO)/share/ccdir/installed-by"
	@install -m 644 $(SHARE)/completion.bash "$(BASH)/ccdir"
	@install -m 644 $(SHARE)/completion.zsh "$(ZSH)/_ccdir"
	@install -m 644 $(SHARE)/completion.fish "$(FISH)/ccdir.fish"
	@echo "installed $$("$(BIN)/ccdir" --version) in $(TO)/bin"
	@case ":$$PATH:" in *":$(PREFIX)/bin:"*) ;; *) echo "$(PREFIX)/bin is not in your PATH: add it to run ccdir by its name" ;; esac
	@echo "A daemon that runs already keeps its version until 'ccdir daemon restart', which ends no session."

uninstall: ## remove what make install put below PREFIX; sessions, settings and state stay
	@for p in $(PROGRAMS); do rm -f "$(TO)/bin/$$p"; done
	@rm -f "$(MAN)/ccdir.1" "$(MAN)"/ccdir-*.1 "$(BASH)/ccdir" "$(ZSH)/_ccdir" "$(FISH)/ccdir.fish"
	@rm -rf "$(DOC)" "$(TO)/share/ccdir"
	@echo "removed ccdir from $(TO). Sessions that run go on; settings and state are where they were."

# Releases: .goreleaser.yaml. The tools are pinned to the newest that the Go proxy serves
# whole and this Go builds; those that are in PATH are taken.
GORELEASER := v2.14.3
SYFT       := v1.57.1

.PHONY: release-tools
release-tools: ## install goreleaser and syft into bin/tools, unless they are there
	@command -v goreleaser >/dev/null || test -x $(TOOLS)/goreleaser || GOBIN=$(TOOLS) $(GO) install github.com/goreleaser/goreleaser/v2@$(GORELEASER)
	@command -v syft >/dev/null || test -x $(TOOLS)/syft || GOBIN=$(TOOLS) $(GO) install github.com/anchore/syft/cmd/syft@$(SYFT)

release-check: release-tools ## build all of a release twice, compare, install and try it; publishes nothing
	CCDIR_RELEASES=$(RELEASES) .ci/release-check

release: release-tools ## publish a draft of the release whose tag is checked out (RELEASES=https://…/releases)
	@case "$(RELEASES)" in *.invalid/*) echo "say where releases are: make release RELEASES=https://…/releases" >&2; exit 1 ;; esac
	PATH=$(TOOLS):$$PATH CCDIR_PUBLISH=1 CCDIR_RELEASES=$(RELEASES) goreleaser release --clean
	contrib/recipes dist $(RELEASES)

# Packages whose tests run many processes and wait for them go three at a time, and the
# one that watches the clock of real programs goes alone, so that a small machine measures
# them and not itself. Those that take long come first. Those that only compute, whatever
# the clock says, have the time that is left over.
HEAVY := daemon test/tmux test/browser cli test/faults test/drill sessions/host
ALONE := test/realcli
COMPUTING := tui sessions/screen/vt tui/paint orchestrator policy

test: agents vet ## run every test, or those of ONLY=./tui (what is missing of gcc, tmux, npm, curl and chromium is said)
	@GO='$(GO)' .ci/test '$(HEAVY)' '$(ALONE)' '$(COMPUTING)' '$(ONLY)'

vet:
	$(GO) build -trimpath ./...
	$(GO) vet -trimpath ./...
	$(GO) vet -trimpath -tags faults ./sessions/host/...
	GOOS=darwin $(GO) vet -trimpath ./...

# The real agent CLI, and what looks at the page in a browser (axe-core), pinned, for the tests that need
# them. Without npm these are skipped, as .ci/test says (CCDIR_REQUIRE_ALL=1 makes that a failure).
# What is linked from another tree is left alone: npm ci would empty that one.
agents: testdata/agents/node_modules/.package-lock.json testdata/browser/node_modules/.package-lock.json

testdata/%/node_modules/.package-lock.json: testdata/%/package-lock.json
	@if command -v npm >/dev/null && [ ! -L testdata/$*/node_modules ]; then \
		cd testdata/$* && npm ci --no-audit --no-fund --loglevel=error && touch node_modules/.package-lock.json; \
	fi

# The other agent CLIs are up to 400 MB each: make test does not install them. Without them their
# tests are skipped, with a line each.
AGENTS = $(patsubst testdata/agents/%/package.json,%,$(wildcard testdata/agents/*/package.json))

agents-more: ## install the other agent CLIs that are pinned (AGENTS=codex: that one)
	@for a in $(AGENTS); do \
		[ -d testdata/agents/$$a/node_modules ] || (cd testdata/agents/$$a && npm ci --no-audit --no-fund --loglevel=error) || exit 1; \
	done

agents-test: agents-more ## play every scenario with the other agent CLIs (AGENTS=codex: with that one)
	CCDIR_REQUIRE_AGENTS=1 $(GO) test -count 1 -timeout 30m $(foreach a,$(AGENTS),$(if $(wildcard test/realcli/$(a)),./test/realcli/$(a)))

bench: build ## everything beside tmux and a bare PTY: one table of medians and ratios (BENCH=-json)
	$(GO) run ./cmd/ccdir-bench all -bin $(BIN) $(BENCH)

bench-quick: build ## the same in less than a minute; fails if a ratio is 3 times the recorded one
	$(GO) run ./cmd/ccdir-bench all -quick -bin $(BIN) $(BENCH)

bench-echo: build ## key echo, bytes and cost beside tmux and a bare PTY, in one run
	$(GO) run ./cmd/ccdir-bench echo -bin $(BIN)

bench-nodes: build ## another machine over ssh and a slow line: echo, floods, cuts (needs sshd)
	$(GO) run ./cmd/ccdir-bench nodes -bin $(BIN)

bench-conversations: ## how fast conversations are decoded and searched
	$(GO) test ./agents/claude/conversation ./daemon/store -run xx -bench 'Read|SaidSearch'

bench-hooks: build ## hook start to visible state, events accepted a second, the hook process
	$(GO) run ./cmd/ccdir-bench hooks -bin $(BIN)

BUSY ?= 40
drill-hooks: build ## how long a hook that decides takes beside BUSY busy loops, against its deadline
	$(GO) run ./cmd/ccdir-bench hooks -bin $(BIN) -busy $(BUSY)

drill-nodes: ## kill ssh, links, bridges, the node's daemon and grids KILLS times under load (needs sshd and tmux)
	$(GO) test ./test/nodes -run TestKilled -node-kills $(KILLS) -count 1 -timeout 30m -v

conformance: ## the MCP conformance suite and inspector against ccdir's server (needs npm)
	mcpserver/conformance/run.sh

drill: build ## kill 1,000 processes of ccdir under load and look for what was lost
	$(GO) run ./cmd/ccdir-drill -bin $(BIN) -kills 1000 -within 1s

OLD ?= HEAD~1
drill-upgrade: ## take over from the version OLD (a commit or tag): its sessions, requests, tasks and grids go on
	@d=$$(mktemp -d) && trap 'rm -rf $$d' EXIT && mkdir $$d/src $$d/bin && \
	git archive $(OLD) | tar -x -C $$d/src && $(MAKE) -C $$d/src build BIN=$$d/bin && \
	$(GO) test ./test/drill -run 'TestUpgrade$$' -from $$d/bin -count 1 -v

SOAK ?= 30m
soak: build ## use ccdir for SOAK (30m) and look whether memory, files, goroutines or processes grow
	$(GO) run ./cmd/ccdir-drill -bin $(BIN) -soak $(SOAK)

# The queue while its daemon is killed at every named point and at random
# moments, with the demo agent and with the real one (make test has a short form).
KILLS ?= 50
drill-tasks: agents ## kill the daemon KILLS times while tasks run
	$(GO) test ./daemon -run TestTasksKilled -campaigns $$(( ($(KILLS) + 7) / 8 )) -count 1 -timeout 30m -v
	$(GO) test ./test/realcli -run TestProductTasksKilled -task-kills $(KILLS) -count 1 -timeout 30m -v

drill-approvals: ## kill the daemon while 64 sessions make 1,000 requests: one answer each
	$(GO) test ./daemon -run TestApprovalsKilled -approval-sessions 64 -approval-requests 1024 -approval-kills 8 -count 1 -timeout 30m -v

drill-fleet: ## three servers of a fleet killed and frozen, joins and daemons killed, links cut, machines away beyond leases under 2,000 tasks; 100,000 tasks on 200 machines
	$(GO) test ./fleet -run 'TestDrill$$' -count 1 -timeout 60m -v -args -drill-tasks 2000 -drill-for 4m
	$(GO) test ./fleet -run 'TestScale$$' -count 1 -timeout 60m -v -args -scale-nodes 200 -scale-tasks 100000

drill-worktrees: ## kill ccdir and git KILLS times in the middle of work trees; 200 random trees removed and restored; full disks
	$(GO) test ./worktrees -run 'TestKilled|TestAnyTree|TestFullDisk' -kills $(or $(KILLS),500) -rounds 200 -count 1 -timeout 60m -v

# Unpacked packages of git are enough: a directory with a program git that sets GIT_EXEC_PATH.
GITS ?= $(dir $(shell command -v git))
drill-gits: ## set every trap for each git of GITS ("DIR…", each with a program git), and look whether a program of the repository runs
	@for d in $(GITS); do PATH="$$d:$$PATH" git version && PATH="$$d:$$PATH" $(GO) test -count 1 -run Trap -timeout 20m \
		./internal/gitstatus ./worktrees/... ./review ./mcpserver/gitview ./daemon || exit 1; done

# Pinned, and no dependency of the product: built into bin/tools.
TOOLS := $(CURDIR)/$(BIN)/tools
.PHONY: lint-tools
lint-tools: ## build the linters into bin/tools
	GOBIN=$(TOOLS) $(GO) install github.com/golangci/golangci-lint/v2/cmd/golangci-lint@v2.5.0
	GOBIN=$(TOOLS) $(GO) install golang.org/x/vuln/cmd/govulncheck@v1.1.4

lint: lint-tools ## golangci-lint (with gosec), and govulncheck where its database can be reached
	$(TOOLS)/golangci-lint run ./...
	@$(TOOLS)/govulncheck ./...; code=$$?; \
	if [ $$code = 3 ]; then exit 1; fi; \
	if [ $$code != 0 ]; then echo "govulncheck could not run (its database may be out of reach): nothing is known of vulnerabilities"; fi

FUZZTIME ?= 60s
fuzz: ## run every fuzz target for FUZZTIME
	@for p in $$($(GO) list ./...); do \
		for f in $$($(GO) test -list '^Fuzz' $$p | grep '^Fuzz'); do \
			echo "$$p $$f"; $(GO) test -run '^$$' -fuzz "^$$f$$" -fuzztime $(FUZZTIME) -fuzzminimizetime 100x $$p || exit 1; \
		done; \
	done

pictures: build ## make docs/pictures anew, with the program as it is
	testdata/pictures
	$(GO) test ./test/browser -count=1 -run 'TestPage/pictures' -args -pictures

fuzz-keep: ## copy what fuzzing found into the packages' testdata, KEEP inputs a target
	testdata/keep-corpus

clean: ## remove what was built
	rm -rf $(BIN) dist
