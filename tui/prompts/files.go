package prompts

import (
	"bytes"
	"context"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// Bounds of a scan.
const (
	// maxFiles is how many files a scan finds at most, maxListing how much of
	// git's list is read in bytes, scanFor how long it takes at most.
	maxFiles   = 20_000
	maxListing = 4 << 20
	scanFor    = 5 * time.Second
)

// Files is what a scan has found.
type Files struct {
	// Paths are relative to the directory, with slashes, in order.
	Paths []string
	// More: there are more than maxFiles, or the time was over.
	More bool
}

// Scan lists the files below dir: in a git repository those that git does not
// ignore, elsewhere all but hidden ones and what package managers fill. It ends
// with ctx.
func Scan(ctx context.Context, dir string) (Files, error) {
	ctx, cancel := context.WithTimeout(ctx, scanFor)
	defer cancel()
	if out, ok := listed(ctx, dir); ok {
		return out, nil
	}
	return walked(ctx, dir)
}

// listed asks git. What the repository configures to be run is not: it may be
// anybody's.
func listed(ctx context.Context, dir string) (Files, bool) {
	cmd := exec.CommandContext(ctx, "git", "-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null",
		"ls-files", "-z", "--cached", "--others", "--exclude-standard", "--deduplicate")
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GIT_OPTIONAL_LOCKS=0", "LC_ALL=C")
	cmd.WaitDelay = time.Second
	pipe, err := cmd.StdoutPipe()
	if err != nil || cmd.Start() != nil {
		return Files{}, false
	}
	data, err := io.ReadAll(io.LimitReader(pipe, maxListing+1))
	var f Files
	if len(data) > maxListing {
		f.More = true
		data = data[:bytes.LastIndexByte(data[:maxListing], 0)+1]
		_ = cmd.Process.Kill() // the rest is not wanted; Wait says that it was killed
		_ = cmd.Wait()
	} else if werr := cmd.Wait(); err != nil || werr != nil {
		return Files{}, false
	}
	for p := range strings.SplitSeq(strings.TrimSuffix(string(data), "\x00"), "\x00") {
		if p == "" {
			continue
		}
		if len(f.Paths) == maxFiles {
			f.More = true
			break
		}
		f.Paths = append(f.Paths, p)
	}
	slices.Sort(f.Paths)
	return f, len(f.Paths) > 0
}

// heavy are directories that hold what nobody writes about.
var heavy = []string{"node_modules", "__pycache__", "target", "venv", "vendor"}

// walked walks the directories.
func walked(ctx context.Context, dir string) (Files, error) {
	var f Files
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		switch {
		case ctx.Err() != nil:
			f.More = true
			return fs.SkipAll
		case path == dir:
			return err
		case err != nil:
			return nil // one that may not be read
		case d.IsDir() && (strings.HasPrefix(d.Name(), ".") || slices.Contains(heavy, d.Name())):
			return fs.SkipDir
		case d.IsDir():
			return nil
		}
		if len(f.Paths) == maxFiles {
			f.More = true
			return fs.SkipAll
		}
		rel, err := filepath.Rel(dir, path)
		if err != nil {
			return nil
		}
		f.Paths = append(f.Paths, filepath.ToSlash(rel))
		return nil
	})
	if err != nil {
		return Files{}, err
	}
	return f, ctx.Err()
}
