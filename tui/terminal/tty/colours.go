package tty

import (
	"bufio"
	"bytes"
	"context"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
	"time"

	"github.com/charmbracelet/colorprofile"
)

const (
	// TmuxWithin bounds the call of tmux: its server may hang, or be stopped.
	TmuxWithin = time.Second
	// maxTmuxInfo bounds its output, in bytes.
	maxTmuxInfo = 1 << 20
)

// Colours detects how many colours the terminal has. Inside tmux it asks tmux within a
// bounded time; the library would wait for ever.
func Colours(out *os.File, env []string, within time.Duration) colorprofile.Profile {
	inside := false
	plain := slices.DeleteFunc(slices.Clone(env), func(kv string) bool {
		value, is := strings.CutPrefix(kv, "TMUX=")
		inside = inside || is && value != ""
		return is
	})
	p := colorprofile.Detect(out, plain)
	if !inside || p <= colorprofile.ASCII || p == colorprofile.TrueColor {
		return p
	}
	if tmuxTrueColour(env, within) {
		return colorprofile.TrueColor
	}
	return max(p, colorprofile.ANSI256)
}

// tmuxTrueColour asks tmux whether one of its clients has true colour. No reply in time
// means no.
func tmuxTrueColour(env []string, within time.Duration) bool {
	ctx, cancel := context.WithTimeout(context.Background(), within)
	defer cancel()
	cmd := exec.CommandContext(ctx, "tmux", "info")
	cmd.Env = env
	ownGroup(cmd)
	cmd.WaitDelay = within / 10 // its children may keep the pipe open
	r, w := io.Pipe()
	cmd.Stdout = w
	if cmd.Start() != nil {
		return false
	}
	go func() { _ = w.CloseWithError(cmd.Wait()) }()
	defer r.Close() // the rest of the output is dropped
	lines := bufio.NewScanner(io.LimitReader(r, maxTmuxInfo))
	for lines.Scan() {
		l := lines.Bytes()
		if (bytes.Contains(l, []byte("Tc")) || bytes.Contains(l, []byte("RGB"))) && bytes.Contains(l, []byte("true")) {
			return true
		}
	}
	return false
}
