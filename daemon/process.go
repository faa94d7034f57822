package daemon

import (
	"context"
	"errors"
	"os"

	"ccdir/api"
	"ccdir/internal/proc"
)

// processUse returns the number and the memory of a session's processes.
func (d *daemon) processUse(ctx context.Context, ref string) (api.ProcessUse, error) {
	v, err := d.registry.Get(ctx, ref)
	if err != nil {
		return api.ProcessUse{}, err
	}
	use := api.ProcessUse{Session: v.ID, PID: v.PID, HostPID: v.HostPID, AgentVersion: d.registry.AgentVersion(v.ID)}
	if v.PID == 0 {
		return use, nil
	}
	tree, err := proc.Tree(ctx, v.PID)
	if errors.Is(err, os.ErrNotExist) {
		return use, nil // the process has just ended
	}
	for _, p := range tree {
		use.Processes++
		use.Memory += p.Memory
	}
	return use, err
}
