package wire

import (
	"bufio"
	"bytes"
	"encoding/hex"
	"flag"
	"fmt"
	"os"
	"reflect"
	"strings"
	"testing"
	"time"

	"ccdir/internal/cells"
)

var update = flag.Bool("update", false, "write testdata/golden-v1.txt anew: only before version 1 is released")

const goldenFile = "testdata/golden-v1.txt"

// goldenRows are rows with every kind of run and every field of a style.
func goldenRows() (*cells.Table, []cells.Row) {
	t := cells.NewTable()
	style := func(s cells.Style) cells.StyleID {
		id, _ := t.StyleID(s)
		return id
	}
	link, _ := t.Link("https://example.org/a?b")
	red := style(cells.Style{FG: cells.Indexed(1), Attrs: cells.Bold | cells.Overline})
	full := style(cells.Style{FG: cells.RGB(1, 2, 3), BG: cells.RGB(250, 251, 252), UnderlineColor: cells.Indexed(200),
		Attrs:     cells.Bold | cells.Dim | cells.Italic | cells.Blink | cells.Inverse | cells.Hidden | cells.Strike | cells.Overline,
		Underline: cells.UnderlineCurly, Link: link})
	var a []cells.Cell
	for _, r := range "$ plain text" {
		a = append(a, cells.Cell{Glyph: cells.Glyph(r), Style: red})
	}
	for range 9 {
		a = append(a, cells.Cell{Glyph: '─', Style: full})
	}
	for range 5 {
		a = append(a, cells.Cell{Style: red})
	}
	for _, r := range "déjà vu" {
		a = append(a, cells.Cell{Glyph: cells.Glyph(r)})
	}
	var b []cells.Cell
	for _, r := range "世界" {
		b = append(b, cells.Cell{Glyph: cells.Glyph(r), Span: cells.Wide}, cells.Cell{Span: cells.Tail})
	}
	e, _ := t.Glyph([]byte("e\u0301"))
	w, _ := t.Glyph([]byte("👩‍💻"))
	b = append(b, cells.Cell{Glyph: e, Style: red}, cells.Cell{Glyph: w, Style: full, Span: cells.Wide}, cells.Cell{Style: full, Span: cells.Tail})
	return t, []cells.Row{{Cells: a, Wrapped: true}, {Cells: make([]cells.Cell, 80)}, {Cells: b}}
}

// goldenMessages are one message of every kind with every field set.
func goldenMessages() []Message {
	at := time.Date(2026, 3, 4, 5, 6, 7, 89, time.UTC)
	seven := uint64(7)
	table, rows := goldenRows()
	data := encodeRows(nil, table, rows)
	status := Status{Cols: 80, Rows: 24, OwnSize: true, Pinned: true, Title: "✳ title", Clients: 3, Written: 1 << 40}
	return []Message{
		&Hello{ProtocolMin: 1, ProtocolMax: 1, Ticket: "ticket", Client: "test", ReadOnly: true, Evidence: &seven},
		&Welcome{Protocol: 1, Version: "0.1.0", Session: "abc12345", PID: 10, HostPID: 9, Started: at, Status: status},
		&Error{Code: CodeForbidden, Message: "no"},
		&Input{Type: InputKey, Text: []byte("C-c")},
		&Input{Type: InputPaste, Text: []byte("two\nlines 世")},
		&Input{Type: InputRaw, Text: []byte{0, 27, 255}},
		&Input{Type: InputMouse, Mouse: MouseEvent{X: 300, Y: 20, Button: 4, Action: MouseMotion, Shift: true, Alt: true, Ctrl: true}},
		&Input{Type: InputFocus, Focused: true},
		&Frame{Full: true, Gen: 1 << 33, Cols: 80, Rows: 3, Cursor: Cursor{X: 79, Y: 2, Visible: true, Shape: 6},
			Flags:        FlagAlt | FlagMouse | FlagMouseMotion | FlagMouseAny | FlagReverse | FlagBracketed | FlagAltScroll | FlagFocusReports,
			HistoryTotal: 100_000, HistoryEpoch: 2, HistoryLen: 10_000, Written: 1 << 40, Data: data},
		&Frame{Gen: 5, Cols: 80, Rows: 24, ScrollTop: 1, ScrollBottom: 22, ScrollN: -3, Data: []byte{0, 0}},
		&Evidence{Seq: 9, At: at, Name: EvidencePSP, Fields: map[string]string{"state": "idle", "app": "claude-code"}},
		&EvidenceLost{To: 8, PSP: []Evidence{{Seq: 3, At: at, Name: EvidencePSP}}},
		&Request{ID: 4, Method: MethodPing, Params: []byte(`{"a":1}`)},
		&Response{ID: 4, Error: &Error{Code: CodeInvalid, Message: "bad"}},
		&Response{ID: 5, Result: []byte(`{"outcome":"written"}`)},
		&status,
		&View{Visible: true, Cols: 80, Rows: 24, Claim: true, Refresh: true, MaxFPS: 30},
		&Exit{ExitRecord{Code: 137, Signal: "KILL", At: at}},
		&Screen{At: at, Text: "Proceed? (y/n)\n", Moving: true},
		&Hello{ProtocolMin: 1, ProtocolMax: 1, Ticket: "ticket", Client: "test", Line: "token"},
		&Line{},
		&Copy{Text: "two\nlines", TooLong: true},
	}
}

// TestGolden: the bytes of protocol version 1 stay what they are, in both
// directions.
func TestGolden(t *testing.T) {
	if *update {
		var b bytes.Buffer
		for _, m := range goldenMessages() {
			wire, err := AppendMessage(nil, m)
			if err != nil {
				t.Fatal(err)
			}
			fmt.Fprintf(&b, "%T %x\n", m, wire)
		}
		if err := os.WriteFile(goldenFile, b.Bytes(), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	f, err := os.Open(goldenFile)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<20)
	for i, m := range goldenMessages() {
		name := fmt.Sprintf("message %d, %T", i, m)
		if !lines.Scan() {
			t.Fatalf("%s is not in %s", name, goldenFile)
		}
		kind, text, _ := strings.Cut(lines.Text(), " ")
		want, err := hex.DecodeString(text)
		if err != nil || kind != fmt.Sprintf("%T", m) {
			t.Fatalf("%s: %s, %v", name, kind, err)
		}
		got, err := AppendMessage(nil, m)
		if err != nil || !bytes.Equal(got, want) {
			t.Errorf("%s is encoded as\n%x\nin version 1 it was\n%x (%v)", name, got, want, err)
		}
		back, err := NewConn(&stream{in: want}).Receive()
		if err != nil || !reflect.DeepEqual(back, m) {
			t.Errorf("%s is read as\n%+v\n%+v (%v)", name, back, m, err)
		}
	}
	if lines.Scan() {
		t.Error("the file has more messages than the test")
	}
}

// TestEveryKind: a new kind must be among the golden messages.
func TestEveryKind(t *testing.T) {
	seen := map[Kind]bool{}
	for _, m := range goldenMessages() {
		seen[m.Kind()] = true
	}
	for k := KindHello; k <= KindCopy; k++ {
		if !seen[k] {
			t.Errorf("kind %d has no golden bytes", k)
		}
		if k != KindFrame && k != KindInput && (newMessage(k) == nil || newMessage(k).Kind() != k) {
			t.Errorf("kind %d is not known to Receive", k)
		}
	}
	if newMessage(KindCopy+1) != nil {
		t.Errorf("kind %d is known but not tested here", KindCopy+1)
	}
}
