package usersettings

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"ccdir/agents"
	"ccdir/agents/claude"
)

var newest = agents.Version{2, 1, 329}

// place is a home with settings; text "-" is none.
func place(t *testing.T, text string) File {
	t.Helper()
	dir := t.TempDir()
	f := File{Path: filepath.Join(dir, "claude", "settings.json"), Record: filepath.Join(dir, "state", "outside-hooks.json"),
		Shim: "/opt/ccdir/ccdir-shim", Version: newest, Now: func() time.Time { return time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC) }}
	if text != "-" {
		if err := os.MkdirAll(filepath.Dir(f.Path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(f.Path, []byte(text), 0o640); err != nil {
			t.Fatal(err)
		}
	}
	return f
}

func (f File) text(t *testing.T) string {
	t.Helper()
	data, err := os.ReadFile(f.Path)
	if errors.Is(err, fs.ErrNotExist) {
		return "-"
	}
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// install and uninstall return the copy's path.
func (f File) install(t *testing.T) (Plan, string) {
	t.Helper()
	p, err := f.PlanInstall()
	if err != nil {
		t.Fatal(err)
	}
	backup, err := f.Apply(p)
	if err != nil {
		t.Fatal(err)
	}
	return p, backup
}

func (f File) uninstall(t *testing.T) (Plan, string) {
	t.Helper()
	p, err := f.PlanUninstall()
	if err != nil {
		t.Fatal(err)
	}
	backup, err := f.Apply(p)
	if err != nil {
		t.Fatal(err)
	}
	return p, backup
}

func (f File) state(t *testing.T) Status {
	t.Helper()
	s, err := f.Status()
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestInstallUninstall(t *testing.T) {
	for _, text := range append([]string{"-", "", "\n"}, samples...) {
		f := place(t, text)
		if s := f.state(t); s.State != Not || len(s.Missing) != len(claude.Hooks(newest)) {
			t.Fatalf("%q: at first %+v", text, s)
		}
		p, backup := f.install(t)
		if (backup == "") != (text == "-") || p.Create != (text == "-") || len(p.Added) != len(claude.Hooks(newest)) {
			t.Errorf("%q: copy %q, plan %+v", text, backup, p)
		}
		if backup != "" {
			data, err := os.ReadFile(backup)
			info, _ := os.Stat(backup)
			if err != nil || string(data) != text || info.Mode().Perm() != 0o600 || filepath.Dir(backup) != filepath.Dir(f.Path) ||
				!strings.Contains(backup, "20260102-030405") {
				t.Errorf("%q: the copy %s is %q, mode %v, %v", text, backup, data, info.Mode(), err)
			}
		}
		if s := f.state(t); s.State != Installed || len(s.Shims) != 1 || s.Shims[0] != f.Shim || s.Forms[0] != FormArgs {
			t.Fatalf("%q: installed %+v", text, s)
		}
		installed := f.text(t)
		if p, _ := f.install(t); p.Change || f.text(t) != installed {
			t.Errorf("%q: installing again changed something", text)
		}
		if info, err := os.Stat(f.Path); text != "-" && (err != nil || info.Mode().Perm() != 0o640) {
			t.Errorf("the mode is %v", info.Mode())
		}
		if p, backup := f.uninstall(t); !p.Exact || backup != "" || f.text(t) != text {
			t.Errorf("%q became %q (%+v)", text, f.text(t), p)
		}
		if p, _ := f.uninstall(t); p.Change {
			t.Errorf("%q: there is something left to uninstall", text)
		}
		if _, err := os.Stat(f.Record); !errors.Is(err, fs.ErrNotExist) {
			t.Error("the record is left over")
		}
	}
}

// TestUpgrade: another path or form of the hooks replaces the old ones, and
// uninstalling still leads back to the beginning.
func TestUpgrade(t *testing.T) {
	for _, text := range append([]string{"-"}, samples...) {
		f := place(t, text)
		f.Version = agents.Version{}
		f.install(t)
		f.Version, f.Shim = newest, "/home/me/it's/ccdir-shim"
		if s := f.state(t); s.State != Partly || len(s.Outdated) == 0 || s.Forms[0] != FormShell || s.Shims[0] != "/opt/ccdir/ccdir-shim" {
			t.Fatalf("before: %+v", s)
		}
		p, _ := f.install(t)
		if s := f.state(t); s.State != Installed || s.Shims[0] != f.Shim || len(p.Removed) == 0 {
			t.Fatalf("after: %+v", s)
		}
		if f.uninstall(t); f.text(t) != text {
			t.Errorf("%q became %q", text, f.text(t))
		}
	}
}

// TestChangedMeanwhile: if somebody edited the file, our hooks alone go.
func TestChangedMeanwhile(t *testing.T) {
	f := place(t, "{\n  \"model\": \"opus\"\n}\n")
	f.install(t)
	edited := strings.Replace(f.text(t), `"opus"`, `"sonnet", // cheaper`, 1)
	edited = strings.Replace(edited, "cheaper,", "cheaper", 1)
	if err := os.WriteFile(f.Path, []byte(edited), 0o640); err != nil {
		t.Fatal(err)
	}
	p, backup := f.uninstall(t)
	if p.Exact || backup == "" {
		t.Errorf("exact %v, copy %q", p.Exact, backup)
	}
	d := mustRead(t, f.text(t))
	if v, err := d.value(); err != nil || len(d.ours()) != 0 || v.(map[string]any)["model"] != "sonnet" || !strings.Contains(f.text(t), "// cheaper") {
		t.Errorf("left is %q", f.text(t))
	}
	if s := f.state(t); s.State != Not {
		t.Errorf("%+v", s)
	}
}

func TestPartly(t *testing.T) {
	f := place(t, "{}")
	f.Version = agents.Version{2, 0, 0}
	f.install(t)
	f.Version = newest
	if s := f.state(t); s.State != Partly || len(s.Missing) == 0 || s.WantForm != FormArgs {
		t.Errorf("%+v", s)
	}
	f = place(t, `{"disableAllHooks": true}`)
	f.install(t)
	if s := f.state(t); !s.Disabled || s.State != Installed {
		t.Errorf("%+v", s)
	}
}

func TestSymbolicLink(t *testing.T) {
	f := place(t, `{"a":1}`)
	target := filepath.Join(filepath.Dir(filepath.Dir(f.Path)), "dotfiles.json")
	if err := errors.Join(os.Rename(f.Path, target), os.Symlink("../dotfiles.json", f.Path)); err != nil {
		t.Fatal(err)
	}
	f.install(t)
	if link, err := os.Readlink(f.Path); err != nil || link != "../dotfiles.json" {
		t.Errorf("the link is %q, %v", link, err)
	}
	if f.uninstall(t); f.text(t) != `{"a":1}` {
		t.Error(f.text(t))
	}
	if err := os.Remove(target); err != nil {
		t.Fatal(err)
	}
	if _, err := f.PlanInstall(); err == nil {
		t.Error("a link to nothing was taken")
	}
}

func TestUntouched(t *testing.T) {
	for _, text := range []string{"{", "nonsense", `{"hooks":[]}`, "[]"} {
		f := place(t, text)
		for _, plan := range []func() (Plan, error){f.PlanInstall, f.PlanUninstall} {
			p, err := plan()
			if err == nil || p.Change || !strings.Contains(err.Error(), f.Path) {
				t.Errorf("%q: %v, %+v", text, err, p)
			}
		}
		if _, err := f.Status(); err == nil {
			t.Errorf("%q has a status", text)
		}
		if f.text(t) != text {
			t.Errorf("%q became %q", text, f.text(t))
		}
	}
	f := place(t, "{}")
	p, err := f.PlanInstall()
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(f.Path, []byte(`{"new":1}`), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := f.Apply(p); err == nil || f.text(t) != `{"new":1}` {
		t.Errorf("an edit between plan and change: %v, %q", err, f.text(t))
	}
	if left, _ := filepath.Glob(filepath.Join(filepath.Dir(f.Path), "*.bak")); len(left) > 0 {
		t.Errorf("copies: %v", left)
	}
}

func TestDefaultPath(t *testing.T) {
	for _, c := range []struct{ dir, home, want string }{
		{"/etc/claude", "/home/me", "/etc/claude/settings.json"}, {"", "/home/me", "/home/me/.claude/settings.json"}, {"", "", ""},
	} {
		env := map[string]string{"CLAUDE_CONFIG_DIR": c.dir, "HOME": c.home}
		got, err := DefaultPath(func(k string) string { return env[k] })
		if got != c.want && err == nil || (err != nil) != (c.want == "") {
			t.Errorf("%+v: %q, %v", c, got, err)
		}
	}
}
