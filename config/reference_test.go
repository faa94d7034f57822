package config

import (
	"bytes"
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"ccdir/api"
	"ccdir/internal/keymap"
	"ccdir/mcpserver/project"
	"ccdir/worktrees"
)

var update = flag.Bool("update", false, "write docs/config.md")

// row is one key of the reference.
type row struct {
	name, doc string
	// standard is the default in TOML, or words; example is a value in TOML.
	standard, example string
}

// examples are the values of docs/config.md for the keys in keys, mcpKeys and apiKeys.
var examples = map[string]string{
	"default_agent": `"claude"`, "max_sessions": `16`, "kill_grace": `"10s"`, "scrollback": `50000`, "ring_bytes": `4194304`,
	"engine": `"vt"`, "kitty_keyboard": `false`, "send_timeout": `"30s"`, "events_kept": `50000`, "queue_mode": `"auto"`, "queue_limit": `4`,
	"task_stall": `"20m"`, "task_resume": `false`, "ended_task_panes": `"all"`, "history_kept": `1000`, "history_max_age": `"720h"`, "stale_timeout": `"12h"`, "park_after": `"30m"`, "park_keep": `3`, "park_memory": `2000`,
	"permission_timeout": `"10m"`, "role": `"tester"`, "resume_after_limit": `"on"`, "usage_probe": `false`, "shells_are_yours": `true`, "fast_path": `false`, "worktree_place": `"{root}.{branch}"`, "pull_requests": `false`, "pulse": `false`, "signs": `"nerd"`, "prefix_help": `"1s"`, "terminal_title": `false`, "gaps": `true`, "sidebar": `"sessions"`,
	"sidebar_width": `40`, "mouse": `false`, "clipboard": `false`, "copy_command": `"wl-copy"`,
	"mcp.enabled": `false`, "mcp.max_calls": `4`, "mcp.keep_logs": `500`, "mcp.keep_results": `50000`, "mcp.spawn_limit": `4`, "mcp.nudge": `"prompt"`, "mcp.lead": `"policy"`, "mcp.spawn_roles": `["dev", "reviewer"]`,
	"mcp.timeout": `"1m"`, "mcp.listen": `"127.0.0.1:7433"`, "mcp.preapproved": `["@project"]`,
	"api.listen": `"127.0.0.1:7434"`, "api.origins": `["http://localhost:5173"]`, "api.rate": `50`,
}

// rows are those of a table of keys. prefix is that of their examples.
func rows(list []key, prefix string) (out []row) {
	standard := Default()
	for _, k := range list {
		out = append(out, row{k.name, k.doc, inTOML(k.get(&standard)), examples[prefix+k.name]})
	}
	return out
}

func inTOML(v any) string {
	switch v := v.(type) {
	case string:
		for _, zero := range []string{"m0s", "h0m"} { // 2160h0m0s is 2160h
			if strings.HasSuffix(v, zero) {
				v = v[:len(v)-2]
			}
		}
		return strconv.Quote(v)
	case []string:
		return "[" + quoteAll(v) + "]"
	}
	return fmt.Sprint(v)
}

var keyRows = []row{
	{"prefix", "the prefix key", strconv.Quote(keymap.DefaultPrefix), `"C-a"`},
	{"ACTION", "the key or keys of an action, instead of its own; [Keys](keys.md) lists the actions", "", ""},
}

func themeRows() []row {
	shown := []string{`"cyan"`, `"#00af87"`, `12`, `"bright-yellow"`, `"#ff5f5f"`, `8`, `"red"`, `"bright-black"`, `"#5f87ff"`, `9`, `"magenta"`}
	list := []row{{"base", "the palette: " + quoteAll(themeBases) + `; "auto" chooses by the terminal's background, as two do that are written "DARK,LIGHT". "theme = …" names it without the table`, inTOML(themeBases[0]), `"dark"`}}
	for i, part := range ThemeParts {
		doc := map[string]string{"dim": "secondary text", "accent": "what has the focus", "alert": "warnings and errors", "hook": "hook calls in the event sidebar"}[part]
		if doc == "" {
			doc = "sessions in the state " + part
		}
		list = append(list, row{part, doc, "the palette's", shown[i%len(shown)]})
	}
	return list
}

func notifyRows() []row {
	list := []row{{"command", "the program that \"command\" runs, with its arguments; a title and a text follow them", "[]", `["notify-send"]`}}
	for _, event := range NotifyEvents {
		what := map[string]string{"permission": "a session asks for permission", "question": "a session asks a question", "done": "a turn or task is done",
			"failed": "a session or task failed", "lost": "a session was lost",
			"limit": "little is left of a usage limit, it was met, has begun anew, or all have gone on after it; a budget is spent"}[event]
		list = append(list, row{event, what + ": some of " + quoteAll(NotifyWays), inTOML(defaultNotify()[event]), `["osc777", "command"]`})
	}
	return list
}

var agentRows = []row{
	{"kind", "the adapter: one of " + quoteAll(Kinds) + "; a new agent needs it", "", `"generic"`},
	{"command", "the executable: a name that is looked up in PATH, or a path", "the adapter's", `"~/bin/agent"`},
	{"args", "its first arguments", "[]", `["--model", "large"]`},
	{"env", "variables that are added to its environment", "{}", `{ LEVEL = "debug" }`},
	{"screen", "patterns that tell its state by the screen, see below", "[]", ""},
}

var accountRows = []row{
	{"agent", "an agent of the configuration: agents of its kind can use the account; needed", "", `"claude"`},
	{"dir", "the agent's directory of the account, made at its first start: `CLAUDE_CONFIG_DIR`, `CODEX_HOME`, `GEMINI_CLI_HOME`, `XDG_DATA_HOME` of opencode", "", `"~/.claude-work"`},
	{"env", "variables that are added to the environment of its sessions", "{}", `{ TEAM = "shop" }`},
	{"repositories", "directories in and below which it is used unless another one is named; tasks use the first one with room of those that have the innermost directory", "[]", `["~/src/shop"]`},
	{"roles", "roles of sessions that use it unless another one is named; they win over repositories", "[]", `["reviewer"]`},
}

var quotaRows = []row{
	{"stop_at", "how much of a window of an account's limits may be used, by whomever, in percent, for the queue to start a task; 0: all of it", "0", "85"},
	{"reserve", "how much less that is while people's sessions of the account work, or did within the last hour, in percent", "0", "20"},
	{"windows", "`stop_at` of single windows, by their names", "{}", `{ "7d" = 95 }`},
	{"budgets", "tables, see below", "", ""},
}

var budgetRows = []row{
	{"dollars", "how much may be spent; estimates count", "", "20"},
	{"tokens", "how many tokens may be used, those of caches too; either, or both, is needed", "", "50_000_000"},
	{"days", "how many days are counted, with today (1 to 90)", "1", "1"},
	{"agent", "only this agent", "", `"claude"`},
	{"account", "only this account, or \"default\"", "", `"default"`},
	{"label", "only tasks with this label", "", `"night"`},
}

func screenRows() []row {
	var states []string
	for _, s := range ScreenStates {
		states = append(states, string(s))
	}
	return []row{
		{"state", "the state while the pattern matches: one of " + quoteAll(states), "", `"working"`},
		{"match", `a regular expression (RE2; ^ and $ match at every line); what its group named "question" matches is the agent's question`, "", `'^Thinking'`},
		{"lines", fmt.Sprintf("how many of the last non-empty lines are searched (1 to %d)", maxScreenLines), strconv.Itoa(defaultScreenLines), `5`},
	}
}

var toolRows = []row{
	{"command", `a line for sh; the tools shell, editor and git have one: your shell, $VISUAL or $EDITOR on the directory, and lazygit, gitui or tig`, "", `"lazygit"`},
	{"key", "its key after the prefix key", "none; shell, editor and git have `!`, `M-e` and `M-g`", `"M-l"`},
	{"where", `"floating" is over the grid, "pane" a pane of it, "none" for programs that need no terminal, such as an IDE or "gh browse"`, `"floating"`, `"floating"`},
}

var templateRows = []row{
	{"layout", "the grid's layout; focus and zoom name sessions", "as it is", `"columns"`},
	{"session", "[[templates.NAME.session]]: name, dir and what else a session of a layout file has; relative directories begin where the template is opened", "", ""},
}

var repoRows = []row{
	{"path", "the directory: absolute, or beginning with ~/; needed", "", `"~/src/shop"`},
	{"name", "its name", "the directory's", `"shop"`},
	{"role", "role of sessions that are started in it and name none", "that of the key role", `"dev"`},
	{"sandbox", "sandbox profile of agents that are started in it and name none", "that of the role, else sandbox.default", `"worktree"`},
}

var scheduleRows = []row{
	{"name", "its name; needed", "", `"nightly"`},
	{"when", "a cron expression of five fields, or @hourly, @daily, @weekly, @monthly, @yearly; this or at is needed", "", `"30 2 * * *"`},
	{"at", "a day and a time at which it runs once", "", ""},
	{"zone", "time zone of its times", "that of the daemon", `"Europe/Berlin"`},
	{"missed", "what becomes of due times at which no daemon ran: \"once\" makes up for all of them, \"skip\" does not", `"once"`, `"skip"`},
	{"overlap", "run also while the task of the run before has not ended", "false", "true"},
	{"to", "a session that gets the prompt, instead of a task; without it dir is needed", "", ""},
	{"prompt", "the prompt; needed", "", `"update the dependencies"`},
	{"dir", "directory of its tasks", "", `"~/src/shop"`},
}

var watchRows = []row{
	{"name", "its name; needed", "", `"bugs"`},
	{"dir", "directory of the repository, and of its tasks; needed", "", `"~/src/shop"`},
	{"label", "issues with this label", "", `"agent"`},
	{"query", "issues that match, in the words of gh or glab (`--search`)", "", `"no:assignee"`},
	{"command", "a line for sh that prints the issues of any other tracker; instead of label and query", "", ""},
	{"every", "how often it looks (1m to 24h)", `"5m"`, `"15m"`},
	{"limit", "how many it takes a day (1 to 1000)", "10", "5"},
	{"role", "role of its tasks; needed if the repository is public", "", `"outsider"`},
	{"trust", "the texts are of people who may say what is done: any role will do", "false", "true"},
	{"comment", "say at the issue that it was taken", "true", "false"},
	{"mark", "a label that the issue gets", "", `"taken"`},
	{"prompt", "the prompt; {issue} stands for the marked text, which else comes after it", "do what it asks for", `"Mend this, with a test: {issue}"`},
}

// watchTaskKeys are the keys of tasks that are not in watchRows.
func watchTaskKeys() []string {
	return slices.DeleteFunc(watchNames(), func(name string) bool {
		return slices.ContainsFunc(watchRows, func(r row) bool { return r.name == name })
	})
}

var reactionRows = []row{
	{"event", "the name of an event, or a list of names; needed", "", `"task.failed"`},
	{"if", "a condition on what run reads", "", `'task.priority > 0'`},
	{"run", "a line for sh, which gets the event as JSON on standard input; needed", "", `"logger -t ccdir"`},
	{"timeout", "how long it may take (1s to 10m)", `"30s"`, `"2m"`},
}

// scheduleTaskKeys are the keys of tasks that are not in scheduleRows.
func scheduleTaskKeys() []string {
	return slices.DeleteFunc(scheduleNames(), func(name string) bool {
		return slices.ContainsFunc(scheduleRows, func(r row) bool { return r.name == name })
	})
}

var sandboxRows = []row{
	{"default", "profile of agents that are started without naming one; \"none\": no walls", `"none"`, `"worktree"`},
	{"tasks", "profile of agents that the queue starts for tasks which name none; \"none\" for no walls", "that of default, else `worktree` where it can be held whole", `"none"`},
	{"strict", "refuse every session whose profile this machine cannot hold in full; without it only tasks and reviewers are refused", "false", "true"},
}

var profileRows = []row{
	{"base", "the profile that it begins with: \"worktree\", \"read-only\", \"offline\" or another of your own; needed, unless it changes one of these three", "", `"worktree"`},
	{"write", "further paths that may be written and read", "[]", `["~/.cache/go-build"]`},
	{"read", "further paths that may be read", "[]", `["/srv/fixtures"]`},
	{"hide", "paths that are hidden, also within what the others let through", "[]", `["~/src/app/.env"]`},
	{"network", "\"all\", \"loopback\" (a network of its own with nothing but its own servers), \"none\", or a list of hosts: [\"github.com\", \"*.npmjs.org\", \"git.corp:8443\", \"localhost:5432\"] ([sandbox.md](sandbox.md#network))", "that of base", `"loopback"`},
}

func timeoutRows() (list []row) {
	limits := defaultTimeouts()
	for _, tool := range slices.Sorted(maps.Keys(limits)) {
		list = append(list, row{tool, "time limit of " + tool, inTOML(limits[tool].String()), `"20m"`})
	}
	return append(list, row{"TOOL", "time limit of any other tool (1s to 1h)", "mcp.timeout", ""})
}

// reference is docs/config.md.
func reference() []byte {
	var b bytes.Buffer
	b.WriteString(`# Configuration

<!-- Made by go test ./config -run TestReference -update; do not edit. -->

ccdir reads ` + "`~/.config/ccdir/config.toml`" + ` (` + "`$XDG_CONFIG_HOME`" + ` and ` + "`$CCDIR_HOME`" + ` move it). The file may be missing, and so may
every key. A running daemon and open grids read it again when it changes; only the keys that say so are read at the daemon's start. A wrong
value never keeps ccdir from starting: the default applies, and ` + "`ccdir config check`" + ` names the line and what is expected.
` + "`ccdir config get`" + ` prints every key with its value and where the value comes from.

Durations are strings such as "90s", "10m" or "1h30m". In paths "~/" is the home directory.

What agents may do is in policy.toml: see [Policy](policy.md). A project's own commands are in .ccdir.toml, [below](#ccdirtoml).

`)
	section(&b, "Keys", "", "", rows(keys, ""))
	section(&b, "[keys]", "[keys]", "Keys are named as tmux names them: \"C-b\", \"M-x\", \"Up\", \"S-F5\", \"Enter\", \"?\".", keyRows, `focus-left = ["h", "Left"]`, `zoom = "z"`)
	section(&b, "[theme]", "[theme]", "A colour is \"#rrggbb\", a number of the 256-colour palette, or one of "+quoteAll(colourNames)+".", themeRows())
	section(&b, "[notify]", "[notify]", "The ways in which a grid announces an event while you look elsewhere. [] is silence.", notifyRows())
	section(&b, "[agents.NAME]", "[agents.mine]", "Each table is an agent that `ccdir new -a NAME` starts. claude, shell and demo are built in; a table of that name changes them key by key. A name has lower-case letters, digits, - and _.", agentRows)
	section(&b, "[[agents.NAME.screen]]", "[agents.mine]\nkind = \"generic\"\n\n[[agents.mine.screen]]", "The state of an agent without hooks, by its screen. The first pattern that matches counts.", screenRows())
	section(&b, "[agents.command]", "[agents.command]", "Sessions of a bare command (`ccdir new -- CMD`); it has env and screen alone.", []row{agentRows[3]})
	section(&b, "[accounts.NAME]", "[accounts.work]", "Each table is a sign-in of an agent besides the one that it uses by itself: see [Limits](limits.md).", accountRows)
	section(&b, "[quota]", "[quota]", "What the queue may use: see [Limits](limits.md).", quotaRows)
	section(&b, "[quota.budgets.NAME]", "[quota.budgets.nightly]", "Each table is a budget. It counts everything that fits; once it is spent, tasks that fit wait.", budgetRows)
	section(&b, "[tools.NAME]", "[tools.lazygit]", "Each table is a tool that a key, or the palette, starts beside the focused session: in its directory, with your environment. The same key hides a tool that floats. A name has lower-case letters, digits, - and _. [Keys](keys.md#tools-beside-the-agent) says more.", toolRows,
		"", "[tools.ide]", `command = "code ."`, `where = "none"`, `key = "M-i"`)
	section(&b, "[templates.NAME]", "[templates.pair]", "Each table is a layout that `ccdir open NAME` opens in any directory; `C-b n` and the palette offer it, too. [Layouts](layouts.md) has all keys.", templateRows,
		"", "[[templates.pair.session]]", `name = "dev"`, `dir = "."`, `agent = "claude"`)
	section(&b, "[[repos]]", "[[repos]]", "Repositories that are offered for new sessions, in this order.", repoRows)
	section(&b, "[[schedule]]", "[[schedule]]", "Work that comes at times of a calendar: see [Schedules](schedules.md). Besides the keys below it has those of a task in a [file of tasks](tasks.md#a-file-of-tasks): "+quoteAll(scheduleTaskKeys())+".", scheduleRows)
	section(&b, "[[watch]]", "[[watch]]", "Issues that become tasks: see [Watches](watches.md). Besides the keys below it has those of a task in a [file of tasks](tasks.md#a-file-of-tasks): "+quoteAll(watchTaskKeys())+".", watchRows)
	section(&b, "[[on]]", "[[on]]", "A command that events start: see [Events](events.md).", reactionRows)
	section(&b, "[sandbox]", "[sandbox]", "Walls around sessions: see [Sandboxes](sandbox.md).", sandboxRows)
	section(&b, "[sandbox.roles]", "[sandbox.roles]", "Profiles of agents by their roles, for those that are started without naming one; they win over those of repositories. [Which profile a session has](sandbox.md#which-profile-a-session-has).",
		[]row{{"ROLE", "a profile, or \"none\"", "", ""}}, `reviewer = "read-only"`)
	section(&b, "[sandbox.NAME]", "[sandbox.build]", "Each table is a profile of your own, or changes a ready one. In a profile with a mistake no session starts. A name has lower-case letters, digits, - and _.", profileRows)
	section(&b, "[mcp]", "[mcp]", "The tools that the daemon serves to agents: see [MCP](mcp.md).", append(rows(mcpKeys, "mcp."),
		row{"allowed_paths", "directories that tools may work in besides the session's", "[]", `["~/src/shared"]`}))
	section(&b, "[mcp.timeouts]", "[mcp.timeouts]", "", timeoutRows())
	section(&b, "[mcp.roles]", "[mcp.roles]", "The tools of a role, instead of the built-in ones: tools, and the groups "+quoteAll(api.ToolGroups())+".",
		[]row{{"ROLE", "tools and groups", "", ""}}, `reviewer = ["@project", "@files"]`)
	section(&b, "[api]", "[api]", "The API over TCP: see [API](api.md).", rows(apiKeys, "api."))
	section(&b, "[web]", "[web]", "The page in the browser: see [The page](web.md).", rows(webKeys, "web."))
	b.WriteString("## .ccdir.toml\n\nA file in a project's directory with the commands that the tools of agents run there, instead of those that ccdir finds by itself, and what it says about work trees.\n\n")
	section(&b, "[commands.ACTION]", "[commands.test]", "ACTION is one of "+quoteAll(project.Actions)+" and \"format_check\".", overrideRows)
	section(&b, "[worktree]", "isolate = \"if-busy\"\nsandbox = \"worktree\"\n\n[worktree]", "sandbox, above the tables, is the profile of the walls that the project asks for: agents that are started without naming one get it, if it lets nothing through that yours would not; see [Sandboxes](sandbox.md#which-profile-a-session-has).\n\nisolate, above the tables, says when a new session of an agent gets a git work tree of its own without being asked: \"never\" (the default), \"always\", or \"if-busy\" (another agent runs in the same work tree). See [Work trees](worktrees.md).", worktreeRows())
	section(&b, "[checks]", "[checks]", "Commands that run before the branch of a task with `pr` is pushed: see [The way out](tasks.md#the-way-out-a-pull-request).",
		[]row{{"NAME", "a shell command, run at the top of the work tree after you agreed to its text; up to 20 names of letters, digits, - and _", "", ""}}, `lint = "make lint"`)
	return append(bytes.TrimRight(b.Bytes(), "\n"), '\n')
}

// worktreeRows are the keys of [worktree] in .ccdir.toml.
func worktreeRows() (list []row) {
	docs := worktrees.SettingsKeys()
	standard := map[string]string{"copy": "[]", "link": "[]", "wait": "true"}
	shown := map[string]string{"place": `"{root}.{branch}"`, "copy": `["*.local", "build/cache/"]`, "link": `["node_modules"]`, "setup": `"npm ci"`, "wait": "false"}
	for _, name := range slices.Sorted(maps.Keys(docs)) {
		list = append(list, row{name, docs[name], standard[name], shown[name]})
	}
	return list
}

// overrideRows are the keys of .ccdir.toml, in the order of project.OverrideKeys.
var overrideRows = []row{
	{"run", "the program and its arguments; needed. {path}, {name}, {tags}, {seed} and {max_failures} in an argument stand for the options of a test run, and an argument whose option is not given is left out; {report} stands for a file that the program writes for the decoder", "", `["./run-tests", "--junit={report}", "--only={name}"]`},
	{"decoder", "the decoder of the output, for example \"gotest\", \"junit\", \"cargo\" or \"generic\"", `generic, if there are no patterns and no errorformat`, `"junit"`},
	{"reports", "patterns of report files that the program writes", "[]", `["build/reports/*.xml"]`},
	{"patterns", "regular expressions with the named groups file, line, column, end_line, severity, code and message", "[]", `['(?P<file>[^:]+):(?P<line>\d+): (?P<message>.*)']`},
	{"errorformat", "patterns in the syntax of Vim's option errorformat", "[]", `['%f:%l: %m']`},
}

// value is a default that is TOML, and no words.
var value = regexp.MustCompile(`^(".*"|[[{0-9].*|true|false)$`)

// section writes a heading, a table of keys and their examples. header is that of the
// examples; more are further lines of it.
func section(b *bytes.Buffer, title, header, text string, list []row, more ...string) {
	fmt.Fprintf(b, "## %s\n\n", title)
	if text != "" {
		b.WriteString(text + "\n\n")
	}
	b.WriteString("| key | default | meaning |\n|---|---|---|\n")
	lines := []string{}
	if header != "" {
		lines = append(lines, header)
	}
	for _, r := range list {
		standard := r.standard
		if value.MatchString(standard) {
			standard = "`" + standard + "`"
		}
		fmt.Fprintf(b, "| `%s` | %s | %s |\n", r.name, standard, strings.ReplaceAll(r.doc, "|", `\|`))
		if r.example != "" {
			lines = append(lines, r.name+" = "+r.example)
		}
	}
	lines = append(lines, more...)
	b.WriteString("\n```toml\n" + strings.Join(lines, "\n") + "\n```\n\n")
}

// TestReference: docs/config.md is what the tables say, every key has an example, and
// the examples are right (TestDocs parses them).
func TestReference(t *testing.T) {
	const file = "../docs/config.md"
	want := reference()
	if *update {
		if err := os.WriteFile(file, want, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if got, err := os.ReadFile(file); err != nil || !bytes.Equal(got, want) {
		t.Errorf("%s is not what the tables say (%v): go test ./config -run TestReference -update", file, err)
	}
	used := 0
	for prefix, list := range map[string][]key{"": keys, "mcp.": mcpKeys, "api.": apiKeys} {
		for _, k := range list {
			if used++; examples[prefix+k.name] == "" {
				t.Errorf("%s has no example", prefix+k.name)
			}
		}
	}
	if used != len(examples) {
		t.Errorf("%d examples for %d keys", len(examples), used)
	}
}

// TestReferenceIsComplete: what the loader says of an unknown key names every row.
func TestReferenceIsComplete(t *testing.T) {
	for text, list := range map[string][]row{
		"[theme]\nx = 1": themeRows(), "[notify]\nx = 'bell'": notifyRows(), "[agents.a]\nkind = 'shell'\nx = 1": agentRows,
		"[[agents.a.screen]]\nx = 1": screenRows(), "[[repos]]\nx = 1": repoRows,
		"[tools.a]\ncommand = 'x'\nx = 1":       toolRows,
		"[sandbox.a]\nbase = 'worktree'\nx = 1": profileRows,
		"[accounts.a]\nagent = 'claude'\nx = 1": accountRows,
		"[quota]\nx = 1":                        quotaRows,
		"[[on]]\nx = 1":                         reactionRows,
		"[quota.budgets.a]\nx = 1":              budgetRows,
	} {
		l := Parse([]byte(text), "f", "/")
		i := slices.IndexFunc(l.Problems, func(p Problem) bool { return strings.HasPrefix(p.Message, "unknown") })
		if i < 0 {
			t.Errorf("%q: %v", text, l.Problems)
			continue
		}
		_, named, _ := strings.Cut(l.Problems[i].Message, ";")
		words := strings.FieldsFunc(named, func(r rune) bool { return r == ' ' || r == ',' })
		for _, r := range list {
			if !slices.Contains(words, r.name) {
				t.Errorf("%s is in the reference, and not in %q", r.name, named)
			}
		}
		if commas := strings.Count(named, ",") + strings.Count(named, " and "); commas+1 != len(list) {
			t.Errorf("%q names %d keys, the reference %d", named, commas+1, len(list))
		}
	}
	var names []string
	for _, r := range overrideRows {
		names = append(names, r.name)
	}
	if !slices.Equal(names, project.OverrideKeys()) {
		t.Errorf("the reference has %v of .ccdir.toml, the tools take %v", names, project.OverrideKeys())
	}
	if _, ours, ok := strings.Cut(string(reference()), "\nisolate = "); ok {
		block, _, _ := strings.Cut("isolate = "+ours, "```")
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, ".ccdir.toml"), []byte(block), 0o600); err != nil {
			t.Fatal(err)
		}
		if s, err := worktrees.ReadSettings(dir); err != nil || s.Isolate != worktrees.IsolateIfBusy || s.Sandbox != "worktree" || len(s.Copy) != 2 || s.SetupCommand == "" || s.Wait {
			t.Errorf("%+v, %v", s, err)
		}
	} else {
		t.Error("the reference says nothing of work trees")
	}
	_, block, _ := strings.Cut(string(reference()), "## [commands.ACTION]")
	_, block, _ = strings.Cut(block, "```toml\n")
	block, _, _ = strings.Cut(block, "```")
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, ".ccdir.toml"), []byte(block), 0o600); err != nil {
		t.Fatal(err)
	}
	if p, err := project.Detect(dir); err != nil {
		t.Error(err)
	} else if c, err := p.Command(project.Test, project.TestOptions{}, false); err != nil || c.Argv[0] != "./run-tests" {
		t.Errorf("%+v, %v", c, err)
	}
}
