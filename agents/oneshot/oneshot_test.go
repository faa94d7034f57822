package oneshot

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"ccdir/internal/disk/paths"
)

// job runs one and returns the exit code, the kept streams and what was shown.
// screen takes both streams, which are copied side by side.
type screen struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (s *screen) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text.Write(p)
}

func (s *screen) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text.String()
}

func job(t *testing.T, prompt string, argv ...string) (code int, out, errs, shown string) {
	t.Helper()
	dir := t.TempDir()
	data, err := json.Marshal(paths.PrintJob{Argv: argv, Prompt: prompt})
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, paths.PrintFile), data, 0o600); err != nil {
		t.Fatal(err)
	}
	var terminal screen
	code = Main([]string{dir}, &terminal, &terminal, os.Environ())
	read := func(name string) string {
		data, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		if info, _ := os.Stat(filepath.Join(dir, name)); info.Mode().Perm() != 0o600 {
			t.Errorf("%s has mode %v", name, info.Mode())
		}
		return string(data)
	}
	out, errs = read(paths.PrintStdout), read(paths.PrintStderr)
	if _, err := os.Stat(filepath.Join(dir, paths.PrintFile)); !os.IsNotExist(err) {
		t.Error("the job is still there")
	}
	if again := Main([]string{dir}, &terminal, &terminal, nil); again != exitNotStarted {
		t.Errorf("a second run ended with %d", again)
	}
	return code, out, errs, terminal.String()
}

func TestStreamsAndCode(t *testing.T) {
	code, out, errs, shown := job(t, "two\nlines", "/bin/sh", "-c", `cat; printf '\033]0;x\007' ; echo bad >&2; exit 3`)
	if code != 3 || out != "two\nlines\x1b]0;x\a" || errs != "bad\n" {
		t.Errorf("code %d, out %q, errs %q", code, out, errs)
	}
	// The two streams are shown as they come, in any order to one another.
	for _, part := range []string{"two\r\nlines", "?]0;x?", "bad\r\n"} {
		if !strings.Contains(shown, part) {
			t.Errorf("%q is not among what is shown: %q", part, shown)
		}
	}
	if strings.ContainsAny(shown, "\x1b\a") {
		t.Errorf("shown: %q", shown)
	}
}

func TestSignalled(t *testing.T) {
	if code, _, _, _ := job(t, "", "/bin/sh", "-c", "kill -KILL $$"); code != 137 {
		t.Errorf("code %d", code)
	}
}

func TestBounded(t *testing.T) {
	const size = 3*maxKept + 12345
	_, out, _, _ := job(t, "", "/bin/sh", "-c", "head -c "+itoa(size-4)+" /dev/zero; printf last")
	if len(out) > 2*maxKept+100 || !strings.HasSuffix(out, "last") || !strings.Contains(out, "bytes are not kept") {
		t.Errorf("%d bytes kept, ending in %q", len(out), out[len(out)-20:])
	}
}

func itoa(n int) string { b, _ := json.Marshal(n); return string(b) }

func TestRefuses(t *testing.T) {
	var b bytes.Buffer
	for _, args := range [][]string{nil, {"relative"}, {"/a", "/b"}} {
		if code := Main(args, &b, &b, nil); code != 2 {
			t.Errorf("%v: code %d", args, code)
		}
	}
	if code := Main([]string{t.TempDir()}, &b, &b, nil); code != exitNotStarted {
		t.Errorf("without a job: code %d", code)
	}
}
