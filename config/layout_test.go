package config

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"ccdir/api"
)

// layoutText has every key of a layout file.
const layoutText = `layout = "main"
focus = "api"
zoom = "logs"

[sizes.2x2]
lines = [5000]
cells = [[3000], [7000]]

[[session]]
name = "api"
dir = "api"
worktree = "fix"
base = "main"
agent = "claude"
model = "opus"
account = "work"
role = "lead"
sandbox = "repo"
prompt = "fix it\nthen \"test\" it"
resume = "c-1"
resume_after_limit = "off"
group = "shop"
color = "cyan"
note = "a note"
args = ["--add-dir", "../x"]
env = { A = "1", "B C" = "2" }
pin = true

[[session]]
name = "logs"
dir = "~/logs"
command = "tail -f x"
hidden = true

[[session]]
name = "top"
dir = "/srv"
command = ["htop", "-d", "10"]
`

// TestLayout: all that a layout file can say is read, and written as it was read.
func TestLayout(t *testing.T) {
	l, problems := ParseLayout([]byte(layoutText), "/p/shop.toml", "/home/u")
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	want := Layout{File: "/p/shop.toml", Layout: "main", Focus: "api", Zoom: "logs", Sizes: map[string]api.GridSizes{"2x2": {Lines: []int{5000}, Cells: [][]int{{3000}, {7000}}}},
		Sessions: []LayoutSession{
			{Line: 9, Name: "api", Dir: "/p/api", Worktree: "fix", Base: "main", Agent: "claude", Model: "opus", Account: "work", Role: "lead", Sandbox: "repo", Prompt: "fix it\nthen \"test\" it",
				Resume: "c-1", AfterLimit: "off", Marks: api.Marks{Group: "shop", Color: "cyan", Note: "a note", Pinned: true}, Args: []string{"--add-dir", "../x"}, Env: []string{"A=1", "B C=2"}},
			{Line: 29, Name: "logs", Dir: "/home/u/logs", Argv: []string{"sh", "-c", "tail -f x"}, Hidden: true},
			{Line: 35, Name: "top", Dir: "/srv", Argv: []string{"htop", "-d", "10"}},
		}}
	if !reflect.DeepEqual(l, want) {
		t.Errorf("got  %+v\nwant %+v", l, want)
	}
	if got := l.Text("/p", "/home/u"); got != layoutText {
		t.Errorf("written as\n%s", got)
	}
}

// TestLayoutProblems: each wrong line is told with its number.
func TestLayoutProblems(t *testing.T) {
	for text, want := range map[string]string{
		"":                           "/p/f: it has no [[session]]",
		"x = \n":                     "/p/f:1: expected a value, found the end of the line",
		"[[sessions]]\nname = \"a\"": "/p/f:1: sessions: unknown key; a layout has layout, focus, zoom, sizes and [[session]]",
		"[session]\nname = \"a\"":    "/p/f:1: session: write each session as [[session]] with name and dir",
		"[[session]]\ndir = \"a\"":   "/p/f:1: session.0: a session needs a name",
		"[[session]]\nname = 1":      "/p/f:2: session.0.name: expected a string, found a whole number",
		"[[session]]\nname='a'\n[[session]]\nname='a'":        "/p/f:4: session.1.name: line 1 has a session called a already",
		"focus = 'b'\n[[session]]\nname='a'":                  `/p/f:1: focus: no session here is called "b"`,
		"[[session]]\nname='a'\ncolor='mauve'":                "/p/f:1: session.0: the colour is one of red, green, yellow, blue, magenta, cyan, or empty for none",
		"[[session]]\nname='a'\nrole='A b'":                   `/p/f:1: session.0: expected the name of a role (lower-case letters, digits, - and _; not "guest"), found "A b"`,
		"[[session]]\nname='a'\ncommand=['x']\nprompt='y'":    "/p/f:1: session.0: a command has no agent, model, account, prompt, resume, resume_after_limit or args",
		"[[session]]\nname='a'\nresume_after_limit='no'":      `/p/f:1: session.0: resume_after_limit "no" is unknown: on, own, ask or off`,
		"[[session]]\nname='a'\ncommand=['']":                 "/p/f:1: session.0: the command is empty",
		"[[session]]\nname='a'\nbase='x'":                     "/p/f:1: session.0: base is for a worktree: name its branch",
		"[[session]]\nname='a'\nhidden='x'":                   `/p/f:3: session.0.hidden: expected true or false, found "x"`,
		"[[session]]\nname='a'\nenv={A=1}":                    "/p/f:3: session.0.env: expected a string for A, found a whole number",
		"[sizes.2x1]\nlines = [20000]\n[[session]]\nname='a'": `/p/f:1: sizes.2x1: the arrangement of the grid is not valid: the borders of "2x1" are not within 1 and 9999 and increasing`,
		"[sizes.2x1]\ncells = [5000]\n[[session]]\nname='a'":  "/p/f:1: sizes.2x1: expected lists of whole numbers",
		"[[session]]\nname='a'\ncommand=['x']\nargs=[1]":      "/p/f:4: session.0.args: expected a list of strings, found a whole number in it",
		"layout = 1\n[[session]]\nname='a'":                   "/p/f:1: layout: expected a string, found a whole number",
		"[[session]]\nname='a'\nwork_tree='x'":                "/p/f:3: session.0.work_tree: unknown key; a session has account, agent, args, base, color, command, dir, env, group, hidden, model, name, note, pin, prompt, resume, resume_after_limit, role, sandbox, worktree",
	} {
		_, problems := ParseLayout([]byte(text), "/p/f", "/home/u")
		if !slices.ContainsFunc(problems, func(p Problem) bool { return p.String() == want }) {
			t.Errorf("%q:\ngot  %v\nwant %s", text, problems, want)
		}
	}
}

// TestTemplates: a template is opened in any directory; one with a problem is not there.
func TestTemplates(t *testing.T) {
	l := Parse([]byte("[[templates.pair.session]]\nname = 'a'\ndir = 'sub'\n[[templates.pair.session]]\nname = 'b'\ndir = '~/x'\n[[templates.bad.session]]\nnam = 'c'\n"), "f", "/home/u")
	if got := l.TemplateNames(); !reflect.DeepEqual(got, []string{"pair"}) {
		t.Errorf("the templates are %v", got)
	}
	if len(l.Problems) == 0 || !strings.HasPrefix(l.Problems[0].String(), "f:7: templates.bad.session.0: a session needs a name") {
		t.Errorf("the problems are %v", l.Problems)
	}
	if in := l.Templates["pair"].In("/w"); in.Sessions[0].Dir != "/w/sub" || in.Sessions[1].Dir != "/home/u/x" || l.Templates["pair"].Sessions[0].Dir != "sub" {
		t.Errorf("in /w it is %+v", in)
	}
}

// FuzzParseLayout: any text is a layout or has problems, and a layout is written as one that is
// read as the same.
func FuzzParseLayout(f *testing.F) {
	f.Add([]byte(layoutText))
	f.Add([]byte("[[session]]\nname = '\\'\ndir = '..'\nenv = {'' = ''}"))
	f.Add([]byte("sizes = 1\nsession = [[1], {}]"))
	f.Fuzz(func(t *testing.T, data []byte) {
		l, problems := ParseLayout(data, "/p/f", "/home/u")
		if len(problems) > 0 {
			return
		}
		text := l.Text("/p", "/home/u")
		again, problems := ParseLayout([]byte(text), "/p/f", "/home/u")
		for i := range again.Sessions {
			again.Sessions[i].Line = l.Sessions[i].Line
		}
		if len(problems) > 0 || again.Text("/p", "/home/u") != text {
			t.Errorf("%q is written as\n%s\nwhich has %v", data, text, problems)
		}
	})
}
