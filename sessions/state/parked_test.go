package state

import (
	"testing"
	"time"

	"ccdir/api"
)

// TestParking: what becomes of an agent whose process is ended to be parked.
func TestParking(t *testing.T) {
	at := time.Date(2026, 11, 29, 12, 0, 0, 0, time.UTC)
	tell := func(source api.EvidenceSource, name string, says api.State, fields map[string]string) api.Evidence {
		at = at.Add(time.Second)
		return api.Evidence{Source: source, At: at, Name: name, Says: says, Fields: fields}
	}
	park := func() api.Evidence { return tell(api.SourceDelivery, EvidencePark, api.StateExiting, nil) }
	exit := func() api.Evidence { return tell(api.SourceProcess, EvidenceExit, api.StateExited, nil) }
	off := func(fields map[string]string) api.Evidence {
		return tell(api.SourceDelivery, EvidenceParkOff, api.StateIdle, fields)
	}
	kill := func() api.Evidence { return tell(api.SourceDelivery, EvidenceKill, api.StateExiting, nil) }
	late := map[string]string{FieldSignalled: "true"}
	for _, tt := range []struct {
		name string
		then []func() api.Evidence
		want api.State
	}{
		{"it ends", []func() api.Evidence{park, exit}, api.StateParked},
		{"an exit by itself", []func() api.Evidence{exit}, api.StateExited},
		{"what it says on the way out", []func() api.Evidence{park, func() api.Evidence {
			return tell(api.SourcePSP, "psp", api.StateWorking, map[string]string{"state": "working"})
		}}, api.StateExiting},
		{"asked to end meanwhile", []func() api.Evidence{park, kill, exit}, api.StateExited},
		{"asked to end later", []func() api.Evidence{park, exit, kill}, api.StateExited},
		{"its host dies meanwhile", []func() api.Evidence{park, func() api.Evidence { return tell(api.SourceProcess, EvidenceLost, api.StateLost, nil) }}, api.StateLost},
		{"its host is missed later", []func() api.Evidence{park, exit, func() api.Evidence { return tell(api.SourceProcess, EvidenceLost, api.StateLost, nil) }}, api.StateParked},
		{"left alone, then an end", []func() api.Evidence{park, func() api.Evidence { return off(nil) }, exit}, api.StateExited},
		{"late", []func() api.Evidence{park, func() api.Evidence { return off(late) }}, api.StateIdle},
		{"late, then the end", []func() api.Evidence{park, func() api.Evidence { return off(late) }, exit}, api.StateParked},
		{"late, used again, then an end", []func() api.Evidence{park, func() api.Evidence { return off(late) }, func() api.Evidence {
			return tell(api.SourceKeys, "key", "", map[string]string{"keys": "text"})
		}, exit}, api.StateExited},
		{"woken", []func() api.Evidence{park, exit, func() api.Evidence { return tell(api.SourceProcess, EvidenceStarted, "", nil) }}, api.StateStarting},
	} {
		f := NewFold(true, at)
		f.State, f.Begun = api.StateIdle, true
		for _, e := range tt.then {
			f = f.Apply(e())
		}
		if f.State != tt.want {
			t.Errorf("%s: %s by %s, want %s", tt.name, f.State, f.Rule, tt.want)
		}
	}
}

// TestLeftRunning: what a turn left behind is remembered until its ends are told.
func TestLeftRunning(t *testing.T) {
	at := time.Date(2026, 11, 29, 12, 0, 0, 0, time.UTC)
	f := NewFold(true, at)
	f = f.Apply(api.Evidence{Source: api.SourceHook, Kind: api.KindTurnEnds, At: at, Says: api.StateIdle, Fields: map[string]string{"background_tasks": "1", "session_crons": "2"}})
	if f.Tasks != 1 || f.Crons != 2 {
		t.Errorf("after the turn: %d tasks, %d crons", f.Tasks, f.Crons)
	}
	for _, state := range []string{"working", "clear"} {
		at = at.Add(time.Second)
		f = f.Apply(api.Evidence{Source: api.SourcePSP, Name: "psp", At: at, Fields: map[string]string{"state": state, "id": "7"}})
	}
	if f.Tasks != 0 || f.Crons != 2 {
		t.Errorf("after its end: %d tasks, %d crons", f.Tasks, f.Crons)
	}
}
