// Package dirfield is what the field of a directory has in dialogs besides its text: what was
// typed as an absolute path, and the names that go on with it. It owns nothing; it asks for
// a call that reads a directory.
package dirfield

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"ccdir/internal/text/textsafe"
	"ccdir/tui/paint"
	"ccdir/tui/ui"
	"ccdir/tui/widget/modal"
)

// Bounds of a completion: entries of a directory that are looked at, and read at once.
const (
	maxEntries = 20_000
	readAtOnce = 500
)

// Names are the answer to a Tab in the field: the directories that go on with its text.
type Names struct {
	Of  string   // the text that was completed
	All []string // sorted
	Cut bool     // there are more entries than were looked at
}

// Absolute makes a path of what was typed: ~ is the home directory, and a relative path
// begins in base.
func Absolute(path, base, home string) string {
	path = strings.TrimSpace(path)
	if path == "~" || strings.HasPrefix(path, "~/") {
		path = filepath.Join(home, path[1:])
	}
	if !filepath.IsAbs(path) {
		path = filepath.Join(base, path)
	}
	return path
}

// split takes a typed path apart: what stays as it is, and the beginning of a name.
func split(text string) (head, name string) {
	if text == "~" {
		return "~/", ""
	}
	i := strings.LastIndexByte(text, '/') + 1
	return text[:i], text[i:]
}

// Complete asks which directories go on with the text. The directory is read away from the
// program, in pieces, so that a cancelled call ends soon.
func Complete(text, base, home string) ui.Effect {
	return ui.Call{What: "reading the directory", Own: true, Run: func(ctx context.Context, _ ui.Client) (ui.Result, error) {
		head, name := split(text)
		c, err := directories(ctx, Absolute(head, base, home), name)
		c.Of = text
		return ui.Result{Value: c}, err
	}}
}

// directories are those in dir whose names begin with name; hidden ones only if name does
// so, too.
func directories(ctx context.Context, dir, name string) (c Names, err error) {
	f, err := os.Open(dir)
	if err != nil {
		return c, reason(err)
	}
	defer f.Close()
	for seen := 0; ; {
		list, err := f.ReadDir(readAtOnce)
		for _, e := range list {
			if strings.HasPrefix(e.Name(), name) && (name != "" || e.Name()[0] != '.') && isDir(dir, e) {
				c.All = append(c.All, e.Name())
			}
		}
		switch seen += len(list); {
		case errors.Is(err, io.EOF):
			slices.Sort(c.All)
			return c, nil
		case err != nil:
			return c, reason(err)
		case ctx.Err() != nil:
			return c, ctx.Err()
		case seen >= maxEntries:
			slices.Sort(c.All)
			c.Cut = true
			return c, nil
		}
	}
}

// isDir follows symbolic links.
func isDir(dir string, e fs.DirEntry) bool {
	if e.Type()&fs.ModeSymlink == 0 {
		return e.IsDir()
	}
	info, err := os.Stat(filepath.Join(dir, e.Name()))
	return err == nil && info.IsDir()
}

// reason is an error without the path, which is on the screen.
func reason(err error) error {
	var path *fs.PathError
	if errors.As(err, &path) {
		return path.Err
	}
	return err
}

// Text is the text with what all names have in common, and the names to choose from if
// there is more than one. problem says why there is none.
func (c Names) Text() (text string, names []string, problem string) {
	head, name := split(c.Of)
	switch {
	case len(c.All) == 0 && name == "":
		return c.Of, nil, "there is no directory in it"
	case len(c.All) == 0:
		return c.Of, nil, "no directory there begins with " + name
	case len(c.All) == 1 && !c.Cut:
		return head + c.All[0] + "/", nil, ""
	case !c.Cut: // else another name may have less in common
		name = common(c.All)
	}
	return head + name, c.All, ""
}

// Problem says that the directory could not be read.
func Problem(err error) string { return "the directory cannot be read: " + ui.Problem(err) }

// Lines are the names that go on with a text, in at most n lines of w columns.
func Lines(names []string, cut bool, w, n int) []string {
	shown := make([]string, len(names))
	for i, name := range names {
		shown[i] = paint.Cut(textsafe.Line(name)+"/", w)
	}
	lines := modal.Flow(shown, w)
	if cut {
		lines = append(lines, "…")
	}
	if len(lines) > n {
		lines = append(lines[:n-1:n-1], fmt.Sprintf("… %d directories: type more of the name", len(names)))
	}
	return lines
}

// common is the longest beginning of all names, in whole characters.
func common(names []string) string {
	first, last := []rune(names[0]), []rune(names[len(names)-1]) // sorted: the two that differ most
	n := 0
	for n < len(first) && n < len(last) && first[n] == last[n] {
		n++
	}
	return string(first[:n])
}
