package tools

import (
	"context"
	"encoding/json"
	"time"

	"ccdir/api"
	"ccdir/mcpserver"
)

// toolAsker asks the person with a permission request of kind question.
type toolAsker struct{ s *Server }

func (c toolAsker) Ask(ctx context.Context, caller mcpserver.Caller, q mcpserver.Question) (mcpserver.Reply, error) {
	input, err := json.Marshal(map[string]any{"question": q.Text, "choices": q.Choices})
	if err != nil {
		return mcpserver.Reply{}, err
	}
	now := time.Now().UTC()
	call := ""
	if q.Call != "" {
		call = "mcp:" + q.Call
	}
	decision, err := c.s.o.Approvals.Hold(ctx, call, api.Request{Session: caller.Session, Tool: "ask_person", Input: input, Since: now,
		Deadline: now.Add(q.Timeout), Kind: api.RequestQuestion, Question: line(q.Text), ToolUseID: q.Call, CWD: caller.Dir,
		Choices: q.Choices, Multiple: q.Multiple, Origin: api.OriginMCP})
	if err != nil {
		return mcpserver.Reply{}, err
	}
	switch a := decision.Answer; {
	case decision.Outcome == api.OutcomeLimit:
		return mcpserver.Reply{}, api.Errorf(api.CodeLimit, "too many questions are open: wait for answers")
	case a == nil:
		return mcpserver.Reply{}, nil
	case a.Behavior == api.AnswerDeny:
		return mcpserver.Reply{Declined: true, Text: a.Message}, nil
	default:
		return mcpserver.Reply{Answered: true, Text: a.Text}, nil
	}
}
