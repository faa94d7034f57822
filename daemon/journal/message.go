package journal

import (
	"encoding/json"
	"sync"

	"ccdir/api"
)

// Message is one published message. All watchers share it; it is read-only.
type Message struct {
	api.WatchMessage
	// session is the value that Session points into.
	session *Value

	event, whole encoded
}

// Value is a session as published. All readers share it; it is read-only.
type Value struct {
	api.Session
	whole encoded
}

// encoded is JSON, made by the first reader and shared by all.
type encoded struct {
	once sync.Once
	json []byte
	err  error
}

func (e *encoded) get(encode func() ([]byte, error)) ([]byte, error) {
	e.once.Do(func() { e.json, e.err = encode() })
	return e.json, e.err
}

// JSON is the session as json.Marshal encodes it, once per value. It is safe for
// concurrent use; the bytes are shared and read-only.
func (v *Value) JSON() ([]byte, error) {
	return v.whole.get(func() ([]byte, error) { return json.Marshal(&v.Session) })
}

// JSON is the message as json.Marshal encodes it, once. It is safe for concurrent use and
// blocks for the encoding only; the bytes are shared and read-only.
func (m *Message) JSON() ([]byte, error) {
	return m.whole.get(func() ([]byte, error) {
		if m.session == nil || !m.plain() {
			return json.Marshal(&m.WatchMessage)
		}
		session, err := m.session.JSON()
		if err != nil {
			return nil, err
		}
		var out []byte
		if m.Event == nil {
			out = append(out, '{')
		} else if out, err = m.eventJSON(); err != nil {
			return nil, err
		} else {
			whole := make([]byte, 0, len(out)+len(session)+len(`,"session":}`))
			out = append(append(whole, out[:len(out)-1]...), ',')
		}
		return append(append(append(out, `"session":`...), session...), '}'), nil
	})
}

// eventJSON is the JSON of a message with the event only.
func (m *Message) eventJSON() ([]byte, error) {
	return m.event.get(func() ([]byte, error) { return json.Marshal(&api.WatchMessage{Event: m.Event}) })
}

// plain reports whether the message has no parts besides an event and a session.
func (m *Message) plain() bool {
	return m.WatchMessage == api.WatchMessage{Event: m.Event, Session: m.Session}
}

// Latest calls each, in order, with the encoded messages of one call of Next that a
// stream has to send. seq is the number of the event in it, 0: none. A session's value
// that a later message replaces is left out; its event is not.
func Latest(messages []*Message, each func(seq int64, data []byte) error) error {
	newest := map[string]int{}
	if len(messages) > 1 {
		for i, m := range messages {
			switch {
			case m.Session != nil:
				newest[m.Session.ID] = i
			case m.Removed != "":
				newest[m.Removed] = i
			}
		}
	}
	for i, m := range messages {
		encode, seq := m.JSON, int64(0)
		if m.Event != nil {
			seq = m.Event.Seq
		}
		if m.session != nil && newest[m.Session.ID] > i && m.plain() {
			if m.Event == nil {
				continue
			}
			encode = m.eventJSON
		}
		data, err := encode()
		if err != nil {
			return err
		}
		if err := each(seq, data); err != nil {
			return err
		}
	}
	return nil
}
