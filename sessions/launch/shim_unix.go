//go:build unix

package launch

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"ccdir/agents"
	"ccdir/api"
	"ccdir/api/hint"
	"ccdir/internal/contain"
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
	// Scope is the command by which hosts get scopes of their own (Scope); nil: none.
	Scope []string
	// Logger is told when a host has to stay in the daemon's service.
	Logger *slog.Logger
}

// Launch implements sessions.Launcher. A goroutine reaps the host at its end.
func (l ShimLauncher) Launch(ctx context.Context, spec wire.HostSpec) (ready wire.HostReady, err error) {
	if l.Scope == nil {
		return l.launch(ctx, spec, nil)
	}
	scope := append(slices.Clone(l.Scope), "--description=ccdir session "+spec.Session, "--")
	ready, err = l.launch(ctx, spec, scope)
	if err == nil || ready.Error != "" || ctx.Err() != nil {
		return ready, err
	}
	l.Logger.Warn("a host stays in the daemon's own service: no scope could be made for it", "session", spec.Session, "error", err)
	return l.launch(ctx, spec, nil)
}

// launch starts a host by the command scope, followed by the shim's.
func (l ShimLauncher) launch(ctx context.Context, spec wire.HostSpec, scope []string) (ready wire.HostReady, err error) {
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
	argv := append(scope, l.Shim, "host")
	cmd := exec.Command(argv[0], argv[1:]...)
	cmd.Dir = "/"
	cmd.Env = agents.SetEnv(slices.Clone(l.Env), api.EnvHost+"="+spec.Dir)
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
	contain.Go(l.Logger, func() {
		defer close(ended)
		_ = cmd.Wait() // final.json says how it ended
	})
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
