package faults

import (
	"os/exec"
	"sync"

	"github.com/creack/pty"

	"ccdir/sessions/screen"
	"ccdir/sessions/screen/vt"
)

// terminal is a grid attached in a terminal of its own.
type terminal struct {
	cmd *exec.Cmd

	mu     sync.Mutex // guards screen
	screen *vt.Terminal
}

// attach opens a grid, which ends with the test.
func (w *world) attach() *terminal {
	w.Helper()
	const cols, rows = 100, 30
	g := &terminal{cmd: w.command("attach"), screen: vt.New(screen.Options{Cols: cols, Rows: rows})}
	g.cmd.Env = append(g.cmd.Env, "TERM=xterm-256color")
	f, err := pty.StartWithSize(g.cmd, &pty.Winsize{Cols: cols, Rows: rows})
	if err != nil {
		w.Fatal(err)
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		buf := make([]byte, 16<<10)
		for {
			n, err := f.Read(buf)
			g.mu.Lock()
			g.screen.Feed(buf[:n])
			replies := g.screen.TakeReplies(nil)
			g.mu.Unlock()
			if len(replies) > 0 {
				_, _ = f.Write(replies) // a reader that is gone ends the loop
			}
			if err != nil {
				return
			}
		}
	}()
	w.Cleanup(func() {
		_ = g.cmd.Process.Kill()
		_ = g.cmd.Wait()
		f.Close()
		<-done
	})
	return g
}

func (g *terminal) pid() int { return g.cmd.Process.Pid }

// text is what it shows.
func (g *terminal) text() string {
	g.mu.Lock()
	defer g.mu.Unlock()
	var b []byte
	for y := range 30 {
		b = append(g.screen.Table().AppendText(b, g.screen.Row(y).Cells), '\n')
	}
	return string(b)
}
