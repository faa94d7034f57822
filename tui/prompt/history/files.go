package history

import (
	"bytes"
	"cmp"
	"context"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"ccdir/internal/gitstatus"
)

// Bounds of a scan.
const (
	// maxFiles is how many files a scan finds at most, maxListing how much of
	// git's list is read in bytes, scanFor how long it takes at most.
	maxFiles   = 20_000
	maxListing = 4 << 20
	scanFor    = 5 * time.Second
)

// Files is the result of a scan.
type Files struct {
	// Paths are relative to the directory, with slashes, those in fewer directories first
	// and hidden ones last.
	Paths []string
	// More: there are more than maxFiles, or the time was over.
	More bool
	// Odd is how many were left out because their names cannot be written in a prompt:
	// what would arrive names another file, or none.
	Odd int
}

// add takes a path.
func (f *Files) add(path string) {
	if !utf8.ValidString(path) || strings.ContainsFunc(path, odd) {
		f.Odd++
		return
	}
	f.Paths = append(f.Paths, path)
}

// odd are the characters that a prompt has not, or loses on its way.
func odd(r rune) bool { return unicode.IsControl(r) || unicode.Is(unicode.Noncharacter_Code_Point, r) }

// Hidden reports whether a path is that of a dot file, or leads through a dot directory.
func Hidden(path string) bool {
	return strings.HasPrefix(path, ".") || strings.Contains(path, "/.")
}

// HiddenLast has files before dot files, else the order that they have: it compares.
func HiddenLast(a, b string) int {
	switch {
	case Hidden(a) == Hidden(b):
		return 0
	case Hidden(b):
		return -1
	}
	return 1
}

// settled are the files in order, those in fewer directories first, bounded.
func (f Files) settled() Files {
	slices.SortFunc(f.Paths, func(a, b string) int {
		return cmp.Or(HiddenLast(a, b), cmp.Compare(strings.Count(a, "/"), strings.Count(b, "/")), strings.Compare(a, b))
	})
	if len(f.Paths) > maxFiles {
		f.Paths, f.More = slices.Clip(f.Paths[:maxFiles]), true
	}
	return f
}

// Scan lists the files below dir: in a git repository those that git does not
// ignore, elsewhere all but hidden ones and what package managers fill. It ends
// with ctx, which is an error; where its own time is over it returns what it has.
func Scan(ctx context.Context, dir string) (Files, error) {
	limited, cancel := context.WithTimeout(ctx, scanFor)
	defer cancel()
	out, ok := listed(limited, dir)
	var err error
	if !ok {
		out, err = walked(limited, dir)
	}
	return out.settled(), cmp.Or(err, ctx.Err())
}

// listed asks git. What the repository configures to be run is not: it may be
// anybody's.
func listed(ctx context.Context, dir string) (Files, bool) {
	cmd, done, err := gitstatus.Looking(ctx, dir, "ls-files", "-z", "--cached", "--others", "--exclude-standard", "--deduplicate")
	if err != nil {
		return Files{}, false
	}
	defer done()
	pipe, err := cmd.StdoutPipe()
	if err != nil || cmd.Start() != nil {
		return Files{}, false
	}
	data, err := io.ReadAll(io.LimitReader(pipe, maxListing+1))
	var f Files
	if len(data) > maxListing || ctx.Err() != nil {
		f.More = true
		data = data[:bytes.LastIndexByte(data[:min(len(data), maxListing)], 0)+1]
		_ = cmd.Process.Kill() // the rest is not wanted; Wait says that it was killed
		_ = cmd.Wait()
	} else if werr := cmd.Wait(); err != nil || werr != nil {
		return Files{}, false
	}
	for p := range strings.SplitSeq(strings.TrimSuffix(string(data), "\x00"), "\x00") {
		if p != "" {
			f.add(p)
		}
	}
	return f, len(f.Paths)+f.Odd > 0
}

// heavy are directories that hold what nobody writes about.
var heavy = []string{"node_modules", "__pycache__", "target", "venv", "vendor"}

// walked walks the directories, the upper ones first: where there are too many files
// those are found that are near. A directory that may not be read is passed over, but
// for the first.
func walked(ctx context.Context, dir string) (f Files, err error) {
	for dirs := []string{""}; len(dirs) > 0; dirs = dirs[1:] {
		if ctx.Err() != nil || len(f.Paths) > maxFiles {
			f.More = true
			break
		}
		entries, err := os.ReadDir(filepath.Join(dir, dirs[0]))
		if err != nil && dirs[0] == "" {
			return Files{}, err
		}
		for _, d := range entries {
			path := filepath.Join(dirs[0], d.Name())
			switch {
			case !d.IsDir():
				f.add(filepath.ToSlash(path))
			case !strings.HasPrefix(d.Name(), ".") && !slices.Contains(heavy, d.Name()):
				dirs = append(dirs, path)
			}
		}
	}
	return f, nil
}
