package agents

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"time"
)

// Version is a version as major, minor, patch.
type Version [3]int

// String returns "2.1.329".
func (v Version) String() string { return fmt.Sprintf("%d.%d.%d", v[0], v[1], v[2]) }

// Before reports whether v is older than w.
func (v Version) Before(w Version) bool {
	for i := range v {
		if v[i] != w[i] {
			return v[i] < w[i]
		}
	}
	return false
}

// ParseVersion reads the first version number of a text such as
// "2.1.329 (Claude Code)". ok is false if there is none.
func ParseVersion(text string) (v Version, ok bool) {
	for _, word := range strings.Fields(text) {
		parts := strings.SplitN(strings.TrimPrefix(word, "v"), ".", 4)
		if len(parts) < 3 {
			continue
		}
		good := true
		for i := range v {
			digits := parts[i]
			if i == 2 { // "329-beta.1" counts as 329
				digits, _, _ = strings.Cut(digits, "-")
			}
			n, err := strconv.Atoi(digits)
			good = good && err == nil && n >= 0
			v[i] = n
		}
		if good {
			return v, true
		}
	}
	return Version{}, false
}

// Versions finds out and remembers the versions of executables. The zero value
// is ready; its methods may be called at the same time.
type Versions struct {
	mu    sync.Mutex
	known map[string]versionEntry
}

type versionEntry struct {
	modified time.Time
	size     int64
	version  string
}

// versionTimeout bounds `--version`, which takes some 100 ms.
const versionTimeout = 5 * time.Second

// Of returns what `path --version` prints, its first line (of a program from npm, the package's version), and remembers it for
// as long as the file behind path stays the same (modification time and size).
// "" means not known: it failed, or took more than 5 s. Of blocks for the run.
func (vs *Versions) Of(ctx context.Context, path string, env []string) string {
	info, err := os.Stat(path)
	if err != nil {
		return ""
	}
	vs.mu.Lock()
	entry, ok := vs.known[path]
	vs.mu.Unlock()
	if ok && entry.modified.Equal(info.ModTime()) && entry.size == info.Size() {
		return entry.version
	}
	if version := packageVersion(path); version != "" {
		return version
	}
	ctx, cancel := context.WithTimeout(ctx, versionTimeout)
	defer cancel()
	cmd := exec.CommandContext(ctx, path, "--version")
	cmd.Env = env
	cmd.WaitDelay = time.Second
	out, err := cmd.Output()
	if err != nil {
		return "" // not remembered: the next start may fare better
	}
	line, _, _ := strings.Cut(strings.TrimSpace(string(out)), "\n")
	version := Visible(line, 100)
	vs.mu.Lock()
	defer vs.mu.Unlock()
	if vs.known == nil {
		vs.known = map[string]versionEntry{}
	}
	vs.known[path] = versionEntry{info.ModTime(), info.Size(), version}
	return version
}
