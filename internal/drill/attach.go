package drill

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"sync"

	"github.com/creack/pty"

	"ccdir/internal/textsafe"
)

// attached is `ccdir attach` in a terminal of its own.
type attached struct {
	cmd *exec.Cmd
	pty *os.File
	// done is closed when the process has ended and its output was read.
	done chan struct{}

	mu  sync.Mutex // guards out
	out []byte     // the last bytes written to the terminal
}

// keepOutput is how much of the terminal's output is kept, in bytes: a few full
// frames.
const keepOutput = 64 << 10

// attach starts it. The caller kills it.
func attach(exe string, env []string, session string) (*attached, error) {
	a := &attached{cmd: exec.Command(exe, "attach", session), done: make(chan struct{})}
	a.cmd.Env = append(append([]string{}, env...), "TERM=xterm-256color")
	f, err := pty.StartWithSize(a.cmd, &pty.Winsize{Cols: 100, Rows: 30})
	if err != nil {
		return nil, fmt.Errorf("starting `ccdir attach`: %w", err)
	}
	a.pty = f
	go a.drain()
	return a, nil
}

// drain reads what the process writes until it ends.
func (a *attached) drain() {
	defer close(a.done)
	buf := make([]byte, 16<<10)
	for {
		n, err := a.pty.Read(buf)
		a.mu.Lock()
		a.out = append(a.out, buf[:n]...)
		if extra := len(a.out) - keepOutput; extra > 0 {
			a.out = append(a.out[:0], a.out[extra:]...)
		}
		a.mu.Unlock()
		if err != nil {
			break // EIO: nobody has the terminal open any more
		}
	}
	_ = a.cmd.Wait() // killed, or its output says why it ended
}

// shows reports whether the text is in what the terminal got lately.
func (a *attached) shows(text string) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return bytes.Contains(a.out, []byte(text))
}

// tail is the end of what it wrote, for an error.
func (a *attached) tail() string {
	a.mu.Lock()
	defer a.mu.Unlock()
	return textsafe.Line(string(a.out[max(0, len(a.out)-300):]))
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
