package drill

import (
	"fmt"
	"os"
	"os/exec"
	"strings"
	"sync"

	"github.com/creack/pty"

	"ccdir/internal/text/textsafe"
	"ccdir/sessions/screen"
	"ccdir/sessions/screen/vt"
)

// attached is a grid in a terminal of its own.
type attached struct {
	cmd *exec.Cmd
	pty *os.File
	// done is closed when the process has ended and its output was read.
	done chan struct{}

	mu     sync.Mutex // guards screen
	screen *vt.Terminal
}

// The size of the grids' terminals.
const (
	gridCols = 140
	gridRows = 45
)

// attach opens the grid. The caller kills it.
func attach(exe string, env []string, args ...string) (*attached, error) {
	a := &attached{
		cmd: exec.Command(exe, append([]string{"attach"}, args...)...), done: make(chan struct{}), //nolint:gosec // ccdir itself
		screen: vt.New(screen.Options{Cols: gridCols, Rows: gridRows}),
	}
	a.cmd.Env = append(append([]string{}, env...), "TERM=xterm-256color")
	f, err := pty.StartWithSize(a.cmd, &pty.Winsize{Cols: gridCols, Rows: gridRows})
	if err != nil {
		return nil, fmt.Errorf("starting `ccdir attach`: %w", err)
	}
	a.pty = f
	go a.drain()
	return a, nil
}

// drain plays the terminal: it emulates the screen and answers queries, until the
// process ends.
func (a *attached) drain() {
	defer close(a.done)
	buf := make([]byte, 16<<10)
	for {
		n, err := a.pty.Read(buf)
		a.mu.Lock()
		a.screen.Feed(buf[:n])
		replies := a.screen.TakeReplies(nil)
		a.mu.Unlock()
		if len(replies) > 0 {
			_, _ = a.pty.Write(replies) // a reader that has exited ends the loop
		}
		if err != nil {
			break // EIO: no process has the terminal open
		}
	}
	_ = a.cmd.Wait() // killed, or its screen says why it ended
}

// text is the text on the terminal's screen.
func (a *attached) text() string {
	a.mu.Lock()
	defer a.mu.Unlock()
	var b []byte
	for y := range gridRows {
		b = append(a.screen.Table().AppendText(b, a.screen.Row(y).Cells), '\n')
	}
	return string(b)
}

// shows reports whether the text is on the screen.
func (a *attached) shows(text string) bool { return strings.Contains(a.text(), text) }

// tail is the end of the screen's text, for an error.
func (a *attached) tail() string {
	text := strings.TrimSpace(a.text())
	return textsafe.Line(text[max(0, len(text)-300):])
}

func (a *attached) ended() bool {
	select {
	case <-a.done:
		return true
	default:
		return false
	}
}

// kill kills it and waits for its end.
func (a *attached) kill() {
	_ = a.cmd.Process.Kill() // it may have ended by itself
	<-a.done
	a.pty.Close()
}

// grids is how many grids are attached: one with the marker's pane alone, one with all
// panes.
const grids = 2

// attachGrids opens the grids that do not run.
func (r *run) attachGrids() (err error) {
	for i, g := range r.grids {
		if g != nil && !g.ended() {
			continue
		}
		if g != nil {
			g.kill() // closes its terminal
		}
		args := []string{r.marker.ID}
		if i > 0 {
			args = nil
		}
		if r.grids[i], err = attach(r.Exe, r.Env, args...); err != nil {
			return err
		}
	}
	return nil
}
