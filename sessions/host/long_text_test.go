package host

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"ccdir/sessions/host/keyenc"
	"ccdir/sessions/screen"
	"ccdir/wire"
)

// deaf is a program that reads nothing until the file go exists, and then puts what it
// reads into the file got.
const deaf = `stty raw -echo; printf '\033[?2004h'; echo ready
until [ -e go ]; do sleep 0.02; done; exec cat > got`

// TestLongTextIsTold: a client learns how far a text is that it sent, and that it was
// all written.
func TestLongTextIsTold(t *testing.T) {
	r := start(t, "sh", "-c", "stty raw -echo; echo ready; exec cat > /dev/null")
	p := r.dial()
	p.view(80, 24)
	p.shows("ready")
	if p.welcome.Status.Connection == 0 {
		t.Error("the connection has no number")
	}
	text := bytes.Repeat([]byte("line of text\n"), 80_000)
	p.send(&wire.Input{Type: wire.InputPaste, Text: text})
	p.until("the end of the paste", func() bool { return p.status.Taken == uint64(len(text)) })
	p.send(&wire.Input{Type: wire.InputRaw, Text: text})
	p.until("the end of the raw text", func() bool { return p.status.Taken == uint64(2*len(text)) })
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.status.Dropped != 0 {
		t.Errorf("%d bytes are told to be dropped", p.status.Dropped)
	}
}

// TestDropLongText: what is left of a paste into a program that does not read is
// dropped when another connection says so, whole characters and an ended paste come
// out of it, what was typed behind it is kept, and a paste after it goes whole.
func TestDropLongText(t *testing.T) {
	spec := specFor(t, "sh", "-c", deaf)
	r := startSpec(t, spec)
	p := r.dial()
	p.view(80, 24)
	p.shows("ready")
	text := bytes.Repeat([]byte("жук"), 170_000)
	p.send(&wire.Input{Type: wire.InputPaste, Text: text})
	p.send(&wire.Input{Type: wire.InputPaste, Text: text})
	p.keys("x", "y") // the host reads nothing of this connection now
	var before uint64
	p.until("the program's full buffer", func() bool { before = p.status.Taken; return before > 0 })
	q := r.dial()
	if a := q.request(wire.MethodDrop, wire.DropParams{Connection: p.welcome.Status.Connection + 99, Inputs: 1}); a.Error == nil {
		t.Error("a connection that does not exist was told to drop")
	}
	call[any](q, wire.MethodDrop, wire.DropParams{Connection: p.welcome.Status.Connection, Inputs: 1})
	var told wire.Status
	p.until("the end of the first paste", func() bool { told = p.status; return told.Dropped > 0 })
	if got := told; got.Taken < uint64(len(text)) || int(got.Dropped) >= len(text) {
		t.Errorf("taken %d, dropped %d of %d", got.Taken, got.Dropped, len(text))
	}
	call[any](q, wire.MethodDrop, wire.DropParams{Connection: p.welcome.Status.Connection, Inputs: 2})
	p.send(&wire.Input{Type: wire.InputPaste, Text: []byte(strings.Repeat("z", wire.LongText))}) // number 5
	p.keys("Enter")
	if err := os.WriteFile(filepath.Join(spec.CWD, "go"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	want := "xy\x1b[200~" + strings.Repeat("z", wire.LongText) + "\x1b[201~\r"
	var got []byte
	for end := time.Now().Add(patience); !bytes.HasSuffix(got, []byte("\r")) && time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
		got, _ = os.ReadFile(filepath.Join(spec.CWD, "got"))
	}
	rest, pastes := string(got), 0
	for strings.HasPrefix(rest, "\x1b[200~ж") { // the second one may have been begun
		part, behind, ok := strings.Cut(rest[len("\x1b[200~"):], "\x1b[201~")
		if !ok || !strings.HasPrefix(string(text), part) || !utf8.ValidString(part) || len(part) >= len(text) {
			t.Fatalf("of paste %d came %d bytes, ended %v, valid %v: …%.40q", pastes, len(part), ok, utf8.ValidString(part), part[max(0, len(part)-20):])
		}
		rest, pastes = behind, pastes+1
	}
	if pastes == 0 || pastes > 2 || rest != want {
		t.Errorf("behind %d pastes came %d bytes: %.40q … %.40q", pastes, len(rest), rest, rest[max(0, len(rest)-40):])
	}
}

// TestClosing: whatever was written of a text, what follows ends its character and
// its paste, and adds nothing.
func TestClosing(t *testing.T) {
	paste := keyenc.AppendPaste(nil, []byte("aж漢🙂b"), screen.Modes{BracketedPaste: true})
	for _, p := range [][]byte{paste, []byte("aж漢🙂b")} {
		for n := range len(p) + 1 {
			all := string(p[:n]) + string(closing(p, n))
			body, ok := all, true
			if &p[0] == &paste[0] && n > 0 {
				if body, ok = strings.CutPrefix(all, "\x1b[200~"); ok {
					body, ok = strings.CutSuffix(body, "\x1b[201~")
				}
			}
			if !ok || !utf8.ValidString(body) || !strings.HasPrefix("aж漢🙂b", body) {
				t.Errorf("%d bytes of %q and then %q", n, p, closing(p, n))
			}
		}
	}
	if rest := closing([]byte("a\x80\x80\x80\x80\x80\x80"), 1); len(rest) > utf8.UTFMax {
		t.Errorf("of what is no text follow %d bytes", len(rest))
	}
}
