package host

import (
	"encoding/json"
	"errors"
	"fmt"
	"runtime"

	"ccdir/internal/cells"
	"ccdir/sessions/host/failpoint"
	"ccdir/sessions/host/keyenc"
	"ccdir/sessions/screen"
	"ccdir/wire"
)

// maxHistoryLines bounds one response to MethodHistory.
const maxHistoryLines = 1000

// request answers a client's request, at once or when its job is done. The client's reader
// calls it; it never waits for the process.
func (h *host) request(c *client, req *wire.Request) {
	a := answer{h: h, c: c, id: req.ID}
	if c.readOnly && changes(req.Method) {
		a.give(nil, wire.NewError(wire.CodeForbidden, "this connection is read-only"))
		return
	}
	switch req.Method {
	case wire.MethodTx:
		with(a, req, func(tx wire.Tx) { h.requestTx(tx, a.locked) })
	case wire.MethodKeys:
		with(a, req, func(p wire.KeysParams) { h.requestKeys(p, a) })
	case wire.MethodPing:
		h.requestJob(func() { a.give(nil, nil) }, a)
	case wire.MethodOutput:
		with(a, req, func(p wire.OutputParams) { a.give(h.outputOf(p)) })
	case wire.MethodHistory:
		with(a, req, func(p wire.HistoryParams) { a.give(h.historyOf(p), nil) })
	case wire.MethodResize:
		with(a, req, func(p wire.ResizeParams) { a.give(h.resize(c, p)) })
	case wire.MethodScreen:
		with(a, req, func(p wire.ScreenParams) { a.give(nil, c.watchScreen(p)) })
	case wire.MethodKill:
		with(a, req, func(p wire.KillParams) { a.give(nil, h.kill(p)) })
	case wire.MethodRest:
		with(a, req, func(p wire.RestParams) { h.requestJob(func() { a.give(h.rest(p), nil) }, a) })
	case wire.MethodDrop:
		with(a, req, func(p wire.DropParams) { a.give(nil, h.drop(p)) })
	case wire.MethodLine:
		a.give(c.newLine())
	case wire.MethodStats:
		a.give(h.stats(), nil)
	default:
		a.give(nil, fmt.Errorf("this host does not know the method %q", req.Method))
	}
}

// answer sends the response to one request, once.
type answer struct {
	h  *host
	c  *client
	id uint64
}

// give sends the result, or the error if it is not nil.
func (a answer) give(result any, err error) {
	a.h.mu.Lock()
	defer a.h.mu.Unlock()
	a.locked(result, err)
}

// locked is give for callers that hold h.mu.
func (a answer) locked(result any, err error) {
	r := &wire.Response{ID: a.id}
	var coded *wire.Error
	switch {
	case errors.As(err, &coded):
		r.Error = coded
	case errors.Is(err, errEnded):
		r.Error = wire.NewError(wire.CodeNotRunning, err.Error())
	case errors.Is(err, errBusy):
		r.Error = wire.NewError(wire.CodeTimeout, err.Error())
	case err != nil:
		r.Error = wire.NewError(wire.CodeInvalid, err.Error())
	case result != nil:
		b, err := json.Marshal(result)
		if err != nil {
			r.Error = wire.NewError(wire.CodeInternal, err.Error())
		}
		r.Result = b
	}
	a.c.respond(r)
}

// with decodes a request's parameters and passes them to do.
func with[T any](a answer, req *wire.Request, do func(T)) {
	var v T
	if len(req.Params) > 0 {
		if err := json.Unmarshal(req.Params, &v); err != nil {
			a.give(nil, fmt.Errorf("parameters of %s: %w", req.Method, err))
			return
		}
	}
	do(v)
}

// changes reports whether a method is refused on read-only connections.
func changes(method string) bool {
	switch method {
	case wire.MethodTx, wire.MethodKeys, wire.MethodResize, wire.MethodKill, wire.MethodRest, wire.MethodLine, wire.MethodDrop:
		return true
	}
	return false
}

// requestJob passes a job to the PTY's writer, or answers that it cannot.
func (h *host) requestJob(j job, a answer) {
	if h.isReaped() {
		a.give(nil, errEnded)
	} else if !h.tryEnqueue(j) {
		a.give(nil, errBusy)
	}
}

func (h *host) requestKeys(p wire.KeysParams, a answer) {
	keys, err := keyenc.ParseAll(p.Keys)
	if err != nil {
		a.give(nil, err)
		return
	}
	h.requestJob(func() {
		err := h.typeKeys(nil, keys)
		if err != nil {
			err = errEnded
		}
		a.give(nil, err)
	}, a)
}

// resize pins the session's size.
func (h *host) resize(c *client, p wire.ResizeParams) (wire.Status, error) {
	if p.Cols < 1 || p.Rows < 1 || p.Cols > screen.MaxCols || p.Rows > screen.MaxRows {
		return wire.Status{}, errors.New("a size must be from 1x1 to 1000x1000")
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	_ = failpoint.At("leak") // never fails
	h.size.pin(p.Cols, p.Rows)
	return h.statusFor(c), nil
}

// outputOf renders the screen, or copies the ring.
func (h *host) outputOf(p wire.OutputParams) (out wire.OutputResult, err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if p.Format == wire.FormatRaw {
		out.Raw, out.Start = h.ring.from(p.From)
		out.End = out.Start + uint64(len(out.Raw))
		return out, nil
	}
	out.End = h.ring.end
	out.Typing = h.typingNow()
	if p.Format == wire.FormatCells {
		h.guard("output", func() { out.Raw = h.saved() })
		return out, nil
	}
	h.guard("output", func() {
		out.Text, err = wire.RenderOutput(p, h.eng.Table(), h.lines)
	})
	return out, err
}

// lines yields the rows of the history, oldest first, and of the screen. h.mu is held.
func (h *host) lines(history bool, yield func(r cells.Row)) {
	if history {
		for i := range h.eng.HistoryLen() {
			yield(h.eng.HistoryRow(i))
		}
	}
	_, rows := h.eng.Size()
	for y := range rows {
		yield(h.eng.Row(y))
	}
}

// historyOf encodes scrollback lines.
func (h *host) historyOf(p wire.HistoryParams) (out wire.HistoryResult) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.guard("history", func() {
		total, held := h.eng.HistoryTotal(), uint64(h.eng.HistoryLen())
		oldest := total - held
		first := min(max(p.From, oldest), total)
		count := min(uint64(max(p.Count, 0)), maxHistoryLines, total-first)
		var enc wire.RowEncoder
		enc.Reset(h.eng.Table())
		for i := range count {
			enc.Add(int(i), h.eng.HistoryRow(int(first-oldest+i)))
		}
		out = wire.HistoryResult{First: first, Oldest: oldest, Total: total, Epoch: h.eng.HistoryEpoch(), Rows: enc.AppendTo(nil)}
		if p.Screen {
			enc.Reset(h.eng.Table())
			cols, rows := h.eng.Size()
			for y := range rows {
				enc.Add(y, h.eng.Row(y))
			}
			cur := h.eng.State().Cursor
			out.Screen, out.Cols = enc.AppendTo(nil), cols
			out.Cursor = &wire.CursorInfo{X: cur.X, Y: cur.Y, Visible: cur.Visible, Shape: cur.Shape}
		}
	})
	return out
}

func (h *host) stats() wire.Stats {
	var mem runtime.MemStats
	runtime.ReadMemStats(&mem)
	h.mu.Lock()
	defer h.mu.Unlock()
	s := wire.Stats{
		Written: h.ring.end, Read: h.wrote,
		HeapBytes: mem.HeapAlloc, Goroutines: runtime.NumGoroutine(),
		Clients: len(h.clients), Frames: h.frames,
	}
	h.guard("HistoryLen", func() { s.HistoryLines = h.eng.HistoryLen() })
	return s
}
