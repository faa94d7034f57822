package rollout

import (
	"encoding/json"
	"regexp"
	"strings"
	"sync"

	"ccdir/agents/transcript"
	"ccdir/api"
)

// shells are the tools by which models run commands; hooks call them Bash.
var shells = map[string]bool{"exec_command": true, "shell_command": true, "shell": true, "local_shell": true}

// maxArgument bounds an argument, in bytes.
const maxArgument = 400

// call decodes a tool call, under the name that hooks give the tool.
func call(l line, b *transcript.Builder) bool {
	var p struct {
		ID        string          `json:"call_id"`
		Name      string          `json:"name"`
		Space     string          `json:"namespace"`
		Arguments string          `json:"arguments"`
		Input     string          `json:"input"`
		Action    json.RawMessage `json:"action"`
	}
	if json.Unmarshal(l.Payload, &p) != nil {
		return false
	}
	speak(l, b)
	input := json.RawMessage(p.Arguments)
	switch {
	case len(p.Action) > 0:
		p.Name, input = "local_shell", p.Action
	case p.Input != "":
		input, _ = json.Marshal(p.Input) // a text cannot fail
	}
	name, argument := p.Name, telling(input)
	switch {
	case p.Space != "":
		name = p.Space + "__" + p.Name
	case shells[p.Name]:
		name = api.ToolBash
		input, _ = json.Marshal(map[string]string{"command": argument.whole})
	}
	if !json.Valid(input) || len(input) > transcript.MaxInput {
		text, _ := cut(string(input), transcript.MaxInput)
		input, _ = json.Marshal(text)
	}
	b.Call(l.At, p.ID, name, input, argument.short)
	return true
}

// argument is the member of an input that says most: whole, and as one line.
type argument struct{ whole, short string }

func telling(input []byte) argument {
	var members map[string]json.RawMessage
	var text string
	if json.Unmarshal(input, &members) != nil {
		_ = json.Unmarshal(input, &text) // a patch, or what is no JSON
	}
	for _, key := range []string{"cmd", "command", "path", "file_path", "query", "url", "plan", "message"} {
		var words []string
		switch {
		case text != "":
		case json.Unmarshal(members[key], &text) == nil:
		case json.Unmarshal(members[key], &words) == nil:
			text = strings.Join(words, " ")
		}
	}
	line, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	short, _ := cut(line, maxArgument)
	return argument{text, short}
}

// Codex puts a head before the output of a command.
const outputMark = "\nOutput:\n"

// exited matches the exit code in that head.
var exited = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?m)^Process exited with code (-?\d+)$`) })

// result decodes the result of a call.
func result(l line, b *transcript.Builder) bool {
	var p struct {
		ID     string          `json:"call_id"`
		Output json.RawMessage `json:"output"`
	}
	if json.Unmarshal(l.Payload, &p) != nil {
		return false
	}
	text, ok := outputText(p.Output)
	r := transcript.Result{Outcome: api.ToolOK}
	head, rest, found := strings.Cut(text, outputMark)
	if m := exited().FindStringSubmatch(head); m != nil && m[1] != "0" || !ok {
		r.Outcome = api.ToolError
	}
	if found {
		text = rest
	}
	switch {
	case strings.HasSuffix(head, "aborted by user"):
		r.Outcome = api.ToolInterrupted
	case strings.HasPrefix(text, refusedMark):
		r.Outcome = api.ToolRefused
		r.Reason, _, _ = strings.Cut(strings.TrimPrefix(text, refusedMark), ". Command: ")
		r.Reason, _ = cut(r.Reason, transcript.MaxRaw)
	case rejected().MatchString(text):
		r.Outcome = api.ToolRefused
		r.Reason, _ = cut(strings.ReplaceAll(rejected().FindStringSubmatch(text)[1], `\\\"`, `"`), transcript.MaxRaw)
	}
	r.Text, r.Cut = cut(text, transcript.MaxResult)
	return b.Result(l.At, p.ID, r)
}

// refusedMark begins the result of a call that a hook refused.
const refusedMark = "Command blocked by PreToolUse hook: "

// rejected matches that of a call that a person refused.
var rejected = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?s)^exec_command failed: CreateProcess \{ message: "Rejected\(\\"(.*)\\"\)" \}`)
})

// outputText is the text of an output: a string, a list of texts, or an object with one. ok is
// false if it says that the tool failed.
func outputText(raw json.RawMessage) (text string, ok bool) {
	if json.Unmarshal(raw, &text) == nil {
		return text, true
	}
	var parts []struct {
		Text string `json:"text"`
	}
	if json.Unmarshal(raw, &parts) == nil {
		for _, p := range parts {
			text += p.Text
		}
		return text, true
	}
	var object struct {
		Content string `json:"content"`
		Success *bool  `json:"success"`
	}
	_ = json.Unmarshal(raw, &object) // of another shape it says nothing
	return object.Content, object.Success == nil || *object.Success
}
