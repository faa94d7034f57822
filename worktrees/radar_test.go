package worktrees

import (
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"ccdir/api"
)

// TestRadar: the same lines, the same file, other files; committed or not.
func TestRadar(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.write("b.txt", "b\n")
	p.commit("b")
	dirs := map[string]string{}
	for _, name := range []string{"a", "b", "c", "d", "e"} {
		dirs[name] = p.tree(name)
		p.sessions = append(p.sessions, Session{ID: "s" + name, Name: name, Live: true, Dirs: []string{dirs[name]}})
	}
	p.sessions = append(p.sessions, Session{ID: "old", Name: "a", Dirs: []string{dirs["a"]}})
	writeIn(t, dirs["a"], "a.txt", "ONE\ntwo\nthree\nfour\nfive\nsix\nseven\n") // not committed
	writeIn(t, dirs["b"], "a.txt", "eins\ntwo\nthree\nfour\nfive\nsix\nseven\n")
	p.commitIn(dirs["b"], "eins")
	writeIn(t, dirs["c"], "a.txt", "one\ntwo\nthree\nfour\nfive\nsix\nSEVEN\n")
	p.gitIn(dirs["c"], "add", "a.txt") // staged
	writeIn(t, dirs["d"], "b.txt", "d\n")
	writeIn(t, dirs["e"], "new.txt/x", "x") // a folder
	writeIn(t, dirs["d"], "new.txt", "x")   // a file
	objects := p.git("count-objects")
	radar := NewRadar(p.k)
	v, err := radar.Conflicts(t.Context(), p.dir, "")
	got := v.Conflicts
	want := []api.Conflict{
		{Repo: p.dir, A: "sa", B: "sb", Kind: api.ConflictLines, Paths: []string{"a.txt"}},
		{Repo: p.dir, A: "sa", B: "sc", Kind: api.ConflictFile, Paths: []string{"a.txt"}},
		{Repo: p.dir, A: "sb", B: "sc", Kind: api.ConflictFile, Paths: []string{"a.txt"}},
		{Repo: p.dir, A: "sd", B: "se", Kind: api.ConflictLines},
	}
	if len(got) == 4 {
		want[3].Paths = got[3].Paths // git's name for the file that is in the way differs by version
	}
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%v %+v", err, got)
	}
	if now := p.git("count-objects"); now != objects {
		t.Errorf("objects are left: %s, before %s", now, objects)
	}
	// One tree changes: the others are as they were seen.
	writeIn(t, dirs["a"], "a.txt", "eins\ntwo\nthree\nfour\nfive\nsix\nseven\n")
	writeIn(t, dirs["c"], "a.txt", "one\ntwo\nthree\nfour\nfive\nsix\nseven\n")
	v, err = radar.Conflicts(t.Context(), p.dir, filepath.Join(dirs["a"], "."))
	if got = v.Conflicts; err != nil || len(got) != 3 || got[0].B != "sc" {
		t.Errorf("the same change is none, and c was not looked at: %v %+v", err, got)
	}
	v, err = radar.Conflicts(t.Context(), p.dir, "")
	if err != nil || len(v.Conflicts) != 1 {
		t.Errorf("%v %+v", err, v)
	}
	if err := os.RemoveAll(dirs["e"]); err != nil {
		t.Fatal(err)
	}
	if v, err = radar.Conflicts(t.Context(), p.dir, ""); err != nil || len(v.Conflicts) != 0 {
		t.Errorf("%v %+v", err, v)
	}
}

// TestRadarGoesOn: a new daemon's radar knows what the last one saw, and which trees it did not
// see; what is lost or not needed any more harms nothing.
func TestRadarGoesOn(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	dirs := map[string]string{}
	for _, name := range []string{"a", "b", "c"} {
		dirs[name] = p.tree(name)
		p.sessions = append(p.sessions, Session{ID: "s" + name, Name: name, Live: true, Dirs: []string{dirs[name]}})
		writeIn(t, dirs[name], "a.txt", name+"\n")
	}
	sees := func(what string, d *Radar, at string, conflicts, unseen int) {
		t.Helper()
		v, err := d.Conflicts(t.Context(), p.dir, at)
		if err != nil || len(v.Conflicts) != conflicts || len(v.Unseen) != unseen || len(v.Sessions) != 3 {
			t.Fatalf("%s: %v %+v", what, err, v)
		}
	}
	first := NewRadar(p.k)
	sees("the first look", first, dirs["a"], 0, 2)
	sees("the second look", first, dirs["b"], 1, 1)
	writeIn(t, dirs["b"], "a.txt", "no look at this\n")
	next := NewRadar(p.k)
	sees("after a restart", next, dirs["a"], 1, 1)
	if again := openSky(mustOpen(t, p.dir)); len(again.pairs) != 1 || len(again.trees) != 2 {
		t.Errorf("saved: %+v", again)
	}
	sees("all are seen", next, dirs["c"], 3, 0)
	r := mustOpen(t, p.dir)
	s := next.repos[r.Common]
	old := s.trees[filepath.Join(r.Common, "worktrees", "a")].Commit
	writeIn(t, dirs["a"], "a.txt", "one\ntwo\nthree\nfour\nfive\nsix\nseven\n")
	sees("a has no change any more", next, dirs["a"], 1, 0)
	if err := s.pack(t.Context(), r); err != nil {
		t.Fatal(err)
	}
	clear(s.pairs)
	sees("after packing", next, dirs["a"], 1, 0)
	if _, err := s.run(r).git(t.Context(), "cat-file", "-e", old); err == nil {
		t.Error("packing kept what nobody needs")
	}
	if err := os.RemoveAll(s.objects()); err != nil {
		t.Fatal(err)
	}
	sees("objects are lost", next, dirs["b"], 0, 2)
	if err := os.WriteFile(filepath.Join(s.seen(), "tree-a.json"), []byte(`{"Commit":"--output=/tmp/x"}`), 0o600); err != nil {
		t.Fatal(err)
	}
	sees("a forged file", NewRadar(p.k), dirs["c"], 1, 1)
}

func mustOpen(t *testing.T, dir string) *Repo {
	t.Helper()
	r, err := Open(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	return r
}
