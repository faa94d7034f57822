package doctor

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"ccdir/agents"
	"ccdir/agents/adapters"
	"ccdir/agents/claude"
	"ccdir/api"
	"ccdir/cli/daemon"
	"ccdir/cli/verb"
	"ccdir/client"
	"ccdir/config"
	"ccdir/internal/gitstatus"
)

func checkShim(ctx context.Context, a *verb.App) []check {
	path, err := a.Shim(ctx)
	switch {
	case err != nil:
		return one("shim", checkFail, err.Error(), "")
	case path != client.ShimPath(a.Exe):
		return one("shim", checkOK, path+" links to "+a.Exe, "sessions and hooks start slower than with a shim of its own: `make install` builds it")
	}
	return one("shim", checkOK, path+" "+api.Version, "")
}

func checkDaemonProgram(ctx context.Context, a *verb.App) []check {
	if a.Daemon != nil {
		return one("program", checkOK, "the daemon is part of "+a.Exe, "")
	}
	if err := client.CheckDaemon(ctx, a.Exe, api.Version); err != nil {
		return one("program", checkFail, err.Error(), "")
	}
	return one("program", checkOK, client.DaemonPath(a.Exe)+" "+api.Version, "")
}

func checkConfig(_ context.Context, a *verb.App) []check {
	l, err := a.Loaded()
	switch {
	case err != nil:
		return one("config", checkFail, err.Error(), "")
	case len(l.Problems) > 0:
		return one("config", checkWarn, fmt.Sprintf("%d problem(s), the first: %s", len(l.Problems), l.Problems[0]), "see `ccdir config check`")
	}
	if _, err := os.Stat(l.File); errors.Is(err, fs.ErrNotExist) {
		return one("config", checkOK, l.File+" does not exist: defaults are used", "")
	}
	return one("config", checkOK, l.File, "")
}

func checkDaemon(ctx context.Context, a *verb.App) []check {
	c, err := a.NewClient("cli")
	if err != nil {
		return one("daemon", checkFail, err.Error(), "")
	}
	ctx, cancel := context.WithTimeout(ctx, 3*time.Second)
	defer cancel()
	srv, err := c.Health(ctx)
	switch {
	case errors.Is(err, client.ErrNotRunning):
		return one("daemon", checkOK, "not running", "it starts with the first verb that needs it")
	case err != nil:
		return one("daemon", checkFail, err.Error(), "")
	case srv.Version != api.Version:
		return one("daemon", checkFail, (&client.VersionError{Daemon: srv.Version, Client: api.Version, PID: srv.PID}).Error(), "")
	}
	out := one("daemon", checkOK, fmt.Sprintf("pid %d, up %s, %d session(s)", srv.PID, verb.Age(time.Now(), srv.Started), srv.Sessions), "")
	if srv.Unsaved != "" {
		out = append(out, check{"database", checkFail, srv.Unsaved, ""})
	}
	for _, aside := range srv.Aside {
		out = append(out, check{"database", checkWarn, aside, ""})
	}
	return out
}

func checkSockets(_ context.Context, a *verb.App) []check {
	p, err := a.Paths()
	if err != nil {
		return one("sockets", checkFail, err.Error(), "")
	}
	if err := client.CheckRuntime(p, a.UID); err != nil {
		return one("sockets", checkFail, err.Error(), "")
	}
	// Host sockets have the longest names.
	if n := len(p.HostSocket("xxxxxxxx")); n > maxSocketPath {
		return one("sockets", checkFail, fmt.Sprintf("%s is too long for a socket's path (%d bytes, at most %d)", p.Runtime, n, maxSocketPath), "")
	}
	return one("sockets", checkOK, p.Runtime, "")
}

// maxSocketPath is the smallest limit of the systems we run on (macOS).
const maxSocketPath = 103

func checkState(_ context.Context, a *verb.App) []check {
	p, err := a.Paths()
	if err != nil {
		return one("state", checkFail, err.Error(), "")
	}
	dir, err := existing(p.State)
	if err != nil {
		return one("state", checkFail, err.Error(), "")
	}
	f, err := os.CreateTemp(dir, ".ccdir-doctor-*")
	if err != nil {
		return one("state", checkFail, fmt.Sprintf("%s is not writable (%v)", dir, err), "make it writable, or set CCDIR_HOME or XDG_STATE_HOME")
	}
	f.Close()
	os.Remove(f.Name())
	out := one("state", checkOK, p.State, "")
	if err := client.CheckState(p.State, os.Getuid()); err != nil {
		out = one("state", checkFail, err.Error(), "")
	}
	if kind := networkFS(dir); kind != "" {
		return append(out, check{"file system", checkWarn, p.State + " is on a network file system (" + kind + ")",
			"locks and the database are safer on a local disk: set XDG_STATE_HOME or CCDIR_HOME"})
	}
	return append(out, check{"file system", checkOK, "local", ""})
}

// existing returns dir or its nearest parent that exists.
func existing(dir string) (string, error) {
	for {
		info, err := os.Stat(dir)
		switch {
		case err == nil && info.IsDir():
			return dir, nil
		case err == nil:
			return "", fmt.Errorf("%s is not a directory: move it away", dir)
		case !errors.Is(err, fs.ErrNotExist):
			return "", err
		case dir == filepath.Dir(dir):
			return "", err
		}
		dir = filepath.Dir(dir)
	}
}

// checkAgents looks for every configured agent's executable.
func checkAgents(ctx context.Context, a *verb.App) []check {
	cfg := a.Config()
	var out []check
	real := 0
	for _, name := range cfg.AgentNames() {
		agent := cfg.Agents[name]
		c := checkAgent(ctx, a, name, agent)
		if c.Status == checkOK && agent.Kind != "shell" && agent.Kind != "demo" {
			real++
		}
		out = append(out, c)
	}
	tested, older := claude.DescribeVersions()
	out = append(out, check{"claude versions", checkOK, tested, older})
	if real == 0 {
		out = append(out, check{"agents", checkWarn, "no coding agent is installed", "try `ccdir demo` or `ccdir new -a demo`; " + agents.InstallHint(agents.KindClaude)})
	}
	return out
}

func checkAgent(ctx context.Context, a *verb.App, name string, agent config.Agent) check {
	label := "agent " + name
	command := agent.Command
	if command == "" {
		switch agent.Kind {
		case "shell":
			command = daemon.VersionOr(a.Getenv("SHELL"), "/bin/sh")
		case "demo":
			command, _ = a.Shim(ctx) // checkShim says what is wrong with it
		default:
			command = agent.Kind
		}
	}
	path, err := agents.FindExecutable(command, a.Dir, a.Env)
	if err != nil {
		return check{label, checkWarn, command + " was not found", agents.InstallHint(agent.Kind)}
	}
	adapter, _ := adapters.Lookup(agent.Kind)
	described, ok := adapter.(agents.Described)
	if !ok || described.Describe().Tested[1] == (agents.Version{}) {
		return check{label, checkOK, path, ""}
	}
	version, err := runs(ctx, a.Env, path, "--version")
	if err != nil {
		return check{label, checkWarn, err.Error(), agents.InstallHint(agent.Kind)}
	}
	if agent.Kind != agents.KindClaude {
		about, good := described.Describe().About(version)
		return check{label, map[bool]string{true: checkOK, false: checkWarn}[good], path + " " + version + ", " + about, "lacks " + strings.Join(described.Describe().Lacks(), "; ")}
	}
	tested, lacks, good := claude.DescribeVersion(version)
	status := checkOK
	if !good {
		status = checkWarn
	}
	return check{label, status, path + " " + version + ", " + tested, lacks}
}

func checkGit(ctx context.Context, _ *verb.App) []check {
	ctx, cancel := context.WithTimeout(ctx, doctorTimeout)
	defer cancel()
	version, err := gitstatus.Version(ctx)
	switch {
	case errors.Is(err, exec.ErrNotFound):
		return one("git", checkWarn, "git was not found", "agents work best in git repositories: install git")
	case err != nil:
		return one("git", checkWarn, err.Error(), "")
	}
	return one("git", checkOK, version, "")
}
