package host

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"ccdir/internal/cells"
	"ccdir/internal/disk/atomicfile"
	"ccdir/internal/disk/paths"
	"ccdir/internal/proc"
	"ccdir/sessions/screen"
	"ccdir/wire"
)

// hostFile is the path of host.json.
func (h *host) hostFile() string { return filepath.Join(h.spec.Dir, paths.HostFile) }

// writeHostFile writes host.json, by which daemons adopt this host. Before the process is
// started its pid is 0.
func (h *host) writeHostFile() error {
	start, err := proc.StartTime(os.Getpid())
	if err != nil {
		return err
	}
	file := wire.HostFile{
		PID: os.Getpid(), Start: start,
		Socket: h.spec.Socket, Protocol: wire.ProtocolMax, Version: h.opts.Version,
		Spec: h.spec,
	}
	if h.child != nil {
		file.ChildPID, file.ChildStart = h.child.PID, h.child.StartTime
	}
	return writeJSON(h.hostFile(), file)
}

// A daemon that looks whether a directory has a host moves it away and back at once.
const (
	movedPause = 5 * time.Millisecond
	movedLimit = time.Second
)

// completeHostFile writes host.json with the process's pid.
func (h *host) completeHostFile() error {
	for until := time.Now().Add(movedLimit); ; time.Sleep(movedPause) {
		err := h.writeHostFile()
		if !errors.Is(err, fs.ErrNotExist) || time.Now().After(until) {
			return err
		}
	}
}

// keepHostFile writes host.json again if somebody removed it while the process runs. It is
// called at the end of each connection, also of one that is refused: when a daemon dies, and
// when a new one looks for hosts that no file names.
func (h *host) keepHostFile() {
	if _, err := os.Lstat(h.hostFile()); !errors.Is(err, fs.ErrNotExist) {
		return
	}
	h.mu.Lock()
	ended := h.reaped || h.stopping
	h.mu.Unlock()
	if ended {
		return
	}
	if os.MkdirAll(h.spec.Dir, 0o700) == nil {
		_ = h.writeHostFile() // the next connection's end tries again
	}
}

// writeFinal saves the end of the session: ring and screen first, final.json last, so that
// its existence means that all are complete.
func (h *host) writeFinal() error {
	h.mu.Lock()
	raw, ringStart := h.ring.from(0)
	cols, rows := h.size.cols, h.size.rows
	final := wire.Final{
		ExitRecord: h.exit,
		Started:    h.started.UTC(),
		Cols:       cols, Rows: rows,
		Title:        h.titles.now,
		Written:      h.ring.end,
		LastEvidence: h.evidence.last,
		Evidence:     h.evidence.all(),
		RingStart:    ringStart,
	}
	var saved []byte
	h.guard("final", func() {
		saved = h.saved()
	})
	if h.rests() {
		saved, final.Title = h.rested.screen, h.rested.title
	}
	h.mu.Unlock()

	err := atomicfile.Replace(filepath.Join(h.spec.Dir, paths.RingFile), raw)
	if e := atomicfile.Replace(filepath.Join(h.spec.Dir, paths.ScreenFile), saved); err == nil {
		err = e
	}
	// final.json has the exit code, which is useful even without the other files.
	if e := writeJSON(filepath.Join(h.spec.Dir, paths.FinalFile), final); err == nil {
		err = e
	}
	return err
}

// goodbye bounds the output between leaving the alternate screen and the end, in bytes:
// mode resets and a hint how to resume. Claude Code 2.1.329 prints 370.
const goodbye = 4096

// saved is the saved form of the screen and its history. If the application left the
// alternate screen at its very end, the alternate screen becomes the end of the history, so
// that it can be read and searched. h.mu is held.
func (h *host) saved() []byte {
	var history, lines []cells.Row
	for i := range h.eng.HistoryLen() {
		r := h.eng.HistoryRow(i)
		r.Cells = append([]cells.Cell(nil), r.Cells...)
		history = append(history, r)
	}
	if e, ok := h.eng.(screen.Leaver); ok {
		history = append(history, withoutBlankEnd(e.LeftScreen(goodbye))...)
	}
	_, rows := h.eng.Size()
	for y := range rows {
		lines = append(lines, h.eng.Row(y))
	}
	return wire.AppendSaved(nil, h.eng.Table(), history, lines)
}

// withoutBlankEnd drops blank rows at the end.
func withoutBlankEnd(rows []cells.Row) []cells.Row {
	shows := func(c cells.Cell) bool { return !c.Blank() }
	for len(rows) > 0 && !slices.ContainsFunc(rows[len(rows)-1].Cells, shows) {
		rows = rows[:len(rows)-1]
	}
	return rows
}

func writeJSON(path string, v any) error {
	b, err := json.Marshal(v)
	if err != nil {
		return err
	}
	return atomicfile.Replace(path, append(b, '\n'))
}
