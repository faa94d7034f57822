package sandbox

import (
	"slices"
	"testing"
)

func TestRefuses(t *testing.T) {
	tree, _ := Find(Worktree, nil)
	at := place()
	p, err := Make(tree, at)
	if err != nil {
		t.Fatal(err)
	}
	p = p.For(Ability{Bubblewrap: true, Seccomp: true, Landlock: 7}, "")
	for _, tt := range []struct {
		path        string
		read, write bool // refused
	}{
		{"/home/u/wt/a", false, false}, {"/home/u/wt/.envrc", false, true}, {"/home/u/wt/.claude/settings.json", false, true}, {"/home/u/.ssh/id", true, true}, {"/home/u/.gitconfig", false, true},
		{"/etc/passwd", false, true}, {"/srv/x", true, true}, {"/tmp/x", false, false}, {"/home/u/.cache/x", false, false}, {"/home/u/.claude/projects/x", false, false}, {"/home/u/.claude/settings.json", false, true},
		{"/home/u", false, true}, {"/home/u/.local/state/ccdir/x", true, true}, {"/home/u/src/.git/objects/x", false, false},
	} {
		if read, write := p.Refuses(tt.path, false) != "", p.Refuses(tt.path, true) != ""; read != tt.read || write != tt.write {
			t.Errorf("%s: refused to read %v, to write %v", tt.path, read, write)
		}
	}
	if says := p.Refuses("/home/u/.ssh/id", true); says != "has an empty home of its own in place of yours, so that /home/u/.ssh/id is not written there" {
		t.Errorf("what is written into the private home: %q", says)
	}
	at.Allowed = []string{"/srv/x", "/home/u/wt/.envrc", "db.example:5432"}
	offline, _ := Find(Offline, nil)
	if p, err = Make(offline, at); err != nil || p.Network != NetworkHosts || !slices.Equal(p.Hosts, []string{"db.example:5432"}) {
		t.Errorf("%v: it reaches %s %q", err, p.Network, p.Hosts)
	}
	p.Mechanism = Bubblewrap
	if p.Refuses("/srv/x/y", true) != "" || p.Refuses("/home/u/wt/.envrc", true) != "" || slices.Contains(p.Keep, "/home/u/wt/.envrc") {
		t.Error("what was allowed is refused")
	}
	for text, want := range map[string]string{"~/data": "/home/u/data", "/srv/a/../b": "/srv/b", "DB.example:5432": "db.example:5432"} {
		if got, err := Allowed(text, place()); err != nil || got != want {
			t.Errorf("%s: %q %v", text, got, err)
		}
	}
	for _, text := range []string{"/", "/home/u", "~/", "~/.local/state/ccdir/sessions", "/home/u/.local", "a b", "relative/path", "", "*"} {
		if got, err := Allowed(text, place()); err == nil {
			t.Errorf("%q may be allowed as %q", text, got)
		}
	}
}
