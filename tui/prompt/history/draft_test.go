package history

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestDraft(t *testing.T) {
	d := Draft{File: filepath.Join(t.TempDir(), "state", "draft")}
	check := func(want string) {
		t.Helper()
		if got, err := d.Load(); got != want || err != nil {
			t.Errorf("%q (%v), want %q", got, err, want)
		}
	}
	check("")
	for _, text := range []string{"fix it\n日本", "other"} {
		if err := d.Save(text); err != nil {
			t.Fatal(err)
		}
		check(text)
	}
	if info, err := os.Stat(d.File); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v %v", info.Mode(), err)
	}
	if err := d.Save(strings.Repeat("x", MaxDraft+1)); err != nil {
		t.Error(err)
	}
	check("")
	if err := d.Save(""); err != nil {
		t.Error(err)
	}
	if list, _ := os.ReadDir(filepath.Dir(d.File)); len(list) > 0 {
		t.Errorf("left over: %v", list)
	}
	if err := (Draft{File: "/dev/null/x/draft"}).Save("x"); err == nil || !strings.Contains(err.Error(), "cannot be kept") {
		t.Errorf("%v", err)
	}
	if got, err := (Draft{}).Load(); got != "" || err != nil || (Draft{}).Save("x") != nil {
		t.Error("the zero value keeps something")
	}
}
