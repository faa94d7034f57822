package tools

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"ccdir/api"
	"ccdir/daemon/store"
	"ccdir/internal/contain"
	"ccdir/internal/text/redact"
	"ccdir/internal/text/textsafe"
	"ccdir/mcpserver"
)

const (
	// auditQueue bounds the calls that wait to be recorded. When it is full, tools block.
	auditQueue = 512
	// maxKept bounds the stored output of a call, in bytes.
	maxKept = 64 << 10
	// maxSummary bounds a line of a record, in bytes.
	maxSummary = 300
)

// audit appends an event for each tool call, and stores its result for past_results. It
// has its own goroutine, so that neither redaction nor disk delays an answer.
type audit struct {
	o     *Options
	calls chan mcpserver.Call
	ended chan struct{}
}

func newAudit(o *Options) *audit {
	a := &audit{o: o, calls: make(chan mcpserver.Call, auditQueue), ended: make(chan struct{})}
	contain.Go(o.Logger, a.run)
	return a
}

// take queues a call. It must not be called after close.
func (a *audit) take(c mcpserver.Call) { a.calls <- c }

// close records the queued calls and waits.
func (a *audit) close() {
	close(a.calls)
	<-a.ended
}

func (a *audit) run() {
	defer close(a.ended)
	for c := range a.calls {
		batch := []mcpserver.Call{c}
		for more := true; more && len(batch) < auditQueue; {
			select {
			case c, open := <-a.calls:
				if more = open; open {
					batch = append(batch, c)
				}
			default:
				more = false
			}
		}
		contain.Run(a.o.Logger, func() { a.record(batch) })
	}
}

func (a *audit) record(batch []mcpserver.Call) {
	var rows []store.ResultRow
	for _, c := range batch {
		input := redact.JSON(c.Input)
		a.event(c, input)
		if row, ok := resultRow(c, input); ok {
			rows = append(rows, row)
		}
	}
	keep := a.o.Config().MCP.KeepResults
	if len(rows) == 0 || keep == 0 {
		return
	}
	if err := a.o.Store.AddResults(rows, keep); err != nil {
		a.o.Logger.Error("results of tools were not kept", "results", len(rows), "error", err)
	}
}

// event appends the event of a call.
func (a *audit) event(c mcpserver.Call, input json.RawMessage) {
	call := api.ToolCall{Tool: c.Tool, Input: input, ToolUseID: c.ToolUseID, Role: c.Caller.Role, DurationMS: c.Duration.Milliseconds(),
		Outcome: c.Outcome, Message: line(c.Message), Result: shown(c), Started: c.Started.UTC()}
	e := &api.Event{At: c.Started.Add(c.Duration).UTC(), Session: c.Caller.Session, Type: api.EventMCPCall, Source: "mcp"}
	if c.Caller.Session == "" {
		call.CWD = c.Caller.Dir
	}
	if s, ok := a.o.Journal.Session(c.Caller.Session); ok {
		e.StateFrom, e.StateTo = s.State, s.State
	}
	e.Message = fmt.Sprintf("%s %s in %s", c.Tool, c.Outcome, short(c.Duration))
	if call.Message != "" {
		e.Message += ": " + call.Message
	}
	e.Data, _ = json.Marshal(call) // cannot fail
	a.o.Journal.Append(api.WatchMessage{Event: e}, nil, "")
}

// maxShown bounds the result in an event, in bytes: grids keep events.
const maxShown = 2 << 10

// shown is the part of a result that its event has.
func shown(c mcpserver.Call) string {
	if !keptTools[c.Tool] || len(c.Output) == 0 {
		return ""
	}
	text := strings.TrimSpace(outputText(c))
	if len(text) > maxShown {
		text = text[:maxShown] + "…"
	}
	return textsafe.Block(redact.Text(strings.ToValidUTF8(text, "\uFFFD")))
}

// outputText is the result of a command as text.
func outputText(c mcpserver.Call) string {
	if c.Tool == "run" || c.Tool == "bash" {
		return ranText(c.Output)
	}
	return resultText(c.Output)
}

// short formats a duration with few digits.
func short(d time.Duration) string {
	if d < time.Second {
		return d.Round(time.Millisecond).String()
	}
	return d.Round(100 * time.Millisecond).String()
}

// line makes one line of a text: without secrets and control characters, at most
// maxSummary bytes.
func line(s string) string {
	if len(s) > 4*maxSummary {
		s = s[:4*maxSummary]
	}
	s = textsafe.Line(strings.Join(strings.Fields(strings.ToValidUTF8(redact.Text(s), "\uFFFD")), " "))
	if len(s) > maxSummary {
		s = strings.ToValidUTF8(s[:maxSummary], "") + "…"
	}
	return s
}

// keptTools are the tools whose calls are stored, and whether with their output.
var keptTools = map[string]bool{"compile": true, "lint": true, "type_check": true, "test": true, "format": true, "run": true, "bash": true,
	"write": false, "edit": false, "task_add": false, "session_spawn": false}

// resultRow makes the stored row of a call; ok is false for calls that are not stored.
func resultRow(c mcpserver.Call, input json.RawMessage) (store.ResultRow, bool) {
	output, ok := keptTools[c.Tool]
	if !ok || c.Outcome == "denied" || c.Outcome == "invalid" {
		return store.ResultRow{}, false
	}
	r := store.ResultRow{At: c.Started.UTC(), Session: c.Caller.Session, Dir: c.Caller.Dir, Tool: c.Tool, Input: string(input),
		Outcome: c.Outcome, Summary: line(c.Message)}
	if !output {
		return r, true
	}
	text := outputText(c)
	if len(text) > maxKept {
		text = text[:maxKept/2] + "\n…\n" + text[len(text)-maxKept/2:]
	}
	r.Output = redact.Text(strings.ToValidUTF8(text, "\uFFFD"))
	r.Text = r.Output
	return r, true
}

// ranText is the output of run and bash as text.
func ranText(output json.RawMessage) string {
	var res mcpserver.RunResult
	if json.Unmarshal(output, &res) != nil {
		return ""
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n", res.Command)
	for _, p := range res.Output {
		b.WriteString(p.Text)
	}
	return b.String()
}

// resultText is the result of the other commands as text, diagnostics first.
func resultText(output json.RawMessage) string {
	var res mcpserver.Result
	if json.Unmarshal(output, &res) != nil {
		return ""
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n", res.Command)
	for _, e := range slices.Concat(res.Errors, res.Warnings) {
		fmt.Fprintf(&b, "%s:%d:%d: %s: %s\n", e.File, e.Line, e.Column, e.Severity, e.Message)
	}
	if res.Tests != nil {
		for _, f := range res.Tests.Failures {
			fmt.Fprintf(&b, "%s:%d: %s: %s\n", f.File, f.Line, f.Name, f.Message)
		}
	}
	b.WriteString(res.Output)
	return b.String()
}
