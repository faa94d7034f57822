package client

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"syscall"
	"time"

	"ccdir/api"
	"ccdir/internal/proc"
)

// wakeTime bounds the wait for a daemon to make its socket again.
const wakeTime = time.Second

// wake asks a running daemon whose socket was removed (by a cleanup of /tmp) to create it
// again, by a signal. It reports whether there is such a daemon; the start time in its file
// makes sure that no other process gets the signal.
func (c *Client) wake() bool {
	if c.opts.Far != nil {
		return false
	}
	if _, err := os.Lstat(c.opts.Paths.Socket()); !errors.Is(err, fs.ErrNotExist) {
		return false
	}
	f, ok := c.serverFile()
	return ok && proc.Signal(f.PID, f.Start, syscall.SIGUSR1) == nil
}

// serverFile reads the file that the daemon of our socket wrote.
func (c *Client) serverFile() (f api.ServerFile, ok bool) {
	if c.opts.Far != nil {
		return f, false
	}
	data, err := os.ReadFile(c.opts.Paths.ServerFile())
	ok = err == nil && json.Unmarshal(data, &f) == nil && f.Start != "" && f.Socket == c.opts.Paths.Socket()
	return f, ok
}
