package sessions

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"ccdir/agents"
	"ccdir/agents/adapters"
	"ccdir/api"
	"ccdir/config"
	"ccdir/sessions/launch"
	"ccdir/sessions/state"
)

// ledger is a Policy that has no rules and records ends.
type ledger struct {
	Policy
	lead func(context.Context, api.Request) (api.Answer, bool)

	mu      sync.Mutex
	rows    []api.Decision
	refuse  error
	panicky bool
	stuck   chan struct{} // Record waits for it; nil: it doesn't
}

func (l *ledger) Record(d api.Decision) error {
	if l.stuck != nil {
		<-l.stuck
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.panicky {
		panic("ledger")
	}
	if l.refuse == nil {
		l.rows = append(l.rows, d)
	}
	return l.refuse
}

func (l *ledger) Request(_ api.Caller, q *api.Request) (api.Answer, bool) {
	q.Rule = "Bash(rm:*)"
	return deny, strings.Contains(string(q.Input), "rm ")
}

func (l *ledger) Prepare(_ api.Request, a api.Answer) (api.Answer, error) { return a, nil }

func (l *ledger) AskLead(ctx context.Context, q api.Request) (api.Answer, bool) {
	if l.lead == nil {
		return api.Answer{}, false
	}
	return l.lead(ctx, q)
}

// desk is a registry with two sessions without hosts, "aaaaaaaa" and "bbbbbbbb".
type desk struct {
	*Registry
	t       *testing.T
	journal *memJournal
}

func newDesk(t *testing.T, l *ledger) *desk {
	t.Helper()
	j := &memJournal{records: map[string][]byte{}}
	a := &desk{New(Options{Config: config.Default, Journal: j, Store: noStore{}, Policy: l}), t, j}
	adapter, _ := adapters.Lookup(agents.KindClaude)
	for _, id := range []string{"aaaaaaaa", "bbbbbbbb"} {
		s := a.newSession(id, launch.Spec{ID: id}, adapter)
		s.fold = state.NewFold(true, time.Now())
		s.cur = api.Session{ID: id, Name: id[:1]}
		if err := a.add(s, s.cur.Name); err != nil {
			t.Fatal(err)
		}
	}
	return a
}

// held is how a call of Hold returned.
type held struct {
	d   api.Decision
	err error
}

func (a *desk) hold(ctx context.Context, call string, q api.Request) <-chan held {
	out := make(chan held, 1)
	go func() {
		d, err := a.Hold(ctx, call, q)
		out <- held{d, err}
	}()
	synctest.Wait()
	return out
}

// evidence has a session weigh evidence.
func (a *desk) evidence(session string, e api.Evidence) {
	s, err := a.find(session)
	if err == nil {
		err = s.do(context.Background(), func() { s.weigh(e, change{}) })
	}
	if err != nil {
		a.t.Error(err)
	}
}

// one returns the only open request.
func (a *desk) one() api.Request {
	a.t.Helper()
	synctest.Wait()
	list := a.Requests()
	if len(list) != 1 {
		a.t.Fatalf("%d requests are open, want 1: %v", len(list), list)
	}
	return list[0]
}

// told are the requests that the journal has: "open ID", "end ID OUTCOME".
func (a *desk) told() (list []string) {
	a.journal.mu.Lock()
	defer a.journal.mu.Unlock()
	for _, m := range a.journal.messages {
		if m.Request != nil {
			list = append(list, "open "+m.Request.ID)
		}
		if m.RequestEnded != nil {
			list = append(list, fmt.Sprint("end ", m.RequestEnded.Request.ID, " ", m.RequestEnded.Outcome))
		}
	}
	return list
}

func wants(t *testing.T, ch <-chan held, outcome api.RequestOutcome) api.Decision {
	t.Helper()
	synctest.Wait()
	select {
	case h := <-ch:
		if h.err != nil || h.d.Outcome != outcome {
			t.Fatalf("ended with %q (%s), error %v; want %q", h.d.Outcome, h.d.Reason, h.err, outcome)
		}
		return h.d
	default:
		t.Fatalf("it has not ended; want %q", outcome)
		return api.Decision{}
	}
}

func bash(session, command string) api.Request {
	input, _ := json.Marshal(map[string]string{"command": command})
	return api.Request{Session: session, Tool: "Bash", Input: input, AlwaysRule: "Bash(" + command + ")"}
}

var allow, deny = api.Answer{Behavior: api.AnswerAllow}, api.Answer{Behavior: api.AnswerDeny}

func TestPersonAnswers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := &ledger{}
		a := newDesk(t, l)
		defer a.Close()
		ch := a.hold(t.Context(), "c1", bash("aaaaaaaa", "ls"))
		r := a.one()
		if r.Stage != api.StagePerson || r.Kind != api.RequestPermission || r.Deadline.Sub(r.Since) != state.HoldTime {
			t.Errorf("the request is %+v", r)
		}
		d, err := a.Answer(r.ID[:2], api.ByPerson, api.Answer{Behavior: api.AnswerAllow, Always: true})
		if err != nil || d.Request.ID != r.ID {
			t.Fatalf("Answer: %v, %v", d, err)
		}
		if d = wants(t, ch, api.OutcomeAnswered); d.By != api.ByPerson || !d.Answer.Always {
			t.Errorf("the decision is %+v", d)
		}
		if _, err := a.Answer(r.ID, api.ByPerson, allow); api.CodeOf(err) != api.CodeNotFound {
			t.Errorf("a second answer: %v", err)
		}
		if got := fmt.Sprint(a.told(), len(l.rows), len(a.Requests())); got != fmt.Sprintf("[open %s end %[1]s answered] 1 0", r.ID) {
			t.Errorf("told: %s", got)
		}
	})
}

// TestAskByFunction: an agent is asked for by its adapter's report, and the answer goes back by
// a function: the policy's at once, a person's later, none if the agent waits no longer.
func TestAskByFunction(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := newDesk(t, &ledger{})
		defer a.Close()
		s, err := a.find("aaaaaaaa")
		if err != nil {
			t.Fatal(err)
		}
		given := map[string]api.Decision{}
		ask := func(ctx context.Context, command string) <-chan error {
			input, _ := json.Marshal(map[string]string{"command": command})
			h := agents.Hook{Evidence: api.Evidence{Source: api.SourceHook, Kind: api.KindDialog, At: time.Now(), Says: api.StatePermission},
				Tool: "Bash", ToolInput: input, FullInput: input, Question: command}
			done := make(chan error, 1)
			go func() { done <- s.ask(ctx, api.Caller{}, h, command, func(d api.Decision) { given[command] = d }) }()
			synctest.Wait()
			return done
		}
		if err := <-ask(t.Context(), "rm x"); err != nil || given["rm x"].By != api.ByPolicy {
			t.Errorf("the policy's answer: %+v, %v", given, err)
		}
		ctx, hangUp := context.WithCancel(t.Context())
		gone, held := ask(ctx, "gone"), ask(t.Context(), "make")
		hangUp()
		if err := <-gone; !errors.Is(err, context.Canceled) {
			t.Errorf("the agent that is gone: %v", err)
		}
		time.Sleep(time.Minute)
		r := a.one()
		if r.Rule != "Bash(rm:*)" || r.Question == "" {
			t.Errorf("the request is %+v", r)
		}
		if _, err := a.Answer(r.ID, api.ByPerson, allow); err != nil {
			t.Error(err)
		}
		if err := <-held; err != nil || given["make"].By != api.ByPerson || len(given) != 2 {
			t.Errorf("the person's answer: %+v, %v", given, err)
		}
	})
}

// TestAnswerAfterItsRow: neither the agent nor who answered has the answer before the ledger.
func TestAnswerAfterItsRow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := &ledger{stuck: make(chan struct{})}
		a := newDesk(t, l)
		ch := a.hold(t.Context(), "c1", bash("aaaaaaaa", "ls"))
		r := a.one()
		answered := make(chan error, 1)
		go func() {
			_, err := a.Answer(r.ID, api.ByPerson, allow)
			answered <- err
		}()
		synctest.Wait()
		if _, err := a.Answer(r.ID, api.ByPerson, deny); api.CodeOf(err) != api.CodeNotFound {
			t.Errorf("the second answer: %v", err)
		}
		if got := len(ch) + len(answered); got != 0 || len(a.told()) != 1 {
			t.Fatalf("%d have the answer before the ledger; told %v", got, a.told())
		}
		if list := a.Requests(); len(list) != 0 {
			t.Errorf("it is still shown: %v", list)
		}
		closed := make(chan struct{})
		go func() { a.Close(); close(closed) }() // it waits for the end that is being recorded
		synctest.Wait()
		close(l.stuck)
		wants(t, ch, api.OutcomeAnswered)
		<-closed
		if err := <-answered; err != nil {
			t.Errorf("the first answer: %v", err)
		}
		if len(l.rows) != 1 {
			t.Errorf("%d rows", len(l.rows))
		}
	})
}

func TestSameCallJoins(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := newDesk(t, &ledger{})
		defer a.Close()
		ctx, hangUp := context.WithCancel(t.Context())
		first := a.hold(ctx, "c1", bash("aaaaaaaa", "ls"))
		r := a.one()
		other := a.hold(t.Context(), "c2", bash("aaaaaaaa", "ls")) // the same tool call again is another dialog
		foreign := a.hold(t.Context(), "c1", bash("bbbbbbbb", "ls"))
		hangUp()
		synctest.Wait()
		if got := <-first; !errors.Is(got.err, context.Canceled) {
			t.Fatalf("the hook that hung up got %+v", got)
		}
		time.Sleep(4 * time.Second)
		again := a.hold(t.Context(), "c1", bash("aaaaaaaa", "ls"))
		time.Sleep(time.Minute)
		if n := len(a.Requests()); n != 3 {
			t.Fatalf("%d requests are open, want 3", n)
		}
		if _, err := a.Answer(r.ID, api.ByPerson, allow); err != nil {
			t.Fatal(err)
		}
		wants(t, again, api.OutcomeAnswered)
		// The reply was lost: the hook asks once more and gets the same.
		if d, err := a.Hold(t.Context(), "c1", bash("aaaaaaaa", "ls")); err != nil || d.Outcome != api.OutcomeAnswered || d.Request.ID != r.ID {
			t.Errorf("after the end: %+v, %v", d, err)
		}
		a.evidence("aaaaaaaa", api.Evidence{Source: api.SourceProcess, Name: state.EvidenceExit, Says: api.StateExited, At: time.Now()})
		wants(t, other, api.OutcomeSession)
		wants(t, a.hold(t.Context(), "c3", bash("aaaaaaaa", "ls")), api.OutcomeSession)
		if len(foreign) != 0 {
			t.Errorf("the other session's request ended: %+v", <-foreign)
		}
		if n := a.openRequests.Load(); n != 1 {
			t.Errorf("%d are counted as open, want 1", n)
		}
	})
}

// TestHungUp: a request whose call hangs up is open for a while, and one that nobody answers
// until its deadline.
func TestHungUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := &ledger{}
		a := newDesk(t, l)
		defer a.Close()
		ctx, hangUp := context.WithCancel(t.Context())
		a.hold(ctx, "gone", bash("aaaaaaaa", "ls"))
		slow := bash("aaaaaaaa", "cat")
		slow.Deadline = time.Now().Add(time.Minute)
		ch := a.hold(t.Context(), "slow", slow)
		hangUp()
		time.Sleep(10 * time.Second)
		if r := a.one(); !strings.Contains(string(r.Input), "cat") {
			t.Fatalf("left is %+v", r)
		}
		time.Sleep(time.Minute)
		wants(t, ch, api.OutcomeDeadline)
		if len(l.rows) != 2 || l.rows[0].Outcome != api.OutcomeHungUp || l.rows[1].Outcome != api.OutcomeDeadline {
			t.Errorf("the ledger has %+v", l.rows)
		}
	})
}

func TestTheSameIDOnTheNextDaemon(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := newDesk(t, &ledger{})
		ch := a.hold(t.Context(), "c1", bash("aaaaaaaa", "ls"))
		before := a.one().ID
		a.Close()
		synctest.Wait()
		if got := <-ch; api.CodeOf(got.err) != api.CodeUnavailable {
			t.Fatalf("at the daemon's stop the hook got %+v", got)
		}
		if _, err := a.Hold(t.Context(), "c9", bash("aaaaaaaa", "ls")); api.CodeOf(err) != api.CodeUnavailable {
			t.Errorf("Hold after Close: %v", err)
		}
		if _, err := a.Answer(before, api.ByPerson, allow); api.CodeOf(err) != api.CodeUnavailable {
			t.Errorf("Answer after Close: %v", err)
		}
		next := newDesk(t, &ledger{})
		defer next.Close()
		next.hold(t.Context(), "c1", bash("aaaaaaaa", "ls"))
		if after := next.one().ID; after != before {
			t.Errorf("the id was %s, is %s", before, after)
		}
	})
}

func TestPolicyThenLeadThenPerson(t *testing.T) {
	no := api.Answer{Behavior: api.AnswerDeny, Message: "no"}
	says := func(a api.Answer, ok bool) func(context.Context, api.Request) (api.Answer, bool) {
		return func(context.Context, api.Request) (api.Answer, bool) { return a, ok }
	}
	for name, c := range map[string]struct {
		policy *api.Answer
		lead   func(context.Context, api.Request) (api.Answer, bool)
		by     string
	}{
		"policy first": {&allow, says(no, true), api.ByPolicy},
		"lead":         {nil, says(no, true), api.ByLead},
		"lead silent":  {nil, says(no, false), api.ByPerson},
		"lead panics":  {nil, func(context.Context, api.Request) (api.Answer, bool) { panic("broken") }, api.ByPerson},
		"nonsense":     {&api.Answer{Behavior: "?"}, says(api.Answer{}, true), api.ByPerson},
		"person overtakes": {nil, func(ctx context.Context, _ api.Request) (api.Answer, bool) {
			<-ctx.Done() // the request's end ends the question to the lead
			return no, true
		}, api.ByPerson},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				l := &ledger{lead: c.lead}
				a := newDesk(t, l)
				defer a.Close()
				s, err := a.find("aaaaaaaa")
				if err != nil {
					t.Fatal(err)
				}
				ch := make(chan held, 1)
				go func() {
					d, err := s.hold(t.Context(), "c", bash("", "ls"), c.policy)
					ch <- held{d, err}
				}()
				if c.by == api.ByPerson {
					r := a.one()
					if want := map[bool]api.RequestStage{true: api.StageLead, false: api.StagePerson}[name == "person overtakes"]; r.Stage != want {
						t.Errorf("stage %q", r.Stage)
					}
					if _, err := a.Answer(r.ID, api.ByPerson, allow); err != nil {
						t.Fatal(err)
					}
				}
				if d := wants(t, ch, api.OutcomeAnswered); d.By != c.by {
					t.Errorf("answered by %q, want %q", d.By, c.by)
				}
				told := strings.Join(a.told(), ",")
				if seen := strings.HasPrefix(told, "open "); seen == (c.by == api.ByPolicy) || len(l.rows) != 1 {
					t.Errorf("told %q, %d rows", told, len(l.rows))
				}
			})
		})
	}
}

// TestLedgerRefuses: an approval that cannot be recorded is not given, whoever gave it, and its
// request stays open for another answer; a denial holds without a row.
func TestLedgerRefuses(t *testing.T) {
	for name, l := range map[string]*ledger{"error": {refuse: errors.New("disk full")}, "panic": {panicky: true}} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				a := newDesk(t, l)
				defer a.Close()
				ch := a.hold(t.Context(), "c1", bash("aaaaaaaa", "ls"))
				open := a.one()
				if _, err := a.Answer(open.ID, api.ByPerson, allow); api.CodeOf(err) != api.CodeInternal || !strings.Contains(err.Error(), "stays open") {
					t.Errorf("the approval: %v", err)
				}
				if r := a.one(); r.ID != open.ID || len(ch) > 0 {
					t.Fatalf("after it %+v is open, %d calls have an answer", r, len(ch))
				}
				if _, err := a.Answer(open.ID, api.ByPerson, deny); err != nil {
					t.Errorf("the denial: %v", err)
				}
				wants(t, ch, api.OutcomeAnswered)
				ch = a.hold(t.Context(), "c2", bash("aaaaaaaa", "ls"))
				if _, err := a.Answer(a.one().ID, api.ByPerson, allow); err == nil {
					t.Error("the second approval was given")
				}
				l.mu.Lock()
				l.refuse, l.panicky = nil, false
				l.mu.Unlock()
				if _, err := a.Answer(a.one().ID, api.ByPerson, allow); err != nil {
					t.Errorf("with room again: %v", err)
				}
				if d := wants(t, ch, api.OutcomeAnswered); d.Answer == nil || d.Answer.Behavior != api.AnswerAllow {
					t.Errorf("the decision is %+v", d)
				}
			})
		})
	}
}

// TestUnrecordedApprovalsOfOthers: an approval of the policy or of a lead that cannot be recorded
// leaves the request to people.
func TestUnrecordedApprovalsOfOthers(t *testing.T) {
	for name, c := range map[string]struct {
		policy *api.Answer
		lead   func(context.Context, api.Request) (api.Answer, bool)
	}{
		"policy": {policy: &allow},
		"lead":   {lead: func(context.Context, api.Request) (api.Answer, bool) { return allow, true }},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				l := &ledger{lead: c.lead, refuse: errors.New("disk full")}
				a := newDesk(t, l)
				defer a.Close()
				s, err := a.find("aaaaaaaa")
				if err != nil {
					t.Fatal(err)
				}
				ch := make(chan held, 1)
				go func() {
					d, err := s.hold(t.Context(), "c", bash("", "ls"), c.policy)
					ch <- held{d, err}
				}()
				synctest.Wait()
				r := a.one()
				if r.Stage != api.StagePerson || len(ch) > 0 {
					t.Fatalf("stage %q, %d calls have an answer", r.Stage, len(ch))
				}
				if told := a.told(); len(told) != 1 || !strings.HasPrefix(told[0], "open ") {
					t.Errorf("told %q", told)
				}
				if _, err := a.Answer(r.ID, api.ByPerson, deny); err != nil {
					t.Fatal(err)
				}
				if d := wants(t, ch, api.OutcomeAnswered); d.By != api.ByPerson {
					t.Errorf("answered by %q", d.By)
				}
			})
		})
	}
}

// TestUnrecordedMeanwhile: an answer that comes while an approval is being recorded, which then
// fails, is told so, and that the request is open.
func TestUnrecordedMeanwhile(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := &ledger{refuse: errors.New("disk full"), stuck: make(chan struct{})}
		a := newDesk(t, l)
		defer a.Close()
		ch := a.hold(t.Context(), "c", bash("aaaaaaaa", "ls"))
		s, err := a.find("aaaaaaaa")
		if err != nil {
			t.Fatal(err)
		}
		open := s.seen().requests[0]
		said := make(chan error, 2)
		answer := func(b api.Answer) {
			_, err := a.answerOpen(s, open, api.ByPerson, b)
			said <- err
		}
		go answer(allow)
		synctest.Wait()
		go answer(deny)
		synctest.Wait()
		close(l.stuck)
		for range 2 {
			if err := <-said; err == nil || !strings.Contains(err.Error(), "open") {
				t.Errorf("an answer: %v", err)
			}
		}
		if r := a.one(); r.ID != open.Request.ID || len(ch) > 0 {
			t.Errorf("%+v is open, %d calls have an answer", r, len(ch))
		}
	})
}

// TestAnswerIsDelivered: who answers hears of it when the agent has the answer, or does not
// take it.
func TestAnswerIsDelivered(t *testing.T) {
	tests := map[string]func(delivered func()) time.Duration{
		"handed over": func(delivered func()) time.Duration {
			time.Sleep(time.Millisecond)
			delivered()
			return time.Millisecond
		},
		"nobody says so": func(func()) time.Duration { return deliverTime },
	}
	for name, act := range tests {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				a := newDesk(t, &ledger{})
				defer a.Close()
				ctx, delivered := api.WithDelivery(t.Context())
				ch := a.hold(ctx, "c", bash("aaaaaaaa", "make"))
				r := a.one()
				began, answered := time.Now(), make(chan error, 1)
				go func() {
					_, err := a.Answer(r.ID, api.ByPerson, allow)
					answered <- err
				}()
				wants(t, ch, api.OutcomeAnswered)
				if len(answered) != 0 {
					t.Fatalf("acknowledged before it was handed over (%v)", <-answered)
				}
				after := act(delivered)
				if err := <-answered; err != nil || time.Since(began) != after {
					t.Errorf("acknowledged after %v (%v), want %v", time.Since(began), err, after)
				}
			})
		})
	}
}

// TestRequestsOfAllSessions: they are listed oldest first, and those of all sessions together
// are bounded.
func TestRequestsOfAllSessions(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := newDesk(t, &ledger{})
		defer a.Close()
		now := time.Now()
		for i, age := range []int{3, 1, 5, 2, 4} {
			r := bash([]string{"aaaaaaaa", "bbbbbbbb"}[i%2], fmt.Sprint(age))
			r.Since = now.Add(-time.Duration(age) * time.Minute)
			a.hold(t.Context(), "", r)
		}
		var got []string
		for _, r := range a.Requests() {
			got = append(got, r.AlwaysRule)
		}
		if s := strings.Join(got, " "); s != "Bash(5) Bash(4) Bash(3) Bash(2) Bash(1)" {
			t.Error(s)
		}
		if _, err := a.Answer("", api.ByPerson, allow); api.CodeOf(err) != api.CodeNotFound {
			t.Errorf("an answer to nothing: %v", err)
		}
		a.openRequests.Add(maxOpenRequests)
		wants(t, a.hold(t.Context(), "", bash("aaaaaaaa", "ls")), api.OutcomeLimit)
		a.openRequests.Add(-maxOpenRequests)
		if n := a.openRequests.Load(); n != 5 {
			t.Errorf("%d are counted", n)
		}
	})
}

// TestEndsExactlyOnce: whatever happens at the same time, in whatever order, each request
// that was seen opens once, ends once and after that, with one row in the ledger; every waiter
// of it gets that end; nothing stays open.
func TestEndsExactlyOnce(t *testing.T) {
	for seed := range uint64(60) {
		synctest.Test(t, func(t *testing.T) { interleave(t, seed) })
		if t.Failed() {
			t.Fatalf("seed %d", seed)
		}
	}
}

func interleave(t *testing.T, seed uint64) {
	rnd := rand.New(rand.NewPCG(seed, 1))
	l := &ledger{lead: func(ctx context.Context, r api.Request) (api.Answer, bool) {
		select {
		case <-time.After(time.Duration(r.ID[1]) * 30 * time.Millisecond):
			return deny, r.ID[0] < 'h'
		case <-ctx.Done():
			return allow, true
		}
	}}
	a := newDesk(t, l)
	var wg sync.WaitGroup
	var mu sync.Mutex
	given := map[string][]string{} // request → ends as its waiters saw them
	spread := func(d time.Duration) time.Duration { return time.Duration(rnd.Int64N(int64(d))) }
	for i := range 12 {
		s, err := a.find([]string{"aaaaaaaa", "bbbbbbbb"}[rnd.IntN(2)])
		if err != nil {
			t.Fatal(err)
		}
		call, q := fmt.Sprint("c", i), bash("", fmt.Sprint("cmd", rnd.IntN(3)))
		var policy *api.Answer
		if rnd.IntN(6) == 0 {
			policy = &allow
		}
		start, patience := spread(4*time.Second), spread(20*time.Second)
		q.Deadline = time.Now().Add(time.Second + spread(30*time.Second))
		for range 1 + rnd.IntN(2) { // some are called twice
			wg.Go(func() {
				time.Sleep(start)
				ctx, cancel := context.WithTimeout(t.Context(), patience)
				defer cancel()
				d, err := s.hold(ctx, call, q, policy)
				if err == nil {
					mu.Lock()
					given[d.Request.ID] = append(given[d.Request.ID], fmt.Sprint(d.Outcome, d.By, d.Answer))
					mu.Unlock()
				}
			})
		}
	}
	for range 20 {
		at, what, pick := spread(15*time.Second), rnd.IntN(5), rnd.IntN(100)
		wg.Go(func() {
			time.Sleep(at)
			a.disturb(what, pick)
		})
	}
	wg.Wait()
	time.Sleep(time.Minute) // every deadline and hang-up
	synctest.Wait()
	if n := a.openRequests.Load(); n != 0 || len(a.Requests()) != 0 {
		t.Errorf("%d requests stay open", n)
	}
	a.Close()
	a.checkEnds(l, given)
}

// disturb does one thing to the requests.
func (a *desk) disturb(what, pick int) {
	session := []string{"aaaaaaaa", "bbbbbbbb"}[pick%2]
	switch list := a.Requests(); {
	case what < 2 && len(list) > 0:
		_, _ = a.Answer(list[pick%len(list)].ID, api.ByPerson, []api.Answer{allow, deny}[pick%2])
	case what == 2:
		a.evidence(session, api.Evidence{Source: api.SourceHook, Kind: api.KindTurnEnds, Name: "end", Says: api.StateIdle, At: time.Now()})
	case what == 3:
		input := state.InputDigest(json.RawMessage(fmt.Sprintf(`{"command":"cmd%d"}`, pick%3)))
		a.evidence(session, api.Evidence{Source: api.SourceHook, Kind: api.KindToolEnds, Name: "ran", Says: api.StateWorking, At: time.Now(),
			Fields: map[string]string{"tool": "Bash", state.FieldInputDigest: input}})
	default:
		a.evidence(session, api.Evidence{Source: api.SourcePSP, At: time.Now(), Fields: map[string]string{"state": []string{"blocked", "working"}[pick%2]}})
	}
}

// checkEnds compares journal, ledger and what the waiters got.
func (a *desk) checkEnds(l *ledger, given map[string][]string) {
	a.t.Helper()
	opened, ended, rows := map[string]bool{}, map[string]bool{}, map[string]string{}
	for _, line := range a.told() {
		word := strings.Fields(line)
		switch id := word[1]; {
		case word[0] == "open" && (opened[id] || ended[id]):
			a.t.Errorf("%s: opened twice or after its end", id)
		case word[0] == "open":
			opened[id] = true
		case ended[id]:
			a.t.Errorf("%s: ended twice", id)
		default:
			ended[id] = true
		}
	}
	for _, d := range l.rows {
		if rows[d.Request.ID] != "" {
			a.t.Errorf("%s: two rows", d.Request.ID)
		}
		rows[d.Request.ID] = fmt.Sprint(d.Outcome, d.By, d.Answer)
	}
	for id := range opened {
		if !ended[id] {
			a.t.Errorf("%s: never ended", id)
		}
	}
	if len(rows) != len(ended) || len(rows) == 0 {
		a.t.Errorf("%d rows, %d ends", len(rows), len(ended))
	}
	for id, ends := range given {
		for _, end := range ends {
			if end != rows[id] {
				a.t.Errorf("%s: a waiter was given %s, the ledger says %s", id, end, rows[id])
			}
		}
	}
}
