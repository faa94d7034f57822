package host

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"
	"testing"

	"ccdir/sessions/screen"
	"ccdir/wire"
)

func TestTransactions(t *testing.T) {
	r := start(t, "cat")
	p := r.dial()
	p.view(80, 24)
	text := "two\nlines"
	tx := wire.Tx{ID: "one", Steps: []wire.TxStep{{Keys: []string{"a", "M-b"}}, {Paste: &text}, {EchoMS: 5000}, {Keys: []string{"Enter"}}, {Raw: []byte("raw\r")}, {EchoMS: 5000}}}
	if got := call[wire.TxResult](p, wire.MethodTx, tx); got.Outcome != wire.TxWritten || !got.EchoSeen || got.Repeat {
		t.Errorf("first: %+v", got)
	}
	p.shows("lines\nraw")
	before := call[wire.Stats](p, wire.MethodStats, nil).Read
	if got := call[wire.TxResult](p, wire.MethodTx, tx); got.Outcome != wire.TxWritten || !got.Repeat {
		t.Errorf("repeat: %+v", got)
	}
	if after := call[wire.Stats](p, wire.MethodStats, nil).Read; after != before {
		t.Errorf("the repeat wrote %d bytes", after-before)
	}
	p.saw(wire.EvidenceTx, "id", "one", "outcome", wire.TxWritten)
	for _, bad := range []wire.Tx{
		{ID: "", Steps: []wire.TxStep{{Keys: []string{"a"}}}},
		{ID: "x"},
		{ID: "x", Steps: []wire.TxStep{{}}},
		{ID: "x", Steps: []wire.TxStep{{Keys: []string{"a"}, Paste: &text}}},
		{ID: "x", Steps: []wire.TxStep{{Keys: []string{"Nokey"}}}},
	} {
		if a := p.request(wire.MethodTx, bad); a.Error == nil || a.Error.Code != wire.CodeInvalid {
			t.Errorf("%+v: %+v", bad, a)
		}
	}
	for i := range rememberedTxs {
		call[wire.TxResult](p, wire.MethodTx, wire.Tx{ID: strconv.Itoa(i), Steps: []wire.TxStep{{Keys: []string{"x"}}, {Keys: []string{"BSpace"}}}})
	}
	if got := call[wire.TxResult](p, wire.MethodTx, wire.Tx{ID: "0", Steps: []wire.TxStep{{Keys: []string{"x"}}}}); !got.Repeat {
		t.Errorf("the oldest remembered: %+v", got)
	}
	if got := call[wire.TxResult](p, wire.MethodTx, tx); got.Repeat {
		t.Errorf("one more than is remembered: %+v", got)
	}
}

// TestTxRunning: a repeat while the first is under way says so.
func TestTxRunning(t *testing.T) {
	r := start(t, "cat")
	p := r.dial()
	slow := wire.Tx{ID: "slow", Steps: []wire.TxStep{{EchoMS: 60_000}}}
	p.send(&wire.Request{ID: 500, Method: wire.MethodTx, Params: mustJSON(t, slow)})
	if got := call[wire.TxResult](p, wire.MethodTx, slow); got.Outcome != wire.TxRunning || !got.Repeat {
		t.Errorf("repeat: %+v", got)
	}
}

func TestPSPAndQueries(t *testing.T) {
	out, read := tempFile(t)
	r := sh(t, `stty raw -echo; printf '\033]7501;?\007\033[c'; dd bs=1 count=10 2>/dev/null | od -An -c | tr -d ' \n' > `+out+`; echo >> `+out+`; stty sane
printf '\033]7501;state=blocked:app=claude-code:kind=permission:msg=YXBwcm92ZSBCYXNoOiB0b3VjaCBub3Rlcy50eHQ=\007'
printf '\033]7501;state=working:id=bg:title=YmFja2dyb3VuZA\033\\'
printf '\033]0;my title\007\007\033]9;hey\033\\\033]7;file:///tmp\007\033]133;A\007'
cat`)
	p := r.dial()
	p.view(80, 24)
	got := read()
	if strings.TrimSpace(got) != `033]7501;?\a033` {
		t.Errorf("replies: %q", got)
	}
	p.saw(wire.EvidencePSP, "state", "blocked", "kind", "permission", "msg", "approve Bash: touch notes.txt", "app", "claude-code")
	p.saw(wire.EvidencePSP, "state", "working", "id", "bg", "title", "background")
	p.saw(wire.EvidenceTitle, "text", "my title")
	p.saw(wire.EvidenceBell)
	p.saw(wire.EvidenceNotify, "text", "hey")
	p.saw(wire.EvidenceCWD, "url", "file:///tmp")
	p.saw(wire.EvidencePrompt, "mark", "A")
	p.until("the title in the status", func() bool { return p.status.Title == "my title" })
	p.mu.Lock()
	defer p.mu.Unlock()
	for i, e := range p.evidence {
		if e.Seq != uint64(i+1) {
			t.Fatalf("evidence %d has number %d", i, e.Seq)
		}
	}
}

func TestEvidenceLost(t *testing.T) {
	r := sh(t, fmt.Sprintf(`printf '\033]7501;state=working:id=early\007'; i=0; while [ $i -lt %d ]; do printf '\007'; i=$((i+1)); done; echo done; cat`, evidenceRing+10))
	a := r.dial()
	a.view(80, 24)
	a.shows("done")
	b := r.dial()
	b.until("all evidence", func() bool { return len(b.evidence) >= evidenceRing })
	b.mu.Lock()
	if len(b.lost) != 1 || len(b.lost[0].PSP) != 1 || b.lost[0].PSP[0].Fields["id"] != "early" {
		t.Errorf("lost: %+v", b.lost)
	} else if b.evidence[0].Seq != b.lost[0].To+1 {
		t.Errorf("evidence goes on at %d after %d was lost", b.evidence[0].Seq, b.lost[0].To)
	}
	last := b.evidence[len(b.evidence)-1].Seq
	b.mu.Unlock()
	c := r.dial(func(h *wire.Hello) { h.Evidence = &last })
	c.keys("Escape")
	c.saw(wire.EvidenceKeys, "keys", "Escape")
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.lost) != 0 || c.evidence[0].Seq != last+1 {
		t.Errorf("reading on from %d: lost %v, first %d", last, c.lost, c.evidence[0].Seq)
	}
	foreign := uint64(1 << 40)
	d := r.dial(func(h *wire.Hello) { h.Evidence = &foreign })
	d.saw(wire.EvidenceKeys, "keys", "Escape")
}

func TestEnginePanic(t *testing.T) {
	spec := specFor(t, "cat")
	r := startSpec(t, spec, func(o *Options) {
		o.Engine = func(name string, so screen.Options) screen.Engine { return &fragile{Engine: NewEngine(name, so)} }
	})
	p := r.dial()
	p.view(80, 24)
	p.typeLine("before")
	p.shows("before\nbefore")
	p.keys("C-g", "Enter") // echoed as ^G, printed as it is
	p.saw(wire.EvidenceEngine)
	p.until("an empty screen", func() bool { return !strings.Contains(p.text(), "before") })
	p.typeLine("after")
	p.shows("after\nafter")
}

// fragile panics when it is fed a bell.
type fragile struct{ screen.Engine }

func (f *fragile) Feed(p []byte) {
	if bytes.Contains(p, []byte("\a")) {
		panic("broken")
	}
	f.Engine.Feed(p)
}

// TestTxConditions: nothing is typed before the application asks for pastes,
// nor into a dialog.
func TestTxConditions(t *testing.T) {
	r := sh(t, `stty raw -echo; read -r x; printf '\033[?2004h'; read -r x; printf '\033]7501;state=blocked\007dialog'; cat`)
	p := r.dial()
	p.view(80, 24)
	text := "text"
	steps := []wire.TxStep{{ReadyMS: 50}, {Paste: &text}}
	if got := call[wire.TxResult](p, wire.MethodTx, wire.Tx{ID: "early", Steps: steps}); got.Outcome != wire.TxRefused || got.Reason != wire.TxNotReady || got.Written {
		t.Errorf("before it is ready: %+v", got)
	}
	call[wire.TxResult](p, wire.MethodTx, wire.Tx{ID: "go", Steps: []wire.TxStep{{Raw: []byte("\n")}}})
	steps[0].ReadyMS = 60_000
	if got := call[wire.TxResult](p, wire.MethodTx, wire.Tx{ID: "ready", NoDialog: true, Steps: steps}); got.Outcome != wire.TxWritten {
		t.Errorf("when it is ready: %+v", got)
	}
	call[wire.TxResult](p, wire.MethodTx, wire.Tx{ID: "ask", Steps: []wire.TxStep{{Raw: []byte("\n")}}})
	p.shows("dialog")
	got := call[wire.TxResult](p, wire.MethodTx, wire.Tx{ID: "dialog", NoDialog: true, Steps: steps})
	if got.Outcome != wire.TxRefused || got.Reason != wire.TxDialog || got.Written {
		t.Errorf("into a dialog: %+v", got)
	}
	if again := call[wire.TxResult](p, wire.MethodTx, wire.Tx{ID: "dialog", Steps: steps}); !again.Repeat || again.Reason != got.Reason {
		t.Errorf("repeat: %+v", again)
	}
}
