package tty

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

	"ccdir/internal/text/textsafe"
	"ccdir/internal/tune/rawio"
	"ccdir/tui/paint"
)

// Sequences for the outer terminal besides pictures (xterm ctlseqs). pushKeys is kitty's
// keyboard protocol with flag 1, which tells Escape and Control keys apart, and flag 4,
// which reports a key also as it is with Shift and on a US layout. Nobody waits for replies
// to queries. In mode 2031 the terminal reports when it becomes dark or light.
const (
	pushKeys   = "\x1b[>5u"
	popKeys    = "\x1b[<u"
	AskSync    = "\x1b[?2026$p" // query for synchronized updates (DECRQM)
	AskStatus  = "\x1b[5n"      // DSR: every terminal replies when it gets there
	TellScheme = "\x1b[?2031h"  // mode 2031
	hideScheme = "\x1b[?2031l"
	// AskBackground queries the background's colour, and before it the text's, which nobody
	// waits for.
	AskBackground = "\x1b]10;?\x1b\\\x1b]11;?\x1b\\"
	endStyle      = "\x1b[m"
	endLink       = "\x1b]8;;\x1b\\"
	endSync       = "\x1b[?2026l"
	showCursor    = "\x1b[?25h"
	ownShape      = "\x1b[0 q"
	keypadOn      = "\x1b="
	keypadOff     = "\x1b>"
	clearScreen   = "\x1b[H\x1b[2J"
	clearBelow    = "\r\x1b[J"
	// XTWINOPS: the window's title is put on a stack, and comes back from it. A terminal
	// without that stack has no title afterwards.
	pushTitle = "\x1b[22;2t"
	popTitle  = "\x1b]2;\a\x1b[23;2t"
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

// Modes are the modes that the grid switches on in a terminal.
type Modes struct {
	Caps paint.Caps
	// Background: the colour of the background matters.
	Background bool
	// Mouse: events of the mouse are wanted.
	Mouse bool
	// Title is the window's title; "" leaves it alone.
	Title string
}

// Begin is the sequence that takes the terminal; first: for the first time, not after
// another program had the terminal for a while.
func (m Modes) Begin(first bool) string {
	var seq strings.Builder
	for _, one := range modeNumbers {
		if m.Caps.Modes&one.mode == 0 || one.mode == paint.ModeMouse && !m.Mouse {
			continue
		}
		for _, n := range one.numbers {
			seq.WriteString("\x1b[?" + n + "h")
		}
	}
	if m.followsScheme() {
		seq.WriteString(TellScheme)
	}
	if m.Caps.Keypad {
		seq.WriteString(keypadOn)
	}
	if !first { // push and pop once each
		return seq.String()
	}
	if m.Caps.Extended {
		seq.WriteString(pushKeys)
	}
	if m.titles() {
		seq.WriteString(pushTitle + m.title())
	}
	if m.Caps.Asks {
		seq.WriteString(AskSync + AskStatus)
	}
	if m.followsScheme() {
		seq.WriteString(AskBackground)
	}
	return seq.String()
}

// titles reports whether the window has a title of the grid's.
func (m Modes) titles() bool { return m.Caps.Extended && m.Title != "" }

// title sets the window's title.
func (m Modes) title() string { return "\x1b]2;" + textsafe.Line(m.Title) + "\a" }

// followsScheme reports whether the grid follows the terminal's background, and may ask
// for it.
func (m Modes) followsScheme() bool { return m.Caps.Extended && m.Background }

// End is the sequence that gives the terminal back. It also switches a mouse off that was
// not switched on: an earlier grid may have been killed.
func (m Modes) End() string {
	seq := endStyle
	if m.Caps.Links {
		seq = endLink + endStyle
	}
	if m.Caps.Asks {
		seq += endSync
	}
	if m.followsScheme() {
		seq += hideScheme
	}
	alt := ""
	for _, one := range slices.Backward(modeNumbers) {
		if m.Caps.Modes&one.mode == 0 {
			continue
		}
		for _, n := range slices.Backward(one.numbers) {
			if one.mode == paint.ModeAltScreen {
				alt += "\x1b[?" + n + "l"
				continue
			}
			seq += "\x1b[?" + n + "l"
		}
	}
	if m.titles() {
		seq += popTitle
	}
	seq += showCursor
	if m.Caps.Shapes {
		seq += ownShape
	}
	if m.Caps.Keypad {
		seq += keypadOff
	}
	if m.Caps.Extended { // its stack belongs to the alternate screen
		seq += popKeys
	}
	if !m.Caps.Restores {
		// New consoles do bring back what was there, but after a resize not the
		// cursor: what follows must not be written into it.
		seq += clearScreen
		alt += clearBelow
	}
	return seq + alt
}

// restoreWithin bounds writing the modes back to a terminal that takes nothing.
const restoreWithin = time.Second

// Terminal is the outer terminal: its files and modes. Its methods may be called from any
// goroutine, but reads of Input, Reread and Drain by one at a time.
type Terminal struct {
	in     cancelreader.CancelReader
	out    output
	given  *os.File // the caller's input
	inFile *os.File // for raw mode; nil if it is no terminal
	// outFile is asked for the size. (Fd of a file that was opened again would make that
	// one blocking.)
	outFile *os.File
	opened  []io.Closer
	modes   Modes  // mu guards Mouse and Title
	fixed   [2]int // size of Config, in cells; zero: ask
	backs   BackgroundAsks

	mu     sync.Mutex // guards the rest
	saved  *term.State
	active bool
	asked  firstAsk
}

// firstAsk counts the status queries of Enter, and keeps the time of the last one.
type firstAsk struct {
	status uint64
	at     time.Time
}

// output is a file for writing to the terminal.
type output interface {
	io.Writer
	SetWriteDeadline(t time.Time) error
}

// Config is a terminal to open.
type Config struct {
	In, Out *os.File
	// Cols and Rows are the size in cells, instead of the terminal's, if both are above 0.
	// Then Out need not be a terminal.
	Cols, Rows int
	Modes      Modes
}

// Open prepares the files and changes no mode. Where possible it opens them again by their
// names: reads and writes then park a goroutine instead of a thread and can be cancelled,
// and the O_NONBLOCK that this takes does not reach the shell, which shares its files.
func Open(o Config) (*Terminal, error) {
	t := &Terminal{given: o.In, out: o.Out, outFile: o.Out, modes: o.Modes, fixed: [2]int{o.Cols, o.Rows}}
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
		t.Close()
		return nil, fmt.Errorf("reading the terminal: %w", err)
	}
	t.in = r
	return t, nil
}

// own opens the terminal behind f again; nil: not possible.
func (t *Terminal) own(f *os.File, flag int) *rawio.File {
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

// Input delivers the person's input. Reread may replace it.
func (t *Terminal) Input() io.Reader { return t.in }

// Output takes the grid's pictures.
func (t *Terminal) Output() io.Writer { return t.out }

// File is the output as a file of our own; nil if it could not be opened again.
func (t *Terminal) File() *rawio.File {
	own, ok := t.out.(*rawio.File)
	if !ok {
		return nil
	}
	return own
}

// Backs are the queries for the background colour.
func (t *Terminal) Backs() *BackgroundAsks { return &t.backs }

// Cancel ends a read of the input, which then returns cancelreader.ErrCanceled, and
// every later one until Reread.
func (t *Terminal) Cancel() { t.in.Cancel() }

// Reread makes the input readable again after Cancel.
func (t *Terminal) Reread() error {
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

// Enter takes the terminal: raw mode and its modes. It is called again after another
// program used the terminal (SIGCONT).
func (t *Terminal) Enter() error {
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
	_ = t.out.SetWriteDeadline(time.Time{}) // Leave sets one
	seq := t.modes.Begin(!t.active)
	if !t.active && t.modes.followsScheme() {
		t.backs.Ask(time.Now())
	}
	if !t.active && t.modes.Caps.Asks {
		t.asked = firstAsk{t.asked.status + 1, time.Now()}
	}
	t.active = true
	if _, err := io.WriteString(t.out, seq); err != nil {
		return fmt.Errorf("writing to the terminal: %w", err)
	}
	return nil
}

// Leave gives the terminal back as it was. It may be called more than once. A terminal
// that takes no bytes any more delays it by restoreWithin at most.
func (t *Terminal) Leave() {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.active {
		t.active = false
		seq := t.modes.End()
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

// SetMouse switches mouse events on or off, also for the next Enter, and returns the
// sequence for that; nil if the terminal has no mouse.
func (t *Terminal) SetMouse(on bool) (seq []byte) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.modes.Mouse = on
	end := "l"
	if on {
		end = "h"
	}
	for _, m := range modeNumbers {
		if m.mode == paint.ModeMouse && t.modes.Caps.Modes&m.mode != 0 {
			for _, n := range m.numbers {
				seq = append(seq, "\x1b[?"+n+end...)
			}
		}
	}
	return seq
}

// SetTitle gives the window a title, also after the next Enter, and returns the sequence
// for that, nil for nothing. With "" the window has the title that it had before.
func (t *Terminal) SetTitle(title string) (seq []byte) {
	t.mu.Lock()
	defer t.mu.Unlock()
	had := t.modes.titles()
	t.modes.Title = title
	switch has := t.modes.titles(); {
	case !t.active: // the next Enter does it
	case has && had:
		seq = []byte(t.modes.title())
	case has:
		seq = []byte(pushTitle + t.modes.title())
	case had:
		seq = []byte(popTitle)
	}
	return seq
}

// Unblock ends a write that is blocked.
func (t *Terminal) Unblock() { _ = t.out.SetWriteDeadline(time.Now()) }

// Close frees the files that were opened.
func (t *Terminal) Close() {
	if t.in != nil {
		_ = t.in.Close()
	}
	for _, f := range t.opened {
		_ = f.Close()
	}
}

// Size is the terminal's size in cells. A terminal that reports 0x0 (some serial lines)
// counts as 80x24.
func (t *Terminal) Size() (cols, rows int) {
	if t.fixed[0] > 0 && t.fixed[1] > 0 {
		return t.fixed[0], t.fixed[1]
	}
	w, h, err := term.GetSize(t.outFile.Fd())
	if err != nil || w <= 0 || h <= 0 {
		return 80, 24
	}
	return min(w, maxCells), min(h, maxCells)
}

// maxCells bounds the reported size, in cells per side.
const maxCells = 2000
