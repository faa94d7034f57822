package shim

import (
	"io"
	"os"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"ccdir/agents/statusline"
	"ccdir/hooks/call"
)

const (
	// reportTime bounds the call of the daemon, which usually takes a millisecond or two.
	reportTime = 100 * time.Millisecond
	// inputTime bounds the wait for the agent's report, maxReport its size in bytes.
	inputTime = time.Second
	maxReport = 1 << 20
)

// statusLineMain hands an agent's report to the daemon, and then becomes the person's own status line: the
// process is the one that the agent would have started, so that nothing of ours bounds, delays or
// outlives it. Without a daemon the report is dropped, since the next one follows. It returns only if
// the person has no status line, or the shell cannot be run.
func statusLineMain(args []string, stdin io.Reader, stdout io.Writer, environ []string) int {
	line, ok := statusline.Parse(args)
	if !ok {
		return 2
	}
	input, ok := call.ReadPayload(stdin, maxReport, inputTime)
	if ok {
		call.Report(line.Hook, input, environ, reportTime)
	}
	command := line.Theirs()
	if command == "" {
		_, _ = io.WriteString(stdout, statusline.Nothing)
		return 0
	}
	from, err := readable(input)
	if err != nil || dup2(from, 0) != nil {
		return 1
	}
	_ = syscall.Exec("/bin/sh", []string{"/bin/sh", "-c", command}, environ) // returns only if it fails
	return 1
}

// readable returns a descriptor from which data can be read: a pipe, as the agent gives one, or a
// file without a name for what does not fit into it.
func readable(data []byte) (fd int, err error) {
	var ends [2]int
	if err := unix.Pipe(ends[:]); err != nil {
		return 0, err
	}
	if err := unix.SetNonblock(ends[1], true); err != nil {
		return 0, err
	}
	n, _ := unix.Write(ends[1], data)
	_ = unix.Close(ends[1])
	if n == len(data) {
		return ends[0], nil
	}
	file, err := os.CreateTemp("", "ccdir-statusline-")
	if err != nil {
		return 0, err
	}
	defer file.Close()
	_ = os.Remove(file.Name())
	if _, err := file.WriteAt(data, 0); err != nil {
		return 0, err
	}
	return unix.Dup(int(file.Fd()))
}
