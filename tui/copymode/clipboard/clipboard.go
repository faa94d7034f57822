// Package clipboard puts text into the person's clipboard: by a command of theirs, else by
// OSC 52, which crosses SSH. A terminal does not tell whether it took it, so what is said
// of a copy is what is known: tmux can be asked whether it passes OSC 52 on.
package clipboard

import (
	"bytes"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"os/exec"
	"strings"
	"time"

	"ccdir/internal/text/textsafe"
	"ccdir/tui/attention/notify"
	"ccdir/tui/paint"
	"ccdir/tui/ui"
	"ccdir/tui/widget/format"
)

// Limits of a copy.
const (
	// maxOSC52 bounds the sequence in bytes; above smallOSC52 many terminals
	// drop it (xterm's and others' buffers).
	maxOSC52   = 16 << 20
	smallOSC52 = 100_000
	// within bounds the command.
	within = 10 * time.Second
)

// Way is how text gets into the clipboard.
type Way struct {
	Command string // of the shell, takes the text on its standard input; "" is OSC 52
	Via     paint.Clipboard
}

// State remembers what was said of the clipboard. The zero value is ready; the program's
// goroutine owns it.
type State struct {
	doubted bool      // it was said that a copy may not have arrived
	refused time.Time // when it was last said that a program's copy was not taken
}

// Copy copies text and says so.
func (s *State) Copy(env ui.Env, way Way, c ui.Copy) []ui.Effect {
	text, what := c.Text, describe(c.Text)
	copied := strings.TrimSpace(textsafe.Line(c.By) + " copied " + what)
	if way.Command != "" {
		return []ui.Effect{ui.Call{What: "copying",
			Run: func(ctx context.Context, _ ui.Client) (ui.Result, error) {
				err := run(ctx, way.Command, env.Environ, text)
				return ui.Result{Effects: say(copied)}, err
			},
			Failed: func(_ ui.Env, err error) []ui.Effect {
				return []ui.Effect{ui.Warn{Text: "copying with copy_command failed: " + ui.Problem(err)}}
			},
		}}
	}
	seq := OSC52(text, way.Via)
	switch {
	case way.Via == paint.ClipboardNone:
		return []ui.Effect{ui.Warn{Text: "this terminal has no clipboard: set copy_command in the configuration"}}
	case len(seq) > maxOSC52:
		return []ui.Effect{ui.Warn{Text: what + " is too much for the terminal's clipboard: E opens it in an editor"}}
	}
	out := []ui.Effect{ui.Emit{Bytes: seq}}
	switch {
	case len(seq) > smallOSC52 && way.Via != paint.ClipboardSure:
		return append(out, say("sent "+what+" to the terminal (OSC 52), which may be too much for it: set copy_command if it did not arrive")...)
	case way.Via == paint.ClipboardSure:
		return append(out, say(copied)...)
	case way.Via == paint.ClipboardTmux && env.Getenv("TMUX") != "":
		return append(out, s.askTmux(env, what, copied))
	}
	return append(out, s.doubt("sent "+what+" to the terminal (OSC 52); if it did not arrive, set copy_command", copied)...)
}

// doubt says once that a copy may not have arrived, and later that it was made.
func (s *State) doubt(doubt, copied string) []ui.Effect {
	if s.doubted {
		return say(copied)
	}
	s.doubted = true
	return say(doubt)
}

// tmuxHint says how to make tmux pass copies on.
const tmuxHint = "set -s set-clipboard on` in tmux, or copy_command = \"tmux load-buffer -w -\" in the configuration"

// askTmux says what became of a copy inside of tmux, which drops OSC 52 unless
// set-clipboard is on.
func (s *State) askTmux(env ui.Env, what, copied string) ui.Effect {
	return ui.Call{
		Run: func(ctx context.Context, _ ui.Client) (ui.Result, error) {
			setting, err := tmuxSetting(ctx, env.Environ)
			switch {
			case err != nil:
				return ui.Result{}, err
			case setting == "on":
				return ui.Result{Effects: say(copied)}, nil
			}
			return ui.Result{Effects: []ui.Effect{ui.Warn{Text: "tmux dropped the copy (set-clipboard is " + textsafe.Line(setting) + "): `" + tmuxHint}}}, nil
		},
		Failed: func(ui.Env, error) []ui.Effect {
			return s.doubt("sent "+what+" to tmux (OSC 52); if it did not arrive: `"+tmuxHint, copied)
		},
	}
}

// tmuxSetting asks tmux for its option set-clipboard: "on", "external" or "off".
func tmuxSetting(ctx context.Context, env []string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, 2*time.Second)
	defer cancel()
	c := exec.CommandContext(ctx, "tmux", "show-options", "-sv", "set-clipboard")
	c.Env, c.WaitDelay = env, time.Second
	out, err := c.Output()
	setting := strings.TrimSpace(string(out))
	if err == nil && setting == "" {
		err = errors.New("tmux does not say whether set-clipboard is on")
	}
	return setting, err
}

// OSC52 is the sequence that sets the clipboard; GNU screen has to be told to pass it on.
func OSC52(text string, via paint.Clipboard) []byte {
	out := []byte("\x1b]52;c;")
	out = base64.StdEncoding.AppendEncode(out, []byte(text))
	out = append(out, '\a')
	if via != paint.ClipboardScreen {
		return out
	}
	return []byte(notify.ForScreen(string(out)))
}

// run gives text to a command's standard input.
func run(ctx context.Context, command string, env []string, text string) error {
	ctx, cancel := context.WithTimeout(ctx, within)
	defer cancel()
	c := exec.CommandContext(ctx, "/bin/sh", "-c", command)
	var errs bytes.Buffer
	// wl-copy and xclip go on in the background with the files they were given:
	// a pipe for their errors would never end.
	c.Env, c.Stdin, c.Stderr, c.WaitDelay = env, strings.NewReader(text), &limited{&errs}, time.Second
	err := c.Run()
	switch {
	case err == nil, errors.Is(err, exec.ErrWaitDelay):
		return nil
	case ctx.Err() != nil:
		return fmt.Errorf("%s did not end within %v", textsafe.Line(command), within)
	case errs.Len() > 0:
		return fmt.Errorf("%s: %s", textsafe.Line(command), textsafe.Line(strings.TrimSpace(errs.String())))
	}
	return fmt.Errorf("%s: %w", textsafe.Line(command), err)
}

// limited keeps the beginning of what is written.
type limited struct{ b *bytes.Buffer }

func (l *limited) Write(p []byte) (int, error) {
	const most = 1 << 10
	if room := most - l.b.Len(); room > 0 {
		l.b.Write(p[:min(room, len(p))])
	}
	return len(p), nil
}

// describe says how much a text is, for people.
func describe(text string) string {
	lines := strings.Count(strings.TrimSuffix(text, "\n"), "\n") + 1
	if lines > 1 {
		return format.Count(lines) + " lines"
	}
	if n := paint.Width(strings.TrimSuffix(text, "\n")); n != 1 {
		return format.Count(n) + " characters"
	}
	return "1 character"
}

func say(text string) []ui.Effect { return []ui.Effect{ui.Say{Text: text}} }
