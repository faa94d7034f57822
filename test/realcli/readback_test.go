package realcli

import (
	"context"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"ccdir/api"
	"ccdir/test/fakeapi"
)

// TestReadBack: a long answer of the real CLI, which draws on the alternate screen, is read
// back whole in the grid by the wheel and in copy mode, and found by a search; the view of
// the conversation shows it, and the list what it took of the context.
func TestReadBack(t *testing.T) {
	const lines = 300
	var long strings.Builder
	for i := range lines {
		fmt.Fprintf(&long, "Line %d of the answer.\n\n", i+1)
	}
	ctx, p := product(t, fakeapi.Turns(bash("echo needle-in-the-result; exit 3"), fakeapi.Text(long.String())))
	id := p.New(ctx, "-n", "talker", "--prompt", "a long story")
	p.State(ctx, id, api.StatePermission)
	request, _ := p.Request(ctx, id, 0)
	p.Run(ctx, "approve", request.ID)
	p.turns(ctx, id, func(list []api.Turn) bool { return len(list) == 1 && list[0].State == api.TurnDone })
	p.finds(ctx, "Line 150 of", id, 1, api.SaidAnswer)
	p.finds(ctx, "needle result", id, 1, api.SaidResult)
	p.finds(ctx, "exit 3", id, 1, api.SaidInput)
	p.finds(ctx, "a long story", id, 1, api.SaidPrompt)
	s := p.Until(ctx, id, "what it took of the context", func(s api.Session) bool { return s.ContextLeft != nil })
	if *s.ContextLeft < 1 || *s.ContextLeft > 100 || s.ContextTokens == 0 || s.Model == "" {
		t.Errorf("context: %d %%, %d tokens, model %q", *s.ContextLeft, s.ContextTokens, s.Model)
	}

	grid := p.command(ctx)
	grid.Env = append(slices.Clone(grid.Env), "TERM=xterm-256color", "COLORTERM=truecolor")
	tm := Start(t, grid, nil)
	show := func(part func(string) string, want string) {
		t.Helper()
		if !tm.ShowsIn(ctx, part, want) {
			t.Fatalf("the grid does not show %q:\n%s", want, tm.Text())
		}
	}
	show(inPane, fmt.Sprintf("Line %d of", lines))
	p.byWheel(ctx, tm, lines)
	// Copy mode goes upwards from what the agent shows.
	turn(ctx, tm, "\x1b[<65;80;10M", func(text string) bool { return strings.Contains(text, fmt.Sprintf("Line %d of", lines)) })
	tm.Write("\x02")
	tm.Write("[")
	show(whole, " COPY ")
	tm.Write("g")
	show(inPane, "Line 1 of the answer.")
	tm.Write("?Line 222\r")
	show(inPane, "Line 222 of the answer.")
	tm.Write("q")
	tm.Write("\x02")
	tm.Write("m")
	show(whole, "conversation")
	tm.Write("[n\r")
	show(whole, "│ needle-in-the-result")
}

// TestFoundSoon: an answer is found by a search within two seconds. The machine may be busy
// with other tests: one of several answers has to be.
func TestFoundSoon(t *testing.T) {
	const soon, tries = 2 * time.Second, 5
	ctx, p := product(t, nil)
	id := p.New(ctx, "-n", "talker")
	p.State(ctx, id, api.StateIdle)
	var took []time.Duration
	for i := range tries {
		words := fmt.Sprintf("pelican%d", i)
		p.Run(ctx, "ask", "talker", words)
		answered := time.Now()
		p.finds(ctx, "said "+words, id, i+1, api.SaidAnswer)
		if took = append(took, time.Since(answered)); took[i] < soon {
			return
		}
	}
	t.Errorf("answers were found after %v", took)
}

func whole(text string) string { return text }

// inPane is what the focused pane of a grid shows.
func inPane(text string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		if _, rest, ok := strings.Cut(line, "┃"); ok {
			b.WriteString(strings.TrimSuffix(strings.TrimRight(rest, " \n"), "┃") + "\n") // the last column of panes has no rule at its right
		}
	}
	return b.String()
}

// lineOf matches a line of the long answer.
var lineOf = regexp.MustCompile(`Line (\d+) of the answer`)

// byWheel turns the wheel upwards until every line was in view.
func (p *Product) byWheel(ctx context.Context, tm *Terminal, lines int) {
	p.t.Helper()
	seen := map[int]bool{}
	turn(ctx, tm, "\x1b[<64;80;10M", func(text string) bool {
		for _, m := range lineOf.FindAllStringSubmatch(text, -1) {
			n, _ := strconv.Atoi(m[1])
			seen[n] = true
		}
		return len(seen) == lines
	})
	if len(seen) < lines {
		p.t.Fatalf("only %d lines were in view:\n%s", len(seen), tm.Text())
	}
}

// turn turns the wheel until the pane is as done wants it, or until ctx ends.
func turn(ctx context.Context, tm *Terminal, wheel string, done func(text string) bool) {
	for {
		text, painted := tm.look()
		if done(inPane(text)) {
			return
		}
		tm.Write(wheel)
		select {
		case <-painted:
		case <-time.After(time.Second): // the agent has nothing further there: the next turn is the grid's
		case <-ctx.Done():
			return
		}
	}
}

// finds blocks until a search finds the words in that part of a turn of the session.
func (p *Product) finds(ctx context.Context, words, id string, turn int, part api.SaidPart) {
	p.t.Helper()
	var out string
	for ctx.Err() == nil {
		out = p.Run(ctx, "search", "--json", words)
		var hits []api.SearchHit
		if err := json.Unmarshal([]byte(out), &hits); err != nil {
			p.t.Fatal(err)
		}
		if slices.ContainsFunc(hits, func(h api.SearchHit) bool {
			return h.Kind == api.HitTurn && h.Session == id && h.Turn == turn && h.Part == part
		}) {
			return
		}
		time.Sleep(50 * time.Millisecond)
	}
	p.t.Fatalf("%q is not found in the %s: %s", words, part, out)
}
