package host

import (
	"encoding/json"
	"errors"
	"fmt"
	"runtime"

	"ccdir/internal/grid"
	"ccdir/internal/hostwire"
	"ccdir/sessions/screen"
)

// maxHistoryLines bounds one answer to MethodHistory.
const maxHistoryLines = 1000

// request answers a client's request, now or when its work is done. The
// client's reader calls it; nothing here waits for the process.
func (h *host) request(c *client, req *hostwire.Request) {
	a := answer{h: h, c: c, id: req.ID}
	if c.readOnly && changes(req.Method) {
		a.give(nil, hostwire.NewError(hostwire.CodeForbidden, "this connection is read-only"))
		return
	}
	switch req.Method {
	case hostwire.MethodTx:
		with(a, req, func(tx hostwire.Tx) { h.requestTx(tx, a.locked) })
	case hostwire.MethodKeys:
		with(a, req, func(p hostwire.KeysParams) { h.requestKeys(p, a) })
	case hostwire.MethodPing:
		h.requestJob(func() { a.give(nil, nil) }, a)
	case hostwire.MethodOutput:
		with(a, req, func(p hostwire.OutputParams) { a.give(h.outputOf(p)) })
	case hostwire.MethodHistory:
		with(a, req, func(p hostwire.HistoryParams) { a.give(h.historyOf(p), nil) })
	case hostwire.MethodResize:
		with(a, req, func(p hostwire.ResizeParams) { a.give(h.resize(c, p)) })
	case hostwire.MethodScreen:
		with(a, req, func(p hostwire.ScreenParams) { a.give(nil, c.watchScreen(p)) })
	case hostwire.MethodKill:
		with(a, req, func(p hostwire.KillParams) { a.give(nil, h.kill(p)) })
	case hostwire.MethodDrop:
		with(a, req, func(p hostwire.DropParams) { a.give(nil, h.drop(p)) })
	case hostwire.MethodLine:
		a.give(c.newLine())
	case hostwire.MethodStats:
		a.give(h.stats(), nil)
	default:
		a.give(nil, fmt.Errorf("this host does not know the method %q", req.Method))
	}
}

// answer is what one request waits for; it is given once.
type answer struct {
	h  *host
	c  *client
	id uint64
}

// give sends the result, or the error if there is one.
func (a answer) give(result any, err error) {
	a.h.mu.Lock()
	defer a.h.mu.Unlock()
	a.locked(result, err)
}

// locked is give for those that hold h.mu.
func (a answer) locked(result any, err error) {
	r := &hostwire.Response{ID: a.id}
	var coded *hostwire.Error
	switch {
	case errors.As(err, &coded):
		r.Error = coded
	case errors.Is(err, errEnded):
		r.Error = hostwire.NewError(hostwire.CodeNotRunning, err.Error())
	case errors.Is(err, errBusy):
		r.Error = hostwire.NewError(hostwire.CodeTimeout, err.Error())
	case err != nil:
		r.Error = hostwire.NewError(hostwire.CodeInvalid, err.Error())
	case result != nil:
		b, err := json.Marshal(result)
		if err != nil {
			r.Error = hostwire.NewError(hostwire.CodeInternal, err.Error())
		}
		r.Result = b
	}
	a.c.respond(r)
}

// with decodes a request's parameters for do.
func with[T any](a answer, req *hostwire.Request, do func(T)) {
	var v T
	if len(req.Params) > 0 {
		if err := json.Unmarshal(req.Params, &v); err != nil {
			a.give(nil, fmt.Errorf("parameters of %s: %w", req.Method, err))
			return
		}
	}
	do(v)
}

// changes reports whether a method needs a connection that is not read-only.
func changes(method string) bool {
	switch method {
	case hostwire.MethodTx, hostwire.MethodKeys, hostwire.MethodResize, hostwire.MethodKill, hostwire.MethodLine, hostwire.MethodDrop:
		return true
	}
	return false
}

// requestJob hands work to the PTY's writer, or answers that it can't.
func (h *host) requestJob(j job, a answer) {
	if h.isReaped() {
		a.give(nil, errEnded)
	} else if !h.tryEnqueue(j) {
		a.give(nil, errBusy)
	}
}

func (h *host) requestKeys(p hostwire.KeysParams, a answer) {
	keys, err := parseKeys(p.Keys)
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
func (h *host) resize(c *client, p hostwire.ResizeParams) (hostwire.Status, error) {
	if p.Cols < 1 || p.Rows < 1 || p.Cols > screen.MaxCols || p.Rows > screen.MaxRows {
		return hostwire.Status{}, errors.New("a size is from 1x1 to 1000x1000")
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	_ = fault("leak") // never fails
	h.size.pin(p.Cols, p.Rows)
	return h.statusFor(c), nil
}

// outputOf renders the screen, or copies the ring.
func (h *host) outputOf(p hostwire.OutputParams) (out hostwire.OutputResult, err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if p.Format == hostwire.FormatRaw {
		out.Raw, out.Start = h.ring.from(p.From)
		out.End = out.Start + uint64(len(out.Raw))
		return out, nil
	}
	out.End = h.ring.end
	out.Typing = h.typingNow()
	if p.Format == hostwire.FormatCells {
		h.guard("output", func() { out.Raw = h.saved() })
		return out, nil
	}
	h.guard("output", func() {
		out.Text, err = hostwire.RenderOutput(p, h.eng.Table(), h.lines)
	})
	return out, err
}

// lines hands out the history, oldest first, and the screen. h.mu is held.
func (h *host) lines(history bool, yield func(r grid.Row)) {
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
func (h *host) historyOf(p hostwire.HistoryParams) (out hostwire.HistoryResult) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.guard("history", func() {
		total, held := h.eng.HistoryTotal(), uint64(h.eng.HistoryLen())
		oldest := total - held
		first := min(max(p.From, oldest), total)
		count := min(uint64(max(p.Count, 0)), maxHistoryLines, total-first)
		var enc hostwire.RowEncoder
		enc.Reset(h.eng.Table())
		for i := range count {
			enc.Add(int(i), h.eng.HistoryRow(int(first-oldest+i)))
		}
		out = hostwire.HistoryResult{First: first, Oldest: oldest, Total: total, Epoch: h.eng.HistoryEpoch(), Rows: enc.AppendTo(nil)}
		if p.Screen {
			enc.Reset(h.eng.Table())
			cols, rows := h.eng.Size()
			for y := range rows {
				enc.Add(y, h.eng.Row(y))
			}
			cur := h.eng.State().Cursor
			out.Screen, out.Cols = enc.AppendTo(nil), cols
			out.Cursor = &hostwire.CursorInfo{X: cur.X, Y: cur.Y, Visible: cur.Visible, Shape: cur.Shape}
		}
	})
	return out
}

func (h *host) stats() hostwire.Stats {
	var mem runtime.MemStats
	runtime.ReadMemStats(&mem)
	h.mu.Lock()
	defer h.mu.Unlock()
	s := hostwire.Stats{
		Written: h.ring.end, Read: h.wrote,
		HeapBytes: mem.HeapAlloc, Goroutines: runtime.NumGoroutine(),
		Clients: len(h.clients), Frames: h.frames,
	}
	h.guard("HistoryLen", func() { s.HistoryLines = h.eng.HistoryLen() })
	return s
}
