package fleet

import (
	"crypto/sha256"
	"encoding/hex"
	"testing"

	"github.com/nats-io/nats.go"

	"ccdir/api"
	"ccdir/orchestrator"
)

// FuzzMessages: whatever a machine or a server sends is a message or an error.
func FuzzMessages(f *testing.F) {
	f.Add("report.n1.t1.2", []byte(`{"state":"done","result":{"message":"m"}}`))
	f.Add("report.n1.t1", []byte(`{"kind":"start","task":"t1","attempt":1,"what":{"prompt":"p"}}`))
	f.Add("x", []byte(`{"labels":["a"],"slots":2}`))
	f.Fuzz(func(t *testing.T, subject string, data []byte) {
		switch e, err := eventOf(subject, data); e := e.(type) {
		case orchestrator.Ended:
			if err != nil || !e.State.Ended() {
				t.Errorf("%+v %v", e, err)
			}
		case orchestrator.Moved:
			if err != nil || e.State.Ended() {
				t.Errorf("%+v %v", e, err)
			}
		case nil:
			if err == nil {
				t.Error("neither event nor error")
			}
		}
		_, _ = decode[order](data)
		_, _ = decode[claim](data)
		_, _ = decode[presence](data)
		_, _ = decode[question](data)
		_, _ = decode[api.FleetRequest](data)
		if ref, ok := attemptOf("id", subject); ok && requestOf("id", ref) != subject {
			t.Errorf("%q names %+v", subject, ref)
		}
	})
}

// FuzzCommit: a commit is read if and only if its checksum is right and it is one.
func FuzzCommit(f *testing.F) {
	f.Add([]byte(`{"rows":[{"id":"t1","record":{}}],"settings":{}}`), true)
	f.Fuzz(func(t *testing.T, data []byte, right bool) {
		sum := sha256.Sum256(data)
		if !right {
			sum[0] ^= 1
		}
		if _, err := decodeCommit(nats.Header{headerSum: {hex.EncodeToString(sum[:])}}, data); err == nil && !right {
			t.Error("a commit with another checksum was read")
		}
		_ = checkRow(logRow{ID: "t1", Record: data})
	})
}
