package docslookup

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"
	"time"

	"ccdir/internal/disk/untrusted"
)

// Bounds of one package's reading.
const (
	maxFiles     = 6000     // documents and sources
	maxEntries   = 60000    // names seen while walking
	maxDepth     = 12       // directories
	maxFileBytes = 2 << 20  // one file
	maxBytes     = 64 << 20 // all files
	maxNotes     = 5        // of what was left out
)

// tree reads the files of one package and nothing outside its directory. It is for one
// goroutine.
type tree struct {
	dir   string
	root  *os.Root
	zip   *archive // instead of root, if the package is in one
	read  int64    // bytes so far
	notes []string
	left  int // files that were left out
}

func openTree(dir string) (*tree, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	return &tree{dir: dir, root: root}, nil
}

func (t *tree) close() {
	if t.zip != nil {
		_ = t.zip.file.Close()
		return
	}
	_ = t.root.Close()
}

// skip notes that a file was left out.
func (t *tree) skip(name string, why any) {
	t.left++
	if len(t.notes) < maxNotes {
		t.notes = append(t.notes, fmt.Sprintf("%s was left out: %v", name, why))
	}
}

// found is a file of a tree, by its slash-separated path.
type found struct {
	name  string
	size  int64
	mtime time.Time
}

// walk lists the regular files of a module, those of a directory sorted. Links are not
// followed.
func (t *tree) walk(ctx context.Context, m *module) (files []found) {
	if t.zip != nil {
		return t.zip.walk(t, m)
	}
	type level struct {
		name  string
		depth int
	}
	seen := 0
	todo := []level{{".", 0}}
	if m.roots != nil {
		todo = nil
	}
	for _, name := range m.roots {
		if info, err := t.root.Lstat(name); err != nil {
			continue // gone meanwhile
		} else if info.IsDir() {
			todo = append(todo, level{name, strings.Count(name, "/")})
		} else if info.Mode().IsRegular() && m.want(name) {
			files = append(files, found{name, info.Size(), info.ModTime()})
		}
	}
	for len(todo) > 0 {
		at := todo[0]
		todo = todo[1:]
		dir, err := t.root.Open(at.name)
		if err != nil {
			t.skip(at.name, err)
			continue
		}
		list, err := dir.ReadDir(maxEntries - seen + 1)
		_ = dir.Close()
		if seen += len(list); seen > maxEntries || ctx.Err() != nil {
			t.skip(at.name, "there are too many files")
			break
		}
		if err != nil && len(list) == 0 {
			continue // empty
		}
		slices.SortFunc(list, func(a, b fs.DirEntry) int { return cmp.Compare(a.Name(), b.Name()) })
		for _, e := range list {
			name := path.Join(at.name, e.Name())
			switch {
			case e.IsDir() && at.depth < maxDepth && m.enter(name):
				todo = append(todo, level{name, at.depth + 1})
			case e.Type().IsRegular() && m.want(name):
				info, err := e.Info()
				if err != nil {
					continue // gone meanwhile
				}
				if len(files) == maxFiles {
					t.skip(name, "there are too many files")
					return files
				}
				files = append(files, found{name, info.Size(), info.ModTime()})
			}
		}
	}
	return files
}

// text reads a file of text; nil if it is left out.
func (t *tree) text(name string) []byte {
	data := t.raw(name)
	if i := slices.Index(data[:min(len(data), 4096)], 0); i >= 0 {
		t.skip(name, "it is no text")
		return nil
	}
	return data
}

// raw reads a file; nil if it is left out.
func (t *tree) raw(name string) []byte {
	if t.read > maxBytes {
		t.skip(name, "the package is too large")
		return nil
	}
	var data []byte
	var err error
	if t.zip != nil {
		data, err = t.zip.read(name)
	} else {
		data, err = untrusted.ReadIn(t.root, name, maxFileBytes)
	}
	if err != nil {
		t.skip(name, err)
		return nil
	}
	t.read += int64(len(data))
	return data
}

// has reports whether there is a regular file.
func (t *tree) has(name string) bool {
	if t.zip != nil {
		return t.zip.files[name] != nil
	}
	info, err := t.root.Stat(name)
	return err == nil && info.Mode().IsRegular()
}

// stamp is the state of a directory's files.
type stamp struct {
	// quick is the state of the files that an installation changes, stat that of all.
	quick, stat, content string
	looked               time.Time // at all
}

// recheck is for how long files are not looked at one by one, unless an installation changed
// the package.
const recheck = 30 * time.Second

// quick is the state of a module's directories and metadata.
func (t *tree) quick(m *module) string {
	var b strings.Builder
	if t.zip != nil {
		fmt.Fprintf(&b, "%d\x00%d\n", t.zip.size, t.zip.mtime.UnixNano())
		return b.String()
	}
	for _, name := range append([]string{".", "package.json", strings.Replace(m.info, "METADATA", "RECORD", 1)}, m.roots...) {
		if info, err := t.root.Lstat(name); name != "" && err == nil {
			fmt.Fprintf(&b, "%s\x00%d\x00%d\n", name, info.Size(), info.ModTime().UnixNano())
		}
	}
	return b.String()
}

// fingerprint is a hash of the content of the files that a module's scan reads. The files
// are read again only if their names, sizes or times changed.
func (l *Library) fingerprint(ctx context.Context, m *module) (string, error) {
	t, err := m.open()
	if err != nil {
		return "", err
	}
	defer t.close()
	id := m.ecosystem + "\x00" + m.name + "\x00" + m.dir
	l.mu.Lock()
	known := l.prints[id]
	l.mu.Unlock()
	quick := t.quick(m)
	if known.quick == quick && time.Since(known.looked) < l.recheck {
		return known.content, nil
	}
	files := t.walk(ctx, m)
	if t.zip != nil && t.zip.fault != nil {
		return "", t.zip.fault
	}
	h := sha256.New()
	for _, f := range files {
		fmt.Fprintf(h, "%s\x00%d\x00%d\n", f.name, f.size, f.mtime.UnixNano())
	}
	stat := hex.EncodeToString(h.Sum(nil))
	if known.stat == stat {
		known.quick, known.looked = quick, time.Now()
		l.mu.Lock()
		l.prints[id] = known
		l.mu.Unlock()
		return known.content, nil
	}
	h.Reset()
	for _, f := range files {
		data := t.raw(f.name)
		fmt.Fprintf(h, "%s\x00%d\n", f.name, len(data))
		h.Write(data)
	}
	known = stamp{quick, stat, hex.EncodeToString(h.Sum(nil)[:8]), time.Now()}
	l.mu.Lock()
	if len(l.prints) > 10000 {
		clear(l.prints)
	}
	l.prints[id] = known
	l.mu.Unlock()
	return known.content, ctx.Err()
}

// isDocument reports whether a file is a document in Markdown or plain text.
func isDocument(name string) bool {
	base := strings.ToLower(path.Base(name))
	switch path.Ext(base) {
	case ".md", ".markdown", ".mdx", ".rst":
		return true
	case "", ".txt":
		stem := strings.TrimSuffix(base, ".txt")
		return stem == "readme" || stem == "changelog" || stem == "llms" || stem == "llms-full" || stem == "changes"
	}
	return false
}
