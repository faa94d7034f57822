package tui

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
	"ccdir/tui/copymode"
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
	// copyWithin bounds the configured copy command.
	copyWithin = 10 * time.Second
)

// yank copies the selection, or the cursor's line if there is none; leave ends
// copy mode then.
func (m *model) yank(c *copyView, leave bool) cmd {
	st := c.st
	if st.Kind == copymode.None {
		st.Anchor, st.Kind = st.Cursor, copymode.Lines
	}
	text := st.Text()
	if leave {
		m.leaveCopy(c.id)
	}
	if strings.TrimSpace(text) == "" {
		if leave {
			m.say("nothing but blanks is selected: nothing was copied")
		}
		return nil
	}
	return m.copyText(text)
}

// copyText puts text into the clipboard: by the configured command, else by
// OSC 52, which crosses SSH. A terminal does not tell whether it took it.
func (m *model) copyText(text string) cmd {
	what := describeText(text)
	if command := m.opts.CopyCommand; command != "" {
		env := m.opts.Env
		return m.callOr("copying", func(c calls) (func(*model), error) {
			err := runCopy(c.ctx, command, env, text)
			return func(m *model) { m.say("copied " + what) }, err
		}, func(m *model, err error) {
			m.warn("copying with copy_command failed: " + ui.Problem(err))
		})
	}
	seq := osc52(text, m.caps.Clipboard)
	switch {
	case m.emit == nil || m.caps.Clipboard == paint.ClipboardNone:
		m.warn("this terminal has no clipboard: set copy_command in the configuration")
		return nil
	case len(seq) > maxOSC52:
		m.warn(what + " is too much for the terminal's clipboard: E opens it in an editor")
		return nil
	}
	m.emit(seq)
	switch {
	case len(seq) > smallOSC52 && m.caps.Clipboard != paint.ClipboardSure:
		m.say("sent " + what + " to the terminal (OSC 52), which may be too much for it: set copy_command if it did not arrive")
	case m.caps.Clipboard == paint.ClipboardTmux:
		m.say("sent " + what + " to tmux (OSC 52): it needs `set -g set-clipboard on`, or set copy_command = \"tmux load-buffer -w -\"")
	case m.caps.Clipboard == paint.ClipboardSure:
		m.say("copied " + what)
	default:
		m.say("sent " + what + " to the terminal (OSC 52); if it did not arrive, set copy_command")
	}
	return nil
}

// osc52 is the sequence that sets the clipboard; GNU screen has to be told to
// pass it on.
func osc52(text string, via paint.Clipboard) []byte {
	out := []byte("\x1b]52;c;")
	out = base64.StdEncoding.AppendEncode(out, []byte(text))
	out = append(out, '\a')
	if via != paint.ClipboardScreen {
		return out
	}
	return []byte(notify.ForScreen(string(out)))
}

// runCopy gives text to a command's standard input.
func runCopy(ctx context.Context, command string, env []string, text string) error {
	ctx, cancel := context.WithTimeout(ctx, copyWithin)
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
		return fmt.Errorf("%s did not end within %v", textsafe.Line(command), copyWithin)
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

// describeText says how much a text is, for people.
func describeText(text string) string {
	lines := strings.Count(strings.TrimSuffix(text, "\n"), "\n") + 1
	if lines > 1 {
		return format.Count(lines) + " lines"
	}
	if n := paint.Width(strings.TrimSuffix(text, "\n")); n != 1 {
		return format.Count(n) + " characters"
	}
	return "1 character"
}
