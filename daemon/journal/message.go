package journal

import (
	"encoding/json"
	"sync"

	"ccdir/api"
)

// Message is one published message. All watchers share it: nobody changes it.
type Message struct {
	api.WatchMessage
	// session is the value that Session points into.
	session *Value

	event, whole encoded
}

// Value is a session as published. Everybody shares it: nobody changes it.
type Value struct {
	api.Session
	whole encoded
}

// encoded is JSON that the first who asks makes for all.
type encoded struct {
	once sync.Once
	json []byte
	err  error
}

func (e *encoded) get(encode func() ([]byte, error)) ([]byte, error) {
	e.once.Do(func() { e.json, e.err = encode() })
	return e.json, e.err
}

// JSON is the session as json.Marshal has it, which is called once per value. It
// may be called by several goroutines at the same time; the bytes are
// everybody's.
func (v *Value) JSON() ([]byte, error) {
	return v.whole.get(func() ([]byte, error) { return json.Marshal(&v.Session) })
}

// JSON is the message as json.Marshal has it. It may be called by several
// goroutines at the same time and blocks for the encoding alone; the bytes are
// everybody's.
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

// eventJSON is the message without all but its event.
func (m *Message) eventJSON() ([]byte, error) {
	return m.event.get(func() ([]byte, error) { return json.Marshal(&api.WatchMessage{Event: m.Event}) })
}

// plain reports whether there is nothing in the message but an event and a
// session.
func (m *Message) plain() bool {
	return m.WatchMessage == api.WatchMessage{Event: m.Event, Session: m.Session}
}

// Latest returns the parts of messages, as one call of Next returned them, that a
// stream has to send, encoded, and calls each with them in order; seq is the
// number of the event in it, 0 if there is none. A session's value that a later
// message replaces is left out, and its event is not.
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
