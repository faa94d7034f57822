package approvals

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"ccdir/api"
)

func TestPersonAnswers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		k := &book{}
		b := New(Options{Ledger: k, Observer: k})
		defer b.Close()
		began := time.Now().UTC()
		ch := hold(t.Context(), b, "c1", bash("s1", "ls"))
		r := one(t, b)
		if !r.Since.Equal(began) || r.Stage != api.StagePerson || r.Kind != api.RequestPermission || r.Deadline.Sub(began) != defaultHold {
			t.Errorf("the request is %+v", r)
		}
		d, err := b.Answer(r.ID[:2], api.ByPerson, api.Answer{Behavior: api.AnswerAllow, Always: true})
		if err != nil || d.Request.ID != r.ID {
			t.Fatalf("Answer: %v, %v", d, err)
		}
		d = want(t, ch, api.OutcomeAnswered)
		if d.By != api.ByPerson || !d.Answer.Always || !d.At.Equal(began) {
			t.Errorf("the decision is %+v", d)
		}
		if _, err := b.Answer(r.ID, api.ByPerson, allow); api.CodeOf(err) != api.CodeNotFound {
			t.Errorf("a second answer: %v", err)
		}
		if got := fmt.Sprint(k.all(), len(k.rows), len(b.List())); got != fmt.Sprintf("[open %s end %[1]s answered] 1 0", r.ID) {
			t.Errorf("told: %s", got)
		}
	})
}

func TestSameCallJoins(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		k := &book{}
		b := New(Options{Observer: k})
		defer b.Close()
		ctx, hangUp := context.WithCancel(t.Context())
		first := hold(ctx, b, "c1", bash("s1", "ls"))
		r := one(t, b)
		other := hold(t.Context(), b, "c2", bash("s1", "ls")) // the same tool call again is another dialog
		foreign := hold(t.Context(), b, "c1", bash("s2", "ls"))
		hangUp()
		synctest.Wait()
		if got := <-first; !errors.Is(got.err, context.Canceled) {
			t.Fatalf("the hook that hung up got %+v", got)
		}
		time.Sleep(defaultHangUp - time.Millisecond)
		again := hold(t.Context(), b, "c1", bash("s1", "ls"))
		synctest.Wait()
		if n := len(b.List()); n != 3 {
			t.Fatalf("%d requests are open, want 3", n)
		}
		time.Sleep(time.Hour)
		if _, err := b.Answer(r.ID, api.ByPerson, allow); err != nil {
			t.Fatal(err)
		}
		want(t, again, api.OutcomeAnswered)
		// The reply was lost: the hook asks once more and gets the same.
		if d, err := b.Hold(t.Context(), "c1", bash("s1", "ls")); err != nil || d.Outcome != api.OutcomeAnswered || d.Request.ID != r.ID {
			t.Errorf("after the end: %+v, %v", d, err)
		}
		b.Observe("s1", api.Evidence{Source: api.SourceProcess, Name: "exit", Says: api.StateExited, At: time.Now()}, nil)
		want(t, other, api.OutcomeSession)
		select {
		case got := <-foreign:
			t.Errorf("the other session's request ended: %+v", got)
		default:
		}
	})
}

func TestTheSameIDOnTheNextDaemon(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := New(Options{})
		ch := hold(t.Context(), b, "c1", bash("s1", "ls"))
		before := one(t, b).ID
		b.Close()
		synctest.Wait()
		if got := <-ch; api.CodeOf(got.err) != api.CodeUnavailable {
			t.Fatalf("at the daemon's stop the hook got %+v", got)
		}
		if _, err := b.Hold(t.Context(), "c9", bash("s1", "ls")); api.CodeOf(err) != api.CodeUnavailable {
			t.Errorf("Hold after Close: %v", err)
		}
		if _, err := b.Answer(before, api.ByPerson, allow); api.CodeOf(err) != api.CodeUnavailable {
			t.Errorf("Answer after Close: %v", err)
		}
		next := New(Options{})
		defer next.Close()
		hold(t.Context(), next, "c1", bash("s1", "ls"))
		if after := one(t, next).ID; after != before {
			t.Errorf("the id was %s, is %s", before, after)
		}
	})
}

func TestHangUpAndDeadline(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		k := &book{}
		b := New(Options{Ledger: k})
		defer b.Close()
		ctx, hangUp := context.WithCancel(t.Context())
		hold(ctx, b, "gone", bash("s1", "ls"))
		r := bash("s1", "cat")
		r.Deadline = time.Now().Add(time.Minute)
		ch := hold(t.Context(), b, "slow", r)
		synctest.Wait()
		hangUp()
		synctest.Wait()
		time.Sleep(defaultHangUp + 1)
		if r := one(t, b); !strings.Contains(string(r.Input), "cat") {
			t.Fatalf("left is %+v", r)
		}
		time.Sleep(time.Minute)
		want(t, ch, api.OutcomeDeadline)
		if len(k.rows) != 2 || k.rows[0].Outcome != api.OutcomeHungUp || k.rows[1].Outcome != api.OutcomeDeadline {
			t.Errorf("the ledger has %+v", k.rows)
		}
	})
}

func TestBounds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := New(Options{PerSession: 2, Total: 3})
		defer b.Close()
		for _, s := range []string{"s1", "s1", "s2"} {
			hold(t.Context(), b, "", bash(s, "ls"))
		}
		synctest.Wait()
		want(t, hold(t.Context(), b, "", bash("s1", "ls")), api.OutcomeLimit)
		want(t, hold(t.Context(), b, "", bash("s2", "ls")), api.OutcomeLimit)
		if n := len(b.List()); n != 3 {
			t.Errorf("%d are open", n)
		}
		big := api.Request{Session: "s3", Tool: "Write", Input: json.RawMessage(`"` + strings.Repeat("x", maxInput) + `"`)}
		want(t, hold(t.Context(), New(Options{}), "", big), api.OutcomeLimit)
		for i := range 2 * endedKept { // what is remembered stays bounded
			want(t, hold(t.Context(), b, fmt.Sprint("c", i), bash("s1", "ls")), api.OutcomeLimit)
		}
		if len(b.calls) > endedKept+3 || len(b.ended) > endedKept {
			t.Errorf("%d calls, %d ended are remembered", len(b.calls), len(b.ended))
		}
	})
}

func TestInvalidAnswers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := New(Options{})
		defer b.Close()
		plain := bash("s1", "ls")
		plain.AlwaysRule = ""
		question := api.Request{Session: "s1", Tool: "AskUserQuestion", Kind: api.RequestQuestion}
		for _, c := range []struct {
			r    api.Request
			a    api.Answer
			code api.Code
		}{
			{plain, api.Answer{}, api.CodeInvalid},
			{plain, api.Answer{Behavior: "maybe"}, api.CodeInvalid},
			{plain, api.Answer{Behavior: api.AnswerDeny, Always: true}, api.CodeInvalid},
			{plain, api.Answer{Behavior: api.AnswerAllow, Always: true}, api.CodeInvalid},
			{plain, api.Answer{Behavior: api.AnswerDeny, Message: strings.Repeat("x", maxMessage+1)}, api.CodeTooLarge},
			{question, allow, api.CodeInvalid},
		} {
			ch := hold(t.Context(), b, "", c.r)
			id := one(t, b).ID
			if _, err := b.Answer(id, api.ByPerson, c.a); api.CodeOf(err) != c.code {
				t.Errorf("%+v to %s: %v, want %s", c.a, c.r.Tool, err, c.code)
			}
			if _, err := b.Answer(id, api.ByPerson, api.Answer{Behavior: api.AnswerDeny}); err != nil {
				t.Errorf("denying %s: %v", c.r.Tool, err)
			}
			want(t, ch, api.OutcomeAnswered)
		}
		for _, ref := range []string{"", "nothing", "\x1b"} {
			if _, err := b.Answer(ref, api.ByPerson, allow); api.CodeOf(err) != api.CodeNotFound {
				t.Errorf("Answer(%q): %v", ref, err)
			}
		}
	})
}

func TestPolicyThenLeadThenPerson(t *testing.T) {
	deny := api.Answer{Behavior: api.AnswerDeny, Message: "no"}
	says := func(a api.Answer, ok bool) deciders {
		return func(context.Context, api.Request) (api.Answer, bool) { return a, ok }
	}
	panics := deciders(func(context.Context, api.Request) (api.Answer, bool) { panic("broken") })
	for name, c := range map[string]struct {
		policy Decider
		lead   LeadAsker
		by     string // "" is left to people
	}{
		"policy first":        {says(allow, true), says(deny, true), api.ByPolicy},
		"policy silent":       {says(allow, false), says(deny, true), api.ByLead},
		"policy only, silent": {says(allow, false), nil, ""},
		"lead silent":         {nil, says(deny, false), ""},
		"both panic":          {panics, panics, ""},
		"nonsense":            {says(api.Answer{Behavior: "?"}, true), says(api.Answer{}, true), ""},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				k := &book{}
				b := New(Options{Decider: c.policy, Lead: c.lead, Ledger: k, Observer: k})
				defer b.Close()
				ch := hold(t.Context(), b, "c", bash("s", "ls"))
				if c.by == "" {
					r := one(t, b)
					if r.Stage != api.StagePerson {
						t.Errorf("stage %q", r.Stage)
					}
					if _, err := b.Answer(r.ID, api.ByPerson, allow); err != nil {
						t.Fatal(err)
					}
					c.by = api.ByPerson
				}
				if d := want(t, ch, api.OutcomeAnswered); d.By != c.by {
					t.Errorf("answered by %q, want %q", d.By, c.by)
				}
				told := strings.Join(k.all(), ",")
				if seen := strings.HasPrefix(told, "open "); seen == (c.by == api.ByPolicy) || len(k.rows) != 1 {
					t.Errorf("told %q, %d rows", told, len(k.rows))
				}
			})
		})
	}
}

func TestPersonOvertakesLead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := New(Options{Lead: deciders(func(ctx context.Context, _ api.Request) (api.Answer, bool) {
			<-ctx.Done() // the request's end ends the question to the lead
			return allow, true
		})})
		ch := hold(t.Context(), b, "c", bash("s", "ls"))
		r := one(t, b)
		if r.Stage != api.StageLead {
			t.Errorf("stage %q", r.Stage)
		}
		if _, err := b.Answer(r.ID, api.ByPerson, api.Answer{Behavior: api.AnswerDeny}); err != nil {
			t.Fatal(err)
		}
		if d := want(t, ch, api.OutcomeAnswered); d.By != api.ByPerson {
			t.Errorf("by %q", d.By)
		}
		b.Close() // waits for the lead's goroutine
	})
}

func TestSlowPolicyIsBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := New(Options{Decider: deciders(func(ctx context.Context, _ api.Request) (api.Answer, bool) {
			<-ctx.Done()
			return api.Answer{}, false
		})})
		defer b.Close()
		began := time.Now()
		hold(t.Context(), b, "c", bash("s", "ls"))
		time.Sleep(defaultDecideTime)
		if r := one(t, b); time.Since(began) != defaultDecideTime || r.Stage != api.StagePerson {
			t.Errorf("%+v after %s", r, time.Since(began))
		}
	})
}

func TestLedgerRefuses(t *testing.T) {
	for name, k := range map[string]*book{"error": {refuse: errors.New("disk full")}, "panic": {panicky: true}} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b := New(Options{Ledger: k, Observer: k})
				defer b.Close()
				ch := hold(t.Context(), b, "c1", bash("s", "ls"))
				if _, err := b.Answer(one(t, b).ID, api.ByPerson, allow); api.CodeOf(err) != api.CodeInternal {
					t.Errorf("the approval: %v", err)
				}
				if d := want(t, ch, api.OutcomeUnrecorded); d.Answer != nil {
					t.Errorf("an approval was given: %+v", d)
				}
				ch = hold(t.Context(), b, "c2", bash("s", "ls"))
				if _, err := b.Answer(one(t, b).ID, api.ByPerson, api.Answer{Behavior: api.AnswerDeny}); err != nil {
					t.Errorf("the denial: %v", err)
				}
				want(t, ch, api.OutcomeAnswered)
			})
		})
	}
}

func TestListIsOldestFirst(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := New(Options{})
		defer b.Close()
		now := time.Now()
		for i, age := range []int{3, 1, 5, 2, 4} {
			r := bash("s", fmt.Sprint(age))
			r.Since = now.Add(-time.Duration(age) * time.Minute)
			hold(t.Context(), b, fmt.Sprint(i), r)
		}
		synctest.Wait()
		var got []string
		for _, r := range b.List() {
			got = append(got, r.AlwaysRule)
		}
		if s := strings.Join(got, " "); s != "Bash(5) Bash(4) Bash(3) Bash(2) Bash(1)" {
			t.Error(s)
		}
	})
}
