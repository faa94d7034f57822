package wire

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"reflect"
	"strings"
	"testing"
	"time"

	"ccdir/internal/cells"
)

// released are the versions of the protocol whose bytes are fixed: hosts of those
// days may run. A version is added here with the release that speaks it first, and
// its golden file is never written again.
var released = []int{1}

// TestReleased: every released protocol is still spoken and has its golden bytes.
func TestReleased(t *testing.T) {
	for _, v := range released {
		if got, ok := Negotiate(v, v); !ok || got != v {
			t.Errorf("protocol %d is released and not spoken any more", v)
		}
		if data, err := os.ReadFile(fmt.Sprintf("testdata/golden-v%d.txt", v)); err != nil || len(data) == 0 {
			t.Errorf("protocol %d is released and has no golden bytes: %v", v, err)
		}
	}
	if *update && released[len(released)-1] == ProtocolMax {
		t.Errorf("protocol %d is released: its golden bytes can't be written anew; make the next version", ProtocolMax)
	}
}

// filesV1 are the files that hosts of version 1 leave in a session's directory.
func filesV1() map[string]any {
	at := time.Date(2026, 3, 4, 5, 6, 7, 89, time.UTC)
	return map[string]any{
		"host.json": &HostFile{PID: 10, Start: "abc.1", ChildPID: 11, ChildStart: "abc.2", Socket: "/tmp/s", Protocol: 1, Version: "0.1.0",
			Spec: HostSpec{Session: "abc12345", Dir: "/d", Socket: "/tmp/s", Ticket: "t", Argv: []string{"a", "b"}, Env: []string{"K=V"}, CWD: "/c",
				Cols: 80, Rows: 24, Scrollback: 1000, RingBytes: 5, Engine: "vt", KittyKeyboard: true, NoProgramStatus: true, Version: "0.1.0"}},
		"final.json": &Final{ExitRecord: ExitRecord{Code: 137, Signal: "KILL", At: at}, Started: at, Cols: 80, Rows: 24, Title: "✳", Written: 1 << 40,
			LastEvidence: 9, Evidence: []Evidence{{Seq: 9, At: at, Name: EvidencePSP, Fields: map[string]string{"state": "idle"}}}, RingStart: 7},
	}
}

// TestFilesOfVersion1: what hosts of version 1 left behind is read as it was
// meant, and what is written has all that they wrote.
func TestFilesOfVersion1(t *testing.T) {
	data, err := os.ReadFile("testdata/files-v1.txt")
	if err != nil {
		t.Fatal(err)
	}
	golden := map[string]string{}
	for line := range strings.Lines(string(data)) {
		name, text, _ := strings.Cut(strings.TrimSpace(line), " ")
		golden[name] = text
	}
	for name, want := range filesV1() {
		got := reflect.New(reflect.TypeOf(want).Elem()).Interface()
		if err := json.Unmarshal([]byte(golden[name]), got); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%s is read as\n%+v\nwant\n%+v (%v)", name, got, want, err)
		}
		if now, err := json.Marshal(want); err != nil || string(now) != golden[name] {
			t.Errorf("%s is written as\n%s\nin version 1 it was\n%s (%v)", name, now, golden[name], err)
		}
	}
	saved, err := hex.DecodeString(golden["screen.bin"])
	if err != nil {
		t.Fatal(err)
	}
	table, rows := goldenRows()
	if now := AppendSaved(nil, table, rows[:1], rows[1:]); !bytes.Equal(now, saved) {
		t.Errorf("screen.bin is written as\n%x\nin version 1 it was\n%x", now, saved)
	}
	into := cells.NewTable()
	var lines, history int
	err = DecodeSaved(saved, into, func(old bool, row cells.Row) bool {
		if old {
			history++
		}
		want := string(table.AppendText(nil, rows[lines].Cells))
		if got := string(into.AppendText(nil, row.Cells)); strings.TrimRight(got, " ") != strings.TrimRight(want, " ") {
			t.Errorf("line %d of screen.bin is %q, want %q", lines, got, want)
		}
		lines++
		return true
	})
	if err != nil || lines != len(rows) || history != 1 {
		t.Errorf("screen.bin has %d lines, %d of them history: %v", lines, history, err)
	}
}

// TestSpeakWithOlderAndNewer: both sides take the highest protocol that both
// have, and a host that answers with another one is refused with a word.
func TestSpeakWithOlderAndNewer(t *testing.T) {
	tests := []struct {
		name    string
		hello   Hello
		welcome int
		want    string // "" is good
	}{
		{"the same", Hello{}, ProtocolMax, ""},
		{"a newer client with this host", Hello{ProtocolMin: 1, ProtocolMax: ProtocolMax + 3}, ProtocolMax, ""},
		{"a host that does not negotiate", Hello{}, ProtocolMax + 1, "speaks protocol"},
		{"a host that says nothing", Hello{}, 0, "speaks protocol"},
	}
	for _, tc := range tests {
		wire, err := AppendMessage(nil, &Welcome{Protocol: tc.welcome, Version: "9.9.9\x1b[31m"})
		if err != nil {
			t.Fatal(err)
		}
		w, err := NewConn(&stream{in: wire}).greet(t.Context(), tc.hello)
		switch {
		case tc.want == "" && (err != nil || w.Protocol != tc.welcome):
			t.Errorf("%s: %+v, %v", tc.name, w, err)
		case tc.want != "" && (err == nil || !strings.Contains(err.Error(), tc.want) || strings.Contains(err.Error(), "\x1b")):
			t.Errorf("%s: %v", tc.name, err)
		}
	}
}
