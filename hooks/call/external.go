package call

import (
	"io"
	"os"
	"strconv"
	"strings"
	"syscall"
	"time"

	"ccdir/api"
	"ccdir/internal/disk/paths"
)

// externalArg follows the hook's name in hooks of the user's own settings.
const externalArg = "--external"

// externalLimit bounds a call from outside. Its reply is not used, so a daemon that hangs
// delays the agent by this much at most.
const externalLimit = time.Second

// envClaudePID is set by Claude Code for its hooks since 2.1.213; before, the
// parent is the agent (or a shell between the two).
const envClaudePID = "CLAUDE_PID"

// external reports a hook outside of ccdir's sessions to a running daemon. It prints
// nothing and returns 0.
func external(hook string, stdin io.Reader, environ []string, uid, parent int, start time.Time) int {
	env := map[string]string{}
	for _, kv := range environ {
		if k, v, ok := strings.Cut(kv, "="); ok {
			env[k] = v
		}
	}
	c := call{line: line{hook: hook}, at: start, deadline: start.Add(externalLimit), pid: parent}
	if pid, err := strconv.Atoi(env[envClaudePID]); err == nil {
		c.pid = pid
	}
	if env[api.EnvSession] == "" && c.pid > 1 {
		c.socket = daemonSocket(env, uid)
	}
	if c.socket == "" {
		discard(stdin, drainOutside)
		return 0
	}
	c.id = newID(start)
	payload, ok := readPayload(stdin, api.MaxHookPayload, time.Until(c.deadline))
	if !ok {
		return 0
	}
	c.payload = payload
	_, _ = c.post(c.deadline)
	return 0
}

// daemonSocket returns the socket of the user's daemon; "" if there is none, or if another
// user could have created it, who must not read the payloads.
func daemonSocket(env map[string]string, uid int) string {
	p, err := paths.New(func(key string) string { return env[key] }, uid)
	if err != nil {
		return ""
	}
	if info, err := os.Lstat(p.Socket()); err != nil || info.Mode().Type() != os.ModeSocket {
		return ""
	}
	for _, dir := range p.RuntimeDirs() {
		info, err := os.Lstat(dir)
		if err != nil || !info.IsDir() || info.Mode().Perm()&0o077 != 0 {
			return ""
		}
		if st, ok := info.Sys().(*syscall.Stat_t); !ok || int(st.Uid) != uid {
			return ""
		}
	}
	return p.Socket()
}
