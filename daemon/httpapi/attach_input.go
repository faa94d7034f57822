package httpapi

import (
	"encoding/json"

	"github.com/coder/websocket"

	"ccdir/api"
	"ccdir/daemon/httpapi/ansi"
)

// fromClient reads from the client; it returns the reason why the connection ends, nil if
// the client ended it.
func (a *attachment) fromClient() error {
	for {
		kind, data, err := a.socket.Read()
		if err != nil {
			return nil
		}
		in := api.AttachInput{Type: api.AttachData, Data: string(data)}
		if kind == websocket.MessageText {
			in = api.AttachInput{}
			if err := json.Unmarshal(data, &in); err != nil {
				a.refuse(badJSON(data, err))
				continue
			}
		}
		if err := a.take(in); err != nil {
			if api.CodeOf(err) == api.CodeInternal {
				return a.hostGone(err)
			}
			a.refuse(err)
		}
	}
}

// refuse reports an error in a message to the client.
func (a *attachment) refuse(err error) {
	_ = a.socket.SendJSON(api.AttachEvent{Type: api.AttachedError, Error: failure(err)})
}

// take performs a message. An error with a code is a fault of the message and does not
// end the connection.
func (a *attachment) take(in api.AttachInput) error {
	switch in.Type {
	case api.AttachData, api.AttachKeys, api.AttachPaste:
		if a.options.readOnly {
			return api.Errorf(api.CodeForbidden, "this connection is read-only")
		}
		for _, m := range ansi.Inputs(in) {
			if err := a.host.Send(m); err != nil {
				return err
			}
		}
	case api.AttachResize:
		if in.Cols < 1 || in.Rows < 1 || in.Cols > 1000 || in.Rows > 1000 {
			return api.Errorf(api.CodeInvalid, "a size of %dx%d is not possible", in.Cols, in.Rows)
		}
		a.mu.Lock()
		a.view.Cols, a.view.Rows = in.Cols, in.Rows
		a.screen.Resize(in.Cols, in.Rows)
		view := a.view
		a.mu.Unlock()
		a.poke()
		return a.host.Send(&view)
	case api.AttachPause, api.AttachResume:
		a.mu.Lock()
		a.paused = in.Type == api.AttachPause
		a.mu.Unlock()
		a.show()
	case api.AttachRefresh:
		a.mu.Lock()
		a.screen.Forget()
		view := a.view
		a.mu.Unlock()
		a.poke()
		if a.options.frames {
			view.Refresh = true
			return a.host.Send(&view)
		}
	case api.AttachAck:
		if in.Bytes < 0 {
			return api.Errorf(api.CodeInvalid, "bytes must not be negative")
		}
		a.mu.Lock()
		a.under = max(a.under-in.Bytes, 0)
		a.mu.Unlock()
		a.show()
	default:
		return api.Errorf(api.CodeInvalid, "no message is called %.40q: there are input, keys, paste, resize, pause, resume, refresh and ack", in.Type)
	}
	return nil
}
