package history

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"ccdir/internal/disk/atomicfile"
)

// MaxDraft is the size of a draft in bytes: all that the prompt bar has room for.
const MaxDraft = 16 << 20

// Draft keeps what was written in the prompt bar and not sent, in a file that
// only its user can read, and beside it, in a second one, the ids under which such
// texts may have been sent. The zero value keeps nothing. Of several grids the one
// that wrote last is kept.
type Draft struct {
	File string
}

// sentExt is the extension of the second file.
const sentExt = ".sent"

// LoadSent returns what SaveSent kept, nil if there is nothing. What cannot be read is
// an error; what it says is the caller's to check.
func (d Draft) LoadSent() ([]byte, error) {
	text, err := Draft{d.sent()}.Load()
	return []byte(text), err
}

// SaveSent keeps what the caller wants to know of the texts that may have been sent;
// nothing, or more than MaxDraft, forgets it.
func (d Draft) SaveSent(data []byte) error { return Draft{d.sent()}.Save(string(data)) }

func (d Draft) sent() string {
	if d.File == "" {
		return ""
	}
	return d.File + sentExt
}

// Load returns the draft, "" if there is none. One larger than MaxDraft is cut
// off: nothing that large is kept.
func (d Draft) Load() (string, error) {
	if d.File == "" {
		return "", nil
	}
	f, err := os.Open(d.File)
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	if err != nil {
		return "", fmt.Errorf("the draft of the prompt bar cannot be read: %w", err)
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, MaxDraft))
	if err != nil {
		return "", fmt.Errorf("the draft of the prompt bar cannot be read: %w", err)
	}
	return string(data), nil
}

// Save keeps text as the draft; "" and what is larger than MaxDraft forget it.
func (d Draft) Save(text string) error {
	if d.File == "" {
		return nil
	}
	if text == "" || len(text) > MaxDraft {
		if err := os.Remove(d.File); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("the draft of the prompt bar cannot be forgotten: %w", err)
		}
		return nil
	}
	if err := d.write(text); err != nil {
		return fmt.Errorf("the draft of the prompt bar cannot be kept: %w", err)
	}
	return nil
}

func (d Draft) write(text string) error {
	if err := os.MkdirAll(filepath.Dir(d.File), 0o700); err != nil {
		return err
	}
	return atomicfile.Write(d.File, []byte(text))
}
