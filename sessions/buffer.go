package sessions

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"ccdir/api"
	"ccdir/internal/disk/paths"
	"ccdir/internal/proc"
	"ccdir/wire"
)

// Buffer returns what a session shows, or showed when it ended.
func (r *Registry) Buffer(ctx context.Context, ref string, p wire.OutputParams) (out wire.OutputResult, err error) {
	s, err := r.paned(ref)
	if err != nil {
		return out, err
	}
	if p.Format == "" {
		p.Format = wire.FormatText
	}
	switch p.Format {
	case wire.FormatText, wire.FormatANSI, wire.FormatRaw, wire.FormatCells:
	default:
		return out, api.Errorf(api.CodeInvalid, "the format is text, ansi, cells or raw")
	}
	err = s.request(ctx, wire.MethodOutput, p, &out)
	if err == nil {
		return out, nil
	}
	var state api.State
	var hf wire.HostFile
	if doErr := s.do(ctx, func() { state, hf = s.fold.State, s.host }); doErr != nil {
		return out, doErr
	}
	if !state.Ended() {
		return out, err
	}
	// A host that has just told the exit is still writing.
	pollUntil(ctx, killMargin, func() bool {
		_, statErr := os.Stat(filepath.Join(s.dir, paths.FinalFile))
		return statErr == nil || !proc.Alive(hf.PID, hf.Start)
	})
	out, err = wire.ReadOutput(s.dir, p)
	if errors.Is(err, fs.ErrNotExist) {
		return out, api.Errorf(api.CodeNotFound, "nothing is left of the screen of session %s: its host died before it could save it, `ccdir events --session %[1]s` tells what it did", s.id)
	}
	return out, err
}
