package host

import (
	"encoding/json"
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
	id := req.ID
	// reply answers; h.mu is held.
	reply := func(result any, err error) {
		r := &hostwire.Response{ID: id}
		switch {
		case err == errEnded:
			r.Error = hostwire.NewError(hostwire.CodeNotRunning, err.Error())
		case err == errBusy:
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
		c.respond(r)
	}
	locked := func(result any, err error) {
		h.mu.Lock()
		defer h.mu.Unlock()
		reply(result, err)
	}
	if c.readOnly && changes(req.Method) {
		h.mu.Lock()
		defer h.mu.Unlock()
		c.respond(&hostwire.Response{ID: id, Error: hostwire.NewError(hostwire.CodeForbidden, "this connection is read-only")})
		return
	}
	switch req.Method {
	case hostwire.MethodTx:
		tx, err := params[hostwire.Tx](req)
		if err != nil {
			locked(nil, err)
			return
		}
		h.requestTx(tx, func(r hostwire.TxResult, err error) { reply(r, err) })
	case hostwire.MethodKeys:
		h.requestKeys(c, req, locked)
	case hostwire.MethodPing:
		h.requestJob(func() { locked(nil, nil) }, locked)
	case hostwire.MethodOutput:
		p, err := params[hostwire.OutputParams](req)
		if err == nil {
			var out hostwire.OutputResult
			out, err = h.outputOf(p)
			locked(out, err)
			return
		}
		locked(nil, err)
	case hostwire.MethodHistory:
		p, err := params[hostwire.HistoryParams](req)
		if err != nil {
			locked(nil, err)
			return
		}
		locked(h.historyOf(p), nil)
	case hostwire.MethodResize:
		p, err := params[hostwire.ResizeParams](req)
		if err == nil && (p.Cols < 1 || p.Rows < 1 || p.Cols > screen.MaxCols || p.Rows > screen.MaxRows) {
			err = hostwire.NewError(hostwire.CodeInvalid, "a size is from 1x1 to 1000x1000")
		}
		h.mu.Lock()
		defer h.mu.Unlock()
		if err != nil {
			reply(nil, err)
			return
		}
		h.size.pin(p.Cols, p.Rows)
		reply(h.statusFor(c), nil)
	case hostwire.MethodKill:
		p, err := params[hostwire.KillParams](req)
		if err == nil {
			err = h.kill(p)
		}
		locked(nil, err)
	case hostwire.MethodStats:
		locked(h.stats(), nil)
	default:
		locked(nil, hostwire.NewError(hostwire.CodeInvalid, "this host does not know the method "+req.Method))
	}
}

// changes reports whether a method needs a connection that is not read-only.
func changes(method string) bool {
	switch method {
	case hostwire.MethodTx, hostwire.MethodKeys, hostwire.MethodResize, hostwire.MethodKill:
		return true
	}
	return false
}

func params[T any](req *hostwire.Request) (v T, err error) {
	if len(req.Params) > 0 {
		err = json.Unmarshal(req.Params, &v)
	}
	return v, err
}

// requestJob hands work to the PTY's writer; done answers if that is not
// possible.
func (h *host) requestJob(j job, done func(any, error)) {
	if h.isReaped() {
		done(nil, errEnded)
	} else if !h.tryEnqueue(j) {
		done(nil, errBusy)
	}
}

func (h *host) requestKeys(c *client, req *hostwire.Request, done func(any, error)) {
	p, err := params[hostwire.KeysParams](req)
	var keys []key
	if err == nil {
		keys, err = parseKeys(p.Keys)
	}
	if err != nil {
		done(nil, err)
		return
	}
	h.requestJob(func() {
		err := h.typeKeys(nil, keys)
		if err != nil {
			err = errEnded
		}
		done(nil, err)
	}, done)
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
