// Package notify tells a person who looks elsewhere that a session needs them:
// by the terminal's bell, by the sequences with which terminals show
// notifications (they cross SSH), or by a command. It decides nothing.
package notify

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
	"time"

	"ccdir/internal/text/textsafe"
)

// Ways of telling, by their names in the configuration.
const (
	Bell    = "bell"
	OSC9    = "osc9"   // iTerm2, kitty, ghostty, WezTerm, foot
	OSC777  = "osc777" // urxvt, kitty, ghostty, WezTerm, foot, Windows Terminal of 2026
	Command = "command"
)

// Message is one notification.
type Message struct {
	// Key names the event: the same one is not told twice.
	Key string
	// Event is its kind, Session the session's id, Name its name, Text one line.
	Event, Session, Name, Text string
}

// maxText bounds a notification's text, in characters.
const maxText = 200

// Via is what stands between ccdir and the terminal that shows notifications.
type Via uint8

// Ways to the terminal.
const (
	// ViaNothing: it is the terminal.
	ViaNothing Via = iota
	// ViaTmux hands through what is wrapped for it (set allow-passthrough on).
	ViaTmux
	// ViaScreen: GNU screen hands through device control strings.
	ViaScreen
	// ViaConsole: nothing shows notifications there; the bell stands for all.
	ViaConsole
)

// Sequence is the escape sequence for the terminal; "" for Command.
func Sequence(way string, m Message, via Via) string {
	name, text := clean(m.Name), clean(m.Text)
	switch {
	case way == Bell, via == ViaConsole && (way == OSC9 || way == OSC777):
		return "\a"
	case way == OSC9:
		return through("\x1b]9;ccdir: "+name+" "+text+"\a", via)
	case way == OSC777:
		return through("\x1b]777;notify;ccdir: "+strings.ReplaceAll(name, ";", ",")+";"+strings.ReplaceAll(text, ";", ",")+"\a", via)
	}
	return ""
}

// clean makes text harmless inside of a sequence, and short.
func clean(s string) string {
	return textsafe.Cut(textsafe.Line(s), maxText)
}

// screenPiece is how many bytes of a sequence go into one device control string of
// GNU screen, which holds 768 and prints the rest.
const screenPiece = 700

// through wraps a sequence so that a multiplexer in between (via) passes it on to the terminal.
func through(seq string, via Via) string {
	switch via {
	case ViaTmux:
		return "\x1bPtmux;" + strings.ReplaceAll(seq, "\x1b", "\x1b\x1b") + "\x1b\\"
	case ViaScreen:
		return ForScreen(seq)
	}
	return seq
}

// ForScreen wraps a sequence so that GNU screen hands it to the terminal around it.
// Characters of which a byte would end the string (0x9c) become question marks.
func ForScreen(seq string) string {
	var out strings.Builder
	piece := 0
	for _, r := range seq {
		c := string(r)
		if strings.Contains(c, "\x9c") {
			c = "?"
		}
		if piece+len(c) > screenPiece {
			out.WriteString("\x1b\\")
			piece = 0
		}
		if piece == 0 {
			out.WriteString("\x1bP")
		}
		out.WriteString(c)
		piece += len(c)
	}
	if piece > 0 {
		out.WriteString("\x1b\\")
	}
	return out.String()
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

// Claims are what several grids know of each other's telling: who is the first to
// tell an event by a command, and what somebody has before their eyes. The zero value
// grants everything and knows of nothing.
type Claims struct{ File string }

// claimsKept is how many events are remembered.
const claimsKept = 256

// seenMark ends the keys of events that somebody has before their eyes.
const seenMark = "/seen"

// See notes that somebody has what the event is about before their eyes.
func (c Claims) See(key string) error {
	_, err := c.Claim(key + seenMark)
	return err
}

// Seen reports whether somebody has.
func (c Claims) Seen(key string) (bool, error) {
	if c.File == "" {
		return false, nil
	}
	f, keys, err := c.locked()
	if err != nil {
		return false, apart(err)
	}
	defer f.Close() // gives the lock up
	return slices.Contains(keys, key+seenMark), nil
}

// apart says what an error of the file of claims means.
func apart(err error) error { return fmt.Errorf("notifications cannot be kept apart: %w", err) }

// locked opens and locks the file until it is closed, and reads its keys, the oldest
// first.
func (c Claims) locked() (*os.File, []string, error) {
	f, err := os.OpenFile(c.File, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, nil, err
	}
	err = lock(f)
	if err == nil {
		var data []byte
		if data, err = io.ReadAll(io.LimitReader(f, 1<<20)); err == nil {
			return f, strings.Fields(string(data)), nil
		}
	}
	return nil, nil, errors.Join(err, f.Close())
}

// Claim reports whether this caller is the first one.
func (c Claims) Claim(key string) (first bool, err error) {
	if c.File == "" {
		return true, nil
	}
	f, keys, err := c.locked()
	if err != nil {
		return false, apart(err)
	}
	defer f.Close() // gives the lock up; what was written is checked below
	if slices.Contains(keys, key) {
		return false, nil
	}
	keys = append(keys[max(0, len(keys)-claimsKept+1):], key)
	text := strings.Join(keys, "\n") + "\n"
	if _, err = f.WriteAt([]byte(text), 0); err != nil {
		return false, apart(err)
	}
	if err := f.Truncate(int64(len(text))); err != nil {
		return false, apart(err)
	}
	return true, nil
}
