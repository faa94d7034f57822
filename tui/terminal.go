package tui

import (
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/charmbracelet/x/term"
	"github.com/muesli/cancelreader"

	"ccdir/internal/rawio"
	"ccdir/tui/paint"
)

// What the outer terminal is sent beside pictures (xterm ctlseqs): kitty's
// keyboard protocol, flag 1, so that Escape and Control keys are told apart; the
// questions whether synchronized updates are there and which colour the
// background has, for whose answers nobody waits; mode 2031, in which the terminal
// tells when it becomes dark or light; what is undone at the end.
const (
	pushKeys      = "\x1b[>1u"
	popKeys       = "\x1b[<u"
	askSync       = "\x1b[?2026$p"
	tellScheme    = "\x1b[?2031h"
	hideScheme    = "\x1b[?2031l"
	askBackground = "\x1b]11;?\x1b\\"
	endStyle      = "\x1b[m"
	endLink       = "\x1b]8;;\x1b\\"
	endSync       = "\x1b[?2026l"
	showCursor    = "\x1b[?25h"
	ownShape      = "\x1b[0 q"
	keypadOn      = "\x1b="
	keypadOff     = "\x1b>"
	clearScreen   = "\x1b[H\x1b[2J"
	clearBelow    = "\r\x1b[J"
)

// modeNumbers are the numbers of the modes, in the order in which they are
// switched on.
var modeNumbers = []struct {
	mode    paint.Modes
	numbers []string
}{
	{paint.ModeAltScreen, []string{"1049"}}, {paint.ModePaste, []string{"2004"}},
	{paint.ModeFocus, []string{"1004"}}, {paint.ModeMouse, []string{"1002", "1006"}},
}

// enterSequence is what begins the grid; first for the first time, not after
// somebody else had the terminal for a while.
func (t *terminal) enterSequence(first bool) string {
	var seq strings.Builder
	for _, m := range modeNumbers {
		if t.caps.Modes&m.mode == 0 || m.mode == paint.ModeMouse && !t.mouse {
			continue
		}
		for _, n := range m.numbers {
			seq.WriteString("\x1b[?" + n + "h")
		}
	}
	if t.followsScheme() {
		seq.WriteString(tellScheme)
	}
	if t.caps.Keypad {
		seq.WriteString(keypadOn)
	}
	if !first { // what is pushed once is popped once
		return seq.String()
	}
	if t.caps.Extended {
		seq.WriteString(pushKeys)
	}
	if t.caps.Asks {
		seq.WriteString(askSync)
	}
	if t.followsScheme() {
		seq.WriteString(askBackground)
	}
	return seq.String()
}

// followsScheme reports whether it matters if the terminal is dark or light, and
// whether it may be asked.
func (t *terminal) followsScheme() bool { return t.caps.Extended && t.askBG }

// leaveSequence gives the terminal back. The mouse is switched off also where it
// was not switched on, for those that were killed before.
func (t *terminal) leaveSequence() string {
	seq := endStyle
	if t.caps.Links {
		seq = endLink + endStyle
	}
	if t.caps.Asks {
		seq += endSync
	}
	if t.followsScheme() {
		seq += hideScheme
	}
	alt := ""
	for _, m := range slices.Backward(modeNumbers) {
		if t.caps.Modes&m.mode == 0 {
			continue
		}
		for _, n := range slices.Backward(m.numbers) {
			if m.mode == paint.ModeAltScreen {
				alt += "\x1b[?" + n + "l"
				continue
			}
			seq += "\x1b[?" + n + "l"
		}
	}
	seq += showCursor
	if t.caps.Shapes {
		seq += ownShape
	}
	if t.caps.Keypad {
		seq += keypadOff
	}
	if t.caps.Extended { // its stack belongs to the alternate screen
		seq += popKeys
	}
	if !t.caps.Restores {
		// New consoles do bring back what was there, but after a resize not the
		// cursor: what follows must not be written into it.
		seq += clearScreen
		alt += clearBelow
	}
	return seq + alt
}

// restoreWithin bounds writing the modes back to a terminal that takes nothing.
const restoreWithin = time.Second

// terminal is the outer terminal: its files and modes.
type terminal struct {
	in     cancelreader.CancelReader
	out    output
	given  *os.File // the input as the caller gave it
	inFile *os.File // for raw mode; nil if it is no terminal
	// outFile is asked for the size. (Fd of a file that was opened anew would
	// make it blocking.)
	outFile *os.File
	opened  []io.Closer
	caps    paint.Caps
	fixed   [2]int // size given by the options
	askBG   bool   // the background's colour is asked for
	mouse   bool   // mouse events are asked for
	backs   backgroundAsks

	mu     sync.Mutex // guards the rest
	saved  *term.State
	active bool
	asked  firstAsk
}

// firstAsk is what the terminal was asked when it was taken: how often for mode 2026,
// and when last.
type firstAsk struct {
	sync uint64
	at   time.Time
}

// output is what the terminal is written to.
type output interface {
	io.Writer
	SetWriteDeadline(t time.Time) error
}

// openTerminal prepares in and out without changing any mode. The files are
// opened anew by their names where possible: reads and writes then park a
// goroutine instead of a thread, can be cancelled, and the O_NONBLOCK that it
// takes does not reach the shell, which shares the files that it gave us.
func openTerminal(o Options, caps paint.Caps) (*terminal, error) {
	t := &terminal{given: o.In, out: o.Out, outFile: o.Out, caps: caps, fixed: [2]int{o.Cols, o.Rows}, mouse: !o.NoMouse}
	if term.IsTerminal(o.In.Fd()) {
		t.inFile = o.In
		if f := t.own(o.In, os.O_RDONLY); f != nil {
			t.in = deadlineReader{f}
		}
	}
	if term.IsTerminal(o.Out.Fd()) {
		if f := t.own(o.Out, os.O_WRONLY); f != nil {
			t.out = f
		}
	} else if o.Cols <= 0 || o.Rows <= 0 {
		return nil, errors.New("the output is not a terminal: run ccdir in one, or use `ccdir ls` and the other verbs")
	}
	if t.in == nil && o.In.SetReadDeadline(time.Time{}) == nil {
		t.in = deadlineReader{o.In}
	}
	if t.in != nil {
		return t, nil
	}
	r, err := cancelreader.NewReader(o.In)
	if err != nil {
		t.close()
		return nil, fmt.Errorf("reading the terminal: %w", err)
	}
	t.in = r
	return t, nil
}

// own opens the terminal behind f anew, nil if that is not possible.
func (t *terminal) own(f *os.File, flag int) *rawio.File {
	again := reopen(f, flag)
	if again == nil {
		return nil
	}
	own, err := rawio.NewFile(again)
	if err != nil {
		return nil
	}
	t.opened = append(t.opened, own)
	return own
}

// deadlineReader cancels reads of a file that can be waited for.
type deadlineReader struct {
	f interface {
		io.Reader
		SetReadDeadline(t time.Time) error
	}
}

// reread makes the input readable again after Cancel.
func (t *terminal) reread() error {
	if r, ok := t.in.(deadlineReader); ok {
		return r.f.SetReadDeadline(time.Time{})
	}
	_ = t.in.Close()
	r, err := cancelreader.NewReader(t.given)
	if err == nil {
		t.in = r
	}
	return err
}

func (r deadlineReader) Read(p []byte) (int, error) {
	n, err := r.f.Read(p)
	if errors.Is(err, os.ErrDeadlineExceeded) {
		err = cancelreader.ErrCanceled
	}
	return n, err
}
func (r deadlineReader) Cancel() bool { return r.f.SetReadDeadline(time.Unix(1, 0)) == nil }
func (r deadlineReader) Close() error { return nil }

// enter takes the terminal: raw mode and its modes. Safe to call again after
// somebody else used the terminal (SIGCONT).
func (t *terminal) enter() error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.inFile != nil {
		old, err := term.MakeRaw(t.inFile.Fd())
		if err != nil {
			return fmt.Errorf("switching the terminal to raw mode: %w", err)
		}
		if t.saved == nil {
			t.saved = old
		}
	}
	_ = t.out.SetWriteDeadline(time.Time{}) // leave sets one
	seq := t.enterSequence(!t.active)
	if !t.active && t.followsScheme() {
		t.backs.ask(time.Now())
	}
	if !t.active && t.caps.Asks {
		t.asked = firstAsk{t.asked.sync + 1, time.Now()}
	}
	t.active = true
	if _, err := io.WriteString(t.out, seq); err != nil {
		return fmt.Errorf("writing to the terminal: %w", err)
	}
	return nil
}

// leave gives the terminal back as it was. Safe to call more than once; a
// terminal that takes nothing any more holds it up for restoreWithin at most.
func (t *terminal) leave() {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.active {
		t.active = false
		seq := t.leaveSequence()
		done := make(chan struct{})
		go func() {
			defer close(done)
			_ = t.out.SetWriteDeadline(time.Now().Add(restoreWithin))
			_, _ = io.WriteString(t.out, seq)
		}()
		timer := time.NewTimer(restoreWithin + 100*time.Millisecond)
		select {
		case <-done:
		case <-timer.C:
		}
		timer.Stop()
	}
	if t.saved != nil {
		_ = term.Restore(t.inFile.Fd(), t.saved)
		t.saved = nil
	}
}

// unblock ends a write that the terminal does not take.
func (t *terminal) unblock() { _ = t.out.SetWriteDeadline(time.Now()) }

// close frees the files that were opened.
func (t *terminal) close() {
	if t.in != nil {
		_ = t.in.Close()
	}
	for _, f := range t.opened {
		_ = f.Close()
	}
}

// size is the terminal's size in cells; a terminal that says 0x0 (some serial
// lines) counts as 80x24.
func (t *terminal) size() (cols, rows int) {
	if t.fixed[0] > 0 && t.fixed[1] > 0 {
		return t.fixed[0], t.fixed[1]
	}
	w, h, err := term.GetSize(t.outFile.Fd())
	if err != nil || w <= 0 || h <= 0 {
		return 80, 24
	}
	return min(w, maxCells), min(h, maxCells)
}

// maxCells bounds what a terminal can claim to be, in cells per side.
const maxCells = 2000
