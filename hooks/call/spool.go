package call

import (
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"time"

	"ccdir/api"
	"ccdir/internal/disk/paths"
)

// Bounds of a session's spool while no daemon runs.
const (
	// maxSpoolFiles bounds the number of calls. Further ones are dropped, and
	// paths.SpoolOverflow is created.
	maxSpoolFiles = 10_000
	// maxSpoolPayload bounds a spooled payload, in bytes; longer ones lose their long
	// values.
	maxSpoolPayload = 1 << 20
)

var errSpoolFull = errors.New("the spool is full")

// spool writes the call to the session's spool, by way of a temporary file, so that a reader
// sees complete files only.
func (c *call) spool() (path string, err error) {
	if c.dir == "" {
		return "", errors.New("no " + api.EnvDir)
	}
	dir := filepath.Join(c.dir, paths.SpoolDir)
	// Only the last element, so that the directory of a removed session is not created.
	if err := os.Mkdir(dir, 0o700); err != nil && !errors.Is(err, os.ErrExist) {
		return "", err
	}
	if full(dir) {
		f, err := os.OpenFile(filepath.Join(dir, paths.SpoolOverflow), os.O_CREATE|os.O_WRONLY, 0o600)
		if err == nil {
			_ = f.Close()
		}
		return "", errSpoolFull
	}
	payload := c.payload
	if len(payload) > maxSpoolPayload {
		payload = shorten(payload, len(payload))
	}
	data, err := json.Marshal(api.SpooledHook{
		ID: c.id, Hook: c.hook, At: c.at.UTC().Format(time.RFC3339Nano), Token: c.token, Payload: payload, Answered: c.loss,
	})
	if err != nil {
		return "", err
	}
	tmp := filepath.Join(dir, "."+c.id+paths.SpoolUnfinished)
	if err := os.WriteFile(tmp, data, 0o600); err != nil {
		_ = os.Remove(tmp)
		return "", err
	}
	path = filepath.Join(dir, c.id+paths.SpoolSuffix)
	if err := os.Rename(tmp, path); err != nil {
		_ = os.Remove(tmp)
		return "", err
	}
	return path, nil
}

// full reports whether the directory has maxSpoolFiles files.
func full(dir string) bool {
	d, err := os.Open(dir)
	if err != nil {
		return false
	}
	defer func() { _ = d.Close() }()
	names, err := d.Readdirnames(maxSpoolFiles)
	return err == nil && len(names) >= maxSpoolFiles || err != nil && !errors.Is(err, io.EOF)
}
