package sessions

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"ccdir/agents"
	"ccdir/api"
	"ccdir/internal/cells"
	"ccdir/internal/disk/paths"
	"ccdir/internal/proc"
	"ccdir/sessions/process"
	"ccdir/sessions/scrollback"
	"ccdir/wire"
)

// Lines returns count lines that a session printed, as cells, from line number *from on. If
// from is nil, they are the last lines; a count of 0 is the screen. Lines that are no
// longer kept are left out. After a session's end, lines are numbered from the oldest kept.
func (r *Registry) Lines(ctx context.Context, ref string, from *uint64, count int) (out api.Screen, err error) {
	s, err := r.paned(ref)
	if err != nil {
		return out, err
	}
	if from != nil && count == 0 {
		count = api.MaxScreenLines
	}
	out, err = s.liveLines(ctx, from, count)
	if api.CodeOf(err) != api.CodeNotRunning {
		return out, err
	}
	saved, err := r.Buffer(ctx, ref, wire.OutputParams{Format: wire.FormatCells, Scrollback: true})
	if err != nil {
		return out, err
	}
	var size api.Session
	if err := s.do(ctx, func() { size = s.cur }); err != nil {
		return out, err
	}
	out, err = scrollback.Saved(saved.Raw, from, count)
	out.Cols, out.Rows = size.Cols, size.Rows
	if errors.Is(err, fs.ErrNotExist) {
		err = api.Errorf(api.CodeNotFound, "nothing is left of the screen of session %s: `ccdir events --session %[1]s` lists what it did", s.id)
	}
	return out, err
}

// liveLines asks the host for lines.
func (s *session) liveLines(ctx context.Context, from *uint64, count int) (out api.Screen, err error) {
	var have wire.HistoryResult
	ask := wire.HistoryParams{Screen: true}
	if from != nil {
		ask.From, ask.Count = *from, min(count, api.MaxScreenLines)
	}
	if err := s.request(ctx, wire.MethodHistory, ask, &have); err != nil {
		return out, err
	}
	var screen []api.ScreenLine
	rows := 0
	table := cells.NewTable()
	if err := wire.DecodeRows(have.Screen, table, func(y int, row cells.Row) bool {
		screen, rows = append(screen, scrollback.Describe(have.Total+uint64(y), table, row)), rows+1
		return true
	}); err != nil {
		return out, err
	}
	out = api.Screen{Cols: have.Cols, Rows: rows, Oldest: have.Oldest, Total: have.Total, Epoch: have.Epoch, Lines: screen}
	if c := have.Cursor; c != nil {
		out.Cursor = &api.ScreenCursor{X: c.X, Y: c.Y, Visible: c.Visible, Shape: int(c.Shape)}
	}
	if from == nil && count > rows { // the last lines: part of the history too
		ask.From, ask.Count = have.Total-min(uint64(count-rows), have.Total-have.Oldest), count-rows
		again, total := have, have.Total
		if err := s.request(ctx, wire.MethodHistory, wire.HistoryParams{From: ask.From, Count: ask.Count}, &again); err != nil {
			return out, err
		}
		have.Rows, have.First = again.Rows, again.First
		if again.Epoch != have.Epoch || again.Total < total {
			have.Rows = nil // renumbered between the two requests
		}
	}
	var history []api.ScreenLine
	table = cells.NewTable()
	if len(have.Rows) > 0 {
		err = wire.DecodeRows(have.Rows, table, func(y int, row cells.Row) bool {
			if n := have.First + uint64(y); n < have.Total { // later lines are on the screen that we have
				history = append(history, scrollback.Describe(n, table, row))
			}
			return true
		})
	}
	out.Lines = scrollback.Choose(append(history, screen...), from, count, rows)
	return out, err
}

// Buffer returns the screen of a session, or its last screen if it has ended.
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
		return out, api.Errorf(api.CodeInvalid, "the format must be text, ansi, cells or raw")
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
	if !state.Stopped() {
		return out, err
	}
	// A host that has just reported the exit is still writing.
	process.Poll(ctx, killMargin, func() bool {
		_, statErr := os.Stat(filepath.Join(s.dir, paths.FinalFile))
		return statErr == nil || !proc.Alive(hf.PID, hf.Start)
	})
	out, err = wire.ReadOutput(s.dir, p)
	if errors.Is(err, fs.ErrNotExist) {
		return out, api.Errorf(api.CodeNotFound, "nothing is left of the screen of session %s: its host died before it could save it, `ccdir events --session %[1]s` lists what it did", s.id)
	}
	return out, err
}

// An agent that fails before it takes a prompt (an unknown conversation, a bad option) says
// why on its screen. These last words become the session's error.

// maxLastWords bounds them, in runes.
const maxLastWords = 500

// readLastWords reads the screen of a process that has ended with that code, if it is an
// agent's that took no prompt; in the actor.
func (s *session) readLastWords(code int) {
	if code == 0 || s.prompted || s.outside || s.fold.Killed || !s.adapter.Managed() || s.spec.Run != nil && s.spec.Run.Print {
		return
	}
	hf := s.host
	s.r.wg.Go(func() {
		out, err := s.r.Buffer(s.ctx, s.id, wire.OutputParams{Format: wire.FormatText})
		words := lastWords(out.Text)
		if err != nil || words == "" {
			return
		}
		_ = s.do(s.ctx, func() { // fails only if the session is gone
			if same(s.host, hf) && s.fold.State == api.StateExited && s.cur.Error == "" {
				s.cur.Error = words
				s.publish(change{}, true)
			}
		})
	})
}

// lastWords is the last paragraph of a screen, in one line.
func lastWords(screen string) string {
	lines := strings.Split(strings.TrimRight(screen, " \t\r\n"), "\n")
	from := len(lines)
	for from > 0 && strings.TrimSpace(lines[from-1]) != "" {
		from--
	}
	for i := range lines {
		lines[i] = strings.TrimSpace(lines[i])
	}
	return agents.Visible(strings.Join(lines[from:], " "), maxLastWords)
}
