package delivery

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"ccdir/api"
	"ccdir/internal/disk/atomicfile"
)

// FirstFile holds a session's first prompt until the store has it: a daemon that dies right
// after the host was started must not lose it.
const FirstFile = "first-prompt"

// SaveFirst saves the first prompt; before the host is started.
func (d *Delivery) SaveFirst() error {
	if d.first == "" {
		return nil
	}
	return atomicfile.Write(filepath.Join(d.o.Dir, FirstFile), []byte(d.first))
}

// ReadFirst returns the first prompt of a session that the store does not know; "" for
// none. dir is the session's directory.
func ReadFirst(dir string) (string, error) {
	data, err := os.ReadFile(filepath.Join(dir, FirstFile))
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	return string(data), err
}

// DropFirst removes the file once the store has the prompt, or its outcome is known.
func (d *Delivery) DropFirst() {
	if err := os.Remove(filepath.Join(d.o.Dir, FirstFile)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		d.o.Logger.Warn("cannot remove a first prompt", "session", d.o.Session, "error", err)
	}
}

// SendFirst types a session's first prompt once it takes input; it does not wait. The prompt
// is saved until its outcome is known, under a fixed id, so that the next daemon continues
// the delivery.
func (d *Delivery) SendFirst(text string) {
	d.o.Go(func() {
		_, err := d.Send(d.o.Context, api.SendPrompt{Text: text, Wait: true, ID: "first-" + d.o.Session})
		if d.o.Context.Err() != nil {
			return
		}
		if err != nil {
			d.o.Logger.Warn("the first prompt was not delivered", "session", d.o.Session, "error", err)
		}
		_ = d.s.Do(d.o.Context, func() {
			d.first = ""
			d.DropFirst()
			d.s.Publish("", "", "")
		})
	})
}
