package statusfile

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"
)

// A directory that is moved away or removed, and made anew, is watched again: from then
// on what happens to its files is told at once.
func TestWatchedDirectoryMadeAnew(t *testing.T) {
	for _, c := range []struct {
		name string
		lose func(dir string) error
	}{
		{"moved", func(dir string) error { return os.Rename(dir, dir+".old") }},
		{"removed", os.RemoveAll},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "sessions")
			if err := os.Mkdir(dir, 0o700); err != nil {
				t.Fatal(err)
			}
			f := &Watcher{}
			defer f.Close()
			wake := make(chan struct{}, 1)
			stop, err := f.watch(dir, "a", wake)
			if err != nil {
				t.Fatal(err)
			}
			defer stop()
			write := func(text string) {
				t.Helper()
				if err := os.WriteFile(filepath.Join(dir, "a"), []byte(text), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			write("before")
			<-wake
			if err := c.lose(dir); err != nil {
				t.Fatal(err)
			}
			gone := func() bool {
				f.mu.Lock()
				defer f.mu.Unlock()
				return f.gone[dir]
			}
			watched := func() bool { return slices.Contains(f.watcher.WatchList(), dir) }
			for end := time.Now().Add(time.Minute); !gone(); time.Sleep(time.Millisecond) {
				if time.Now().After(end) {
					t.Fatal("nothing told that it is gone")
				}
			}
			if f.pace() != rewatchAfter {
				t.Error("it is not looked for")
			}
			if err := os.Mkdir(dir, 0o700); err != nil {
				t.Fatal(err)
			}
			for end := time.Now().Add(time.Minute); gone() || !watched(); <-wake {
				if time.Now().After(end) {
					t.Fatal("it is not watched again")
				}
			}
			if f.pace() != rereadAfter {
				t.Error("it is still looked for")
			}
			write("after")
			<-wake
		})
	}
}
