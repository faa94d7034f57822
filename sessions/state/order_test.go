package state

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"ccdir/api"
)

// fact is one line of a recorded order.
type fact struct {
	ms   int64
	want api.State // the state, of a line that checks it
	call string    // the call that the session then asks about; "" for any
	e    api.Evidence
	// way is the channel whose evidence stays in order: "host" (status and title) or
	// "file". Each hook is a channel of its own.
	way string
}

// parseOrder reads the lines of an order.
func parseOrder(t *testing.T, text string) (list []fact) {
	t.Helper()
	for line := range strings.Lines(strings.TrimSpace(text)) {
		words := strings.Fields(line)
		ms, err := strconv.ParseInt(words[0], 10, 64)
		if err != nil || len(words) < 2 {
			t.Fatalf("line %q: %v", line, err)
		}
		f := fact{ms: ms}
		e := &f.e
		fields := words[2:]
		switch words[1] {
		case "=":
			f.want = api.State(words[2])
			f.call = strings.Join(words[3:], "")
		case "psp", "file":
			e.Source, e.Name, fields = api.EvidenceSource(words[1]), words[1], words[2:]
			f.way = map[string]string{"psp": "host", "file": "file"}[words[1]]
		case "hook":
			e.Source, e.Name, e.Kind, fields = api.SourceHook, words[2], api.EventKind(words[2]), words[3:]
		case "title":
			e.Source, e.Name, e.Says, fields = api.SourceTitle, words[1], api.State(words[2]), nil
			f.way = "host"
		case "answer":
			e.Source, e.Name = api.SourceDelivery, EvidenceRequestEnded
		default:
			t.Fatalf("line %q", line)
		}
		if f.want == "" {
			e.Fields = map[string]string{}
			for _, pair := range fields {
				k, v, _ := strings.Cut(pair, "=")
				e.Fields[k] = strings.ReplaceAll(v, "_prompt", " prompt")
			}
			if e.Says == "" {
				e.Says = saysOf(e)
			}
		}
		list = append(list, f)
	}
	return list
}

// saysOf is the state that the adapter derives from evidence.
func saysOf(e *api.Evidence) api.State {
	switch e.Name {
	case "psp":
		return map[string]api.State{"idle": idle, "done": idle, "working": working, "blocked": permission}[e.Fields["state"]]
	case "file":
		return map[string]api.State{"idle": idle, "busy": working, "waiting": permission}[e.Fields["status"]]
	}
	switch e.Kind {
	case api.KindDialog:
		return permission
	case api.KindTurnEnds:
		return idle
	case api.KindPrompt, api.KindReport, api.KindToolBegins, api.KindToolEnds, api.KindToolFails:
		return working
	}
	return ""
}

// arriving is a fact with the time at which the actor weighs it.
type arriving struct {
	fact
	at int64
}

// causes reports whether the agent does b only after a is over: it waits for its hooks.
func causes(a, b *api.Evidence) bool {
	switch {
	case a.Source != api.SourceHook && a.Source != api.SourceDelivery:
		return false
	case b.Source != api.SourceHook && b.Source != api.SourceDelivery: // the program's own
		return a.Kind == api.KindTurnEnds || a.Name == EvidenceRequestEnded || (a.Kind == api.KindPrompt || a.Kind == api.KindReport) && b.Fields["msg"]+b.Fields["kind"] != ""
	case a.Kind == api.KindDialog: // its hook waits beside everything else
		return false
	case a.Name == EvidenceRequestOpened:
		return b.Name == EvidenceRequestEnded && sameCall(a, b)
	case b.Name == EvidenceRequestEnded:
		return false
	case a.Kind == api.KindSubagentEnds:
		return b.Kind == api.KindReport
	case b.Kind == api.KindDialog, a.Kind == api.KindToolBegins, a.Name == EvidenceRequestEnded:
		return sameCall(a, b) || b.Kind == api.KindTurnEnds && a.Fields["agent_id"] == "" || b.Kind == api.KindSubagentEnds && a.Fields["agent_id"] == b.Fields["agent_id"]
	}
	return a.Fields["agent_id"] == b.Fields["agent_id"]
}

// sameCall reports whether both are about one tool call.
func sameCall(a, b *api.Evidence) bool {
	return a.Fields["call"] != "" && a.Fields["call"] == b.Fields["call"] && a.Fields["agent_id"] == b.Fields["agent_id"]
}

// maxDelay bounds how late evidence is: the start of a hook's process, and then its
// arrival, in milliseconds.
const maxDelay = 200

// delay gives every fact its own time of arrival. What the agent does after an answer is
// delayed with the answer.
func delay(r *rand.Rand, order []fact) (list []arriving) {
	put := int64(0) // the delay so far
	last := map[string]int64{}
	for _, f := range order {
		for _, a := range list {
			if f.want == "" && causes(&a.e, &f.e) {
				put = max(put, a.at-f.ms)
			}
		}
		f.ms += put
		a := arriving{f, f.ms}
		switch {
		case f.want != "":
		case f.way != "":
			a.at += r.Int64N(maxDelay)
			a.at = max(a.at, last[f.way])
			last[f.way] = a.at
		case f.e.Source == api.SourceHook:
			a.ms += r.Int64N(maxDelay)
			a.at = a.ms + r.Int64N(maxDelay)
		}
		a.e.At = foldStart.Add(time.Duration(a.ms) * time.Millisecond)
		list = append(list, a)
		if f.e.Kind == api.KindDialog {
			opened := a
			opened.at += r.Int64N(maxDelay) // the policy is asked before
			opened.e.Source, opened.e.Name, opened.e.Fields = api.SourceDelivery, EvidenceRequestOpened, requestFields(&a.e)
			list = append(list, opened)
		}
		if f.e.Name == EvidenceRequestEnded {
			list[len(list)-1].e.Fields = requestFields(&a.e)
		}
	}
	slices.SortStableFunc(list, func(a, b arriving) int { return int(a.at - b.at) })
	return list
}

// requestFields are the fields of evidence about a call's request.
func requestFields(e *api.Evidence) map[string]string {
	fields := map[string]string{FieldRequest: e.Fields["agent_id"] + "/" + e.Fields["call"]}
	for _, k := range []string{"tool", "agent_id", "call"} {
		fields[k] = e.Fields[k]
	}
	return fields
}

// hear folds what arrives, and returns where the state is wrong.
func hear(list []arriving) string {
	f := NewFold(true, foldStart)
	held := map[string]bool{}
	wrong := func(at int64, what string) string {
		var b strings.Builder
		fmt.Fprintf(&b, "after %d ms %s: %s by rule %s\n", at, what, f.State, f.Rule)
		for _, a := range list {
			fmt.Fprintf(&b, "%6d %6d %s %s %s %v\n", a.at, a.ms, a.want, a.e.Source, a.e.Name, a.e.Fields)
		}
		return b.String()
	}
	for i, a := range list {
		now := foldStart.Add(time.Duration(a.at) * time.Millisecond)
		for due := f.Wake(); !due.IsZero() && !due.After(now); due = f.Wake() {
			f = f.Apply(api.Evidence{Source: api.SourceTimer, At: due})
			if len(held) > 0 && !f.State.NeedsPerson() {
				return wrong(a.at, "a timer forgets a request that is held")
			}
		}
		if a.want != "" {
			asks := ""
			if f.Winner != nil {
				asks = f.Winner.Fields[FieldInputDigest]
			}
			if f.State != a.want || a.call != "" && f.Winner.Source == api.SourceHook && asks != a.call {
				return wrong(a.at, fmt.Sprintf("it should be %s and ask about %q, not %q", a.want, a.call, asks))
			}
			continue
		}
		switch {
		case a.e.Kind == api.KindDialog:
			held[requestFields(&a.e)[FieldRequest]] = true
		case a.e.Name == EvidenceRequestEnded:
			delete(held, a.e.Fields[FieldRequest])
			a.e.Fields["outcome"] = string(api.OutcomeAnswered)
			if len(held) == 0 {
				a.e.Says = working
			}
		}
		if f = f.Apply(a.e); len(held) > 0 && !f.State.NeedsPerson() {
			return wrong(a.at, fmt.Sprintf("fact %d forgets a request that is held", i))
		}
	}
	return ""
}

// TestFoldInOrders: in whatever order evidence of different sources arrives, the state is
// the same soon after, and a held request is never forgotten.
func TestFoldInOrders(t *testing.T) {
	rounds := uint64(300)
	if testing.Short() {
		rounds = 30
	}
	for name, text := range orders {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			order := parseOrder(t, text)
			for seed := range rounds {
				if wrong := hear(delay(rand.New(rand.NewPCG(seed, 7)), order)); wrong != "" {
					t.Fatalf("seed %d: %s", seed, wrong)
				}
			}
		})
	}
}
