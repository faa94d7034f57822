// Package notify tells a person who looks elsewhere that a session needs them:
// by the terminal's bell, by the sequences with which terminals show
// notifications (they cross SSH), or by a command. It decides nothing.
package notify

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"slices"
	"strings"
	"time"

	"ccdir/internal/textsafe"
)

// Ways of telling, by their names in the configuration.
const (
	Bell    = "bell"
	OSC9    = "osc9"   // iTerm2, Windows Terminal, kitty, ghostty, WezTerm, foot
	OSC777  = "osc777" // urxvt, ghostty, WezTerm, foot
	Command = "command"
)

// Message is what is told.
type Message struct {
	// Key names the event: the same one is not told twice.
	Key string
	// Event is its kind, Session the session's id, Name its name, Text one line.
	Event, Session, Name, Text string
}

// maxText bounds what is told, in characters.
const maxText = 200

// Sequence is what the terminal is sent, "" for Command. env looks up the
// person's environment: inside tmux and screen the sequences are handed through
// to the terminal around them (tmux: set allow-passthrough on).
func Sequence(way string, m Message, env func(string) string) string {
	name, text := clean(m.Name), clean(m.Text)
	switch way {
	case Bell:
		return "\a"
	case OSC9:
		return through("\x1b]9;ccdir: "+name+" "+text+"\a", env)
	case OSC777:
		return through("\x1b]777;notify;ccdir: "+strings.ReplaceAll(name, ";", ",")+";"+strings.ReplaceAll(text, ";", ",")+"\a", env)
	}
	return ""
}

// clean makes text harmless inside of a sequence, and short.
func clean(s string) string {
	return textsafe.Cut(textsafe.Line(s), maxText)
}

// through wraps a sequence for what stands between ccdir and the terminal.
func through(seq string, env func(string) string) string {
	switch {
	case env("TMUX") != "":
		return "\x1bPtmux;" + strings.ReplaceAll(seq, "\x1b", "\x1b\x1b") + "\x1b\\"
	case env("STY") != "":
		return "\x1bP" + seq + "\x1b\\"
	}
	return seq
}

// commandFor bounds how long a command runs.
const commandFor = 10 * time.Second

// Run runs the command of a person: its arguments, then title and text. It
// finds the rest in its environment: CCDIR_EVENT, CCDIR_SESSION, CCDIR_NAME. It
// ends with ctx or after ten seconds.
func Run(ctx context.Context, argv, env []string, m Message) error {
	if len(argv) == 0 {
		return errors.New("notify: no command is configured")
	}
	ctx, cancel := context.WithTimeout(ctx, commandFor)
	defer cancel()
	args := append(slices.Clone(argv[1:]), "ccdir: "+clean(m.Name), clean(m.Text))
	cmd := exec.CommandContext(ctx, argv[0], args...)
	cmd.Env = append(slices.Clone(env), "CCDIR_EVENT="+m.Event, "CCDIR_SESSION="+m.Session, "CCDIR_NAME="+clean(m.Name))
	cmd.WaitDelay = time.Second
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("the command for notifications failed (%s): %w", textsafe.Line(argv[0]), err)
	}
	return nil
}

// Claims keeps grids from telling the same event twice by a command: the first
// one that claims it may. The zero value grants everything.
type Claims struct{ File string }

// claimsKept is how many events are remembered.
const claimsKept = 256

// Claim reports whether this caller is the first one.
func (c Claims) Claim(key string) (first bool, err error) {
	if c.File == "" {
		return true, nil
	}
	f, err := os.OpenFile(c.File, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return false, fmt.Errorf("notifications cannot be kept apart: %w", err)
	}
	defer f.Close() // gives the lock up; what was written is checked below
	if err := lock(f); err != nil {
		return false, fmt.Errorf("notifications cannot be kept apart: %w", err)
	}
	data, err := io.ReadAll(io.LimitReader(f, 1<<20))
	if err != nil && !errors.Is(err, fs.ErrClosed) {
		return false, fmt.Errorf("notifications cannot be kept apart: %w", err)
	}
	lines := bytes.Fields(data)
	for _, l := range lines {
		if string(l) == key {
			return false, nil
		}
	}
	lines = append(lines[max(0, len(lines)-claimsKept+1):], []byte(key))
	if _, err = f.WriteAt(append(bytes.Join(lines, []byte("\n")), '\n'), 0); err != nil {
		return false, fmt.Errorf("notifications cannot be kept apart: %w", err)
	}
	total := len(lines)
	for _, l := range lines {
		total += len(l)
	}
	if err := f.Truncate(int64(total)); err != nil {
		return false, fmt.Errorf("notifications cannot be kept apart: %w", err)
	}
	return true, nil
}
