package usersettings

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// TestReadOnly: a file that its owner made read-only stays as it is.
func TestReadOnly(t *testing.T) {
	f := place(t, `{"a":1}`)
	f.install(t)
	installed := f.text(t)
	for _, plan := range []func() (Plan, error){
		f.PlanUninstall,
		func() (Plan, error) { f.Shim = "/elsewhere/ccdir-shim"; return f.PlanInstall() },
	} {
		if err := os.Chmod(f.Path, 0o440); err != nil {
			t.Fatal(err)
		}
		p, err := plan()
		if err != nil || !p.Change {
			t.Fatalf("plan %+v, %v", p, err)
		}
		copies, _ := filepath.Glob(f.Path + ".ccdir-*")
		if _, err := f.Apply(p); err == nil || !strings.Contains(err.Error(), "read-only") || !strings.Contains(err.Error(), f.Path) {
			t.Errorf("a read-only file: %v", err)
		}
		if again, _ := filepath.Glob(f.Path + ".ccdir-*"); len(again) != len(copies) {
			t.Errorf("a copy of a file that was not changed: %v", again)
		}
		if f.text(t) != installed {
			t.Errorf("it became %q", f.text(t))
		}
	}
}

// TestDirectoryMissingOrInTheWay: the directory is made; where that cannot be, the
// error says so.
func TestDirectoryMissingOrInTheWay(t *testing.T) {
	f := place(t, "-")
	f.Path = filepath.Join(filepath.Dir(f.Path), "deep", "er", "settings.json")
	f.install(t)
	if info, err := os.Stat(filepath.Dir(f.Path)); err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("the directory: %v, %v", info, err)
	}
	g := place(t, "a file")
	g.Path = filepath.Join(g.Path, "settings.json") // below a file
	p, err := g.PlanInstall()
	if err == nil {
		_, err = g.Apply(p)
	}
	if err == nil || !strings.Contains(err.Error(), g.Path) && !strings.Contains(err.Error(), filepath.Dir(g.Path)) {
		t.Errorf("a file in the way: %v", err)
	}
}

// TestSpecialSettings: marks of the byte order and lines as Windows ends them stay,
// also around what is put in.
func TestSpecialSettings(t *testing.T) {
	for _, text := range []string{
		"\ufeff{\"a\": 1}",
		"\ufeff{\r\n\t\"a\": 1,\r\n\t// why\r\n\t\"hooks\": {\r\n\t\t\"Stop\": [{\"hooks\": [{\"type\": \"command\", \"command\": \"x\"}]}],\r\n\t},\r\n}\r\n",
	} {
		f := place(t, text)
		f.install(t)
		after := f.text(t)
		if !strings.HasPrefix(after, "\ufeff{") || strings.Contains(strings.ReplaceAll(after, "\r\n", ""), "\n") && strings.Contains(text, "\r\n") {
			t.Errorf("%q became %q", text, after)
		}
		if f.uninstall(t); f.text(t) != text {
			t.Errorf("%q came back as %q", text, f.text(t))
		}
	}
}

// TestAtOnce: installations and removals at the same time leave one of the two,
// whole.
func TestAtOnce(t *testing.T) {
	const text = "{\n  \"model\": \"opus\"\n}\n"
	f := place(t, text)
	var wg sync.WaitGroup
	for n := range 8 {
		wg.Go(func() {
			for range 20 {
				plan := f.PlanInstall
				if n%2 == 1 {
					plan = f.PlanUninstall
				}
				if p, err := plan(); err == nil {
					_, _ = f.Apply(p) // may be told to try again
				}
				var settings struct {
					Model string `json:"model"`
				}
				if data, err := os.ReadFile(f.Path); err != nil || json.Unmarshal(data, &settings) != nil || settings.Model != "opus" {
					t.Errorf("in between: %q, %v", data, err)
				}
			}
		})
	}
	wg.Wait()
	f.uninstall(t)
	if squash(f.text(t)) != squash(text) {
		t.Errorf("in the end: %q", f.text(t))
	}
}
