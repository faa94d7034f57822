package fakeapi

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"strings"
)

// maxBody bounds a request, in bytes.
const maxBody = 64 << 20

// format is one API: how its requests are read and its answers sent.
type format struct {
	decode func(body []byte) (Request, error)
	fail   func(w http.ResponseWriter, r Reply)
	stream func(s *Server, w http.ResponseWriter, ctx context.Context, req Request, reply Reply)
}

// formatOf is the API that a path belongs to; false if it belongs to none.
func formatOf(path string) (format, bool) {
	switch {
	case path == "/v1/messages":
		return format{decode, sendError, (*Server).stream}, true
	case strings.HasSuffix(path, ":streamGenerateContent"):
		return format{decodeGemini, sendGeminiError, (*Server).streamGemini}, true
	case strings.HasSuffix(path, "/responses"):
		return format{decodeResponses, sendResponsesError, (*Server).streamResponses}, true
	case strings.HasSuffix(path, "/chat/completions"):
		return format{decodeChat, sendChatError, (*Server).streamChat}, true
	}
	return format{}, false
}

func (s *Server) serve(w http.ResponseWriter, r *http.Request) {
	f, ok := formatOf(r.URL.Path)
	if r.Method != http.MethodPost || !ok {
		// Requests for counts of tokens and connectivity checks.
		if !geminiAside(w, r) {
			sendError(w, Error(http.StatusNotFound, "no such endpoint: "+r.URL.Path))
		}
		return
	}
	body, err := io.ReadAll(io.LimitReader(r.Body, maxBody))
	if err != nil {
		return
	}
	req, err := f.decode(body)
	if err != nil {
		f.fail(w, Error(http.StatusBadRequest, err.Error()))
		return
	}
	req.Session = r.Header.Get("X-Claude-Code-Session-Id")
	s.mu.Lock()
	req.N = len(s.requests) + 1
	s.requests = append(s.requests, req)
	close(s.arrived)
	s.arrived = make(chan struct{})
	script := s.script
	s.mu.Unlock()

	reply := script(r.Context(), req)
	if !wait(r.Context(), reply.Wait) {
		return
	}
	if reply.Status != 0 && reply.Status != http.StatusOK {
		f.fail(w, reply)
		return
	}
	f.stream(s, w, r.Context(), req, reply)
}

// sender writes server-sent events that have data alone.
type sender struct {
	w   http.ResponseWriter
	end string
}

// events begins a stream of such events.
func events(w http.ResponseWriter, end string) sender {
	w.Header().Set("Content-Type", "text/event-stream")
	w.WriteHeader(http.StatusOK)
	return sender{w, end}
}

func (s sender) send(data any) {
	text, _ := json.Marshal(data) // made of maps and texts
	_, _ = fmt.Fprintf(s.w, "data: %s%s", text, s.end)
	if f, ok := s.w.(http.Flusher); ok {
		f.Flush()
	}
}

// decode extracts the parts of the body that scripts use.
func decode(body []byte) (Request, error) {
	var in struct {
		Model    string          `json:"model"`
		System   json.RawMessage `json:"system"`
		Messages []struct {
			Role    string          `json:"role"`
			Content json.RawMessage `json:"content"`
		} `json:"messages"`
		Tools []struct {
			Name string `json:"name"`
		} `json:"tools"`
		Safeguards []any `json:"safeguards"`
	}
	if err := json.Unmarshal(body, &in); err != nil {
		return Request{}, err
	}
	r := Request{Model: in.Model, Body: body, Safeguards: len(in.Safeguards) > 0, Results: map[string]string{}}
	for _, b := range blocks(in.System) {
		r.System += b.Text
	}
	for _, t := range in.Tools {
		r.Tools = append(r.Tools, t.Name)
	}
	for i := len(in.Messages) - 1; i >= 0; i-- {
		if in.Messages[i].Role != "user" {
			continue
		}
		for _, b := range blocks(in.Messages[i].Content) {
			switch {
			case b.Type == "tool_result":
				var text strings.Builder
				for _, inner := range blocks(b.Content) {
					text.WriteString(inner.Text)
				}
				r.Results[b.ToolUseID] = text.String()
			case !ignorable(b.Text):
				r.Prompt = b.Text
			}
		}
		if r.Prompt != "" || len(r.Results) > 0 {
			break
		}
	}
	return r, nil
}

type block struct {
	Type      string          `json:"type"`
	Text      string          `json:"text"`
	ToolUseID string          `json:"tool_use_id"`
	Content   json.RawMessage `json:"content"`
}

// blocks reads content, which is a list of blocks or a string.
func blocks(raw json.RawMessage) []block {
	var text string
	if json.Unmarshal(raw, &text) == nil {
		return []block{{Type: "text", Text: text}}
	}
	var list []block
	_ = json.Unmarshal(raw, &list)
	return list
}

// wait blocks until the channel, if there is one, is closed; false if the request ended
// first.
func wait(ctx context.Context, ch <-chan struct{}) bool {
	if ch == nil {
		return true
	}
	select {
	case <-ch:
		return true
	case <-ctx.Done():
		return false
	}
}

func sendError(w http.ResponseWriter, r Reply) {
	maps.Copy(w.Header(), r.Header)
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(r.Status)
	_ = json.NewEncoder(w).Encode(map[string]any{
		"type": "error", "error": map[string]any{"type": r.Type, "message": r.Message},
	})
}

// object is a JSON object.
type object = map[string]any

// stream sends the answer as server-sent events.
func (s *Server) stream(w http.ResponseWriter, ctx context.Context, req Request, reply Reply) {
	maps.Copy(w.Header(), reply.Header)
	w.Header().Set("Content-Type", "text/event-stream")
	w.WriteHeader(http.StatusOK)
	flusher, _ := w.(http.Flusher)
	send := func(kind string, data object) {
		data["type"] = kind
		text, _ := json.Marshal(data)
		_, _ = fmt.Fprintf(w, "event: %s\ndata: %s\n\n", kind, text)
		if flusher != nil {
			flusher.Flush()
		}
	}
	tokens := reply.InputTokens
	if tokens == 0 {
		tokens = 10
	}
	send("message_start", object{"message": object{
		"id": fmt.Sprintf("msg_%08d", req.N), "type": "message", "role": "assistant", "model": req.Model,
		"content": []any{}, "stop_reason": nil, "stop_sequence": nil,
		"usage": object{"input_tokens": tokens, "output_tokens": 1},
	}})
	stop, verdicts := "end_turn", object{}
	for i, b := range reply.Blocks {
		if !wait(ctx, b.Wait) {
			return
		}
		switch {
		case b.Thinking != "":
			send("content_block_start", object{"index": i, "content_block": object{"type": "thinking", "thinking": "", "signature": ""}})
			send("content_block_delta", object{"index": i, "delta": object{"type": "thinking_delta", "thinking": b.Thinking}})
			send("content_block_delta", object{"index": i, "delta": object{"type": "signature_delta", "signature": "c2lnbmVk"}})
		case b.Tool == "":
			send("content_block_start", object{"index": i, "content_block": object{"type": "text", "text": ""}})
			send("content_block_delta", object{"index": i, "delta": object{"type": "text_delta", "text": b.Text}})
		default:
			stop = "tool_use"
			id := s.toolID(b)
			verdicts[id] = verdict(reply.Flag)
			input, _ := json.Marshal(b.Input)
			send("content_block_start", object{"index": i, "content_block": object{"type": "tool_use", "id": id, "name": b.Tool, "input": object{}}})
			send("content_block_delta", object{"index": i, "delta": object{"type": "input_json_delta", "partial_json": string(input)}})
		}
		send("content_block_stop", object{"index": i})
	}
	if !wait(ctx, reply.End) {
		return
	}
	if reply.Stop != "" {
		stop = reply.Stop
	}
	delta := object{"stop_reason": stop, "stop_sequence": nil}
	if req.Safeguards && !reply.NoVerdict {
		delta["safeguard_results"] = []any{object{"type": "dangerous_tool_use",
			"status": object{"type": "available", "tool_uses": verdicts}}}
	}
	send("message_delta", object{"delta": delta, "usage": object{"output_tokens": 20}})
	send("message_stop", object{})
}

func verdict(flag bool) object {
	if flag {
		return object{"type": "evaluated", "outcome": "flagged", "explanation": "flagged by the test"}
	}
	return object{"type": "evaluated", "outcome": "not_flagged"}
}

func (s *Server) toolID(b Block) string {
	if b.ID != "" {
		return b.ID
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.tools++
	return fmt.Sprintf("toolu_%08d", s.tools)
}
