package store

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"ccdir/api"
)

// FuzzCall: whatever an event's data are, the row can be written as JSON.
func FuzzCall(f *testing.F) {
	f.Add("Bash: ls", []byte(`{"tool_name":"Bash","tool_input":{"command":"ls"},"tool_use_id":"t","permission_mode":"default"}`))
	f.Add("Bash: ls", []byte(`{"tool_name":1,"tool_input":`))
	f.Fuzz(func(t *testing.T, message string, data []byte) {
		var r api.LedgerRow
		readCall(&r, message, data)
		if _, err := json.Marshal(r); err != nil {
			t.Errorf("%q: %v", data, err)
		}
	})
}

// TestUnaskedPages: calls are found over many pages of events and of the ledger; where call or
// row has no id, a row is about the newest call of its tool before it, and about one call.
func TestUnaskedPages(t *testing.T) {
	s := openTest(t, filepath.Join(t.TempDir(), "db"))
	start := time.Unix(1000, 0).UTC()
	var events []api.Event
	var rows []api.LedgerRow
	const calls = 2*unaskedPage + 500
	for i := range calls {
		at := start.Add(time.Duration(i) * time.Second)
		data := fmt.Appendf(nil, `{"tool_name":"Bash","tool_use_id":"c%d"}`, i)
		if i%2 == 1 {
			data = nil // an agent without ids
		}
		events = append(events, api.Event{Seq: int64(i + 1), At: at, Session: "s", Type: "Begin", Source: "hook", Kind: api.KindToolBegins, Message: "Bash: ls", Data: data})
		row := api.LedgerRow{At: at.Add(100 * time.Millisecond), LatencyMS: 100, Session: "s", Tool: "Bash", Decision: api.EffectAllow, By: api.ByPolicy}
		if i%2 == 0 {
			row.ToolUseID = fmt.Sprint("c", i)
		}
		if i%10 != 4 && i%10 != 7 { // one of each form is not decided
			rows = append(rows, row)
		}
	}
	if err := s.Commit(events, make([]string, len(events)), nil); err != nil {
		t.Fatal(err)
	}
	if _, err := s.AppendDecisions(rows); err != nil {
		t.Fatal(err)
	}
	list, err := s.Decisions(t.Context(), api.LedgerFilter{By: api.ByUnasked, Session: "s", Limit: MaxLimit})
	if err != nil || len(list) != calls/5 {
		t.Fatalf("%d calls, want %d; %v", len(list), calls/5, err)
	}
	for i, r := range list {
		if want := int64(i/2*10 + 5 + i%2*3); r.Event != want {
			t.Fatalf("call %d is event %d, want %d", i, r.Event, want)
		}
	}
	since, err := s.Decisions(t.Context(), api.LedgerFilter{By: api.ByUnasked, Since: start.Add((calls - 10) * time.Second)})
	if err != nil || len(since) != 2 {
		t.Errorf("since the last ten: %+v, %v", since, err)
	}
	before, err := s.Decisions(t.Context(), api.LedgerFilter{By: api.ByUnasked, Before: 9})
	if err != nil || len(before) != 2 {
		t.Errorf("before event 9: %+v, %v", before, err)
	}
	sum, err := s.SumDecisions(t.Context(), "s", start)
	if err != nil || len(sum.Counts) != 2 || sum.Counts[0].Rows != calls*4/5 || sum.Counts[1].Rows != calls/5 || !sum.Complete {
		t.Errorf("the sum: %+v, %v", sum, err)
	}
	if list, err := s.Decisions(t.Context(), api.LedgerFilter{By: api.ByUnasked, Decision: api.EffectDeny}); err != nil || len(list) != 0 {
		t.Errorf("denied and not asked: %+v, %v", list, err)
	}
}

// TestUnaskedLeavesOpenRequests: a call about which a person is being asked has no row in the ledger
// yet, and is none that nobody was asked about.
func TestUnaskedLeavesOpenRequests(t *testing.T) {
	s := openTest(t, filepath.Join(t.TempDir(), "db"))
	at := time.Unix(1000, 0).UTC()
	event := func(seq int64, session, kind string, begins bool, id string) api.Event {
		e := api.Event{Seq: seq, At: at.Add(time.Duration(seq) * time.Second), Session: session, Type: kind, Source: "hook", Message: "Bash: ls",
			Data: fmt.Appendf(nil, `{"tool_name":"Bash","tool_use_id":%q}`, id)}
		if begins {
			e.Kind = api.KindToolBegins
		}
		return e
	}
	events := []api.Event{event(1, "s", "Begin", true, "asked"), event(2, "s", "Begin", true, "unasked"), event(3, "s", api.EventPermissionOpen, false, "asked"),
		event(4, "other", "Begin", true, "asked"), event(5, "s", api.EventPermissionOpen, false, "")}
	if err := s.Commit(events, make([]string, len(events)), nil); err != nil {
		t.Fatal(err)
	}
	for _, f := range []api.LedgerFilter{{By: api.ByUnasked, Session: "s"}, {By: api.ByUnasked, Session: "s", Before: 3}} {
		if list, err := s.Decisions(t.Context(), f); err != nil || len(list) != 1 || list[0].Event != 2 {
			t.Errorf("%+v: %+v, %v", f, list, err)
		}
	}
	if list, err := s.Decisions(t.Context(), api.LedgerFilter{By: api.ByUnasked}); err != nil || len(list) != 2 {
		t.Errorf("of all sessions: %+v, %v", list, err)
	}
}
