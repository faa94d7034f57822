package floating

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"time"

	"ccdir/api"
	"ccdir/internal/text/textsafe"
	"ccdir/tui/ui"
)

// A program without a terminal that fails within failsWithin is told of; one that runs longer
// has started. maxSaid bounds what is read of its complaint, in bytes.
const (
	failsWithin = 3 * time.Second
	maxSaid     = 4 << 10
)

// run starts a program that needs no terminal in the directory of a session. It outlives the
// grid.
func (t Tool) run(env ui.Env, owner api.Session) []ui.Effect {
	name := textsafe.Line(t.Name)
	if owner.Node != "" {
		return []ui.Effect{ui.Warn{Text: name + " has no terminal, and the directory is on " + textsafe.Line(owner.Node)}}
	}
	return []ui.Effect{ui.Say{Text: name + " is started in " + textsafe.Line(owner.CWD)}, ui.Call{
		What: "starting " + name,
		Run: func(ctx context.Context, _ ui.Client) (ui.Result, error) {
			return ui.Result{}, start(ctx, t.Command, owner.CWD, env.Environ)
		},
	}}
}

// start runs a line of sh in a process session of its own, and returns why it failed soon.
func start(ctx context.Context, command, dir string, environ []string) error {
	said, err := os.CreateTemp("", "ccdir-tool-")
	if err != nil {
		return err
	}
	defer said.Close()
	defer os.Remove(said.Name())
	c := exec.Command("sh", "-c", command) //nolint:noctx // it goes on when the call is over
	c.Dir, c.Env, c.Stderr, c.SysProcAttr = dir, environ, said, &syscall.SysProcAttr{Setsid: true}
	if err := c.Start(); err != nil {
		return err
	}
	ended := make(chan error, 1)
	go func() { ended <- c.Wait() }()
	late := time.NewTimer(failsWithin)
	defer late.Stop()
	select {
	case err = <-ended:
	case <-late.C:
	case <-ctx.Done():
	}
	if err == nil {
		return nil
	}
	text, _ := io.ReadAll(io.NewSectionReader(said, 0, maxSaid))
	if line, _, _ := strings.Cut(strings.TrimSpace(string(text)), "\n"); line != "" {
		return fmt.Errorf("%w: %s", err, textsafe.Line(line))
	}
	return err
}
