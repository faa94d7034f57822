package host

import (
	"bytes"
	"math/rand/v2"
	"testing"

	"ccdir/wire"
)

// TestRingBuffer: against keeping everything.
func TestRingBuffer(t *testing.T) {
	rnd := rand.New(rand.NewPCG(7, 8))
	for _, limit := range []int{1, 7, 4096, ringPage - 1, ringPage, ringPage + 1, 3*ringPage + 100} {
		r := ring{limit: limit}
		var all []byte
		for range 100 {
			p := make([]byte, rnd.IntN(1+rnd.IntN(2*limit+100)))
			for i := range p {
				p[i] = byte(rnd.Uint32())
			}
			r.write(p)
			all = append(all, p...)
			held := 0
			for _, page := range r.pages {
				held += len(page)
			}
			if held > min(limit, len(all)+ringPage) {
				t.Fatalf("limit %d, %d bytes: %d bytes of memory", limit, len(all), held)
			}
			from := uint64(rnd.IntN(len(all) + 10))
			got, first := r.from(from)
			oldest := uint64(max(0, len(all)-limit))
			if want := min(max(from, oldest), uint64(len(all))); first != want || !bytes.Equal(got, all[want:]) {
				t.Fatalf("limit %d, %d bytes, from %d: %d bytes from %d", limit, len(all), from, len(got), first)
			}
		}
	}
}

func TestEvidenceLog(t *testing.T) {
	var l evidenceLog
	l.init(5)
	if l.oldest() != 1 || len(l.all()) != 0 {
		t.Errorf("empty: oldest %d", l.oldest())
	}
	psp := func(id, state string) {
		l.add(wire.Evidence{Name: wire.EvidencePSP, Fields: map[string]string{"id": id, "state": state}})
	}
	psp("", "working")
	psp("bg", "working")
	for range 10 {
		l.add(wire.Evidence{Name: wire.EvidenceBell})
	}
	psp("bg", "clear")
	psp("other", "idle")
	all := l.all()
	if len(all) != 5 || all[0].Seq != 10 || all[4].Seq != 14 || l.oldest() != 10 {
		t.Errorf("held: %+v", all)
	}
	latest := l.latestPSP()
	if len(latest) != 2 || latest[0].Seq != 1 || latest[1].Seq != 14 {
		t.Errorf("latest: %+v", latest)
	}
	for range 1000 {
		psp(string(rune('a'+len(l.psp))), "idle")
	}
	if len(l.psp) > maxPSP {
		t.Errorf("%d ids", len(l.psp))
	}
}

func TestPSPFields(t *testing.T) {
	for in, want := range map[string][]field{
		"state=idle:app=x":               {{"state", "idle"}, {"app", "x"}},
		"state=blocked:msg=aGk=":         {{"state", "blocked"}, {"msg", "hi"}},
		"state=working:title=aGk":        {{"state", "working"}, {"title", "hi"}},
		"state=idle:msg=***:novalue:=x:": {{"state", "idle"}},
		"":                               nil,
		"msg=/w==":                       {{"msg", "\ufffd"}},
	} {
		got := pspFields([]byte(in))
		if len(got) != len(want) {
			t.Errorf("%q: %v", in, got)
			continue
		}
		for i := range got {
			if got[i] != want[i] {
				t.Errorf("%q: %v", in, got)
			}
		}
	}
}
