package client

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"syscall"
	"time"

	"ccdir/internal/api"
	"ccdir/internal/procinfo"
)

// wakeTime bounds the wait for a daemon to make its socket again.
const wakeTime = time.Second

// wake asks a daemon that runs and whose socket is gone (something cleaned up in
// /tmp) to make it again. It reports whether there is such a daemon. The start time
// in its file makes sure that nobody else gets the signal.
func (c *Client) wake() bool {
	if _, err := os.Lstat(c.opts.Paths.Socket()); !errors.Is(err, fs.ErrNotExist) {
		return false
	}
	data, err := os.ReadFile(c.opts.Paths.ServerFile())
	if err != nil {
		return false
	}
	var f api.ServerFile
	if json.Unmarshal(data, &f) != nil || f.Start == "" || f.Socket != c.opts.Paths.Socket() {
		return false
	}
	return procinfo.Signal(f.PID, f.Start, syscall.SIGUSR1) == nil
}
