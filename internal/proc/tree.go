package proc

import (
	"context"
	"os"
)

// Process is a snapshot of one process.
type Process struct {
	PID, Parent int
	// Memory is the resident size in bytes.
	Memory int64
}

// Tree returns the process pid and all its descendants, in no order. Processes whose
// parent has ended are not found. The error is os.ErrNotExist (by errors.Is) when no
// such process runs. It reads every process of the system. Where the kernel offers no
// list (macOS) it runs ps(1), which ends with ctx.
func Tree(ctx context.Context, pid int) ([]Process, error) {
	all, err := processes(ctx)
	if err != nil {
		return nil, err
	}
	return below(all, pid)
}

// below selects pid and its descendants.
func below(all []Process, pid int) ([]Process, error) {
	children := map[int][]Process{}
	var out []Process
	for _, p := range all {
		if p.PID == pid {
			out = append(out, p)
		} else {
			children[p.Parent] = append(children[p.Parent], p)
		}
	}
	if len(out) == 0 {
		return nil, os.ErrNotExist
	}
	for i := 0; i < len(out); i++ {
		out = append(out, children[out[i].PID]...)
		delete(children, out[i].PID) // processes read one after another may form a cycle
	}
	return out, nil
}
