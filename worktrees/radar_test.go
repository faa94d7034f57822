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
	_, got, err := radar.Conflicts(t.Context(), p.dir, "")
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
	_, got, err = radar.Conflicts(t.Context(), p.dir, filepath.Join(dirs["a"], "."))
	if err != nil || len(got) != 3 || got[0].B != "sc" {
		t.Errorf("the same change is none, and c was not looked at: %v %+v", err, got)
	}
	_, got, err = radar.Conflicts(t.Context(), p.dir, "")
	if err != nil || len(got) != 1 {
		t.Errorf("%v %+v", err, got)
	}
	if err := os.RemoveAll(dirs["e"]); err != nil {
		t.Fatal(err)
	}
	if _, got, err = radar.Conflicts(t.Context(), p.dir, ""); err != nil || len(got) != 0 {
		t.Errorf("%v %+v", err, got)
	}
}
