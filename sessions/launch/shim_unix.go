//go:build unix

package launch

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"ccdir/agents"
	"ccdir/api"
	"ccdir/api/hint"
	"ccdir/wire"
)

const (
	// launchTimeout bounds the start of a host: it forks once.
	launchTimeout = 10 * time.Second
	// maxReady bounds the host's answer, in bytes.
	maxReady = 64 << 10
	// hostLog receives the host's standard error: nothing, unless the host crashes.
	hostLog = "host.log"
)

// ShimLauncher starts hosts as `ccdir-shim host`.
type ShimLauncher struct {
	// Shim is the absolute path of ccdir-shim.
	Shim string
	// Env is the environment of the host itself; that of its process is in the HostSpec.
	Env []string
}

// Launch implements sessions.Launcher. A goroutine reaps the host at its end.
func (l ShimLauncher) Launch(ctx context.Context, spec wire.HostSpec) (ready wire.HostReady, err error) {
	input, err := json.Marshal(spec)
	if err != nil {
		return ready, err
	}
	logFile, err := os.OpenFile(filepath.Join(spec.Dir, hostLog), os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		return ready, err
	}
	defer logFile.Close()
	out, outW, err := os.Pipe()
	if err != nil {
		return ready, err
	}
	defer out.Close()
	cmd := exec.Command(l.Shim, "host")
	cmd.Dir = "/"
	cmd.Env = l.Env
	cmd.Stdin = bytes.NewReader(input)
	cmd.Stdout, cmd.Stderr = outW, logFile
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	err = cmd.Start()
	outW.Close()
	if err != nil {
		what := hint.Of(err)
		if what == "" {
			what = ": build or install ccdir and ccdir-shim together"
		}
		return ready, api.Errorf(api.CodeInternal, "cannot start the host: %v%s", err, what)
	}
	ended := make(chan struct{})
	go func() {
		_ = cmd.Wait() // final.json says how it ended
		close(ended)
	}()
	deadline := time.Now().Add(launchTimeout)
	if d, ok := ctx.Deadline(); ok && d.Before(deadline) {
		deadline = d
	}
	_ = out.SetReadDeadline(deadline)
	stop := context.AfterFunc(ctx, func() { _ = out.SetReadDeadline(time.Unix(1, 0)) })
	defer stop()
	line, err := bufio.NewReader(io.LimitReader(out, maxReady)).ReadBytes('\n')
	if err == nil {
		err = json.Unmarshal(line, &ready)
	}
	if err == nil && ready.Error != "" {
		return ready, errors.New(ready.Error)
	}
	if err != nil {
		// Without a ready message the host must not run on unseen.
		_ = cmd.Process.Kill()
		<-ended
		return ready, api.Errorf(api.CodeInternal, "the host did not start: %v%s", err, lastWords(spec.Dir))
	}
	return ready, nil
}

// lastWords is the end of the host's log, for an error: the log is removed together with
// the session that failed to start.
func lastWords(dir string) string {
	const most = 300 // bytes
	data, err := os.ReadFile(filepath.Join(dir, hostLog))
	line := strings.TrimSpace(string(data))
	if err != nil || line == "" {
		return ""
	}
	return ": " + agents.Visible(line[max(0, len(line)-most):], most)
}
