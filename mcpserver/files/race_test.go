package files

import (
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// TestSwappedDirectories: while another process swaps a directory for a link that
// leads out, nothing outside is read or written.
func TestSwappedDirectories(t *testing.T) {
	s, dir, outside := space(t)
	inner, link, hidden := filepath.Join(dir, "d"), filepath.Join(dir, "link"), filepath.Join(dir, "hidden")
	if err := os.Mkdir(inner, 0o755); err != nil {
		t.Fatal(err)
	}
	put(t, filepath.Join(inner, "secret"), "inner text")
	if err := os.Symlink(outside, link); err != nil {
		t.Fatal(err)
	}
	stop := make(chan struct{})
	var swapping sync.WaitGroup
	swapping.Go(func() {
		for {
			select {
			case <-stop:
				return
			default:
			}
			// In one of these moments d is the link.
			_ = os.Rename(inner, hidden)
			_ = os.Rename(link, inner)
			_ = os.Rename(inner, link)
			_ = os.Rename(hidden, inner)
		}
	})
	read := 0
	for i := range 3000 {
		if r, err := s.Read(t.Context(), "d/secret", 0, 0); err == nil {
			if read++; !strings.HasPrefix(r.Content, "1\tinner text") {
				t.Fatalf("read %q", r.Content)
			}
		}
		if i%3 == 0 {
			_, _ = s.Edit("d/secret", "text", "text!", true, "")
		}
	}
	close(stop)
	swapping.Wait()
	if read == 0 {
		t.Error("nothing was ever read")
	}
	if got := get(t, filepath.Join(outside, "secret")); got != "secret text" {
		t.Errorf("outside has %q", got)
	}
	if left, err := os.ReadDir(outside); err != nil || len(left) != 1 {
		t.Errorf("outside there are %v, %v", left, err)
	}
}
