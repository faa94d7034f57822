package fakeapi

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
)

// titlePrompt begins the request by which Codex has a title made beside the conversation.
const titlePrompt = "Generate a concise, single-line task title"

// responsesTool is one tool that the CLI offers, or several in a namespace.
type responsesTool struct {
	Type  string          `json:"type"`
	Name  string          `json:"name"`
	Tools []responsesTool `json:"tools"`
}

// names are those of the tool, or of all in the namespace, as calls have them: "space/name".
func (t responsesTool) names() (out []string) {
	if t.Type != "namespace" {
		return []string{cmp.Or(t.Name, t.Type)}
	}
	space := t.Name + "/"
	if t.Name == "functions" {
		space = "" // those without a namespace
	}
	for _, one := range t.Tools {
		out = append(out, space+one.Name)
	}
	return out
}

// decodeResponses extracts what scripts use from a request to the Responses API.
func decodeResponses(body []byte) (Request, error) {
	var in struct {
		Model        string `json:"model"`
		Instructions string `json:"instructions"`
		Input        []struct {
			Type    string          `json:"type"`
			Role    string          `json:"role"`
			Content json.RawMessage `json:"content"`
			Call    string          `json:"call_id"`
			Output  json.RawMessage `json:"output"`
			Tools   []responsesTool `json:"tools"` // of additional_tools
		} `json:"input"`
		Tools []responsesTool `json:"tools"`
	}
	if err := json.Unmarshal(body, &in); err != nil {
		return Request{}, err
	}
	r := Request{Model: in.Model, Body: body, Results: map[string]string{}, System: in.Instructions}
	for i := len(in.Input) - 1; i >= 0 && r.Prompt == ""; i-- {
		item := in.Input[i]
		output := strings.HasSuffix(item.Type, "_call_output")
		switch {
		case output:
			for _, b := range blocks(item.Output) {
				r.Results[item.Call] += b.Text
			}
		case len(r.Results) > 0:
			i = 0 // the calls themselves, and what was before them
		case item.Role == "user":
			for _, b := range blocks(item.Content) {
				if !strings.HasPrefix(strings.TrimSpace(b.Text), "<") { // <environment_context> and the like
					r.Prompt = b.Text
				}
			}
		}
	}
	for _, item := range in.Input {
		in.Tools = append(in.Tools, item.Tools...)
		if item.Role == "developer" {
			for _, b := range blocks(item.Content) {
				r.System += "\n" + b.Text
			}
		}
	}
	if strings.HasPrefix(r.Prompt, titlePrompt) {
		return r, nil // without tools: it is none of the conversation's
	}
	for _, t := range in.Tools {
		r.Tools = append(r.Tools, t.names()...)
	}
	return r, nil
}

func sendResponsesError(w http.ResponseWriter, r Reply) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(r.Status)
	_ = json.NewEncoder(w).Encode(object{"error": object{"message": r.Message, "type": r.Type, "code": nil}})
}

// streamResponses sends the answer as server-sent events. A tool "space/name" is a call in a
// namespace, as those of MCP servers are; one whose input is a text is a call of a custom tool,
// whose input has no schema.
func (s *Server) streamResponses(w http.ResponseWriter, ctx context.Context, req Request, reply Reply) {
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
	id := fmt.Sprintf("resp_%d", req.N)
	send("response.created", object{"response": object{"id": id, "status": "in_progress"}})
	items := []any{}
	for i, b := range reply.Blocks {
		if !wait(ctx, b.Wait) {
			return
		}
		var item object
		if b.Tool == "" {
			message := fmt.Sprintf("msg_%d_%d", req.N, i)
			send("response.output_item.added", object{"output_index": i, "item": object{"type": "message", "role": "assistant", "id": message, "content": []any{}}})
			send("response.output_text.delta", object{"item_id": message, "output_index": i, "content_index": 0, "delta": b.Text})
			item = object{"type": "message", "role": "assistant", "id": message, "status": "completed",
				"content": []any{object{"type": "output_text", "text": b.Text, "annotations": []any{}}}}
		} else {
			input, _ := json.Marshal(b.Input)
			call := s.toolID(b)
			item = object{"type": "function_call", "id": "fc_" + call, "call_id": call, "name": b.Tool, "arguments": string(input), "status": "completed"}
			if text, custom := b.Input.(string); custom {
				item = object{"type": "custom_tool_call", "id": "ctc_" + call, "call_id": call, "name": b.Tool, "input": text, "status": "completed"}
			}
			if space, name, ok := strings.Cut(b.Tool, "/"); ok {
				item["namespace"], item["name"] = space, name
			}
		}
		if b.Tool == "" && reply.End != nil && i == len(reply.Blocks)-1 && !wait(ctx, reply.End) {
			return
		}
		send("response.output_item.done", object{"output_index": i, "item": item})
		items = append(items, item)
	}
	if !wait(ctx, reply.End) {
		return
	}
	send("response.completed", object{"response": object{"id": id, "status": "completed", "output": items,
		"usage": object{"input_tokens": 1000, "input_tokens_details": object{"cached_tokens": 100}, "output_tokens": 20,
			"output_tokens_details": object{"reasoning_tokens": 0}, "total_tokens": 1020}}})
}
