package keymap

import (
	"fmt"
	"strings"
	"testing"
)

func TestDefaultsHaveNoConflicts(t *testing.T) {
	m, problems := Make("", nil)
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	for key, want := range map[string]Action{
		"n": New, "c": New, "h": FocusLeft, "Down": FocusDown, "9": FocusN, "Tab": FocusNext, "BTab": FocusPrev,
		"z": Zoom, "x": Kill, "d": Detach, "?": Help, ":": Prompt, "C-b": Literal, "a": Attention,
	} {
		if b, ok := m.Lookup(key); !ok || b.Action != want {
			t.Errorf("%s is %q, want %s", key, b.Action, want)
		}
	}
	for key, want := range map[string]Action{"y": AnswerYes, "n": AnswerNo, "a": AnswerAlways, "o": AnswerPane, "Tab": AnswerNext, "Escape": AnswerLater} {
		if b, ok := m.LookupAnswer(key); !ok || b.Action != want {
			t.Errorf("in the answer bar %s is %q, want %s", key, b.Action, want)
		}
	}
	if _, ok := m.LookupAnswer("x"); ok || m.Hint(AnswerYes) != "y" {
		t.Error("the answer bar has keys of the grid")
	}
	if m.Prefix() != "C-b" || m.Hint(New) != "C-b n" {
		t.Errorf("prefix %s, hint %s", m.Prefix(), m.Hint(New))
	}
	seen := map[Action]bool{}
	for _, b := range m.Bindings() {
		if seen[b.Action] || b.Text == "" || b.Group == "" {
			t.Errorf("binding %+v", b)
		}
		seen[b.Action] = true
		if c, ok := m.LookupIn(ModeOf(b.Group), firstKey(b)); len(b.Keys) > 0 && (!ok || c.Action != b.Action) {
			t.Errorf("%s: its key %s is %q", b.Action, firstKey(b), c.Action)
		}
		for _, k := range b.Keys {
			if n, err := Normal(k); err != nil || n != k {
				t.Errorf("%s: key %q is normally %q (%v)", b.Action, k, n, err)
			}
		}
	}
	if len(seen) != len(Actions()) {
		t.Error("Actions and Bindings differ")
	}
}

func TestCustomKeysAndConflicts(t *testing.T) {
	m, problems := Make("c-A", map[string][]string{
		"zoom": {"f", "S-PageUp"}, "kill": {"K"}, "fly": {"y"}, "help": {"nonsense"}, "detach": {"q"},
	})
	if m.Prefix() != "C-a" {
		t.Errorf("prefix %q", m.Prefix())
	}
	if b, _ := m.Lookup("S-PPage"); b.Action != Zoom {
		t.Errorf("S-PPage is %q", b.Action)
	}
	if _, bound := m.Lookup("z"); bound {
		t.Error("z is still bound")
	}
	if b, _ := m.Lookup("C-a"); b.Action != Literal {
		t.Errorf("the prefix twice is %q", b.Action)
	}
	all := ""
	for _, p := range problems {
		all += p.Error() + "\n"
	}
	for _, want := range []string{"keys.fly: no such action", `keys.help: key "nonsense" is not known`} {
		if !strings.Contains(all, want) {
			t.Errorf("no problem says %q:\n%s", want, all)
		}
	}
	m, problems = Make("", map[string][]string{"answer-yes": {"z"}})
	if b, _ := m.LookupAnswer("z"); b.Action != AnswerYes || len(problems) > 0 {
		t.Errorf("z in the answer bar is %q (%v)", b.Action, problems)
	}
	if b, _ := m.Lookup("z"); b.Action != Zoom {
		t.Errorf("z after the prefix key is %q", b.Action)
	}
	_, problems = Make("", map[string][]string{"answer-no": {"y"}})
	if len(problems) != 1 || !strings.Contains(problems[0].Error(), "answer-no keeps it") {
		t.Errorf("conflict in the answer bar: %v", problems)
	}
	if len(problems) == 1 && !strings.HasSuffix(problems[0].Error(), "in the answer bar: answer-no keeps it") {
		t.Errorf("the conflict does not say where: %v", problems)
	}
	_, problems = Make("", map[string][]string{"zoom": {"x"}})
	if len(problems) != 1 || !strings.Contains(problems[0].Error(), "key x is bound to both zoom and kill: zoom keeps it") {
		t.Errorf("conflict: %v", problems)
	}
	for _, bad := range []string{"a", "é", "Nope", "C-"} {
		if m, problems := Make(bad, nil); len(problems) == 0 || m.Prefix() != DefaultPrefix {
			t.Errorf("prefix %q: %q, %v", bad, m.Prefix(), problems)
		}
	}
}

// TestTools: those of the configuration are in the table with their keys, which win, and a
// built-in one keeps its own unless it is given another.
func TestTools(t *testing.T) {
	m, problems := Make("", map[string][]string{"beside-tig": {"M-y"}}, ToolKey{"lazygit", "lazygit", "M-l"}, ToolKey{"tig", "tig", ""}, ToolKey{"shell", "fish", "`"}, ToolKey{"git", "", ""})
	for key, tool := range map[string]string{"M-l": "lazygit", "M-y": "tig", "`": "shell", "M-g": "git", "M-e": "editor"} {
		if b, _ := m.Lookup(key); b.Action != Beside(tool) {
			t.Errorf("%s is %q", key, b.Action)
		}
	}
	if _, bound := m.Lookup("!"); bound || len(problems) > 0 {
		t.Errorf("! is still bound: %v", problems)
	}
	if name, ok := Beside("x").Tool(); name != "x" || !ok {
		t.Error("the name of a tool")
	}
	if _, ok := Calls.Tool(); ok {
		t.Error("the list of calls is no tool")
	}
}

// TestUnknownActions: a slip is answered by the name that was meant, not by all.
func TestUnknownActions(t *testing.T) {
	for name, want := range map[string]string{
		"zom": "did you mean zoom?", "sesion-list": "did you mean session-list", "layout": "did you mean next-layout, layout-tiled", "fly-away": "docs/keys.md",
	} {
		_, problems := Make("", map[string][]string{name: {"F9"}})
		if len(problems) != 1 || !strings.Contains(problems[0].Error(), "keys."+name+": no such action") || !strings.Contains(problems[0].Error(), want) || len(problems[0].Error()) > 200 {
			t.Errorf("%s: %v", name, problems)
		}
	}
}

func TestNormal(t *testing.T) {
	for in, want := range map[string]string{
		"a": "a", "A": "A", "S-a": "A", "^b": "C-b", "C-B": "C-b", "c-m-x": "C-M-x", "M-C-x": "C-M-x", "C-S-a": "C-S-a",
		"enter": "Enter", "PageUp": "PPage", "S-Tab": "BTab", "C-Tab": "C-Tab", " ": "Space", "space": "Space",
		"f5": "F5", "S-F12": "S-F12", "-": "-", "C--": "C--", "Delete": "DC", "日": "日", "S-é": "É",
	} {
		if got, err := Normal(in); err != nil || got != want {
			t.Errorf("%q: %q (%v), want %q", in, got, err, want)
		}
	}
	for _, in := range []string{"", "F99", "F0", "X-a", "ab", "\x1b", "C-", "F5x"} {
		if got, err := Normal(in); err == nil {
			t.Errorf("%q is taken as %q", in, got)
		}
	}
}

func TestDisabledReasons(t *testing.T) {
	m, _ := Make("", nil)
	ok := Facts{Sessions: 2, Panes: 2, Focused: true}
	tests := []struct {
		a     Action
		facts Facts
		want  string
	}{
		{Kill, ok, ""}, {New, Facts{}, ""}, {Help, Facts{ReadOnly: true, Offline: true}, ""},
		{Kill, Facts{}, "there is no session"}, {New, Facts{ReadOnly: true}, "this grid is attached read-only"},
		{New, Facts{Offline: true}, "the daemon does not answer"}, {Restart, ok, "the session is still running"},
		{FocusNext, Facts{Panes: 1, Focused: true}, "there is only one pane"},
		{Literal, Facts{Focused: true, Ended: true}, "the session has ended"}, {Attention, ok, "no session waits for you"},
		{Detach, Facts{ReadOnly: true, Offline: true}, ""},
	}
	for _, tt := range tests {
		if got := m.Of(tt.a).Disabled(tt.facts); got != tt.want {
			t.Errorf("%s with %+v: %q, want %q", tt.a, tt.facts, got, tt.want)
		}
	}
}

func FuzzNormal(f *testing.F) {
	f.Add("C-M-S-PageUp")
	f.Fuzz(func(t *testing.T, in string) {
		n, err := Normal(in)
		if err != nil {
			return
		}
		if again, err := Normal(n); err != nil || again != n {
			t.Fatalf("%q is %q is %q (%v)", in, n, again, err)
		}
	})
}

func firstKey(b Binding) string {
	if len(b.Keys) == 0 {
		return ""
	}
	return b.Keys[0]
}

// TestPrefixHidesNothing: a prefix key that leaves an action of a mode without a key
// is reported, the default one and those with other keys are not.
func TestPrefixHidesNothing(t *testing.T) {
	for prefix, want := range map[string]string{
		"":    "",
		"C-a": "",
		"C-u": "",
		"C-r": "[keys.prefix: C-r is the only key of prompt-history in the prompt bar: give that another one]",
	} {
		if _, problems := Make(prefix, nil); fmt.Sprint(problems) != "["+strings.Trim(want, "[]")+"]" {
			t.Errorf("%q: %v", prefix, problems)
		}
	}
	if _, problems := Make("C-r", map[string][]string{"prompt-history": {"M-r"}}); len(problems) > 0 {
		t.Errorf("with another key: %v", problems)
	}
}
