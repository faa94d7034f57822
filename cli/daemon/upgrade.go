package daemon

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"

	"ccdir/api"
	"ccdir/cli/verb"
	"ccdir/client"
)

// noInterruption says before a restart of the daemon that sessions are not interrupted.
const noInterruption = "No agent is interrupted: sessions keep running, and what they ask stays open."

// Opened waits for the daemon, before the grid is shown. If an older one runs, the person is
// asked whether this version may take its place.
func Opened(ctx context.Context, a *verb.App, c *client.Client) error {
	opening := c.Open(ctx)
	_, err := opening.Wait()
	var other *client.VersionError
	if !errors.As(err, &other) || other.Newer() {
		return err
	}
	fmt.Fprintln(a.Stderr, a.Safe("ccdir is version %s now, and the daemon that runs is still %s. %s", api.Version, other.Daemon, noInterruption))
	if yes, asked := askYes(a, "Restart the daemon now?"); asked != nil {
		return asked
	} else if !yes {
		return err
	}
	loaded, err := a.Loaded()
	if err != nil {
		return err
	}
	if _, _, err := restartDaemon(ctx, a, c, loaded); err != nil {
		return err
	}
	_, err = c.Open(ctx).Wait()
	return err
}

// askYes asks a question whose default is yes.
func askYes(a *verb.App, question string) (bool, error) {
	fmt.Fprint(a.Stderr, question+" [Y/n] ")
	line, err := bufio.NewReader(io.LimitReader(a.Stdin, verb.MaxAnswer)).ReadString('\n')
	if err != nil && !errors.Is(err, io.EOF) {
		return false, err
	}
	switch strings.ToLower(strings.TrimSpace(line)) {
	case "", "y", "yes":
		return err == nil, nil // the end of input is no answer
	}
	return false, nil
}

// Replaced returns a function that tells the version of the ccdir that was installed in
// place of this one meanwhile; "" if none was, or of this version. It looks at the file,
// and runs it only after a change.
func Replaced(a *verb.App) func(ctx context.Context) string {
	was, err := os.Stat(a.Exe)
	if err != nil {
		return nil
	}
	return func(ctx context.Context) string {
		now, err := os.Stat(a.Exe)
		if err != nil || os.SameFile(was, now) && was.ModTime().Equal(now.ModTime()) && was.Size() == now.Size() {
			return ""
		}
		out, err := exec.CommandContext(ctx, a.Exe, "--version").Output() //nolint:gosec // this program
		version := strings.TrimSpace(strings.TrimPrefix(string(out), "ccdir "))
		if err != nil || version == api.Version {
			return ""
		}
		return version
	}
}
