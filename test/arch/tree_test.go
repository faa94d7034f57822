package arch

import (
	"slices"
	"strings"
	"testing"
)

// tree lists every package of the product, from the ground up, with the packages of
// the module that it may import directly. An import must stand above the importer:
// none runs up, so there is no circle. A pattern ending in "/..." stands for a package
// and all below it. A package without a row has the row of the nearest folder above it.
var tree = []struct{ name, imports string }{
	// Shared foundations: values, text, files, processes, timing.
	{"internal/cells", ""},
	{"internal/disk/atomicfile", ""},
	{"internal/disk/paths", ""},
	{"internal/disk/untrusted", ""},
	{"internal/disk/logfile", "internal/disk/untrusted"},

	{"internal/contain", ""},
	{"internal/once", ""},
	{"internal/proc", ""},
	{"internal/text/jsonscan", ""},
	{"internal/text/patchtext", ""},
	{"internal/text/redact", ""},
	{"internal/text/spelling", ""},
	{"internal/keymap", "internal/text/spelling"},
	{"internal/text/textsafe", ""},
	{"internal/text/toolinput", "internal/text/patchtext"},
	{"internal/gitstatus", "internal/contain internal/disk/untrusted internal/text/textsafe"},
	{"internal/text/tomltext", ""},
	{"internal/tune/ratelimit", ""},
	{"internal/tune/rawio", ""},
	{"internal/tune/start", ""},
	{"internal/tune/timer", "internal/contain"},
	{"internal/tune/timeslice", ""},
	// Walls around processes.
	{"sandbox", ""},
	{"sandbox/proxy", "sandbox"},
	{"sandbox/wall", "sandbox sandbox/proxy"},
	{"sandbox/place", "internal/disk/untrusted internal/gitstatus sandbox"},
	// The API's types, and settings.
	{"api", ""},
	{"api/hint", ""},
	{"api/taskkeys", "api"},
	{"config", "api internal/disk/atomicfile internal/disk/untrusted internal/keymap internal/text/redact internal/text/spelling internal/text/textsafe internal/text/tomltext api/taskkeys sandbox"},
	// What agents say about their limits.
	{"usage", "api"},
	{"usage/prices", "api"},
	{"usage/sums", "api usage usage/prices"},
	// Between a host and its clients.
	{"wire", "internal/cells internal/proc internal/tune/rawio"},
	{"wire/ancestry", "api internal/disk/paths internal/proc wire"},
	{"wire/directline", "internal/proc internal/tune/rawio wire"},
	{"wire/directline/linetest", "internal/tune/rawio wire wire/directline"},
	// Agents, and what they may do.
	{"agents/transcript", "api internal/disk/untrusted usage"},
	{"agents", "agents/transcript api config internal/disk/atomicfile internal/disk/paths internal/disk/untrusted internal/gitstatus internal/text/textsafe sandbox usage"},
	{"agents/screentext", ""},
	{"agents/statusline", "internal/disk/untrusted"},
	{"agents/payload", "agents api internal/text/patchtext internal/text/redact"},
	{"agents/claude/conversation", "agents/transcript api internal/disk/untrusted internal/text/jsonscan usage"},
	{"agents/claude", "agents agents/claude/conversation agents/payload agents/screentext agents/statusline agents/transcript api internal/disk/atomicfile internal/disk/paths internal/disk/untrusted internal/text/redact sandbox usage"},
	{"agents/codex/rollout", "agents/transcript api internal/text/textsafe usage"},
	{"agents/codex", "agents agents/codex/rollout agents/payload agents/screentext agents/transcript api internal/disk/untrusted internal/text/tomltext sandbox"},
	{"agents/gemini", "agents agents/payload agents/screentext agents/transcript api internal/disk/atomicfile internal/disk/untrusted sandbox usage"},
	{"agents/opencode", "agents agents/payload agents/transcript api internal/contain sandbox usage"},
	{"agents/adapters", "agents agents/claude agents/codex agents/gemini agents/opencode agents/transcript api"},
	{"agents/demo", "api"},
	{"agents/oneshot", "internal/disk/paths"},
	{"policy/glob", ""},
	{"policy/shell", "internal/text/patchtext policy/glob"},
	{"policy", "api internal/text/patchtext internal/text/textsafe policy/glob policy/shell"},
	{"policy/file", "api internal/disk/untrusted internal/text/textsafe internal/text/tomltext policy"},
	{"policy/enforce", "api internal/contain internal/disk/atomicfile internal/disk/untrusted internal/text/textsafe policy policy/file"},
	// Work trees of git, for which sessions are names and directories.
	{"worktrees/forge", "api internal/gitstatus internal/text/textsafe"},
	{"worktrees/dirwatch", ""},
	{"worktrees", "api internal/contain internal/disk/atomicfile internal/disk/untrusted internal/gitstatus internal/once internal/text/textsafe internal/text/tomltext worktrees/dirwatch"},
	// Snapshots and differences of what sessions did.
	{"review", "api internal/disk/untrusted internal/gitstatus internal/text/textsafe"},
	// Sessions and their hosts.
	{"sessions/state", "agents api internal/once internal/text/redact"},
	{"sessions/scrollback", "api internal/cells wire"},
	{"sessions/statusfile", "agents internal/contain internal/disk/untrusted internal/proc internal/tune/timer wire"},
	{"sessions/hostlink", "api wire"},
	{"sessions/login", "api internal/disk/atomicfile internal/disk/paths internal/disk/untrusted"},
	{"sessions/launch", "agents agents/adapters api api/hint config internal/contain internal/text/redact internal/text/textsafe sandbox sandbox/place sessions/login wire"},
	{"sessions/delivery", "agents api api/hint internal/disk/atomicfile internal/once sessions/hostlink sessions/launch sessions/state wire"},
	{"sessions/process", "internal/proc"},
	{"sessions/mailbox", "api"},
	{"sessions/parking", "api"},
	{"sessions/adopt", "internal/contain internal/disk/atomicfile internal/disk/paths internal/disk/untrusted sessions/delivery wire"},
	{"sessions", "agents agents/adapters api api/hint config internal/cells internal/contain internal/disk/atomicfile internal/disk/paths internal/disk/untrusted internal/once internal/proc internal/text/redact internal/text/textsafe internal/tune/ratelimit internal/tune/timer sandbox sandbox/place sandbox/wall sessions/adopt sessions/delivery sessions/hostlink sessions/launch sessions/login sessions/mailbox sessions/parking sessions/process sessions/scrollback sessions/state sessions/statusfile usage wire"},
	{"sessions/screen", "internal/cells"},
	{"sessions/screen/vt", "internal/cells sessions/screen"},
	{"sessions/screen/vt10x", "internal/cells sessions/screen"},
	{"sessions/screen/render", "internal/cells sessions/screen/..."},
	{"sessions/host/keyenc", "sessions/screen wire"},
	{"sessions/host/failpoint", ""},
	{"sessions/host/child", "internal/proc internal/tune/rawio sandbox/wall sessions/host/failpoint wire"},
	{"sessions/host", "internal/cells internal/disk/atomicfile internal/disk/paths internal/once internal/proc internal/tune/rawio internal/tune/timeslice sandbox/proxy sandbox/wall sessions/host/... sessions/screen/... wire wire/ancestry wire/directline"},
	// Hooks, queue and tools know sessions by interfaces only.
	{"hooks", "api internal/once"},
	{"hooks/usersettings", "agents agents/claude internal/disk/atomicfile"},
	{"hooks/call", "api internal/disk/paths internal/proc"},
	{"orchestrator", "api api/hint internal/contain"},
	{"orchestrator/taskfile", "api internal/text/tomltext api/taskkeys"},
	{"orchestrator/calendar", ""},
	{"docslookup/scan", "internal/text/textsafe"},
	{"docslookup", "api docslookup/scan internal/contain internal/disk/untrusted internal/text/spelling internal/text/textsafe"},
	{"mcpserver/bridge", "api internal/disk/paths internal/proc"},
	{"mcpserver/diag", "internal/disk/untrusted"},
	{"mcpserver/files", "internal/gitstatus"},
	{"mcpserver/gitview", "api internal/gitstatus review"},
	{"mcpserver/project", "internal/disk/untrusted internal/gitstatus internal/text/tomltext"},
	{"mcpserver", "api internal/contain internal/text/redact mcpserver/..."},
	// Other machines.
	{"nodes/mux", ""},
	{"nodes/link", "api internal/disk/paths internal/proc nodes/mux wire/ancestry"},
	{"nodes/merge", "api"},
	{"nodes", "api internal/contain internal/disk/paths internal/text/textsafe internal/tune/timeslice nodes/link wire/ancestry"},
	// Clients of the daemon and hosts, and the grid.
	{"client/service", "internal/disk/atomicfile internal/disk/paths"},
	{"client/installed", "internal/disk/untrusted"},
	{"client", "client/service api api/hint internal/contain internal/disk/logfile internal/disk/paths internal/gitstatus internal/proc internal/text/textsafe internal/tune/timeslice wire wire/ancestry wire/directline"},
	{"client/layout", "api config"},
	{"client/machines", "api client config internal/contain internal/disk/paths internal/text/textsafe nodes nodes/link nodes/merge wire wire/directline"},
	{"fleet", "api client internal/contain internal/disk/atomicfile orchestrator"},
	{"fleet/engine", "fleet internal/contain internal/disk/atomicfile"},
	{"tui/attention/notify", "internal/text/textsafe"},
	{"tui/copymode/core", "internal/cells"},
	{"tui/paint", "internal/cells"},
	{"tui/grid/tiling", "api tui/paint"},
	{"tui/prompt/history", "internal/disk/atomicfile internal/gitstatus"},
	{"tui/terminal/input", "internal/keymap"},
	{"tui/terminal/tty", "internal/text/textsafe internal/tune/rawio tui/paint tui/terminal/input"},
	{"tui/widget/edit", "internal/cells tui/paint"},
	{"tui/widget/format", ""},
	{"tui/widget/fuzzy", ""},
	{"tui/lists/sessionlist", "api internal/text/textsafe tui/widget/fuzzy"},
	{"tui/widget/sgr", "internal/cells tui/paint"},
	{"tui/pane", "internal/cells internal/text/textsafe tui/widget/sgr wire wire/directline"},
	{"tui/terminal/lent", "tui/paint tui/pane wire wire/directline"},
	{"tui/terminal", "internal/cells internal/keymap internal/proc tui/paint tui/pane tui/terminal/... wire wire/directline"},
	{"tui/widget/theme", "api internal/cells"},
	{"tui/answer/request", "api internal/cells internal/text/textsafe internal/text/toolinput tui/paint tui/widget/theme"},
	{"tui/widget/modal", "internal/cells internal/keymap internal/text/textsafe tui/paint tui/widget/sgr tui/widget/theme"},
	{"tui/widget/hunks", ""},
	{"tui/widget/syntax", ""},
	{"tui/widget/markdown", "internal/cells internal/text/textsafe tui/paint tui/widget/modal tui/widget/sgr tui/widget/theme"},
	{"tui/widget/turns", "api internal/cells internal/text/textsafe tui/paint tui/widget/format tui/widget/markdown tui/widget/modal tui/widget/theme"},
	{"tui/widget/listbox", "internal/cells internal/keymap tui/grid/tiling tui/paint tui/widget/edit tui/widget/modal tui/widget/sgr tui/widget/theme"},
	{"tui/ui", "api internal/cells internal/keymap internal/text/textsafe tui/lists/sessionlist tui/pane tui/paint tui/terminal/input tui/widget/modal tui/widget/theme wire"},
	{"tui/underway", "api internal/cells internal/keymap internal/text/textsafe tui/paint tui/ui tui/widget/..."},
	{"tui/hosts", "internal/keymap tui/pane tui/terminal tui/ui tui/underway wire"},
	{"tui/answer", "api internal/cells internal/disk/untrusted internal/keymap internal/text/textsafe tui/answer/request tui/paint tui/ui tui/widget/..."},
	{"tui/prompt/target", "api internal/text/textsafe tui/paint tui/ui tui/widget/format"},
	{"tui/prompt/outbox", "api internal/keymap internal/text/textsafe tui/answer/request tui/prompt/history tui/prompt/target tui/ui tui/widget/edit tui/widget/format"},
	{"tui/prompt", "api internal/cells internal/keymap internal/text/textsafe tui/answer/request tui/paint tui/prompt/... tui/ui tui/widget/..."},
	{"tui/ui/uitest", "internal/keymap tui/paint tui/ui tui/widget/theme"},
	{"tui/copymode/clipboard", "internal/text/textsafe tui/attention/notify tui/paint tui/ui tui/widget/format wire"},
	{"tui/copymode", "api internal/cells internal/keymap internal/text/textsafe tui/copymode/core tui/paint tui/pane tui/terminal tui/ui tui/widget/... wire"},
	{"tui/dialogs/textview", "internal/keymap tui/paint tui/ui tui/widget/..."},
	{"tui/dialogs/event", "api internal/keymap internal/text/textsafe tui/dialogs/textview tui/ui tui/widget/..."},
	{"tui/dialogs/pullrequest", "api internal/keymap internal/text/textsafe tui/dialogs/textview tui/ui tui/widget/..."},
	{"tui/dialogs/explain", "api internal/cells internal/keymap internal/text/textsafe tui/dialogs/textview tui/ui tui/widget/..."},
	{"tui/dialogs/usagepage", "api internal/cells internal/keymap internal/text/textsafe tui/dialogs/textview tui/ui tui/widget/..."},
	{"tui/dialogs/fleetpage", "api internal/cells internal/keymap internal/text/textsafe tui/dialogs/textview tui/ui tui/widget/..."},
	{"tui/dialogs/daemonpage", "api internal/cells internal/keymap internal/text/textsafe tui/dialogs/textview tui/ui tui/widget/..."},
	{"tui/dialogs/cards", "api internal/cells internal/keymap internal/text/textsafe tui/dialogs/explain tui/lists/sessionlist tui/paint tui/ui tui/widget/..."},
	{"tui/dialogs/confirm", "api internal/cells internal/text/textsafe tui/paint tui/ui tui/widget/..."},
	{"tui/dialogs/marks", "api internal/cells internal/text/textsafe tui/paint tui/ui tui/widget/..."},
	{"tui/dialogs/rename", "api internal/cells internal/text/textsafe tui/paint tui/ui tui/widget/..."},
	{"tui/dialogs/dirfield", "internal/text/textsafe tui/paint tui/ui tui/widget/..."},
	{"tui/lists", "api internal/cells internal/keymap internal/text/textsafe tui/paint tui/ui tui/widget/..."},
	{"tui/lists/toolcalls", "api internal/cells internal/keymap internal/text/textsafe tui/lists tui/ui tui/widget/..."},
	{"tui/lists/decisions", "api internal/cells internal/keymap internal/text/textsafe tui/answer/request tui/lists tui/ui tui/widget/..."},
	{"tui/lists/restore", "api internal/cells internal/keymap internal/text/textsafe tui/lists tui/ui tui/widget/..."},
	{"tui/upkeep", "api internal/keymap internal/text/textsafe tui/lists/restore tui/ui tui/widget/..."},
	{"tui/dialogs/connect", "internal/cells internal/text/textsafe tui/paint tui/ui tui/widget/..."},
	{"tui/lists/nodes", "internal/cells internal/keymap internal/text/textsafe tui/dialogs/connect tui/lists tui/ui tui/widget/..."},
	{"tui/lists/worktrees", "api internal/cells internal/keymap internal/text/textsafe tui/lists tui/paint tui/ui tui/widget/..."},
	{"tui/dialogs/help", "api internal/cells internal/keymap tui/paint tui/ui tui/widget/..."},
	{"tui/lists/chooser", "api internal/cells internal/keymap internal/text/textsafe tui/lists tui/lists/sessionlist tui/paint tui/ui tui/widget/..."},
	{"tui/attention", "api internal/keymap internal/text/textsafe tui/attention/notify tui/lists/chooser tui/paint tui/ui"},
	{"tui/dialogs/palette", "api internal/keymap internal/text/textsafe tui/lists tui/lists/chooser tui/ui tui/widget/..."},
	{"tui/lists/policymenu", "api internal/keymap internal/text/textsafe tui/lists tui/lists/chooser tui/ui"},
	{"tui/floating", "api internal/cells internal/keymap internal/text/textsafe tui/paint tui/ui tui/widget/..."},
	{"tui/dialogs/transcript", "api internal/cells internal/keymap internal/text/textsafe tui/paint tui/ui tui/widget/..."},
	{"tui/dialogs/conversation", "agents/transcript api internal/cells internal/keymap internal/text/textsafe tui/copymode tui/dialogs/transcript tui/paint tui/ui tui/widget/..."},
	{"tui/dialogs/review", "api internal/cells internal/keymap internal/text/textsafe tui/answer/request tui/copymode tui/dialogs/confirm tui/dialogs/help tui/lists/chooser tui/paint tui/ui tui/widget/..."},
	{"tui/lists/history", "api internal/cells internal/keymap internal/text/textsafe tui/dialogs/conversation tui/dialogs/transcript tui/lists tui/ui tui/widget/..."},
	{"tui/lists/queue", "api internal/cells internal/keymap internal/text/textsafe tui/dialogs/dirfield tui/lists tui/paint tui/ui tui/widget/..."},
	{"tui/dialogs/newsession", "api internal/cells internal/text/textsafe tui/dialogs/dirfield tui/paint tui/ui tui/widget/..."},
	{"tui/lists/sessions", "api internal/cells internal/keymap internal/text/textsafe tui/dialogs/confirm tui/dialogs/explain tui/dialogs/marks tui/dialogs/rename tui/lists tui/lists/chooser tui/lists/sessionlist tui/paint tui/ui tui/widget/..."},
	{"tui/sidebar/events", "api internal/cells internal/keymap internal/text/textsafe tui/dialogs/event tui/lists tui/lists/chooser tui/paint tui/sidebar/happenings tui/ui tui/widget/..."},
	{"tui/known", "api internal/text/textsafe tui/sidebar/events tui/ui"},
	{"tui/sidebar", "api internal/disk/untrusted internal/keymap internal/text/textsafe tui/grid/tiling tui/lists/sessionlist tui/lists/sessions tui/paint tui/sidebar/events tui/ui tui/widget/..."},
	{"tui/grid", "api internal/cells internal/keymap internal/text/textsafe tui/grid/tiling tui/lists/sessionlist tui/paint tui/pane tui/terminal tui/ui tui/widget/... wire"},
	{"tui", "api internal/cells internal/disk/untrusted internal/keymap internal/proc internal/text/textsafe internal/tune/rawio internal/tune/timer internal/tune/timeslice tui/... wire wire/directline"},
	// The page in a browser: it knows the daemon by interfaces only.
	{"web/push", "api internal/contain internal/text/textsafe"},
	{"web/devices", "api internal/disk/atomicfile internal/text/textsafe web/push"},
	{"web", "api api/hint internal/contain internal/text/textsafe internal/text/toolinput web/devices web/push"},
	// The daemon composes the rest.
	{"daemon/httpapi/openapi", ""},
	{"daemon/httpapi/access", "api internal/proc"},
	{"daemon/httpapi/ansi", "api internal/cells wire"},
	{"daemon/httpapi/websock", "api daemon/httpapi/access internal/contain internal/tune/timer"},
	{"daemon/journal", "api api/hint internal/disk/atomicfile"},
	{"daemon/repositories/agenda", ""},
	{"daemon/repositories", "api config daemon/journal daemon/repositories/agenda internal/contain internal/disk/untrusted internal/gitstatus internal/proc internal/text/textsafe worktrees worktrees/forge"},
	{"daemon/httpapi", "api api/hint daemon/httpapi/... daemon/journal internal/contain internal/once internal/text/textsafe internal/tune/timer wire"},
	{"daemon/listen", "api daemon/httpapi daemon/httpapi/access internal/contain internal/disk/atomicfile internal/disk/paths internal/tune/rawio"},
	{"daemon/callers", "api daemon/httpapi/access internal/proc internal/text/textsafe internal/tune/ratelimit internal/tune/timer mcpserver mcpserver/runner wire/ancestry"},
	{"daemon/limits", "agents api internal/tune/timer usage"},
	{"daemon/mailbox", "api internal/contain internal/text/redact internal/text/textsafe"},
	{"daemon/pending", "api daemon/journal internal/contain sessions/launch"},
	{"daemon/intake", "api config daemon/journal internal/contain internal/text/spelling internal/text/textsafe internal/tune/timer orchestrator orchestrator/calendar wire worktrees/forge"},
	{"daemon/store", "api api/hint internal/disk/atomicfile usage usage/sums"},
	{"daemon/costs", "api daemon/store usage usage/sums"},
	{"daemon/history", "api config daemon/journal internal/contain internal/text/textsafe internal/tune/timer orchestrator wire"},
	{"daemon/queue", "agents agents/adapters agents/claude agents/transcript api config daemon/journal daemon/store internal/contain internal/disk/atomicfile internal/disk/untrusted internal/gitstatus internal/text/textsafe internal/tune/timer orchestrator sessions sessions/launch usage wire"},
	{"daemon/conversations", "agents agents/transcript api daemon/journal daemon/store internal/contain usage"},
	{"daemon/reviews", "api daemon/journal daemon/pending daemon/store internal/contain internal/text/patchtext internal/text/textsafe internal/text/toolinput review sessions/launch"},
	{"daemon/restore/generations", "api internal/disk/atomicfile"},
	{"daemon/restore", "agents api config daemon/journal daemon/restore/generations internal/contain internal/disk/atomicfile internal/text/textsafe"},
	{"daemon/tools", "agents api config daemon/httpapi/access daemon/journal daemon/mailbox daemon/store internal/contain internal/once internal/text/redact internal/text/textsafe mcpserver sessions wire"},
	{"daemon/far", "api client client/machines config internal/contain internal/disk/paths nodes/link nodes/merge web wire"},
	{"daemon/idle", "api config daemon/journal internal/contain internal/proc internal/tune/timer sessions"},
	{"daemon/page", "api config daemon/callers daemon/far daemon/httpapi daemon/httpapi/access daemon/journal daemon/listen daemon/reviews internal/contain internal/disk/atomicfile internal/disk/paths internal/text/textsafe internal/tune/timer sessions web web/devices web/push"},
	{"daemon", "agents agents/adapters agents/claude api config daemon/callers daemon/conversations daemon/costs daemon/history daemon/httpapi daemon/httpapi/access daemon/idle daemon/intake daemon/journal daemon/limits daemon/listen daemon/mailbox daemon/page daemon/pending daemon/queue daemon/repositories daemon/restore daemon/reviews daemon/store daemon/tools docslookup hooks internal/... mcpserver/... orchestrator/... policy/... sessions sessions/launch usage usage/prices usage/sums web worktrees/forge"},
	{"daemon/process", "api client daemon daemon/store internal/disk/logfile internal/disk/paths sessions/launch wire/ancestry"},
	// The command line.
	{"cli/verb", "agents agents/adapters api client client/machines config internal/disk/paths internal/text/textsafe nodes sessions/login wire wire/ancestry"},
	{"cli/worktree", "api cli/verb client tui/widget/format worktrees/forge"},
	{"cli/review", "api cli/verb client internal/text/textsafe"},
	{"cli/session", "agents agents/transcript api cli/verb cli/worktree client client/layout config internal/disk/atomicfile internal/text/textsafe tui/grid/tiling tui/ui tui/widget/format wire worktrees"},
	{"cli/usage", "api cli/verb"},
	{"cli/task", "api cli/verb cli/worktree client config internal/disk/untrusted internal/text/textsafe orchestrator orchestrator/taskfile"},
	{"cli/node", "api cli/verb client client/machines config internal/disk/atomicfile internal/text/textsafe nodes nodes/link tui/widget/format"},
	{"cli/policy", "agents agents/adapters api cli/verb client internal/text/patchtext internal/text/textsafe policy policy/enforce policy/file sandbox sandbox/place sandbox/proxy sandbox/wall tui/answer/request tui/widget/format"},
	{"cli/daemon", "api cli/verb client client/installed client/service config internal/disk/logfile internal/text/textsafe"},
	{"cli/doctor", "agents agents/adapters agents/claude api cli/daemon cli/verb client config internal/gitstatus sandbox sandbox/wall sessions/login"},
	{"cli/setup", "agents api cli/verb client config hooks/usersettings internal/disk/atomicfile internal/text/textsafe mcpserver/project sessions/screen sessions/screen/render tui/widget/format"},
	{"cli/grid", "api cli/daemon cli/verb client client/machines client/layout config internal/cells internal/text/textsafe nodes/merge sessions/login tui tui/attention tui/attention/notify tui/dialogs/conversation tui/dialogs/daemonpage tui/dialogs/explain tui/dialogs/fleetpage tui/dialogs/review tui/dialogs/usagepage tui/floating tui/lists/decisions tui/lists/history tui/lists/policymenu tui/lists/restore tui/pane tui/prompt/history tui/prompt/outbox tui/sidebar tui/ui tui/widget/format wire wire/directline"},
	{"cli/web", "api cli/verb client tui/widget/format"},
	{"cli", "api cli/... internal/text/spelling"},
	// Programs.
	{"cmd/ccdir-daemon", "api daemon/process internal/text/textsafe"},
	{"cmd/ccdir-fleet", "api client fleet fleet/engine internal/disk/atomicfile internal/disk/paths internal/text/textsafe orchestrator wire/ancestry"},
	{"cmd/ccdir-shim/shim", "agents/demo agents/oneshot agents/statusline api hooks/call internal/disk/paths mcpserver/bridge nodes/link sandbox/wall sessions/host wire"},
	{"cmd/ccdir-shim", "cmd/ccdir-shim/shim"},
	{"", "cli client internal/tune/start"},
}

// allowed is tree by name.
var allowed = func() map[string][]string {
	m := make(map[string][]string, len(tree))
	for _, row := range tree {
		m[row.name] = strings.Fields(row.imports)
	}
	return m
}()

// TestNoImportRunsUp: each pattern of a row names packages of rows above it.
func TestNoImportRunsUp(t *testing.T) {
	for i, row := range tree {
		for _, pattern := range allowed[row.name] {
			for _, above := range tree[i+1:] {
				if pattern != "..." && above.name != "" && matches(above.name, []string{pattern}) {
					t.Errorf("%s may import %s, which stands below it in tree", row.name, above.name)
				}
			}
		}
	}
}

// TestFoldersStandTogether: the packages of a top-level folder are next to one another
// in tree. With TestNoImportRunsUp this says that folders form no circle either.
func TestFoldersStandTogether(t *testing.T) {
	var seen []string
	for _, row := range tree {
		folder, _, _ := strings.Cut(row.name, "/")
		if len(seen) > 0 && seen[len(seen)-1] == folder {
			continue
		}
		if slices.Contains(seen, folder) {
			t.Errorf("%s stands apart from the rest of %s/", row.name, folder)
		}
		seen = append(seen, folder)
	}
}
