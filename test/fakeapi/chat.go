package fakeapi

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
)

// decodeChat extracts what scripts use from a request for a chat completion.
func decodeChat(body []byte) (Request, error) {
	var in struct {
		Model    string `json:"model"`
		Messages []struct {
			Role    string          `json:"role"`
			Content json.RawMessage `json:"content"`
			Call    string          `json:"tool_call_id"`
		} `json:"messages"`
		Tools []struct {
			Function struct {
				Name string `json:"name"`
			} `json:"function"`
		} `json:"tools"`
	}
	if err := json.Unmarshal(body, &in); err != nil {
		return Request{}, err
	}
	r := Request{Model: in.Model, Body: body, Results: map[string]string{}}
	for _, t := range in.Tools {
		r.Tools = append(r.Tools, t.Function.Name)
	}
	for i := len(in.Messages) - 1; i >= 0; i-- {
		m := in.Messages[i]
		text := ""
		for _, b := range blocks(m.Content) {
			if m.Role != "user" || !strings.HasPrefix(strings.TrimSpace(b.Text), "<") {
				text += b.Text
			}
		}
		switch {
		case m.Role == "system":
			r.System = text + r.System
		case len(r.Results) > 0 && m.Role != "tool" || r.Prompt != "":
		case m.Role == "tool":
			r.Results[m.Call] = text
		case m.Role == "user":
			r.Prompt = text
		}
	}
	if len(r.Results) > 0 {
		r.Prompt = ""
	}
	return r, nil
}

func sendChatError(w http.ResponseWriter, r Reply) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(r.Status)
	_ = json.NewEncoder(w).Encode(object{"error": object{"message": r.Message, "type": r.Type}})
}

// streamChat sends the answer: a chunk for each block, then one with the use of tokens.
func (s *Server) streamChat(w http.ResponseWriter, ctx context.Context, req Request, reply Reply) {
	out := events(w, "\n\n")
	chunk := func(delta object, finish any) object {
		return object{"id": fmt.Sprintf("c%d", req.N), "object": "chat.completion.chunk", "created": 1, "model": req.Model,
			"choices": []any{object{"index": 0, "delta": delta, "finish_reason": finish}}}
	}
	finish, calls := "stop", 0
	for _, b := range reply.Blocks {
		if !wait(ctx, b.Wait) {
			return
		}
		if b.Tool == "" {
			out.send(chunk(object{"role": "assistant", "content": b.Text}, nil))
			continue
		}
		input, _ := json.Marshal(b.Input)
		finish = "tool_calls"
		out.send(chunk(object{"role": "assistant", "tool_calls": []any{object{"index": calls, "id": s.toolID(b), "type": "function",
			"function": object{"name": b.Tool, "arguments": string(input)}}}}, nil))
		calls++
	}
	if !wait(ctx, reply.End) {
		return
	}
	last := chunk(object{}, finish)
	last["usage"] = object{"prompt_tokens": 1000, "completion_tokens": 20, "total_tokens": 1020, "prompt_tokens_details": object{"cached_tokens": 100}}
	out.send(last)
	_, _ = fmt.Fprint(w, "data: [DONE]\n\n")
}
