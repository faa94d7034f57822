package proc

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"os/exec"
)

// processes runs ps(1): the kernel reports the resident memory only through libproc,
// which needs cgo.
func processes(ctx context.Context) ([]Process, error) {
	text, err := exec.CommandContext(ctx, "/bin/ps", "-axo", "pid=,ppid=,rss=").Output()
	if err != nil {
		return nil, fmt.Errorf("listing processes with ps: %w", err)
	}
	var out []Process
	lines := bufio.NewScanner(bytes.NewReader(text))
	for lines.Scan() {
		var p Process
		if _, err := fmt.Sscan(lines.Text(), &p.PID, &p.Parent, &p.Memory); err == nil {
			p.Memory *= 1024 // ps counts in KiB
			out = append(out, p)
		}
	}
	return out, lines.Err()
}
