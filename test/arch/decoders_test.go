package arch

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// decodes are library functions that decode bytes: a file that calls one has a decoder.
// Decoders written by hand call none and are not found here; most have a fuzz target
// nevertheless.
var decodes = map[string][]string{
	"json": {"Unmarshal", "NewDecoder"}, "xml": {"Unmarshal", "NewDecoder"}, "toml": {"Unmarshal", "NewDecoder"}, "tomltext": {"Decode", "Unmarshal"},
	"bufio": {"NewScanner"}, "binary": {"Read", "Uvarint", "ReadUvarint"}, "csv": {"NewReader"}, "gob": {"NewDecoder"},
}

// targets lists for each file with a decoder its fuzz targets ("FuzzX" in the same
// package, "dir.FuzzX" elsewhere), or, after "ours:", why only ccdir itself can have
// written its input.
var targets = map[string]string{
	"internal/text/toolinput/toolinput.go":      "FuzzInput",
	"web/devices/devices.go":                    "FuzzFile",
	"web/push/push.go":                          "FuzzSubscription",
	"config/schedule.go":                        "FuzzProjectSchedules",
	"web/facts.go":                              "ours: the daemon's configuration, as it writes it",
	"web/asked.go":                              "internal/text/toolinput.FuzzInput",
	"cmd/ccdir-shim/shim/host.go":               "ours: the daemon writes it to the shim's standard input",
	"sessions/walls.go":                         "ours: the daemon wrote plan and print job where no walled process can",
	"sandbox/proxy/offer.go":                    "FuzzOffer",
	"sandbox/wall/plan.go":                      "ours: the daemon writes it where no walled process can",
	"cmd/ccdir-shim/shim/link.go":               "ours: the client that starts the link writes it",
	"cli/verb/places.go":                        "ours: what verbs print",
	"nodes/link/hello.go":                       "FuzzHello FuzzLine",
	"nodes/link/bridge.go":                      "ours: the answer of the daemon beside it",
	"hooks/usersettings/edit.go":                "FuzzInAndOut",
	"hooks/usersettings/file.go":                "FuzzRecord",
	"hooks/usersettings/jsonc.go":               "FuzzInAndOut",
	"daemon/conversations/saved.go":             "ours: the daemon saved it",
	"daemon/store/usage.go":                     "ours: labels that the store saved",
	"api/turn.go":                               "ours: the daemon saved it",
	"agents/claude/conversations.go":            "FuzzDecodeHook",
	"agents/claude/hooks.go":                    "FuzzDecodeHook",
	"agents/claude/settings.go":                 "FuzzOwnSettings",
	"agents/claude/cost.go":                     "FuzzCost",
	"agents/claude/limits.go":                   "FuzzLimits",
	"agents/statusline/statusline.go":           "FuzzSettings",
	"fleet/messages.go":                         "FuzzMessages",
	"fleet/reports.go":                          "ours: the leader's answer, of types that FuzzMessages has",
	"fleet/log.go":                              "FuzzCommit",
	"fleet/export.go":                           "FuzzCommit",
	"fleet/engine/members.go":                   "FuzzInvitation",
	"fleet/engine/outside.go":                   "ours: two flags of the server that a person names, bounded",
	"fleet/engine/serve.go":                     "ours: what `serve` keeps in its own directory",
	"cli/verb/fleet.go":                         "ours: what ccdir-fleet prints",
	"cmd/ccdir-fleet/verbs.go":                  "ours: what ccdir asks",
	"agents/failure.go":                         "ours: adapters write it into evidence",
	"config/set.go":                             "FuzzParse",
	"agents/package.go":                         "FuzzPackage",
	"agents/codex/settings.go":                  "FuzzUserConfig",
	"agents/codex/conversations.go":             "FuzzDecodeHook",
	"agents/codex/kinds.go":                     "FuzzDecodeHook",
	"agents/codex/print.go":                     "FuzzPrinted",
	"agents/codex/rollout/rollout.go":           "FuzzLines",
	"agents/codex/rollout/tool.go":              "FuzzLines",
	"agents/gemini/settings.go":                 "FuzzSettings",
	"agents/opencode/tracker.go":                "FuzzEvents",
	"agents/opencode/reports.go":                "FuzzEvents",
	"agents/opencode/conversation.go":           "FuzzMessages",
	"agents/opencode/database.go":               "FuzzMessages",
	"agents/opencode/used.go":                   "FuzzAnswerOf",
	"agents/opencode/messages.go":               "FuzzMessages",
	"agents/opencode/tools.go":                  "FuzzEvents",
	"agents/opencode/line.go":                   "FuzzStream",
	"agents/opencode/client.go":                 "FuzzStream",
	"agents/opencode/opencode.go":               "FuzzConfig",
	"agents/opencode/print.go":                  "FuzzPrint",
	"agents/opencode/gate.go":                   "FuzzHook",
	"agents/gemini/decoder.go":                  "FuzzConversation",
	"agents/gemini/conversation.go":             "FuzzConversation",
	"agents/gemini/hooks.go":                    "FuzzHook",
	"agents/gemini/print.go":                    "FuzzPrint",
	"agents/payload/data.go":                    "agents/claude.FuzzDecodeHook",
	"agents/payload/payload.go":                 "agents/claude.FuzzDecodeHook",
	"agents/payload/words.go":                   "FuzzWords",
	"agents/claude/permission.go":               "FuzzToolInput",
	"agents/claude/print_result.go":             "FuzzPrinted",
	"agents/claude/question.go":                 "FuzzToolInput",
	"agents/claude/signs.go":                    "FuzzStatusFile",
	"api/task.go":                               "ours: tasks as the daemon tells them",
	"cli/daemon/api.go":                         "ours: the daemon's answers",
	"agents/claude/wall.go":                     "FuzzHosts",
	"cli/policy/refusals.go":                    "ours: events of the daemon",
	"cli/policy/approvals.go":                   "FuzzRequestText",
	"cli/doctor/system.go":                      "ours: the system's own table of mounts",
	"cli/setup/init.go":                         "FuzzServers",
	"client/client.go":                          "ours: the daemon's answers; other users' sockets are refused",
	"client/history.go":                         "ours: the daemon's answers",
	"client/stream.go":                          "FuzzReadEvents",
	"client/wake.go":                            "ours: server.json",
	"config/layout.go":                          "FuzzParseLayout",
	"config/load.go":                            "FuzzParse",
	"daemon/conversations/passages.go":          "FuzzPassages",
	"docslookup/node.go":                        "FuzzManifests",
	"docslookup/cargo.go":                       "FuzzManifests",
	"docslookup/nodelock.go":                    "FuzzManifests",
	"docslookup/pyneeds.go":                     "FuzzManifests",
	"daemon/mailbox/lead.go":                    "agents/claude.FuzzToolInput",
	"daemon/probe.go":                           "agents/claude.FuzzLimits",
	"daemon/layout.go":                          "ours: grid.json",
	"daemon/httpapi/approvals.go":               "FuzzBody",
	"daemon/httpapi/reviews.go":                 "FuzzBody",
	"daemon/reviews/named.go":                   "FuzzWritten",
	"review/named.go":                           "ours: in the daemon's own directory",
	"daemon/httpapi/attach.go":                  "wire.FuzzConn",
	"daemon/httpapi/attach_input.go":            "daemon/httpapi/ansi.FuzzAttachInput",
	"daemon/httpapi/request.go":                 "FuzzBody",
	"daemon/httpapi/control.go":                 "FuzzControlCall",
	"daemon/httpapi/precondition.go":            "FuzzMatch",
	"daemon/httpapi/record.go":                  "FuzzCanonical",
	"daemon/httpapi/openapi.go":                 "ours: part of the program",
	"daemon/tools/audit.go":                     "ours: results of the daemon's own tools",
	"daemon/tools/announced.go":                 "FuzzAnnounced",
	"daemon/tools/policy.go":                    "FuzzAgentTool",
	"daemon/restore/offer.go":                   "ours: the file of what was restored",
	"daemon/restore/retry.go":                   "ours: rows of the database",
	"daemon/intake/schedules.go":                "ours: rows of the database",
	"daemon/intake/reactions.go":                "ours: rows of the database, events",
	"daemon/intake/items.go":                    "FuzzItems",
	"daemon/intake/watches.go":                  "ours: rows of the database",
	"worktrees/forge/issues.go":                 "FuzzParse",
	"daemon/intake/names.go":                    "ours: events",
	"daemon/intake/command.go":                  "ours: what reactions.go wrote",
	"daemon/queue/queue.go":                     "ours: rows of the database",
	"daemon/queue/env.go":                       "ours: rows of the database",
	"daemon/queue/files.go":                     "FuzzTranscriptLines",
	"daemon/queue/steps.go":                     "ours: rows of the database",
	"daemon/queue/transcript.go":                "FuzzTranscriptUsage",
	"agents/demo/hooks.go":                      "ours: the daemon's answers to the demo agent's hooks",
	"policy/enforce/grants.go":                  "ours: rows of the database",
	"policy/enforce/head.go":                    "FuzzHead",
	"policy/enforce/requests.go":                "agents/claude.FuzzToolInput",
	"hooks/call/http.go":                        "FuzzResponse",
	"hooks/call/payload.go":                     "FuzzShorten",
	"wire/conn.go":                              "FuzzConn",
	"wire/binary.go":                            "FuzzFrame",
	"wire/saved.go":                             "FuzzReadOutput",
	"wire/ancestry/ancestry.go":                 "sessions.FuzzSessionFiles",
	"mcpserver/bridge/bridge.go":                "FuzzAccepted",
	"agents/oneshot/oneshot.go":                 "ours: the daemon writes the job",
	"policy/input.go":                           "FuzzParseInput",
	"policy/file/document.go":                   "FuzzParse",
	"internal/proc/tree_darwin.go":              "ours: what ps prints",
	"internal/text/redact/redact.go":            "FuzzRedact",
	"internal/text/tomltext/decode.go":          "FuzzEdit",
	"daemon/journal/changes.go":                 "FuzzRecords",
	"daemon/restore/generations/generations.go": "FuzzLoad",
	"daemon/store/unasked.go":                   "FuzzCall",
	"daemon/store/ledger.go":                    "ours: rows of the database, whose hashes tell an edit",
	"daemon/store/sessions.go":                  "ours: rows of the database",
	"daemon/store/refusals.go":                  "ours: events that the session made of what was refused",
	"daemon/store/comments.go":                  "ours: rows of the database",
	"mcpserver/bridge.go":                       "FuzzPreamble",
	"mcpserver/commands.go":                     "FuzzMessages",
	"mcpserver/conn.go":                         "FuzzLines FuzzMessages",
	"mcpserver/diag/cargo.go":                   "FuzzCargo FuzzCargoTest",
	"mcpserver/diag/eslint.go":                  "FuzzESLint",
	"mcpserver/diag/gotest.go":                  "FuzzGoTest",
	"mcpserver/diag/jest.go":                    "FuzzJest",
	"mcpserver/diag/junit.go":                   "FuzzJUnit",
	"mcpserver/diag/sarif.go":                   "FuzzSARIF",
	"mcpserver/project/about.go":                "FuzzProject",
	"mcpserver/project/manifest.go":             "FuzzProject",
	"mcpserver/project/node.go":                 "FuzzProject",
	"mcpserver/project/override.go":             "FuzzProject",
	"mcpserver/tool.go":                         "FuzzArguments",
	"mcpserver/underway.go":                     "FuzzMessages",
	"orchestrator/taskfile/toml.go":             "FuzzParse",
	"sessions/adopt.go":                         "FuzzSessionFiles",
	"sessions/adopt/files.go":                   "sessions.FuzzSessionFiles",
	"sessions/host/requests.go":                 "wire.FuzzConn",
	"sessions/launch/shim_unix.go":              "ours: the shim's first line",
	"sessions/hostlink/link.go":                 "wire.FuzzConn",
	"sessions/login/display.go":                 "FuzzDisplay",
	"sessions/outside.go":                       "FuzzSessionFiles",
	"sessions/screen/vt/historyline.go":         "FuzzReflow",
	"tui/lists/toolcalls/view.go":               "FuzzCall",
	"tui/lists/decisions/view.go":               "FuzzDecision",
	"tui/widget/turns/tool.go":                  "FuzzRows",
	"tui/prompt/outbox/sent.go":                 "FuzzSent",
	"tui/dialogs/daemonpage/settings.go":        "FuzzSettings",
	"tui/terminal/tty/colours.go":               "ours: two words are looked for in what the person's own tmux says",
	"worktrees/forge/forge.go":                  "FuzzParse",
	"worktrees/forge/gitlab.go":                 "FuzzParse",
	"worktrees/forge/news.go":                   "FuzzParse",
	"worktrees/forge/parse.go":                  "FuzzParse",
	"worktrees/record.go":                       "ours: what is written before an operation begins, and when a work tree was made",
	"worktrees/sky.go":                          "ours: what the radar saw; ids in it are checked before git gets them",
	"worktrees/trash.go":                        "ours: what ccdir wrote when it removed a work tree",
	"worktrees/settings.go":                     "FuzzSettings",
	"tui/pane/ask.go":                           "wire.FuzzConn",
	"tui/prompt/history/history.go":             "FuzzHistory",
	"tui/answer/request/diff.go":                "FuzzEdits FuzzLines",
	"tui/answer/request/fields.go":              "FuzzEdits FuzzLines",
	"tui/answer/request/patch.go":               "FuzzLines",
	"tui/answer/request/question.go":            "FuzzLines",
}

// TestDecodersHaveTargets: every file that decodes bytes is in the table, and its targets
// exist.
func TestDecodersHaveTargets(t *testing.T) {
	root := filepath.Join("..", "..")
	found, fuzz := map[string]bool{}, map[string]bool{}
	err := filepath.WalkDir(root, func(path string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(root, path)
		if err != nil {
			return err
		}
		if e.IsDir() {
			if name := e.Name(); name == "testdata" || name == "node_modules" || rel != "." && strings.HasPrefix(name, ".") || slices.Contains(testOnly, filepath.ToSlash(rel)) {
				return fs.SkipDir
			}
			return nil
		}
		if filepath.Ext(path) != ".go" {
			return nil
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		rel = filepath.ToSlash(rel)
		if strings.HasSuffix(rel, "_test.go") {
			for _, d := range file.Decls {
				if f, ok := d.(*ast.FuncDecl); ok && strings.HasPrefix(f.Name.Name, "Fuzz") {
					fuzz[filepath.ToSlash(filepath.Dir(rel))+"."+f.Name.Name] = true
				}
			}
			return nil
		}
		ast.Inspect(file, func(n ast.Node) bool {
			if call, ok := n.(*ast.CallExpr); ok {
				if s, ok := call.Fun.(*ast.SelectorExpr); ok {
					if x, ok := s.X.(*ast.Ident); ok && slices.Contains(decodes[x.Name], s.Sel.Name) {
						found[rel] = true
					}
				}
			}
			return true
		})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(found) < 50 || len(fuzz) < 50 {
		t.Fatalf("only %d decoders and %d targets were found", len(found), len(fuzz))
	}
	for _, file := range slices.Sorted(maps.Keys(found)) {
		if targets[file] == "" {
			t.Errorf("%s decodes bytes and is not in the table: write a fuzz target, or say why it needs none", file)
		}
	}
	for _, file := range slices.Sorted(maps.Keys(targets)) {
		if _, err := os.Stat(filepath.Join(root, file)); err != nil {
			t.Errorf("%s is in the table and is no file", file)
			continue
		}
		what := targets[file]
		if why, ours := strings.CutPrefix(what, "ours: "); ours && why != "" {
			continue
		}
		for name := range strings.FieldsSeq(what) {
			if !strings.Contains(name, ".") {
				name = filepath.ToSlash(filepath.Dir(file)) + "." + name
			}
			if !fuzz[name] {
				t.Errorf("%s: there is no target %s", file, name)
			}
		}
	}
}
