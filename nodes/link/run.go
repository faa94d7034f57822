package link

import (
	"context"
	"os"
	"os/exec"
	"time"
)

// runQuiet runs a program without input and returns what it printed, bounded.
func runQuiet(ctx context.Context, argv, environ []string) (string, error) {
	cmd := exec.CommandContext(ctx, argv[0], argv[1:]...)
	cmd.Env = environ
	// A file, not a pipe: a daemon that inherits it does not keep us waiting.
	out, err := os.CreateTemp("", "ccdir-")
	if err != nil {
		return "", err
	}
	defer os.Remove(out.Name())
	defer out.Close()
	cmd.Stdout, cmd.Stderr = out, out
	cmd.WaitDelay = time.Second
	err = cmd.Run()
	buf := make([]byte, 4<<10)
	n, _ := out.ReadAt(buf, 0) // io.EOF: it is short
	return string(buf[:n]), err
}
