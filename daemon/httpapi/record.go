package httpapi

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"net/http"
	"sync"
	"time"

	"ccdir/api"
	"ccdir/internal/once"
)

// owned names a key of an owner.
type owned struct{ owner, key string }

// records are the keys whose calls are in flight, and the newest records that could not
// be saved. Make one with newRecords.
type records struct {
	once.Flight[owned]
	mu      sync.Mutex // guards unsaved
	unsaved *once.Memory[owned, api.CallRecord]
}

// maxUnsaved bounds the records that are kept in memory while the disk is full.
const maxUnsaved = 256

func newRecords() *records {
	return &records{unsaved: once.NewMemory[owned, api.CallRecord](maxUnsaved)}
}

// remember keeps a record that could not be saved.
func (c *records) remember(rec api.CallRecord) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.unsaved.Put(owned{rec.Owner, rec.Key}, rec)
}

// recall returns a record that could not be saved.
func (c *records) recall(k owned) (api.CallRecord, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.unsaved.Get(k)
}

// ownerOf returns the owner of the caller's keys: the person, or the session that the
// caller runs in.
func (s *server) ownerOf(r *http.Request) (string, error) {
	o, err := s.originOf(r)
	switch {
	case err != nil:
		return "", err
	case !o.Inside:
		return api.Person, nil
	case o.Session == "":
		return "", s.refuseInside(r, o, "")
	}
	return o.Session, nil
}

// callID returns the id that a call leaves in what it makes. It does not disclose the
// key, which a reader of the id could use otherwise.
func callID(k owned) string {
	sum := sha256.Sum256([]byte(k.owner + "\x00" + k.key))
	return "key-" + hex.EncodeToString(sum[:16])
}

// newRecord returns the record of a call that begins now. Its print is the same for the
// same request however the body is formatted, and whether it came over HTTP or the
// control socket.
func newRecord(k owned, match string, r *http.Request, body []byte) api.CallRecord {
	parts := [][]byte{[]byte(r.Method), []byte(r.URL.Path), []byte(r.URL.Query().Encode()), canonical(body)}
	if match != "" {
		parts = append(parts, []byte(match))
	}
	h := sha256.New()
	for _, part := range parts {
		sum := sha256.Sum256(part)
		_, _ = h.Write(sum[:]) // never fails
	}
	return api.CallRecord{Owner: k.owner, Key: k.key, At: time.Now(), Print: h.Sum(nil)}
}

// canonical returns JSON with its fields in order and without blanks, and other bytes
// unchanged.
func canonical(body []byte) []byte {
	dec := json.NewDecoder(bytes.NewReader(body))
	dec.UseNumber()
	var v any
	if dec.Decode(&v) != nil || dec.More() {
		return body
	}
	data, err := json.Marshal(v)
	if err != nil {
		return body
	}
	return data
}

// replay sends the recorded answer.
func replay(w http.ResponseWriter, c api.CallRecord) {
	w.Header().Set(api.HeaderReplayed, "true")
	if c.Location != "" {
		w.Header().Set("Location", c.Location)
	}
	if len(c.Body) > 0 {
		w.Header().Set("Content-Type", "application/json")
	}
	w.WriteHeader(c.Status)
	_, _ = w.Write(c.Body) // the client is gone if this fails
}

// unsent is an answer that is recorded before it is sent.
type unsent struct {
	header http.Header
	status int
	body   bytes.Buffer
}

// Header implements http.ResponseWriter.
func (u *unsent) Header() http.Header { return u.header }

// WriteHeader implements http.ResponseWriter.
func (u *unsent) WriteHeader(status int) {
	if u.status == 0 {
		u.status = status
	}
}

// Write implements http.ResponseWriter.
func (u *unsent) Write(p []byte) (int, error) {
	u.WriteHeader(http.StatusOK)
	return u.body.Write(p)
}

// send sends the answer.
func (u *unsent) send(w http.ResponseWriter) {
	for name, values := range u.header {
		w.Header()[name] = values
	}
	u.WriteHeader(http.StatusOK)
	w.WriteHeader(u.status)
	_, _ = w.Write(u.body.Bytes()) // the client is gone if this fails
}
