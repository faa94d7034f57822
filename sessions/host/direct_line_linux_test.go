package host

import (
	"context"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"ccdir/wire"
	"ccdir/wire/directline"
)

// typist is a client with a direct line that types as a pane of the grid does:
// straight where it may, by its connection otherwise.
type typist struct {
	*peer
	line   *directline.Line
	sent   uint64
	direct int // texts that went straight
}

// fetch fetches the line that token stands for.
func (r *running) fetch(token string) (*directline.Line, error) {
	return directline.Dial(context.Background(), r.spec.Socket, wire.Hello{Ticket: ticket, Client: "test", Line: token}, nil)
}

func (r *running) typist() *typist {
	r.t.Helper()
	p := r.dial()
	p.view(80, 24)
	l, err := r.fetch(call[wire.LineResult](p, wire.MethodLine, nil).Token)
	if err != nil {
		r.t.Fatal(err)
	}
	r.t.Cleanup(l.Close)
	return &typist{peer: p, line: l}
}

func (p *typist) typ(text string) {
	p.t.Helper()
	n := p.line.Write([]byte(text), p.sent)
	if n > 0 {
		p.direct++
	}
	if n < len(text) {
		p.input(&wire.Input{Type: wire.InputRaw, Text: []byte(text[n:])})
	}
}

func (p *typist) input(in *wire.Input) {
	p.t.Helper()
	p.sent++
	p.send(in)
}

// straight types text by the line alone, as soon as that is open.
func (p *typist) straight(text string) {
	p.t.Helper()
	for end := time.Now().Add(patience); p.line.Write([]byte(text), p.sent) == 0; time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			p.t.Fatalf("the line does not open for %q", text)
		}
	}
}

func TestLineTypes(t *testing.T) {
	r := start(t, "cat")
	p := r.typist()
	p.straight("hé")
	p.straight("llo")
	p.shows("héllo")
	p.saw(wire.EvidenceKeys, "keys", "text")
	out := call[wire.OutputResult](p.peer, wire.MethodOutput, wire.OutputParams{Format: "text"})
	if ty := out.Typing; ty == nil || !ty.Draft || ty.Count == 0 {
		t.Errorf("what is known of the typing: %+v", ty)
	}
	p.input(&wire.Input{Type: wire.InputKey, Text: []byte("Enter")})
	p.shows("héllo\nhéllo")
	p.straight("more")
	p.shows("héllo\nhéllo\nmore")
	p.saw(wire.EvidenceKeys, "keys", "Enter")
}

// A delivery that was thought out before somebody typed is refused, also if the
// host has heard nothing of it but by the line.
func TestLineIsTyping(t *testing.T) {
	r := start(t, "sh", "-c", "stty -echo; echo ready; exec cat")
	p := r.typist()
	p.shows("ready")
	before := call[wire.OutputResult](p.peer, wire.MethodOutput, wire.OutputParams{Format: "text"}).Typing
	p.straight("x") // without an echo
	tx := wire.Tx{ID: "1", Steps: []wire.TxStep{{Raw: []byte("delivered\n")}}, Typed: &before.Count}
	if got := call[wire.TxResult](p.peer, wire.MethodTx, tx); got.Outcome != wire.TxRefused || got.Reason != wire.TxTyped {
		t.Errorf("the delivery: %+v", got)
	}
}

// TestLineOrder: whatever way each piece takes, the program reads all of them in
// order, and transactions and long texts of others in one piece.
func TestLineOrder(t *testing.T) {
	file := filepath.Join(t.TempDir(), "read")
	r := start(t, "sh", "-c", "stty raw -echo; echo ready; exec cat >"+file)
	p, other := r.typist(), r.dial()
	p.shows("ready")
	const pieces = 600
	var others sync.WaitGroup
	long := "[" + strings.Repeat("-", 60_000) + "]"
	others.Go(func() {
		for i := range 40 {
			if i%2 == 0 {
				other.send(&wire.Input{Type: wire.InputRaw, Text: []byte(long)})
				continue
			}
			tx := wire.Tx{ID: string(rune('A' + i)), Steps: []wire.TxStep{{Raw: []byte("<")}, {EchoMS: 2}, {Raw: []byte(">")}}}
			for other.request(wire.MethodTx, tx).Error != nil { // the queue is full
				time.Sleep(time.Millisecond)
			}
		}
	})
	rnd := rand.New(rand.NewPCG(1, 2))
	var want strings.Builder
	for i := 0; i < pieces || p.direct == 0; i++ { // at the latest when the others are done
		piece := string(rune('a' + i%26))
		want.WriteString(piece)
		if rnd.IntN(8) == 0 {
			p.input(&wire.Input{Type: wire.InputRaw, Text: []byte(piece)})
		} else {
			p.typ(piece)
		}
		if rnd.IntN(3) == 0 {
			time.Sleep(time.Duration(rnd.IntN(400)) * time.Microsecond)
		}
	}
	others.Wait()
	// With nobody else the line is open, at the latest when a text of it that the machine
	// held up has come back and an input follows.
	direct, end := p.direct, time.Now().Add(patience)
	for p.direct < direct+pieces/10 {
		if time.Now().After(end) {
			t.Fatal("the line does not open")
		}
		p.typ("!")
		want.WriteString("!")
		time.Sleep(time.Millisecond) // for the writer, which sends no event
	}
	got := readUntil(t, file, want.Len()+20*(len(long)+2))
	got = strings.ReplaceAll(strings.ReplaceAll(got, long, ""), "<>", "")
	if got != want.String() {
		t.Errorf("the program read\n%.300s\nwant\n%.300s", got, want.String())
	}
}

// readUntil waits until the file has that many bytes.
func readUntil(t *testing.T, file string, n int) string {
	t.Helper()
	for end := time.Now().Add(patience); ; time.Sleep(5 * time.Millisecond) {
		b, err := os.ReadFile(file)
		if err == nil && len(b) >= n {
			return string(b)
		}
		if time.Now().After(end) {
			t.Fatalf("%d bytes of %d arrived (%v)", len(b), n, err)
		}
	}
}

// While the application wants all keys encoded nothing goes past the host.
func TestLineCloses(t *testing.T) {
	spec := specFor(t, "sh", "-c", `stty raw -echo; printf '\033[>8uone'; head -c 1 >/dev/null; printf '\033[<utwo'; exec cat`)
	spec.KittyKeyboard = true
	r := startSpec(t, spec)
	p := r.typist()
	p.shows("one")
	if p.line.Write([]byte("x"), 0) != 0 {
		t.Error("text went past the host")
	}
	p.input(&wire.Input{Type: wire.InputRaw, Text: []byte("x")})
	p.shows("onetwo")
	p.straight("y")
	p.shows("onetwoy")
}

func TestLineRefused(t *testing.T) {
	r := start(t, "cat")
	looker := r.dial(func(h *wire.Hello) { h.ReadOnly = true })
	if a := looker.request(wire.MethodLine, nil); a.Error == nil || a.Error.Code != wire.CodeForbidden {
		t.Errorf("a read-only connection: %+v", a)
	}
	p := r.dial()
	token := call[wire.LineResult](p, wire.MethodLine, nil).Token
	if a := p.request(wire.MethodLine, nil); a.Error == nil {
		t.Error("a second line of one connection")
	}
	for _, wrong := range []string{"wrong", token + "x", token[1:]} {
		if l, err := r.fetch(wrong); err == nil {
			l.Close()
			t.Errorf("a line for the token %q", wrong)
		}
	}
	l, err := r.fetch(token)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	if again, err := r.fetch(token); err == nil {
		again.Close()
		t.Error("a token was good twice")
	}
	p.close()
	for end := time.Now().Add(patience); l.Write([]byte("x"), 0) != 0; time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("the line outlives its connection")
		}
	}
}
