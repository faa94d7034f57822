package files

import (
	"bytes"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
)

// hashLen is how many hex digits of the SHA-256 are shown: enough against accidents,
// which is the only purpose of the hash.
const hashLen = 16

// maxShown bounds the current text in a conflict, in bytes.
const maxShown = 8 << 10

// Written is the result of a change.
type Written struct {
	Path    string `json:"path"`
	Hash    string `json:"hash" jsonschema:"hash of the file as it is now"`
	Size    int    `json:"size"`
	Created bool   `json:"created"`
	// Replaced counts the replacements of an edit; Line is the first one's.
	Replaced int `json:"replaced"`
	Line     int `json:"line"`
}

// Conflict: the file is not the one that the caller read.
type Conflict struct{ Path, Want, Hash, Current string }

// Error includes the current text, so that the caller can continue from it.
func (c *Conflict) Error() string {
	return fmt.Sprintf("%s was changed since it was read (hash %s, expected %s). Its text now:\n%s", c.Path, c.Hash, c.Want, c.Current)
}

func hashOf(b []byte) string {
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])[:hashLen]
}

// Write replaces or creates a file in one step: a reader sees the old text or the new;
// mode, line ends and byte order mark stay. With hash, the file must still be the one
// that was read.
func (s *Space) Write(path, content, hash string) (*Written, error) {
	return s.change(path, hash, func(abs string, old []byte, exists bool) ([]byte, *Written, error) {
		return keepForm(old, content), &Written{}, nil
	})
}

// Edit replaces from by to; from must occur exactly once unless all is set. In a file
// with CRLF line ends both may have LF.
func (s *Space) Edit(path, from, to string, all bool, hash string) (*Written, error) {
	if from == "" || from == to {
		return nil, errors.New("old_string must not be empty nor equal to new_string")
	}
	return s.change(path, hash, func(abs string, old []byte, exists bool) ([]byte, *Written, error) {
		if !exists {
			return nil, nil, fmt.Errorf("%s does not exist; use write", abs)
		}
		if err := checkText(abs, int64(len(old)), old[:min(len(old), sniff)]); err != nil {
			return nil, nil, err
		}
		text := string(old)
		from, to := from, to
		if crlf := strings.ReplaceAll(from, "\n", "\r\n"); !strings.Contains(from, "\r") && strings.Contains(text, crlf) && (crlf != from || endsCRLF(old)) {
			from = crlf
			to = strings.ReplaceAll(strings.ReplaceAll(to, "\r\n", "\n"), "\n", "\r\n")
		}
		n, lines := occurrences(text, from)
		switch {
		case n == 0:
			return nil, nil, fmt.Errorf("old_string was not found in %s (hash %s); read it again and copy the text exactly, without line numbers", abs, hashOf(old))
		case n > 1 && !all:
			return nil, nil, fmt.Errorf("old_string is found %d times in %s, at lines %s; give more of its surroundings, or replace_all", n, abs, strings.Trim(fmt.Sprint(lines), "[]"))
		}
		w := &Written{Replaced: strings.Count(text, from), Line: lines[0]}
		return []byte(strings.ReplaceAll(text, from, to)), w, nil
	})
}

type changer func(abs string, old []byte, exists bool) ([]byte, *Written, error)

func (s *Space) change(path, hash string, make changer) (*Written, error) {
	root, rel, abs, err := s.open(path)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	defer lockFile(root, rel)()
	old, before, err := current(root, rel, abs)
	if err != nil {
		return nil, err
	}
	if hash != "" && (before == nil || !strings.EqualFold(hash, hashOf(old))) {
		c := &Conflict{Path: abs, Want: hash, Hash: hashOf(old), Current: shown(old)}
		if before == nil {
			c.Hash, c.Current = "none", "(the file does not exist)"
		}
		return nil, c
	}
	text, w, err := make(abs, old, before != nil)
	if err != nil {
		return nil, err
	}
	if len(text) > maxEdit {
		return nil, fmt.Errorf("%s would have %d bytes; the limit is %d", abs, len(text), maxEdit)
	}
	w.Path, w.Hash, w.Size, w.Created = abs, hashOf(text), len(text), before == nil
	if before != nil && bytes.Equal(old, text) {
		return w, nil
	}
	if before != nil {
		err = mayWrite(root, rel, abs, before)
	}
	if err == nil {
		if err = replace(root, rel, text, before); err != nil {
			err = explain(abs, err)
		}
	}
	if err != nil {
		return nil, err
	}
	return w, nil
}

// shown is the current text for a Conflict.
func shown(old []byte) string {
	if len(old) <= maxShown {
		return strings.ToValidUTF8(string(old), "\uFFFD")
	}
	return strings.ToValidUTF8(string(old[:maxShown]), "\uFFFD") + fmt.Sprintf("… (%d more bytes: read shows them)", len(old)-maxShown)
}

// mayWrite refuses a read-only file: a rename would replace it nevertheless.
func mayWrite(root *os.Root, rel, abs string, before fs.FileInfo) error {
	if before.Mode().Perm()&0o222 == 0 {
		return fmt.Errorf("%s is read-only (mode %04o): change its mode first if it is meant to be edited", abs, before.Mode().Perm())
	}
	f, err := root.OpenFile(rel, os.O_WRONLY|syscall.O_NONBLOCK, 0)
	if errors.Is(err, fs.ErrPermission) {
		return explain(abs, err)
	}
	if err == nil {
		f.Close()
	}
	return nil // replace reports any other error again
}

// current reads the file; before is nil if it does not exist.
func current(root *os.Root, rel, abs string) (old []byte, before fs.FileInfo, err error) {
	info, err := root.Lstat(rel)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil, nil
	case err != nil:
		return nil, nil, explain(abs, err)
	case info.Mode()&fs.ModeSymlink != 0:
		target, _ := root.Readlink(rel)
		return nil, nil, fmt.Errorf("%s is a symbolic link to %s; change that file itself", abs, target)
	case info.Size() > maxEdit:
		return nil, nil, fmt.Errorf("%s has %d bytes; the limit for changes is %d", abs, info.Size(), maxEdit)
	}
	f, info, err := openRegular(root, rel, abs)
	if err != nil {
		return nil, nil, err
	}
	defer f.Close()
	old, err = io.ReadAll(io.LimitReader(f, maxEdit+1))
	return old, info, err
}

// errChanged: another process wrote between our read and our rename.
var errChanged = errors.New("it was changed at this moment; read it again")

func replace(root *os.Root, rel string, text []byte, before fs.FileInfo) error {
	dir, mode := filepath.Dir(rel), fs.FileMode(0o666) // minus the umask
	if before != nil {
		mode = 0o600 // until it gets the old file's mode
	} else if err := root.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	temp := filepath.Join(dir, ".ccdir-"+rand.Text()[:10])
	f, err := root.OpenFile(temp, os.O_CREATE|os.O_EXCL|os.O_WRONLY, mode)
	if err != nil {
		return err
	}
	_, err = f.Write(text)
	if before != nil && err == nil {
		err = f.Chmod(before.Mode().Perm())
	}
	if err == nil {
		err = f.Sync()
	}
	err = errors.Join(err, f.Close())
	if now, e := root.Lstat(rel); err == nil && before != nil && (e != nil || !os.SameFile(now, before) || now.ModTime() != before.ModTime() || now.Size() != before.Size()) {
		err = errChanged
	}
	if err == nil && before == nil {
		if err = root.Link(temp, rel); errors.Is(err, fs.ErrExist) {
			err = errChanged
		} else if err == nil {
			return root.Remove(temp)
		} else {
			err = root.Rename(temp, rel) // a file system without hard links
		}
	} else if err == nil {
		err = root.Rename(temp, rel)
	}
	if err != nil {
		_ = root.Remove(temp)
	}
	return err
}
