package realcli

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"

	"ccdir/api"
	"ccdir/client"
	"ccdir/test/fakeapi"
)

var talkSeed = flag.Uint64("talk-seed", 0, "play TestTranscriptAndEventsAgree with that seed (0: a random one)")

// outcome is how a turn ended; the answer is that of one that is done, without the white space
// around it: the CLI tells its hooks none.
type outcome struct {
	State  api.TurnState
	Answer string
}

// account is what a conversation consists of, as one of its witnesses has it.
type account struct {
	prompts  []string
	outcomes []outcome
}

// move is a part of a conversation: the first of its prompts begins a turn, play does the rest.
type move struct {
	name string
	account
	replies []fakeapi.Reply
	play    func(k *talk, m move)
}

// talk is a conversation that is going on.
type talk struct {
	p    *Product
	ctx  context.Context
	fake *fakeapi.Server
	id   string
	// seq is the newest event of the move before.
	seq int64
}

// script answers by the moves' first prompts: a request gets the next reply of the move whose
// prompt was last seen, and the last one again: the CLI repeats what fails.
func script(moves []move) fakeapi.Script {
	var mu sync.Mutex
	var current string
	left := map[string][]fakeapi.Reply{}
	for _, m := range moves {
		for i, prompt := range m.prompts {
			left[prompt] = m.replies[i*len(m.replies)/len(m.prompts):]
		}
	}
	return func(ctx context.Context, r fakeapi.Request) fakeapi.Reply {
		if !r.Main() {
			return fakeapi.Echo(ctx, r)
		}
		mu.Lock()
		defer mu.Unlock()
		for prompt := range left {
			if strings.Contains(r.Prompt, prompt) {
				current = prompt
			}
		}
		list := left[current]
		if len(list) > 1 {
			left[current] = list[1:]
		}
		return list[0]
	}
}

// words makes texts, each of which occurs once.
type words struct {
	*rand.Rand
	n int
}

// answer is a text as a model writes it.
func (w *words) answer() string {
	w.n++
	shapes := []string{
		"Plain words, %d.",
		"日本語 – naïve 👩‍👩‍👧 é %d",
		"First line %d.\n\nSecond line.\n\tThird, indented.",
		"# Heading %d\n\n- one\n- **two** `code`\n\n```go\nfunc f() { return \"<b>&\\n\" }\n```\n\n| a | b |\n|---|---|\n| 1 | 2 |",
		"<system-reminder> %d in tags </system-reminder>",
		strings.Repeat("A long answer. ", 40) + "%d",
	}
	return fmt.Sprintf(shapes[w.IntN(len(shapes))], w.n)
}

// prompt is a text as a person sends it.
func (w *words) prompt() string {
	w.n++
	shapes := []string{
		"please answer %02d",
		"日本語 👍 naïve %02d",
		"# heading %02d, no note",
		"what is <this> & `that` in %02d?",
		strings.Repeat("many words ", 60) + "%02d",
	}
	return fmt.Sprintf(shapes[w.IntN(len(shapes))], w.n)
}

// lines is a prompt of several lines.
func (w *words) lines() string {
	text := w.prompt()
	for i := range 1 + w.IntN(12) {
		text += fmt.Sprintf("\n%sline %d", strings.Repeat(" ", w.IntN(3)), i)
	}
	return text
}

// moves are one of each kind, in a random order, with a new conversation in the middle.
func (w *words) moves(gates *[]*gate) []move {
	one := func(name, prompt string, o outcome, play func(*talk, move), replies ...fakeapi.Reply) move {
		return move{name, account{[]string{prompt}, []outcome{o}}, replies, play}
	}
	done := func() outcome { return outcome{api.TurnDone, w.answer()} }
	text := func(o outcome) fakeapi.Reply { return fakeapi.Text(o.Answer + strings.Repeat(" \n", w.IntN(2))) }
	held := func(first string) (*gate, fakeapi.Reply) {
		g := newGate()
		*gates = append(*gates, g)
		return g, fakeapi.Reply{Blocks: []fakeapi.Block{{Text: first}}, End: g.ch}
	}
	plain, several, allowed, denied, first, second, both := done(), done(), done(), done(), done(), done(), done()
	w.n++
	half := fmt.Sprintf("Half of it, %02d.", w.n)
	_, story := held(half + "\n\n")
	story.Blocks = append(story.Blocks, fakeapi.Block{Text: "never said", Wait: story.End})
	busy, slow := held(first.Answer)
	list := []move{
		one("plain", w.prompt(), plain, nil, text(plain)),
		one("lines", w.lines(), several, nil, text(several)),
		one("allowed", w.prompt(), allowed, answers("approve"), bash("touch allowed"), text(allowed)),
		one("denied", w.prompt(), denied, answers("deny"), bash("touch denied"), text(denied)),
		one("refused", w.prompt(), outcome{State: api.TurnInterrupted}, func(k *talk, _ move) {
			k.p.Request(k.ctx, k.id, k.seq)
			k.p.Screen(k.ctx, k.id, "1. Yes")
			k.p.Run(k.ctx, "keys", k.id, "Escape")
		}, bash("touch refused")),
		one("interrupted", w.prompt(), outcome{State: api.TurnInterrupted}, func(k *talk, _ move) {
			k.p.Screen(k.ctx, k.id, half)
			k.p.Run(k.ctx, "keys", k.id, "Escape")
		}, story),
		one("failed", w.prompt(), outcome{State: api.TurnFailed}, nil, fakeapi.Error(400, "an error of the test")),
		{"busy", account{[]string{w.prompt(), w.prompt()}, []outcome{first, second}}, []fakeapi.Reply{slow, text(second)}, func(k *talk, m move) {
			k.reached(m.prompts[0])
			k.send(m.prompts[1])
			busy.release()
		}},
		{"busy with a tool", account{[]string{w.prompt(), w.prompt()}, []outcome{both}}, []fakeapi.Reply{bash("cat fifo > result.txt"), text(both)}, func(k *talk, m move) {
			fifo := filepath.Join(k.p.Place.CWD, "fifo") // the tool waits for it
			if err := syscall.Mkfifo(fifo, 0o600); err != nil {
				k.p.t.Fatal(err)
			}
			answers("approve")(k, m)
			k.p.State(k.ctx, k.id, api.StateWorking)
			k.send(m.prompts[1])
			if err := os.WriteFile(fifo, []byte("over"), 0); err != nil {
				k.p.t.Fatal(err)
			}
		}},
	}
	w.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
	anew := move{name: "/clear", play: func(k *talk, _ move) { k.send("/clear") }}
	if w.IntN(2) == 0 {
		anew = move{name: "reset", play: func(k *talk, _ move) { k.p.Run(k.ctx, "reset", k.id) }}
	}
	return slices.Insert(list, 1+w.IntN(len(list)-1), anew)
}

// answers answers the request of a tool by a verb.
func answers(verb string) func(*talk, move) {
	return func(k *talk, _ move) {
		r, _ := k.p.Request(k.ctx, k.id, k.seq)
		k.p.Run(k.ctx, verb, r.ID)
	}
}

func (k *talk) send(text string) {
	k.p.t.Helper()
	if _, err := k.p.Client.SendPrompt(k.ctx, k.id, api.SendPrompt{Text: text, Wait: true}); err != nil {
		k.p.t.Fatalf("%.40q: %v\n%s", text, err, k.p.Dump())
	}
}

// reached waits until a prompt is at the API.
func (k *talk) reached(prompt string) {
	k.p.t.Helper()
	if _, err := k.fake.Await(k.ctx, func(r fakeapi.Request) bool { return r.Main() && r.Prompt == prompt }); err != nil {
		k.p.t.Fatalf("the API never got %q: %v\n%s", prompt, err, k.p.Dump())
	}
}

// make plays a move until the event log has its end.
func (k *talk) make(m move) {
	k.p.t.Helper()
	if len(m.prompts) > 0 {
		k.send(m.prompts[0])
	}
	if m.play != nil {
		m.play(k, m)
	}
	for range m.outcomes {
		k.seq = k.p.Event(k.ctx, k.id, k.seq, "the end of a turn: "+m.name, func(e api.Event) bool { return e.Kind.EndsTurn() }).Seq
	}
	if len(m.prompts) == 0 {
		k.seq = k.p.Event(k.ctx, k.id, k.seq, m.name, begins).Seq
	}
}

func begins(e api.Event) bool { return e.Kind == api.KindConversationBegins }

// inPaste is a paste in the data of an event, which is what the agent reported: it puts long
// ones in marks.
var inPaste = regexp.MustCompile(`(?s)<pasted_content[^>]*>\n(.*)\n</pasted_content[^>]*>`)

// byEvents is what the event log tells.
func (k *talk) byEvents() (out account) {
	k.p.t.Helper()
	events, err := k.p.Client.Events(k.ctx, client.EventFilter{Session: k.id})
	if err != nil {
		k.p.t.Fatal(err)
	}
	for _, e := range events {
		var data struct {
			Prompt string
			Last   string `json:"last_assistant_message"`
		}
		_ = json.Unmarshal(e.Data, &data)
		switch e.Kind {
		case api.KindPrompt:
			out.prompts = append(out.prompts, strings.TrimSpace(inPaste.ReplaceAllString(data.Prompt, "$1")))
			if strings.Contains(e.Message, "pasted_content") {
				k.p.t.Errorf("an event's words are the agent's marks: %s", e.Message)
			}
		case api.KindTurnEnds:
			out.outcomes = append(out.outcomes, outcome{api.TurnDone, strings.TrimSpace(data.Last)})
		case api.KindTurnFails:
			out.outcomes = append(out.outcomes, outcome{State: api.TurnFailed})
		case api.KindTurnInterrupted:
			out.outcomes = append(out.outcomes, outcome{State: api.TurnInterrupted})
		}
	}
	return out
}

// byTranscript is what the turns tell, once there are n that have ended.
func (k *talk) byTranscript(n int) (out account) {
	k.p.t.Helper()
	running := func(t api.Turn) bool { return t.State == api.TurnRunning }
	for _, t := range k.p.turns(k.ctx, k.id, func(list []api.Turn) bool { return len(list) >= n && !slices.ContainsFunc(list, running) }) {
		out.prompts = append(out.prompts, t.Prompt)
		for _, i := range t.Items {
			if i.Kind == api.ItemPrompt {
				out.prompts = append(out.prompts, i.Text)
			}
		}
		o := outcome{State: t.State}
		if t.State == api.TurnDone {
			o.Answer = strings.TrimSpace(t.Answer)
		}
		out.outcomes = append(out.outcomes, o)
	}
	return out
}

// differ fails the test with the places at which two lists differ.
func differ[T comparable](t *testing.T, what string, got, want []T) {
	t.Helper()
	if len(got) != len(want) {
		t.Errorf("%s: %d, want %d:\n%.60q\n%.60q", what, len(got), len(want), any(got), any(want))
		return
	}
	for i := range want {
		if got[i] != want[i] {
			t.Errorf("%s, number %d:\n%q, want\n%q", what, i+1, any(got[i]), any(want[i]))
		}
	}
}

// TestTranscriptAndEventsAgree plays a random conversation with the real CLI: the event log and
// the transcript tell of the same prompts, answers and ends of turns, which are those that
// there were, in order, none missing and none doubled.
func TestTranscriptAndEventsAgree(t *testing.T) {
	seed := *talkSeed
	if seed == 0 {
		seed = rand.Uint64()
	}
	t.Logf("-talk-seed=%d", seed)
	var gates []*gate
	defer func() {
		for _, g := range gates {
			g.release()
		}
	}()
	var want account
	moves := (&words{Rand: rand.New(rand.NewPCG(seed, 4))}).moves(&gates)
	for _, m := range moves {
		want.prompts, want.outcomes = append(want.prompts, m.prompts...), append(want.outcomes, m.outcomes...)
	}
	ctx, p, fake := conversing(t, script(moves))
	k := &talk{p: p, ctx: ctx, fake: fake, id: p.New(ctx, "-e", "CLAUDE_CODE_MAX_RETRIES=0")}
	k.seq = p.Event(ctx, k.id, 0, "its start", begins).Seq
	for _, m := range moves {
		t.Logf("%s: %.60q", m.name, m.prompts)
		k.make(m)
	}
	for name, got := range map[string]account{"event log": k.byEvents(), "transcript": k.byTranscript(len(want.outcomes))} {
		differ(t, "prompts of the "+name, got.prompts, want.prompts)
		differ(t, "ends of turns of the "+name, got.outcomes, want.outcomes)
	}
}
