package gemini

import (
	"bytes"
	"encoding/json"

	"ccdir/agents"
	"ccdir/agents/payload"
)

// PreparePrint adds the one-shot mode. The CLI reads the prompt from standard input if -p has
// none, and has no bounds of turns or cost. Tools that would ask are not offered in it.
func (a Adapter) PreparePrint(s agents.Start, _ agents.Bounds) (agents.Launch, error) {
	launch, err := a.Prepare(s)
	launch.Argv = append(launch.Argv, "--output-format", "stream-json", "-p", "")
	return launch, err
}

// PrintResult reads the lines of stream-json: the answer is the text of the assistant's
// messages after the last tool, the last line the result.
func (Adapter) PrintResult(stdout []byte) (r agents.PrintResult, ok bool) {
	var text []byte
	for line := range bytes.Lines(stdout) {
		var in struct {
			Type    string `json:"type"`
			Session string `json:"session_id"`
			Role    string `json:"role"`
			Content string `json:"content"`
			Status  string `json:"status"`
			Error   struct {
				Type    string `json:"type"`
				Message string `json:"message"`
			} `json:"error"`
			Stats struct {
				Tokens int64 `json:"total_tokens"`
			} `json:"stats"`
		}
		if json.Unmarshal(line, &in) != nil {
			continue
		}
		switch in.Type {
		case "init":
			r.Conversation = agents.Visible(in.Session, agents.MaxField)
			r.Turns++
		case "tool_use":
			text = text[:0]
			r.Turns++
		case "message":
			if in.Role == "assistant" && len(text) < 2*payload.MaxReply {
				text = append(text, in.Content...)
			}
		case "result":
			ok = true
			r.Failed, r.Kind = in.Status != "success", in.Status
			r.Tokens = in.Stats.Tokens
			if r.Failed && in.Error.Message != "" {
				text = []byte(in.Error.Message)
			}
		}
	}
	r.Text = payload.Cut(string(bytes.ToValidUTF8(text, nil)), payload.MaxReply)
	return r, ok
}
