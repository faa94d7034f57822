package docslookup

import (
	"archive/zip"
	"cmp"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"ccdir/internal/disk/untrusted"
)

// maxArchive bounds the zip file of one package, in bytes.
const maxArchive = 128 << 20

// archive is a zip file with a package.
type archive struct {
	file  *os.File
	size  int64
	mtime time.Time
	files map[string]*zip.File // by path in the package
	names []string             // sorted by depth, then by name
	fault error                // why files has none
}

// open opens the files of a module.
func (m *module) open() (*tree, error) {
	if m.archive == "" {
		return openTree(m.dir)
	}
	root, err := os.OpenRoot(filepath.Dir(m.archive))
	if err != nil {
		return nil, err
	}
	defer func() { _ = root.Close() }()
	file, info, err := untrusted.OpenIn(root, filepath.Base(m.archive))
	if err != nil {
		return nil, err
	}
	return &tree{dir: m.dir, zip: &archive{file: file, size: info.Size(), mtime: info.ModTime()}}, nil
}

// list reads the names of the regular files below a directory of the archive.
func (a *archive) list(prefix string) error {
	if a.size > maxArchive {
		return fmt.Errorf("%d bytes are more than %d", a.size, maxArchive)
	}
	r, err := zip.NewReader(a.file, a.size)
	if err != nil {
		return err
	}
	a.files = map[string]*zip.File{}
	for _, f := range r.File[:min(len(r.File), maxEntries)] {
		name, ok := strings.CutPrefix(f.Name, prefix)
		if ok && filepath.IsLocal(name) && path.Clean(name) == name && f.Mode().IsRegular() && a.files[name] == nil {
			a.files[name] = f
			a.names = append(a.names, name)
		}
	}
	slices.SortFunc(a.names, func(one, other string) int {
		return cmp.Or(cmp.Compare(strings.Count(one, "/"), strings.Count(other, "/")), cmp.Compare(one, other))
	})
	return nil
}

// walk is tree.walk in the archive. It comes before read: what is in the archive is not known until
// then, as most questions need only its size and time.
func (a *archive) walk(t *tree, m *module) (files []found) {
	if a.fault = a.list("node_modules/" + m.name + "/"); a.fault != nil {
		t.skip(filepath.Base(m.archive), a.fault)
		return nil
	}
	for _, name := range a.names {
		if !m.want(name) || !entered(m, path.Dir(name)) {
			continue
		}
		if len(files) == maxFiles {
			t.skip(name, "there are too many files")
			break
		}
		f := a.files[name]
		files = append(files, found{name, int64(f.UncompressedSize64 & (1<<62 - 1)), f.Modified})
	}
	return files
}

// entered reports whether a module reads a directory and those above it.
func entered(m *module, dir string) bool {
	for depth := 0; dir != "."; dir, depth = path.Dir(dir), depth+1 {
		if depth > maxDepth || !m.enter(dir) {
			return false
		}
	}
	return true
}

// read unpacks a file of at most maxFileBytes.
func (a *archive) read(name string) ([]byte, error) {
	f := a.files[name]
	if f == nil {
		return nil, fs.ErrNotExist
	}
	r, err := f.Open()
	if err != nil {
		return nil, err
	}
	defer func() { _ = r.Close() }()
	data, err := io.ReadAll(io.LimitReader(r, maxFileBytes+1))
	if err == nil && len(data) > maxFileBytes {
		err = untrusted.ErrTooLarge
	}
	if err != nil {
		return nil, err
	}
	return data, nil
}
