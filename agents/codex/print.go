package codex

import (
	"bytes"
	"encoding/json"
	"regexp"
	"strconv"
	"sync"

	"ccdir/agents"
	"ccdir/agents/payload"
)

// PreparePrint is codex exec with the prompt on standard input, and one JSON object per line on
// standard output. It asks nobody: a call that wants out of the sandbox is refused. It knows no
// bounds of turns or cost.
func (Adapter) PreparePrint(s agents.Start, _ agents.Bounds) (agents.Launch, error) {
	own, err := ownArgs(s)
	if err != nil {
		return agents.Launch{}, err
	}
	argv := []string{s.Command, "exec"}
	if s.Resume != "" {
		argv = append(argv, "resume", s.Resume)
	}
	argv = append(argv, "--json", "--skip-git-repo-check")
	argv = append(append(argv, s.Args...), own...)
	return agents.Launch{Argv: append(argv, "-"), Env: s.Env, Conversation: s.Resume}, nil
}

// printed is a line of its output.
type printed struct {
	Type   string `json:"type"`
	Thread string `json:"thread_id"`
	Item   struct {
		Type    string `json:"type"`
		Text    string `json:"text"`
		Message string `json:"message"`
	} `json:"item"`
	Usage struct {
		Input  int64 `json:"input_tokens"`
		Output int64 `json:"output_tokens"`
	} `json:"usage"`
	Error struct {
		Message string `json:"message"`
	} `json:"error"`
	Message string `json:"message"`
}

// apiStatus matches the HTTP status in the message of an error.
var apiStatus = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?:unexpected status|status code|HTTP) (\d{3})\b`)
})

// PrintResult reads the last message and the end of the turn. Items of type error are
// warnings too.
func (Adapter) PrintResult(stdout []byte) (r agents.PrintResult, ok bool) {
	for line := range bytes.Lines(stdout) {
		line = bytes.TrimSpace(line)
		var p printed
		if len(line) == 0 || line[0] != '{' || json.Unmarshal(line, &p) != nil {
			continue
		}
		switch p.Type {
		case "thread.started":
			r.Conversation = agents.Visible(p.Thread, agents.MaxField)
		case "item.completed":
			if p.Item.Type == "agent_message" {
				r.Text = payload.Cut(p.Item.Text, payload.MaxReply)
			}
		case "turn.completed":
			ok = true
			r.Failed, r.Kind, r.Turns = false, "", r.Turns+1
			r.Tokens = max(r.Tokens, max(p.Usage.Input, 0)+max(p.Usage.Output, 0)) // of a resumed conversation the sum
		case "turn.failed":
			ok = true
			r.Failed, r.Kind, r.Text = true, "error", payload.Cut(p.Error.Message, payload.MaxReply)
			if m := apiStatus().FindStringSubmatch(p.Error.Message); m != nil {
				r.Status, _ = strconv.Atoi(m[1])
			}
		}
	}
	return r, ok
}
