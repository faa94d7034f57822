package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// ready is printed by a measured pane once its terminal is in raw mode.
const ready = "<ready>"

// echoPane is a program that writes back its input, unbuffered: the least that can
// stand between a key and its echo.
var echoPane = []string{"sh", "-c", "stty raw -echo; printf '" + ready + "'; exec cat"}

// system is one way to run panes in an outer terminal.
type system interface {
	name() string
	// start runs the panes, the first one focused, and returns the outer terminal once
	// the ready text of the first was printed.
	start(ctx context.Context, o options, panes [][]string) (*outer, error)
	// processes are the system's own processes (not the panes'), by role.
	processes() (map[string][]int, error)
	stop()
}

// bare is a PTY with nothing in between; it shows the first pane alone.
type bare struct{ term *outer }

func (b *bare) name() string { return "bare PTY" }

func (b *bare) start(_ context.Context, o options, panes [][]string) (*outer, error) {
	term, err := startOuter(o, cleanEnv(), panes[0]...)
	if err != nil {
		return nil, err
	}
	b.term = term
	return term, term.until(ready, 5*time.Second)
}

func (b *bare) processes() (map[string][]int, error) { return nil, nil }

func (b *bare) stop() {
	if b.term != nil {
		b.term.close()
	}
}

// tmux runs the panes in one tiled window of a server of its own, without the
// user's configuration.
type tmux struct {
	term   *outer
	socket string
}

func (t *tmux) name() string { return "tmux" }

func (t *tmux) start(ctx context.Context, o options, panes [][]string) (*outer, error) {
	t.socket = fmt.Sprintf("ccdir-bench-%d-%d", os.Getpid(), time.Now().UnixNano())
	size := []string{"-x", fmt.Sprint(o.cols), "-y", fmt.Sprint(o.rows)}
	var args []string
	if o.history > 0 {
		args = []string{"start-server", ";", "set-option", "-g", "history-limit", fmt.Sprint(o.history), ";"}
	}
	args = append(append(append(args, "new-session", "-d"), size...), quote(panes[0]))
	if err := t.run(ctx, args...); err != nil {
		return nil, err
	}
	for _, p := range panes[1:] {
		if err := t.run(ctx, "split-window", "-t", ":0.0", "-d", quote(p), ";", "select-layout", "tiled"); err != nil {
			return nil, err
		}
	}
	term, err := startOuter(o, cleanEnv(), "tmux", "-L", t.socket, "-f", "/dev/null", "-u", "attach")
	if err != nil {
		return nil, err
	}
	t.term = term
	return term, term.until(ready, 5*time.Second)
}

func (t *tmux) run(ctx context.Context, args ...string) error {
	cmd := exec.CommandContext(ctx, "tmux", append([]string{"-L", t.socket, "-f", "/dev/null", "-u"}, args...)...)
	cmd.Env = cleanEnv()
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("tmux %s: %w: %s", args[0], err, bytes.TrimSpace(out))
	}
	return nil
}

func (t *tmux) processes() (map[string][]int, error) {
	out, err := exec.Command("tmux", "-L", t.socket, "display-message", "-p", "#{pid}").Output()
	if err != nil {
		return nil, err
	}
	var server int
	if _, err := fmt.Sscan(string(out), &server); err != nil {
		return nil, err
	}
	return map[string][]int{"server": {server}, "client": {t.term.cmd.Process.Pid}}, nil
}

func (t *tmux) stop() {
	_ = t.run(context.Background(), "kill-server")
	if t.term != nil {
		t.term.close()
	}
}

// ccdir runs the panes as sessions in a throw-away CCDIR_HOME.
type ccdir struct {
	term *outer
	bin  string
	// fixed replaces the directory of the options, unless "".
	fixed string
	home  string
}

func (c *ccdir) name() string { return "ccdir" }

func (c *ccdir) start(ctx context.Context, o options, panes [][]string) (*outer, error) {
	c.bin = cmp.Or(c.fixed, o.bin)
	home, err := os.MkdirTemp("", "ccdir-bench-")
	if err != nil {
		return nil, err
	}
	c.home = home
	// The panes alone are compared: no list of sessions beside them.
	if err := os.MkdirAll(filepath.Join(home, "state"), 0o700); err != nil {
		return nil, err
	}
	if err := os.WriteFile(filepath.Join(home, "state", "grid.json"), []byte(`{"list":{"hidden":true}}`), 0o600); err != nil {
		return nil, err
	}
	if o.fullWidth {
		if err := os.MkdirAll(filepath.Join(home, "config"), 0o700); err != nil {
			return nil, err
		}
		if err := os.WriteFile(filepath.Join(home, "config", "config.toml"), []byte("sidebar = false\n"), 0o600); err != nil {
			return nil, err
		}
	}
	var first string
	for i, p := range panes {
		out, err := c.run(ctx, append([]string{"new", "-n", fmt.Sprintf("p%d", i), "--"}, p...)...)
		if err != nil {
			return nil, err
		}
		if i == 0 {
			first = strings.TrimSpace(string(out))
		}
	}
	args := []string{filepath.Join(c.bin, "ccdir")}
	if len(panes) == 1 {
		args = append(args, "attach", first)
	}
	term, err := startOuter(o, c.env(), args...)
	if err != nil {
		return nil, err
	}
	c.term = term
	if err := term.until(ready, 10*time.Second); err != nil {
		return nil, err
	}
	_, err = c.run(ctx, "focus", first)
	return term, err
}

func (c *ccdir) env() []string { return cleanEnv("CCDIR_HOME=" + c.home) }

func (c *ccdir) run(ctx context.Context, args ...string) ([]byte, error) {
	cmd := exec.CommandContext(ctx, filepath.Join(c.bin, "ccdir"), args...)
	cmd.Env = c.env()
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("ccdir %s: %w: %s", args[0], err, bytes.TrimSpace(stderr.Bytes()))
	}
	return out, nil
}

func (c *ccdir) processes() (map[string][]int, error) {
	roles := map[string][]int{"tui": {c.term.cmd.Process.Pid}}
	var server struct {
		PID int `json:"pid"`
	}
	out, err := c.run(context.Background(), "daemon", "status", "--json")
	if err != nil {
		return nil, err
	}
	if err := json.Unmarshal(out, &server); err != nil {
		return nil, err
	}
	roles["daemon"] = []int{server.PID}
	files, err := filepath.Glob(filepath.Join(c.home, "state", "sessions", "*", "host.json"))
	if err != nil {
		return nil, err
	}
	for _, f := range files {
		var host struct {
			PID int `json:"pid"`
		}
		data, err := os.ReadFile(f)
		if err != nil {
			return nil, err
		}
		if err := json.Unmarshal(data, &host); err != nil {
			return nil, err
		}
		roles["hosts"] = append(roles["hosts"], host.PID)
	}
	return roles, nil
}

func (c *ccdir) stop() {
	if c.home == "" {
		return
	}
	_, _ = c.run(context.Background(), "daemon", "stop", "--kill-sessions")
	if c.term != nil {
		c.term.close()
	}
	_ = os.RemoveAll(c.home)
}

// quote makes one shell word of each argument, for tmux's command strings.
func quote(argv []string) string {
	words := make([]string, len(argv))
	for i, a := range argv {
		words[i] = "'" + strings.ReplaceAll(a, "'", `'\''`) + "'"
	}
	return "exec " + strings.Join(words, " ")
}
