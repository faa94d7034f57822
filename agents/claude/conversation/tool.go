package conversation

import (
	"encoding/json"
	"strings"

	"ccdir/agents/transcript"
	"ccdir/api"
	"ccdir/internal/text/jsonscan"
)

// call decodes a tool call.
func (d Decoder) call(e entry, block []byte, b *transcript.Builder) {
	name, input := word(jsonscan.Get(block, "name")), jsonscan.Get(block, "input")
	b.Call(e.at, word(jsonscan.Get(block, "id")), name, bounded(input), argument(input))
	switch name {
	case "Agent", "Task":
		b.Starts()
	case "SubagentHandback": // a subagent's last words
		said, _ := text(jsonscan.Get(input, "message"))
		b.Answer(said)
	}
}

// bounded copies a tool's input: as it is, or the beginning of it as a string.
func bounded(input []byte) json.RawMessage {
	if len(input) > transcript.MaxInput || !json.Valid(input) {
		s, _ := json.Marshal(strings.ToValidUTF8(string(input[:min(len(input), transcript.MaxInput)]), "\uFFFD"))
		return s
	}
	return json.RawMessage(append([]byte(nil), input...))
}

// quoted is an input with one member.
func quoted(key, value string) json.RawMessage {
	data, err := json.Marshal(map[string]string{key: value})
	if err != nil || len(data) > transcript.MaxInput {
		data, _ = json.Marshal(map[string]string{key: strings.ToValidUTF8(value[:min(len(value), maxArgument)], "")})
	}
	return data
}

// telling are the members of inputs that say most, best first.
var telling = []string{"command", "file_path", "notebook_path", "pattern", "url", "query", "question", "description", "skill", "path", "prompt", "message", "plan", "to", "name"}

// maxArgument bounds an argument, in bytes.
const maxArgument = 400

// argument is the one line that tells a call from others of its tool.
func argument(input []byte) string {
	found := map[string]string{}
	first := ""
	for m := jsonscan.Object(input); m.Next(); {
		said, _ := jsonscan.Text(m.Value, maxArgument)
		if string(m.Key) == "questions" {
			for list := jsonscan.Array(m.Value); said == "" && list.Next(); {
				said, _ = jsonscan.Text(jsonscan.Get(list.Value, "question"), maxArgument)
			}
		}
		if said == "" {
			continue
		}
		if first == "" {
			first = said
		}
		if len(m.Key) <= maxWord && len(found) < maxWord {
			found[string(m.Key)] = said
		}
	}
	for _, key := range telling {
		if said := found[key]; said != "" {
			return said
		}
	}
	return first
}

// results decodes the results of tools in a user's entry; false if there are none.
func results(e entry, content []byte, b *transcript.Builder) (found bool) {
	for list := jsonscan.Array(content); list.Next(); {
		if word(jsonscan.Get(list.Value, "type")) != "tool_result" {
			continue
		}
		found = true
		r := result(e, list.Value)
		if !b.Result(e.at, word(jsonscan.Get(list.Value, "tool_use_id")), r) {
			b.Raw(e.at, "result of an unknown call", list.Value)
		}
	}
	if found && e.ends {
		b.End(e.at)
	}
	return found
}

// blockResult decodes a result that the API itself put into an answer.
func blockResult(e entry, block []byte, b *transcript.Builder) {
	said, cut := textOf(jsonscan.Get(block, "content"), transcript.MaxResult)
	if !b.Result(e.at, word(jsonscan.Get(block, "tool_use_id")), transcript.Result{Outcome: api.ToolOK, Text: said, Cut: cut}) {
		b.Raw(e.at, "result of an unknown call", block)
	}
}

// What the CLI writes as the result of a call that was refused, in versions that do not say
// so elsewhere.
const (
	refusedByPerson = "The user doesn't want to proceed with this tool use."
	refusedByRule   = "Permission to use "
)

func result(e entry, block []byte) (r transcript.Result) {
	r.Text, r.Cut = textOf(jsonscan.Get(block, "content"), transcript.MaxResult)
	r.Text = plain(r.Text)
	if inner, ok := strings.CutPrefix(r.Text, "<tool_use_error>"); ok {
		r.Text = strings.TrimSuffix(inner, "</tool_use_error>")
	}
	denial := word(e.denial)
	r.Outcome = api.ToolOK
	switch {
	case denial == "user-rejected" && !e.beforeRun && e.feedback == nil:
		r.Outcome = api.ToolInterrupted // by Escape while it ran
	case denial != "", strings.HasPrefix(r.Text, refusedByPerson), strings.HasPrefix(r.Text, refusedByRule) && strings.Contains(r.Text, " denied"):
		r.Outcome = api.ToolRefused
		if r.Reason, _ = jsonscan.Text(e.feedback, maxArgument); r.Reason == "" && !strings.HasPrefix(r.Text, refusedByPerson) {
			r.Reason = strings.TrimSpace(r.Text[:min(len(r.Text), maxArgument)])
			r.Reason = strings.ToValidUTF8(r.Reason, "")
		}
	case jsonscan.True(jsonscan.Get(block, "is_error")):
		r.Outcome = api.ToolError
	}
	outcome(e, &r)
	return r
}

// outcome reads what the CLI itself knows about a result.
func outcome(e entry, r *transcript.Result) {
	var created []byte
	kind := ""
	for m := jsonscan.Object(e.outcome); m.Next(); {
		switch string(m.Key) {
		case "interrupted":
			if jsonscan.True(m.Value) {
				r.Outcome = api.ToolInterrupted
			}
		case "backgroundTaskId":
			if word(m.Value) != "" {
				r.Outcome = api.ToolBackground
			}
		case "isAsync":
			if jsonscan.True(m.Value) {
				r.Outcome = api.ToolBackground
			}
		case "agentId":
			r.Agent = word(m.Value)
		case "agentType":
			r.Kind = word(m.Value)
		case "structuredPatch":
			r.Diff = patch(m.Value)
		case "type":
			kind = word(m.Value)
		case "content":
			created = m.Value
		}
	}
	if kind == "create" && r.Diff == nil {
		if said, cut := text(created); cut == 0 && said != "" {
			h := api.DiffHunk{Old: 0, New: 1}
			for line := range strings.Lines(said) {
				h.Lines = append(h.Lines, "+"+strings.TrimSuffix(line, "\n"))
			}
			r.Diff = []api.DiffHunk{h}
		}
	}
}

// patch decodes the hunks of an edit.
func patch(value []byte) (hunks []api.DiffHunk) {
	for list := jsonscan.Array(value); list.Next(); {
		h := api.DiffHunk{Old: int(jsonscan.Int(jsonscan.Get(list.Value, "oldStart"))), New: int(jsonscan.Int(jsonscan.Get(list.Value, "newStart")))}
		for lines := jsonscan.Array(jsonscan.Get(list.Value, "lines")); lines.Next(); {
			line, _ := jsonscan.Text(lines.Value, maxDiffLine)
			h.Lines = append(h.Lines, line)
		}
		hunks = append(hunks, h)
	}
	return hunks
}

// maxDiffLine bounds a line of an edit, in bytes.
const maxDiffLine = 4 << 10

// textOf is the text of a content: a string, or a list of blocks, of which pictures and
// documents leave a mark.
func textOf(content []byte, limit int) (string, int) {
	if len(content) > 0 && content[0] == '"' {
		return jsonscan.Text(content, limit)
	}
	var out strings.Builder
	cut := 0
	for list := jsonscan.Array(content); list.Next(); {
		kind := word(jsonscan.Get(list.Value, "type"))
		said, n := "["+kind+"]", 0
		switch kind {
		case "text":
			said, n = jsonscan.Text(jsonscan.Get(list.Value, "text"), max(limit-out.Len(), 0))
		case "tool_reference":
			said = "[" + word(jsonscan.Get(list.Value, "tool_name")) + "]"
		}
		cut += n
		if out.Len()+len(said) >= limit && n == 0 {
			cut += len(said)
			continue
		}
		if out.Len() > 0 && said != "" {
			out.WriteByte('\n')
		}
		out.WriteString(said)
	}
	return out.String(), cut
}
