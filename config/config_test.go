package config

import (
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"
)

func TestEmpty(t *testing.T) {
	for _, l := range []Loaded{Parse(nil, "f", "/home"), Load(filepath.Join(t.TempDir(), "missing"), "/home")} {
		if !reflect.DeepEqual(l.Config, Default()) || len(l.Problems) > 0 || l.Broken() {
			t.Errorf("an empty file: %+v %v", l.Config, l.Problems)
		}
	}
}

const full = `# everything
default_agent = "fast"
max_sessions = 5
kill_grace = "1m30s"
scrollback = 0
ring_bytes = 65536
engine = "vt10x"
kitty_keyboard = false
send_timeout = "2s"
events_kept = 10
queue_mode = "auto"
queue_limit = 2
task_stall = "5m"
task_resume = false
ended_task_panes = "none"
history_kept = 50
history_max_age = "48h"
stale_timeout = "12h"
permission_timeout = "10m"
role = "tester"
shells_are_yours = true
fast_path = false
pulse = false
signs = "nerd"
prefix_help = "0s"
terminal_title = false
clipboard = false
pull_requests = false
sidebar = false
sidebar_width = 20
mouse = false

[notify]
permission = ["osc777", "command"]
done = []
command = ["~/bin/tell", "me"]

[keys]
prefix = "C-a"
focus-left = ["h", "Left"]

[theme]
idle = "#00ff7f"
working = 12
lost = "bright-black"

[agents.claude]
args = ["--model", "x"] # the command stays

[agents.fast]
kind = "generic"
command = "~/bin/fast"
env = { TOKEN = "secret" }

[[repos]]
path = "~/src/x"
role = "lead"

[[repos]]
name = "other"
path = "/srv/../srv/other"
`

func TestFull(t *testing.T) {
	l := Parse([]byte(full), "config.toml", "/home/u")
	want := Config{
		DefaultAgent: "fast", MaxSessions: 5, KillGrace: 90 * time.Second, RingBytes: 65536, Engine: "vt10x",
		SendTimeout: 2 * time.Second, EventsKept: 10, Sidebar: SidebarNone, SidebarWidth: 20,
		Queue:         Queue{Mode: "auto", Limit: 2, Stall: 5 * time.Minute, EndedPanes: PanesNone, Kept: 50, MaxAge: 48 * time.Hour},
		StaleTimeout:  12 * time.Hour,
		Notify:        map[string][]string{"permission": {"osc777", "command"}, "question": {"bell", "osc9"}, "done": {}, "failed": {"bell", "osc9"}, "lost": {"bell", "osc9"}, "limit": {"osc9"}},
		NotifyCommand: []string{"/home/u/bin/tell", "me"},
		Keys:          map[string][]string{"prefix": {"C-a"}, "focus-left": {"h", "Left"}},
		Theme:         map[string]string{"idle": "#00ff7f", "working": "12", "lost": "bright-black"},
		Agents: map[string]Agent{
			"claude": {Kind: "claude", Command: "claude", Args: []string{"--model", "x"}},
			"fast":   {Kind: "generic", Command: "/home/u/bin/fast", Env: map[string]string{"TOKEN": "secret"}},
			"shell":  {Kind: "shell"}, "demo": {Kind: "demo"}, "codex": {Kind: "codex", Command: "codex"},
			"gemini": {Kind: "gemini", Command: "gemini"}, "opencode": {Kind: "opencode", Command: "opencode"},
		},
		Repos: []Repo{{Name: "x", Path: "/home/u/src/x", Role: "lead"}, {Name: "other", Path: "/srv/other"}},
		Role:  "tester", Signs: "nerd", ResumeAfterLimit: "ask", UsageProbe: true, ShellsAreYours: true, PermissionTimeout: 10 * time.Minute,
		MCP: defaultMCP(),
		API: API{Rate: 100, Origins: []string{}},
	}
	if !reflect.DeepEqual(l.Config, want) {
		t.Errorf("got  %+v\nwant %+v", l.Config, want)
	}
	if len(l.Problems) > 0 {
		t.Errorf("problems: %v", l.Problems)
	}
	if names := l.AgentNames(); !slices.Equal(names, []string{"fast", "claude", "codex", "demo", "gemini", "opencode", "shell"}) {
		t.Errorf("agents: %v", names)
	}
}

// TestProblems: each wrong line is told with its number, and the default holds.
func TestProblems(t *testing.T) {
	for name, c := range map[string]struct{ text, want string }{
		"unknown":             {"\nmax_session = 1", `f:2: max_session: unknown key; did you mean "max_sessions"?`},
		"very unknown":        {"zzz = 1", "f:1: zzz: unknown key (`ccdir config get` lists all)"},
		"too many":            {"max_sessions = 0", "f:1: max_sessions: expected a number from 1 to 1000, found 0"},
		"huge":                {"max_sessions = 9223372036854775807", "f:1: max_sessions: expected a number from 1 to 1000, found 9223372036854775807"},
		"a word":              {"max_sessions = \"many\"", "f:1: max_sessions: expected a whole number, found a string"},
		"duration":            {"kill_grace = 5", `f:1: kill_grace: expected a duration such as "5s", found 5`},
		"duration text":       {"kill_grace = \"5 days\"", `f:1: kill_grace: expected a duration such as "5s", found "5 days"`},
		"negative":            {"kill_grace = \"-1s\"", "f:1: kill_grace: expected a duration from 0s to 10m0s, found -1s"},
		"boolean":             {"pulse = \"off\"", `f:1: pulse: expected true or false, found "off"`},
		"engine":              {"engine = \"xterm\"", `f:1: engine: expected one of "", "vt", "vt10x", found "xterm"`},
		"a table":             {"[engine]\nx = 1", `f:1: engine: expected one of "", "vt", "vt10x", found a table`},
		"keys":                {"keys = 1", "f:1: keys: expected a table, found a whole number"},
		"binding":             {"[keys]\n\nquit = 1", "f:3: keys.quit: expected a key or a list of keys, found 1"},
		"bindings":            {"[keys]\nquit = [1]", "f:2: keys.quit: expected a list of strings, found a whole number in it"},
		"colour":              {"[theme]\nidle = \"#12345\"", `f:2: theme.idle: expected a colour ("#rrggbb", 0 to 255, or a name such as "red"), found "#12345"`},
		"colour number":       {"theme.idle = 256", `f:1: theme.idle: expected a colour ("#rrggbb", 0 to 255, or a name such as "red"), found 256`},
		"agent kind":          {"[agents.x]\ncommand = \"x\"\nkind = \"y\"", `f:3: agents.x.kind: expected one of "claude", "codex", "gemini", "opencode", "shell", "demo", "generic", found "y"`},
		"agent no kind":       {"\n[agents.x]\ncommand = \"x\"", `f:2: agents.x: an agent needs a kind: one of "claude", "codex", "gemini", "opencode", "shell", "demo", "generic"`},
		"agent name":          {"[agents.\"A b\"]\nkind = \"shell\"", "f:1: agents.A b: an agent's name is 1 to 32 lower-case letters, digits, - and _"},
		"agent key":           {"[agents.shell]\nargv = []", "f:2: agents.shell.argv: unknown key; an agent has kind, command, args, env and screen"},
		"agent env":           {"[agents.shell.env]\nA = 1", "f:1: agents.shell.env: expected a string for A, found a whole number"},
		"default agent":       {"default_agent = \"nobody\"", `f:1: default_agent: no agent is called "nobody"; there are claude, codex, demo, gemini, opencode, shell`},
		"repo":                {"[[repos]]\npath = \"/a\"\n\n[[repos]]\nname = \"b\"", "f:4: repos.1: a repository needs a path: absolute or beginning with ~/"},
		"repo key":            {"[[repos]]\npath = \"/a\"\n[[repos]]\npath = \"/b\"\ncolour = 1", "f:5: repos.1.colour: unknown key; a repository has name, path, role and sandbox"},
		"repo role":           {"[[repos]]\npath = \"/a\"\nrole = \"A b\"", `f:3: repos.0.role: expected the name of a role (lower-case letters, digits, - and _; not "guest"), found "A b"`},
		"role":                {"role = \"guest\"", `f:1: role: expected the name of a role (lower-case letters, digits, - and _; not "guest"), found "guest"`},
		"repo table":          {"[repos]\npath = \"/a\"", "f:1: repos: write each repository as [[repos]] with name and path"},
		"after a string":      {"engine = '''\nvt\n[x]\n'''\nzzz = 1", "f:1: engine: expected one of \"\", \"vt\", \"vt10x\", found \"vt\\n[x]\\n\""},
		"after long lists":    {"[keys]\nzoom = [\n \"]\", # ]\n 'Q',\n]\nx = 1", "f:6: keys.x: expected a key or a list of keys, found 1"},
		"action":              {"[keys]\nzom = \"y\"", "f:2: keys.zom: no such action; did you mean zoom?"},
		"key name":            {"[keys]\n\nzoom = \"Nope\"", `f:3: keys.zoom: key "Nope" is not known: write one character, or a name such as C-b, M-x, Up, PPage, Enter, F5`},
		"prefix":              {"[keys]\nprefix = \"b\"", `f:2: keys.prefix: "b" is a character that people type: take one with C- or M-, or a function key`},
		"prefixes":            {"[keys]\nprefix = [\"C-a\", \"C-b\"]", "f:2: keys.prefix: expected one key"},
		"conflict in a mode":  {"[keys]\nlist-focus = \"x\"\nborder-left = \"K\"", "f:1: keys: key x is bound to both list-focus and list-kill in the session list: list-focus keeps it"},
		"conflict of borders": {"[keys]\nborder-up = \"j\"", "f:1: keys: key j is bound to both border-up and border-down in the moving of borders: border-up keeps it"},
		"conflict":            {"[keys]\nzoom = \"x\"", "f:1: keys: key x is bound to both zoom and kill: zoom keeps it"},
		"tool command":        {"[tools.x]\nkey = \"M-l\"", "f:1: tools.x: a tool needs a command"},
		"tool where":          {"[tools.x]\ncommand = \"x\"\nwhere = \"left\"", `f:3: tools.x.where: expected one of "floating", "pane", "none", found "left"`},
		"tool key":            {"[tools.x]\ncommand = \"x\"\nkey = \"nonsense\"", `f:3: tools.x.key: key "nonsense" is not known: write one character, or a name such as C-b, M-x, Up, PPage, Enter, F5`},
		"tool key taken":      {"[tools.x]\ncommand = \"x\"\nkey = \"z\"", "f: keys: key z is bound to both beside-x and zoom: beside-x keeps it"},
		"notify event":        {"[notify]\n\nfinished = [\"bell\"]", "f:3: notify.finished: unknown event; there are command, permission, question, done, failed, lost, limit"},
		"notify way":          {"[notify]\ndone = \"ring\"", `f:2: notify.done: expected a list of "bell", "osc9", "osc777", "command", found "ring" in it`},
		"notify command":      {"[notify]\ndone = \"command\"", `f:2: notify.done: it names "command", and notify.command is not set`},
		"theme part":          {"[theme]\nidel = 1", "f:2: theme.idel: unknown colour; there are base, " + strings.Join(ThemeParts, ", ")},
		"theme base":          {"[theme]\nbase = \"pink\"", `f:2: theme.base: expected one of "auto", "dark", "light", "contrast", ` + quoteAll(themeBases[4:]) + `, or two as "DARK,LIGHT", found "pink"`},
	} {
		t.Run(name, func(t *testing.T) {
			l := Parse([]byte(c.text), "f", "/home")
			if len(l.Problems) == 0 || l.Problems[0].String() != c.want {
				t.Errorf("got  %v\nwant %s", l.Problems, c.want)
			}
			if l.Broken() {
				t.Error("the whole file counts as broken")
			}
			if l.MaxSessions != 32 || l.KillGrace != 5*time.Second || !l.Pulse || l.Engine != "" || l.DefaultAgent != "claude" {
				t.Errorf("no default: %+v", l.Config)
			}
		})
	}
}

func TestSyntax(t *testing.T) {
	for text, line := range map[string]int{"max_sessions = 5\n\nx = \n": 3, "a = 1\na = 2\n": 2, "x = \xff": 1} {
		l := Parse([]byte(text), "f", "/home")
		if !l.Broken() || len(l.Problems) != 1 || l.Problems[0].Line != line || strings.ContainsRune(l.Problems[0].String(), '\n') {
			t.Errorf("%q: %+v", text, l.Problems)
		}
		if !reflect.DeepEqual(l.Config, Default()) {
			t.Errorf("%q: something was taken", text)
		}
	}
}

func TestUnreadable(t *testing.T) {
	l := Load(t.TempDir(), "/home") // a directory
	if !l.Broken() || len(l.Problems) != 1 {
		t.Errorf("%+v", l.Problems)
	}
	big := filepath.Join(t.TempDir(), "big")
	if err := os.WriteFile(big, make([]byte, maxFile+1), 0o600); err != nil {
		t.Fatal(err)
	}
	if l := Load(big, "/home"); !l.Broken() {
		t.Error("a huge file was read")
	}
}

func TestExplain(t *testing.T) {
	l := Parse([]byte(full+"\nsidebarwidth = 5\n"), "f", "/home/u")
	entries := l.Explain()
	for _, e := range entries {
		if e.Doc == "" || e.Source == "" {
			t.Errorf("%s is not explained: %+v", e.Key, e)
		}
	}
	get := func(key string) Entry {
		t.Helper()
		found, err := l.Get(key)
		if err != nil || len(found) != 1 {
			t.Fatal(key, found, err)
		}
		return found[0]
	}
	if e := get("max_sessions"); e.Value != 5 || e.Default != 32 || e.Source != "f:3" {
		t.Errorf("%+v", e)
	}
	if e := get("keys.prefix"); e.Source != "f:39" {
		t.Errorf("%+v", e)
	}
	if e := get("repos.1"); e.Source != "f:59" {
		t.Errorf("%+v", e)
	}
	if found, err := l.Get("agents"); err != nil || len(found) != 7 {
		t.Error(found, err)
	}
	if found, err := Parse(nil, "f", "/").Get("repos"); err != nil || len(found) != 0 {
		t.Error(found, err)
	}
	if _, err := l.Get("max_sesions"); err == nil || !strings.Contains(err.Error(), `"max_sessions"`) {
		t.Error(err)
	}
	for _, v := range []any{l, entries} {
		data, err := json.Marshal(v)
		if err != nil || strings.Contains(string(data), "secret") {
			t.Errorf("%s %v", data, err)
		}
	}
}

// FuzzParse: no file makes loading fail, and no problem is beyond the file.
func FuzzParse(f *testing.F) {
	f.Add([]byte(full))
	f.Add([]byte("[a.\"b]\nc\"]\nx = '''\n''' "))
	f.Add([]byte("agents = {x = {}}\nrepos = [{}]"))
	f.Fuzz(func(t *testing.T, data []byte) {
		l := Parse(data, "f", "/home")
		lines := strings.Count(string(data), "\n") + 1
		for _, p := range l.Problems {
			if p.Line < 0 || p.Line > lines {
				t.Errorf("a problem in line %d of %d: %v", p.Line, lines, p)
			}
		}
		if l.MaxSessions < 1 || l.Agents[l.DefaultAgent].Kind == "" {
			t.Errorf("%+v", l.Config)
		}
		if _, err := json.Marshal(l); err != nil {
			t.Error(err)
		}
	})
}

func TestParseColour(t *testing.T) {
	for text, want := range map[string]Colour{
		"#00ff7f": {Direct: true, G: 255, B: 127}, "0": {Indexed: true}, "255": {Indexed: true, Index: 255},
		"default": {}, "black": {Indexed: true}, "bright-white": {Indexed: true, Index: 15},
	} {
		if got, ok := ParseColour(text); !ok || got != want {
			t.Errorf("%s: %+v, %v", text, got, ok)
		}
	}
	for _, text := range []string{"", "#", "#12345", "#1234567", "#gggggg", "-1", "256", "pink", "+1"} {
		if got, ok := ParseColour(text); ok {
			t.Errorf("%q is taken as %+v", text, got)
		}
	}
}
