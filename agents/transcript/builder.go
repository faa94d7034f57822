package transcript

import (
	"bytes"
	"encoding/json"
	"strings"
	"time"
	"unicode/utf8"

	"ccdir/api"
)

// Builder makes turns of what a decoder tells, in the order of the file.
type Builder struct {
	// left gets what is new of each turn when the next one begins.
	left func(*Builder)
	turn api.Turn // the current one; Turn is 0 before the first
	// size counts the bytes kept of the turn; nested: of all turns, within MaxNested.
	size   int
	nested bool
	// calls are the tool calls without a result, by id: places in turn.Tools.
	calls map[string]int
	// starts are the places of the tool calls that start subagents.
	starts map[int]bool
	// usage is what each answer of the turn used, by message id: an answer is written in
	// several entries with the same figures.
	usage map[string]api.TurnTokens
	// spoke is the message that Answer is from.
	spoke string
	// early are the items before the first turn.
	early []api.TurnItem
	// items and tools are how much of the turn was passed on; changed: it differs since.
	items, tools int
	changed      bool
	// Pending and PendingAt are for decoders: a command whose meaning the next entry tells.
	Pending   string
	PendingAt time.Time
	// used collects what answers used; nil: nobody asks. bare: nothing else is kept.
	used *meter
	bare bool
	// Thread, Vendor and Model are for decoders of files that name them once: the conversation's own
	// id, and of whom the next answers are. Copied: those are copies of another conversation's.
	Thread, Vendor, Model string
	Copied                bool
}

// Current returns the turn that is being built; nil before the first.
func (b *Builder) Current() *api.Turn {
	if b.turn.Turn == 0 {
		return nil
	}
	return &b.turn
}

// Begin begins a turn; the one before it is complete.
func (b *Builder) Begin(at time.Time, origin api.TurnOrigin, prompt string) {
	n := b.turn.Turn
	b.leave()
	b.turn = api.Turn{Turn: n + 1, At: at, State: api.TurnRunning, Origin: origin, Prompt: prompt, Tools: []api.TurnTool{}, Items: b.early}
	b.early, b.spoke = nil, ""
	if !b.nested {
		b.size = 0
	}
	if !b.keep(len(prompt)) {
		b.turn.Prompt = ""
		b.turn.Omitted++
	}
	b.calls, b.starts, b.usage = nil, nil, nil
	b.items, b.tools, b.changed = 0, 0, true
}

// leave completes the current turn.
func (b *Builder) leave() {
	if b.turn.Turn == 0 {
		return
	}
	if b.turn.State == api.TurnRunning {
		b.end(time.Time{}, api.TurnInterrupted)
	}
	b.left(b)
}

// goOn says that the turn is at work. Work without a turn begins one of the system's.
func (b *Builder) goOn(at time.Time) {
	b.changed = true
	switch {
	case b.turn.Turn == 0:
		b.Begin(at, api.OriginSystem, "")
	case b.turn.State != api.TurnRunning:
		b.turn.State, b.turn.Ended, b.turn.Failure = api.TurnRunning, time.Time{}, nil
	}
}

// Text adds a message of the agent. message is its id: several texts with the same id are
// one answer.
func (b *Builder) Text(at time.Time, message, text string, cut int) {
	b.goOn(at)
	if !b.add(api.TurnItem{Kind: api.ItemText, At: at, Text: text, Cut: cut}) {
		return
	}
	switch t := &b.turn; {
	case b.spoke != message || message == "" || t.Answer == "":
		t.Answer = text
	case len(t.Answer)+len(text) > MaxText:
	case strings.HasSuffix(t.Answer, "\n"):
		t.Answer += text
	default:
		t.Answer += "\n\n" + text
	}
	b.spoke = message
}

// Answer replaces the turn's answer where the agent gives it by other means than a message.
func (b *Builder) Answer(text string) {
	if b.turn.Turn > 0 && b.keep(len(text)) {
		b.turn.Answer, b.spoke, b.changed = text, "", true
	}
}

// Thinking adds what the model thought.
func (b *Builder) Thinking(at time.Time, text string, cut int) {
	b.goOn(at)
	b.add(api.TurnItem{Kind: api.ItemThinking, At: at, Text: text, Cut: cut})
}

// Note adds an item of that kind that leaves the turn's state alone. Before the first turn
// it belongs to that.
func (b *Builder) Note(kind api.ItemKind, at time.Time, text string, cut int) {
	b.note(api.TurnItem{Kind: kind, At: at, Text: text, Cut: cut})
}

// Raw adds an entry that the decoder does not know: its type and its text.
func (b *Builder) Raw(at time.Time, kind string, entry []byte) {
	b.note(api.TurnItem{Kind: api.ItemRaw, At: at, Text: clip(kind, maxID), Raw: clip(string(entry[:min(len(entry), MaxRaw)]), MaxRaw),
		Cut: max(len(entry)-MaxRaw, 0)})
}

func (b *Builder) note(item api.TurnItem) {
	if b.turn.Turn > 0 {
		b.changed = true
		b.add(item)
	} else if len(b.early) < MaxItems && b.keep(len(item.Text)+len(item.Raw)) {
		b.early = append(b.early, item)
	}
}

// add appends an item to the current turn, and reports whether it was kept.
func (b *Builder) add(item api.TurnItem) bool {
	if len(b.turn.Items) >= MaxItems || !b.keep(len(item.Text)+len(item.Raw)) {
		b.turn.Omitted++
		return false
	}
	b.turn.Items = append(b.turn.Items, item)
	return true
}

// keep counts n bytes as kept, if there is room for them.
func (b *Builder) keep(n int) bool {
	limit := MaxTurn
	switch {
	case b.bare:
		return false
	case b.nested:
		limit = MaxNested
	}
	if b.size+n > limit {
		return false
	}
	b.size += n
	return true
}

// Call adds a tool call. argument is the part of the input that says most.
func (b *Builder) Call(at time.Time, id, name string, input json.RawMessage, argument string) {
	b.goOn(at)
	if !b.keep(len(input) + len(argument)) {
		b.turn.Omitted++
		return
	}
	if !utf8.Valid(input) { // json.Valid takes any bytes in a string, and so does json.Marshal
		input = bytes.ToValidUTF8(input, []byte("\uFFFD"))
	}
	place := len(b.turn.Tools)
	if !b.add(api.TurnItem{Kind: api.ItemTool, At: at, Tool: place}) {
		return
	}
	b.turn.Tools = append(b.turn.Tools, api.TurnTool{ID: clip(id, maxID), Name: clip(name, maxID), Input: input, Argument: argument,
		Outcome: api.ToolRunning, At: at})
	if b.calls == nil {
		b.calls = map[string]int{}
	}
	b.calls[clip(id, maxID)] = place
}

// Starts says that the tool call added last starts a subagent.
func (b *Builder) Starts() {
	if b.starts == nil {
		b.starts = map[int]bool{}
	}
	b.starts[len(b.turn.Tools)-1] = true
}

// Result is the outcome of a tool call.
type Result struct {
	Outcome api.ToolOutcome
	Text    string
	// Cut counts bytes of Text that were left out.
	Cut    int
	Reason string
	Diff   []api.DiffHunk
	// Agent is the id of the subagent that the call started, Kind its type; "" for none.
	Agent, Kind string
}

// Result ends a tool call. It reports whether the call is one of the current turn.
func (b *Builder) Result(at time.Time, id string, r Result) bool {
	place, known := b.calls[clip(id, maxID)]
	if !known {
		return false
	}
	delete(b.calls, clip(id, maxID))
	b.goOn(at)
	b.tools = min(b.tools, place)
	t := &b.turn.Tools[place]
	t.Outcome, t.Reason, t.MS = r.Outcome, r.Reason, max(at.Sub(t.At).Milliseconds(), 0)
	if t.Result, t.Cut = r.Text, r.Cut; !b.keep(len(r.Text)) {
		t.Result, t.Cut = "", r.Cut+len(r.Text)
	}
	b.diff(t, r.Diff)
	if r.Agent != "" {
		t.Agent = &api.Subagent{ID: clip(r.Agent, maxID), Kind: clip(r.Kind, maxID), Turns: []api.Turn{}}
	}
	return true
}

// diff sets the edit of a tool call, counted whole and kept within the bounds.
func (b *Builder) diff(t *api.TurnTool, hunks []api.DiffHunk) {
	lines, bytes := 0, 0
	for _, h := range hunks {
		for _, l := range h.Lines {
			lines, bytes = lines+1, bytes+len(l)
			switch {
			case strings.HasPrefix(l, "+"):
				t.Added++
			case strings.HasPrefix(l, "-"):
				t.Removed++
			}
		}
	}
	if lines <= MaxDiff && b.keep(bytes) {
		t.Diff = hunks
	}
}

// Usage records what an answer used and which model gave it. The figures for a message
// count once, the last ones.
func (b *Builder) Usage(message, model string, tokens api.TurnTokens) {
	if b.turn.Turn == 0 || message == "" || len(b.usage) >= MaxItems {
		return
	}
	b.changed = true
	if b.usage == nil {
		b.usage = map[string]api.TurnTokens{}
	}
	message = clip(message, maxID)
	old, t := b.usage[message], &b.turn.Tokens
	b.usage[message] = tokens
	t.Input += tokens.Input - old.Input
	t.Output += tokens.Output - old.Output
	t.CacheRead += tokens.CacheRead - old.CacheRead
	t.CacheWrite += tokens.CacheWrite - old.CacheWrite
	t.CacheWriteHour += tokens.CacheWriteHour - old.CacheWriteHour
	if model != "" {
		b.turn.Model = clip(model, maxID)
	}
}

// Context records how many tokens the conversation takes in the model's context after an
// answer, and how many there is room for; 0: not known.
func (b *Builder) Context(used, window int64) {
	if b.turn.Turn > 0 && used > 0 {
		b.turn.Context, b.turn.ContextWindow, b.changed = used, window, true
	}
}

// Cost records what the conversation has cost so far, in dollars.
func (b *Builder) Cost(usd float64) {
	if b.used != nil {
		b.used.tell(usd)
	}
	if b.turn.Turn > 0 && usd > 0 && usd < maxCost {
		b.turn.CostUSD, b.changed = usd, true
	}
}

// maxCost bounds costs, in dollars: a greater one is a mistake.
const maxCost = 1e9

// End says that the turn ended as it should, unless it failed or was interrupted, or goes on
// later. While tools run it does not end.
func (b *Builder) End(at time.Time) {
	if b.turn.State == api.TurnRunning && b.turn.Turn > 0 && len(b.calls) == 0 {
		b.end(at, api.TurnDone)
	}
}

// Fail says that the turn failed. The item has the message.
func (b *Builder) Fail(f api.TurnFailure) {
	b.goOn(f.At)
	b.add(api.TurnItem{Kind: api.ItemError, At: f.At, Text: f.Message})
	b.turn.Failure = &f
	b.end(f.At, api.TurnFailed)
}

// Judge says that the turn has failed if nothing follows, without an item for it.
func (b *Builder) Judge(f api.TurnFailure) {
	if b.turn.Turn > 0 {
		b.turn.Failure = &f
		b.end(f.At, api.TurnFailed)
	}
}

// Interrupt says that a person interrupted the turn.
func (b *Builder) Interrupt(at time.Time, text string) {
	if b.turn.Turn == 0 {
		return
	}
	b.add(api.TurnItem{Kind: api.ItemInterrupt, At: at, Text: text})
	b.turn.Failure = nil
	b.end(at, api.TurnInterrupted)
}

func (b *Builder) end(at time.Time, state api.TurnState) {
	b.changed = true
	b.turn.State, b.turn.Ended = state, at
	if state == api.TurnDone {
		return
	}
	for id, place := range b.calls {
		b.tools = min(b.tools, place)
		b.turn.Tools[place].Outcome = api.ToolInterrupted
		delete(b.calls, id)
	}
}

// news returns the current turn with the items that were not passed on yet; false if it is
// as it was.
func (b *Builder) news() (api.Turn, bool) {
	if b.turn.Turn == 0 || !b.changed {
		return api.Turn{}, false
	}
	t := b.turn
	t.Items, t.From = t.Items[b.items:], b.items
	t.Tools, t.ToolsFrom = t.Tools[b.tools:], b.tools
	b.items, b.tools, b.changed = len(b.turn.Items), len(b.turn.Tools), false
	return t, true
}

// touch says that a tool of the current turn has changed.
func (b *Builder) touch(place int) { b.tools, b.changed = min(b.tools, place), true }

// clip cuts s to at most limit bytes of valid UTF-8.
func clip(s string, limit int) string {
	if len(s) > limit {
		s = s[:limit]
	}
	return strings.ToValidUTF8(s, "")
}
