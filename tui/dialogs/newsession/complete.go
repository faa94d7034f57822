package newsession

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"ccdir/tui/ui"
	"ccdir/tui/widget/edit"
)

// Bounds of a completion: entries of a directory that are looked at, and read at once.
const (
	maxEntries = 20_000
	readAtOnce = 500
)

// completion is the answer to a Tab in the field of the directory.
type completion struct {
	of    string   // the text that was completed
	names []string // directories that go on with it, sorted
	cut   bool     // there are more entries than were looked at
}

// split takes a typed path apart: what stays as it is, and the beginning of a name.
func split(text string) (head, name string) {
	if text == "~" {
		return "~/", ""
	}
	i := strings.LastIndexByte(text, '/') + 1
	return text[:i], text[i:]
}

// complete asks which directories go on with the text. The directory is read away from the
// program, in pieces, so that a cancelled call ends soon.
func complete(text, base, home string) ui.Effect {
	return ui.Call{What: "reading the directory", Own: true, Run: func(ctx context.Context, _ ui.Client) (ui.Result, error) {
		head, name := split(text)
		c, err := directories(ctx, absolute(head, base, home), name)
		c.of = text
		return ui.Result{Value: c}, err
	}}
}

// directories are those in dir whose names begin with name; hidden ones only if name does
// so, too.
func directories(ctx context.Context, dir, name string) (c completion, err error) {
	f, err := os.Open(dir)
	if err != nil {
		return c, reason(err)
	}
	defer f.Close()
	for seen := 0; ; {
		list, err := f.ReadDir(readAtOnce)
		for _, e := range list {
			if strings.HasPrefix(e.Name(), name) && (name != "" || e.Name()[0] != '.') && isDir(dir, e) {
				c.names = append(c.names, e.Name())
			}
		}
		switch seen += len(list); {
		case errors.Is(err, io.EOF):
			slices.Sort(c.names)
			return c, nil
		case err != nil:
			return c, reason(err)
		case ctx.Err() != nil:
			return c, ctx.Err()
		case seen >= maxEntries:
			slices.Sort(c.names)
			c.cut = true
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

// completed puts what all names have in common into the field, and lists them if there is
// more than one. An answer about another text is too late.
func (d dialog) completed(c completion) dialog {
	if d.fields[fieldDir].String() != c.of {
		return d
	}
	d.names, d.cut = c.names, c.cut
	head, name := split(c.of)
	if len(c.names) == 0 {
		d.problem = "no directory there begins with " + name
		if name == "" {
			d.problem = "there is no directory in it"
		}
		return d
	}
	if !c.cut { // else another name may have less in common
		name = common(c.names)
	}
	if len(c.names) == 1 && !c.cut {
		d.names = nil
		name += "/"
	}
	d.fields[fieldDir] = edit.NewLine(head + name)
	return d
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
