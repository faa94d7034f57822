package sandbox

import (
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write the golden files")

func TestFind(t *testing.T) {
	own := map[string]Profile{
		"build":    {Name: "build", Base: Worktree, Write: []string{"~/.cache/go-build"}, Network: NetworkLoopback},
		"secret":   {Name: "secret", Base: "build", Hide: []string{"/opt/keys"}},
		"worktree": {Name: "worktree", Read: []string{"/srv/data"}},
		"a":        {Name: "a", Base: "b"}, "b": {Name: "b", Base: "a"},
		"none": {Name: "none"}, "lost": {Name: "lost", Base: "nowhere"},
	}
	for name, want := range map[string]string{"a": "bases of one another", "none": "has no base", "lost": "no sandbox profile \"nowhere\"", "x": "no sandbox profile"} {
		if _, err := Find(name, own); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", name, err, want)
		}
	}
	p, err := Find("secret", own)
	if err != nil || !p.Tree || p.Network != NetworkLoopback || !slices.Equal(p.Write, []string{"~/.cache/go-build"}) || !slices.Equal(p.Hide, []string{"/opt/keys"}) || !slices.Equal(p.Read, []string{"/srv/data"}) {
		t.Errorf("secret is %+v, %v", p, err)
	}
	for _, ready := range Ready() {
		if got, err := Find(ready.Name, nil); err != nil || got.Says == "" || !slices.Contains(networks, got.Network) {
			t.Errorf("%s is %+v, %v", ready.Name, got, err)
		}
	}
}

func TestCheck(t *testing.T) {
	for _, p := range []Profile{{Name: "Ab"}, {}, {Name: "a", Network: "lan"}, {Name: "a", Read: []string{"x"}}, {Name: "a", Hide: []string{"~x"}}, {Name: "a", Write: []string{"/a\nb"}}} {
		if p.Check() == nil {
			t.Errorf("%+v is said to be right", p)
		}
	}
}

func TestNarrower(t *testing.T) {
	tree, read, offline := Ready()[0], Ready()[1], Ready()[2]
	more := tree
	more.Write = []string{"/srv"}
	hidden := tree
	hidden.Hide = []string{"/opt"}
	for _, tt := range []struct {
		p, than Profile
		want    bool
	}{
		{tree, tree, true}, {read, tree, true}, {tree, read, false}, {offline, tree, true}, {tree, offline, false},
		{more, tree, false}, {tree, more, true}, {hidden, tree, true}, {tree, hidden, false}, {read, offline, false},
	} {
		if got := tt.p.Narrower(tt.than); got != tt.want {
			t.Errorf("%+v narrower than %+v: %v", tt.p, tt.than, got)
		}
	}
}

// place is a session in a linked work tree.
func place() Place {
	return Place{Home: "/home/u", Dir: "/home/u/wt/sub", Git: &Git{Top: "/home/u/wt", Dir: "/home/u/src/.git/worktrees/wt", Common: "/home/u/src/.git"},
		Agent:    Needs{Write: []string{"/home/u/.claude", "/home/u/.claude.json"}, Keep: []string{"/home/u/.claude/settings.json"}},
		Programs: []string{"/home/u/node_modules"}, Private: "/home/u/.local/state/ccdir/sessions/s1/private",
		Own: Own{Read: []string{"/home/u/.local/state/ccdir/sessions/s1/agent.json"}, Write: []string{"/home/u/.local/state/ccdir/sessions/s1/spool"},
			Sockets: []string{"/tmp/ccdir-1000"}, Hide: []string{"/home/u/.local/state/ccdir"}}, OS: "linux"}
}

func TestMake(t *testing.T) {
	tree, _ := Find(Worktree, nil)
	p, err := Make(tree, place())
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []struct {
		list []string
		path string
	}{{p.Write, "/home/u/wt"}, {p.Write, "/home/u/src/.git/worktrees/wt"}, {p.Keep, "/home/u/wt/.git"}, {p.Keep, "/home/u/wt/.envrc"}, {p.Keep, "/home/u/.claude/settings.json"}, {p.Read, "/home/u/.gitconfig"}} {
		if !slices.Contains(want.list, want.path) {
			t.Errorf("%q lacks %s", want.list, want.path)
		}
	}
	at := place()
	at.Programs = append(at.Programs, "/home/u/wt/node_modules/.bin")
	if p, err := Make(tree, at); err != nil || slices.Contains(p.Read, "/home/u/wt/node_modules/.bin") {
		t.Errorf("a directory of PATH in the tree may only be read: %v", err)
	}
	if slices.Contains(p.Write, "/home/u/src/.git") {
		t.Error("the repository's common directory may be written")
	}
	only, _ := Find(ReadOnly, nil)
	if p, err = Make(only, place()); err != nil || slices.Contains(p.Write, "/home/u/wt") || !slices.Contains(p.Read, "/home/u/wt") || p.Git != nil {
		t.Errorf("read-only: %+v, %v", p, err)
	}
	for _, dir := range []string{"/home/u", "/home", "/", "relative", "/a/../b"} {
		at := place()
		at.Dir, at.Git = dir, nil
		if _, err := Make(tree, at); err == nil {
			t.Errorf("a session in %s is said to be held", dir)
		}
	}
}

func TestFor(t *testing.T) {
	tree, _ := Find(Worktree, nil)
	p, err := Make(tree, place())
	if err != nil {
		t.Fatal(err)
	}
	if got := p.For(Ability{Bubblewrap: true, Seccomp: true, Landlock: 7}, ""); got.Mechanism != Bubblewrap || !got.Complete() {
		t.Errorf("bubblewrap: %q lacks %q", got.Mechanism, got.Missing)
	}
	if got := p.For(Ability{Seccomp: true, Landlock: 7}, ""); got.Mechanism != Landlock || got.Complete() {
		t.Errorf("Landlock: %q lacks %q", got.Mechanism, got.Missing)
	}
	if got := p.For(Ability{Why: "bubblewrap is not installed"}, ""); got.Mechanism != "" || got.Complete() || !strings.Contains(got.Missing[0], "everything") {
		t.Errorf("nothing: %q lacks %q", got.Mechanism, got.Missing)
	}
	main := place()
	main.Git = &Git{Top: "/home/u/src", Dir: "/home/u/src/.git", Common: "/home/u/src/.git"}
	if p, err = Make(tree, main); err != nil || p.For(Ability{Bubblewrap: true, Seccomp: true, Landlock: 7}, "").Complete() {
		t.Errorf("a main work tree is said to be held: %v", err)
	}
}

// TestSeatbelt: the text for sandbox-exec, which nothing here can run.
func TestSeatbelt(t *testing.T) {
	at := place()
	at.OS = "darwin"
	offline, _ := Find(Offline, nil)
	p, err := Make(offline, at)
	if err != nil {
		t.Fatal(err)
	}
	got, file := p.Seatbelt("/private/tmp/x"), filepath.Join("testdata", "offline.sb")
	if *update {
		if err := os.MkdirAll("testdata", 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil || got != string(want) {
		t.Errorf("%v: the profile is\n%s", err, got)
	}
}
