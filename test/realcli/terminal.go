package realcli

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/creack/pty"

	"ccdir/sessions/screen"
	"ccdir/sessions/screen/vt10x"
)

// termCols and termRows are the size of every terminal.
const termCols, termRows = 110, 36

// Terminal is a program in a PTY of the test's own, with its emulated screen.
type Terminal struct {
	t   testing.TB
	cmd *exec.Cmd
	pty *os.File

	mu      sync.Mutex
	engine  *vt10x.Engine
	painted chan struct{} // closed and replaced at each output

	exited chan struct{}
}

// Start runs cmd in a new terminal; listener, which may be nil, is told what
// the program says out of band. The program is killed at the end of the test.
func Start(t testing.TB, cmd *exec.Cmd, listener screen.Listener) *Terminal {
	t.Helper()
	tm := &Terminal{t: t, cmd: cmd, painted: make(chan struct{}), exited: make(chan struct{})}
	tm.engine = vt10x.New(screen.Options{Cols: termCols, Rows: termRows, HistoryLines: 500, Listener: listener})
	var err error
	if tm.pty, err = pty.StartWithSize(cmd, &pty.Winsize{Cols: termCols, Rows: termRows}); err != nil {
		t.Fatal(err)
	}
	go tm.read()
	t.Cleanup(tm.Close)
	return tm
}

// read feeds the screen and answers queries until the program is gone.
func (tm *Terminal) read() {
	buf := make([]byte, 64<<10)
	for {
		n, err := tm.pty.Read(buf)
		tm.mu.Lock()
		tm.engine.Feed(buf[:n])
		replies := tm.engine.TakeReplies(nil)
		close(tm.painted)
		tm.painted = make(chan struct{})
		tm.mu.Unlock()
		_, _ = tm.pty.Write(replies)
		if err != nil {
			break
		}
	}
	_ = tm.cmd.Wait()
	close(tm.exited)
}

// Write types bytes.
func (tm *Terminal) Write(keys string) {
	tm.t.Helper()
	if _, err := tm.pty.WriteString(keys); err != nil && !errors.Is(err, syscall.EIO) {
		tm.t.Errorf("typing: %v", err)
	}
}

// Resize changes the terminal's size.
func (tm *Terminal) Resize(cols, rows int) {
	tm.t.Helper()
	tm.mu.Lock()
	tm.engine.Resize(cols, rows)
	tm.mu.Unlock()
	if err := pty.Setsize(tm.pty, &pty.Winsize{Cols: uint16(cols), Rows: uint16(rows)}); err != nil {
		tm.t.Error(err)
	}
}

// Text is what it shows.
func (tm *Terminal) Text() string {
	text, _ := tm.look()
	return text
}

// look is the text, and a channel that is closed at the next output.
func (tm *Terminal) look() (string, <-chan struct{}) {
	tm.mu.Lock()
	defer tm.mu.Unlock()
	var b []byte
	_, rows := tm.engine.Size()
	for y := range rows {
		b = append(tm.engine.Table().AppendText(b, tm.engine.Row(y).Cells), '\n')
	}
	return string(b), tm.painted
}

// Shows blocks until the text contains want; false when ctx ended before.
func (tm *Terminal) Shows(ctx context.Context, want string) bool {
	return tm.ShowsIn(ctx, func(text string) string { return text }, want)
}

// ShowsIn is Shows for a part of the text.
func (tm *Terminal) ShowsIn(ctx context.Context, part func(text string) string, want string) bool {
	for {
		text, painted := tm.look()
		if strings.Contains(part(text), want) {
			return true
		}
		select {
		case <-painted:
		case <-ctx.Done():
			return false
		}
	}
}

// Exited is closed when the program is gone.
func (tm *Terminal) Exited() <-chan struct{} { return tm.exited }

// Process is the program's.
func (tm *Terminal) Process() *os.Process { return tm.cmd.Process }

// exitCode is the code, 128+n after signal n, and the signal's name.
func (tm *Terminal) exitCode() (code int, signal string) {
	status := tm.cmd.ProcessState.Sys().(syscall.WaitStatus)
	if status.Signaled() {
		return 128 + int(status.Signal()), status.Signal().String()
	}
	return status.ExitStatus(), ""
}

// Close kills the program's process group and waits for it.
func (tm *Terminal) Close() {
	_ = syscall.Kill(-tm.cmd.Process.Pid, syscall.SIGKILL)
	select {
	case <-tm.exited:
	case <-time.After(10 * time.Second):
		tm.t.Error("the program did not end after KILL")
	}
	_ = tm.pty.Close()
}
