package state

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"ccdir/api"
)

// TestRequestIsFilledIn: what a request lacks is filled in.
func TestRequestIsFilledIn(t *testing.T) {
	b := newBook()
	q, refusal := b.Open("c", bash("ls", time.Time{}), b.zero, false)
	if refusal != nil || !q.Since.Equal(b.zero) || q.Kind != api.RequestPermission || q.Deadline.Sub(b.zero) != HoldTime {
		t.Errorf("%+v, %v", q, refusal)
	}
	if list := b.Visible(); len(list) != 0 {
		t.Errorf("people see it already: %+v", list)
	}
	if n, _ := b.Waiting(); n != 0 {
		t.Errorf("%d wait", n)
	}
}

// TestHangUpAndDeadline: a request ends some time after its caller hung up, unless the caller
// is back, and at its deadline.
func TestHangUpAndDeadline(t *testing.T) {
	b := newBook()
	at := func(d time.Duration) int { return int(d.Milliseconds()) }
	for _, call := range []string{"gone", "back", "twice", "slow"} {
		q := bash(call, b.zero)
		q.Deadline = b.zero.Add(time.Minute)
		b.ask(call, q)
	}
	b.Join("twice")
	for _, call := range []string{"gone", "back", "twice", "unknown"} {
		b.Leave(call, b.zero)
	}
	b.pass(at(hangUpTime) - 1)
	if !b.Join("back") || b.Join("unknown") || len(b.over) != 0 {
		t.Fatalf("before anybody is given up: %+v", b.over)
	}
	b.pass(at(hangUpTime))
	if d := b.over["gone"]; d.Outcome != api.OutcomeHungUp || len(b.over) != 1 {
		t.Fatalf("after the hang-up: %+v", b.over)
	}
	b.pass(at(time.Minute))
	for _, call := range []string{"back", "twice", "slow"} {
		if d := b.over[call]; d.Outcome != api.OutcomeDeadline {
			t.Errorf("%s ended with %q", call, d.Outcome)
		}
	}
	if !b.Wake().IsZero() {
		t.Errorf("it wakes at %s for nothing", b.Wake())
	}
}

// TestRequestBounds: requests beyond a bound are refused, and what is remembered is bounded.
func TestRequestBounds(t *testing.T) {
	b := newBook()
	refused := func(call string, q api.Request, full bool) {
		t.Helper()
		_, refusal := b.Open(call, q, b.zero, full)
		if refusal == nil || refusal.Decision.Outcome != api.OutcomeLimit {
			t.Fatalf("%s: %+v", call, refusal)
		}
		b.end(*refusal)
	}
	big := bash("x", b.zero)
	big.Input = json.RawMessage(`"` + strings.Repeat("x", maxRequestInput) + `"`)
	refused("big", big, false)
	if q := b.over["big"].Request; q.Input != nil {
		t.Error("its input is kept")
	}
	refused("full", bash("ls", b.zero), true)
	for n := range maxRequests {
		b.ask(fmt.Sprint("c", n), bash("ls", b.zero))
	}
	for n := range 3 * endedKept {
		refused(fmt.Sprint("more", n), bash("ls", b.zero), false)
	}
	if b.Len() != maxRequests || b.ended.Len() != endedKept {
		t.Errorf("%d requests, %d ends", b.Len(), b.ended.Len())
	}
}

// TestAnswersThatDoNotFit: an answer has to fit what is asked.
func TestAnswersThatDoNotFit(t *testing.T) {
	allow, deny := api.AnswerAllow, api.AnswerDeny
	plain := bash("ls", time.Time{})
	narrow := plain
	narrow.AlwaysRule = ""
	edited := plain
	edited.Editable = true
	pane := api.Request{ID: "q", Tool: "AskUserQuestion", Kind: api.RequestQuestion}
	two := pane
	two.Questions = 2
	choice := api.Request{ID: "m", Kind: api.RequestQuestion, Origin: api.OriginMCP, Choices: []string{"a", "b"}}
	for _, c := range []struct {
		q    api.Request
		a    api.Answer
		code api.Code // "": it fits
	}{
		{plain, api.Answer{}, api.CodeInvalid},
		{plain, api.Answer{Behavior: "maybe"}, api.CodeInvalid},
		{plain, api.Answer{Behavior: allow}, ""},
		{plain, api.Answer{Behavior: allow, Always: true}, ""},
		{plain, api.Answer{Behavior: deny, Always: true}, api.CodeInvalid},
		{narrow, api.Answer{Behavior: allow, Always: true}, api.CodeInvalid},
		{plain, api.Answer{Behavior: deny, Message: strings.Repeat("x", maxMessage+1)}, api.CodeTooLarge},
		{plain, api.Answer{Behavior: allow, Input: json.RawMessage("{}")}, api.CodeInvalid},
		{edited, api.Answer{Behavior: allow, Input: json.RawMessage("{}")}, ""},
		{edited, api.Answer{Behavior: deny, Input: json.RawMessage("{}")}, api.CodeInvalid},
		{edited, api.Answer{Behavior: allow, Input: json.RawMessage("{}"), Always: true}, api.CodeInvalid},
		{pane, api.Answer{Behavior: allow}, api.CodeInvalid},
		{pane, api.Answer{Behavior: deny}, ""},
		{two, api.Answer{Behavior: allow, Text: "one"}, api.CodeInvalid},
		{two, api.Answer{Behavior: allow, Text: "one\ntwo"}, ""},
		{choice, api.Answer{Behavior: allow, Text: "c"}, api.CodeInvalid},
		{choice, api.Answer{Behavior: allow, Text: "a\nb"}, api.CodeInvalid},
		{choice, api.Answer{Behavior: allow, Text: "b"}, ""},
	} {
		if err := ValidAnswer(c.a, c.q); err == nil != (c.code == "") || err != nil && api.CodeOf(err) != c.code {
			t.Errorf("%+v to %s: %v, want %q", c.a, c.q.ID, err, c.code)
		}
	}
}

// TestRequestsEndOnce: whatever happens, in whatever order, each request is claimed once, its
// end is remembered, and nothing stays open.
func TestRequestsEndOnce(t *testing.T) {
	for seed := range uint64(500) {
		rnd := rand.New(rand.NewPCG(seed, 1))
		b := newBook()
		claims := map[string]int{}
		claim := func(call string, d api.Decision) {
			if q, ok := b.Claim(call); ok {
				claims[call]++
				d.Request = q
				if rnd.IntN(3) > 0 { // else its end is being recorded
					b.Close(call, d)
				}
			}
		}
		asked := map[string]bool{}
		for at := 0; at < 60_000; at += rnd.IntN(1500) {
			now := b.zero.Add(time.Duration(at) * time.Millisecond)
			for _, end := range b.Due(now) {
				claim(end.Call, end.Decision)
			}
			call, command := fmt.Sprint("c", rnd.IntN(12)), fmt.Sprint("cmd", rnd.IntN(3))
			switch what := rnd.IntN(8); {
			case what < 2 && !asked[call]:
				asked[call] = true
				if _, refusal := b.Open(call, bash(command, now), now, false); refusal != nil {
					claim(call, refusal.Decision)
				} else {
					b.Show(call, api.StagePerson)
				}
			case what == 2:
				claim(call, Answered(api.Answer{Behavior: api.AnswerAllow}, api.ByPerson))
			case what == 3:
				b.Join(call)
			case what == 4:
				b.Leave(call, now)
			default:
				f := []seen{status(at, "blocked"), status(at, "working"), {at, api.KindTurnEnds, "", "", nil}, {at, api.KindToolEnds, command, "", nil}}[rnd.IntN(4)]
				for _, end := range b.Observe(f.evidence(b.zero), now) {
					claim(end.Call, end.Decision)
				}
			}
		}
		for _, end := range b.Observe(api.Evidence{Source: api.SourceProcess, Says: api.StateExited}, b.zero) {
			claim(end.Call, end.Decision)
		}
		for call := range asked {
			b.Close(call, api.Decision{})
			if _, known := b.Ended(call); claims[call] != 1 || !known {
				t.Fatalf("seed %d: %s was claimed %d times, known: %v", seed, call, claims[call], known)
			}
		}
		if b.Len() != 0 || len(b.Visible()) != 0 {
			t.Fatalf("seed %d: %d stay open", seed, b.Len())
		}
	}
}
