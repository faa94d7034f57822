package generations

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"ccdir/api"
)

var noon = time.Date(2026, 3, 4, 12, 0, 0, 0, time.UTC)

// of makes a snapshot of sessions by their letters.
func of(boot, letters string) Generation {
	s := Generation{At: noon, Boot: boot}
	for _, r := range letters {
		s.Sessions = append(s.Sessions, api.PastSession{ID: string(r), Name: "n" + string(r)})
	}
	return s
}

func letters(s Generation) (out string) {
	for _, v := range s.Sessions {
		out += v.ID
	}
	return out
}

// shape is all generations, oldest first.
func shape(t *testing.T, k *Keeper) string {
	t.Helper()
	list, err := k.List()
	if err != nil {
		t.Fatal(err)
	}
	slices.Reverse(list)
	var out []string
	for _, s := range list {
		out = append(out, s.Boot+":"+letters(s))
	}
	return strings.Join(out, " ")
}

// TestGenerations: what is missing something never takes the place of what has
// it.
func TestGenerations(t *testing.T) {
	tests := []struct{ saves, want string }{
		{"1:a 1:ab 1:abc", "1:abc"},
		{"1:abc 1:ab", "1:abc 1:ab"},
		{"1:abc 1:ab 1:abd", "1:abc 1:abd"},
		{"1:abc 1: 1:", "1:abc 1:"},
		{"1:abc 1: 1:x", "1:abc 1:x"},
		{"1:abc 2: 2:a 2:abc", "1:abc 2:abc"},
		{"1:abc 2:abcd", "1:abc 2:abcd"},
		{"1:ab 1:cd", "1:ab 1:cd"},
	}
	for _, tc := range tests {
		for _, fresh := range []bool{false, true} { // one keeper, or one each time
			dir := filepath.Join(t.TempDir(), "s")
			k := New(dir)
			for _, save := range strings.Fields(tc.saves) {
				boot, ids, _ := strings.Cut(save, ":")
				if fresh {
					k = New(dir)
				}
				if _, err := k.Save(of(boot, ids)); err != nil {
					t.Fatal(err)
				}
			}
			if got := shape(t, k); got != tc.want {
				t.Errorf("%s (fresh %t): got %q, want %q", tc.saves, fresh, got, tc.want)
			}
		}
	}
}

// TestPrune: the largest survive many smaller ones, and nothing grows for ever.
func TestPrune(t *testing.T) {
	k := New(t.TempDir())
	save := func(s Generation) {
		if _, err := k.Save(s); err != nil {
			t.Fatal(err)
		}
	}
	save(of("1", "abcdefgh"))
	for i := range 50 {
		s := of("1", "")
		s.Sessions = []api.PastSession{{ID: fmt.Sprint(i)}} // each without the one before
		save(s)
	}
	list, err := k.List()
	if err != nil || len(list) != keep {
		t.Fatalf("%d generations are kept, %v", len(list), err)
	}
	if got := letters(list[len(list)-1]); got != "abcdefgh" {
		t.Errorf("the largest is gone; the oldest is %q", got)
	}
	late := of("1", "z")
	late.At = noon.Add(keepFor + time.Hour)
	save(late)
	if list, _ = k.List(); len(list) != keepNewest {
		t.Errorf("%d generations are kept after a month", len(list))
	}
}

// TestDamaged: a file that cannot be read costs itself, and its number is not
// used again.
func TestDamaged(t *testing.T) {
	dir := t.TempDir()
	k := New(dir)
	if _, err := k.Save(of("1", "ab")); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{"000002.json": "{", "000003.json": `{"number":9}`, "x.json": "{}", "000004.txt": ""} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if got := shape(t, New(dir)); got != "1:ab" {
		t.Errorf("got %q", got)
	}
	n, err := New(dir).Save(of("2", "a"))
	if err != nil || n != 4 {
		t.Errorf("number %d, %v", n, err)
	}
	if _, err := k.Load(2); err == nil {
		t.Error("a damaged file was read")
	}
	if _, err := k.Load(77); api.CodeOf(err) != api.CodeNotFound {
		t.Errorf("a generation that is not there: %v", err)
	}
	if info, err := os.Stat(filepath.Join(dir, "000001.json")); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("its mode: %v, %v", info, err)
	}
}
