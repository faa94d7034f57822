package journal

import (
	"encoding/json"
	"maps"

	"ccdir/api"
)

// changes are the changes of one transaction.
type changes struct {
	events   []api.Event
	keys     []string          // one per event, "": none
	sessions map[string][]byte // records by session id; nil deletes one
}

func (c *changes) empty() bool { return len(c.events) == 0 && len(c.sessions) == 0 }

func (c *changes) addEntry(e *entry) {
	if e.msg.Event != nil {
		c.events = append(c.events, *e.msg.Event)
		c.keys = append(c.keys, e.key)
	}
	switch {
	case !e.save:
	case e.msg.Removed != "":
		c.setSession(e.msg.Removed, nil)
	case e.msg.Session != nil:
		c.setSession(e.msg.Session.ID, e.record)
	}
}

func (c *changes) setSession(id string, record []byte) {
	if c.sessions == nil {
		c.sessions = map[string][]byte{}
	}
	c.sessions[id] = record
}

// add appends later changes.
func (c *changes) add(later *changes) {
	c.events, c.keys = append(c.events, later.events...), append(c.keys, later.keys...)
	if c.sessions == nil {
		c.sessions = make(map[string][]byte, len(later.sessions))
	}
	maps.Copy(c.sessions, later.sessions)
}

// reset empties c and keeps its capacity.
func (c *changes) reset() {
	clear(c.events)
	c.events, c.keys = c.events[:0], c.keys[:0]
	c.sessions = nil
}

// trim drops the oldest events beyond limit and returns how many.
func (c *changes) trim(limit int) int {
	dropped := max(0, len(c.events)-limit)
	c.events, c.keys = c.events[dropped:], c.keys[dropped:]
	return dropped
}

// overflowRecord is a record of the overflow file: changes as JSON.
type overflowRecord struct {
	Events   []api.Event                `json:"events,omitempty"`
	Keys     []string                   `json:"keys,omitempty"`
	Sessions map[string]json.RawMessage `json:"sessions,omitempty"` // null deletes
}

// encode makes one record of changes.
func (c *changes) encode() ([]byte, error) {
	r := overflowRecord{Events: c.events, Keys: c.keys, Sessions: make(map[string]json.RawMessage, len(c.sessions))}
	for id, data := range c.sessions {
		r.Sessions[id] = data
	}
	return json.Marshal(r)
}

// decode joins records, without those that the store has already committed: events up
// to the number last, and session records that were committed with them, because the
// store may have newer ones. It stops at the first damaged record.
func decode(records [][]byte, last int64) (left changes) {
	for _, data := range records {
		var r overflowRecord
		if json.Unmarshal(data, &r) != nil || len(r.Events) != len(r.Keys) {
			break
		}
		known := 0
		for known < len(r.Events) && r.Events[known].Seq <= last {
			known++
		}
		if known > 0 && known == len(r.Events) {
			continue
		}
		left.events, left.keys = append(left.events, r.Events[known:]...), append(left.keys, r.Keys[known:]...)
		for id, data := range r.Sessions {
			if len(data) == 0 || string(data) == "null" {
				data = nil
			}
			left.setSession(id, data)
		}
	}
	return left
}
