package fakeapi

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
)

// decodeGemini extracts what scripts use from a request for generated content. Results are by
// the name of the function: calls need no ids.
func decodeGemini(body []byte) (Request, error) {
	type part struct {
		Text     string `json:"text"`
		Response *struct {
			ID       string          `json:"id"`
			Name     string          `json:"name"`
			Response json.RawMessage `json:"response"`
		} `json:"functionResponse"`
	}
	var in struct {
		System struct {
			Parts []part `json:"parts"`
		} `json:"systemInstruction"`
		Contents []struct {
			Role  string `json:"role"`
			Parts []part `json:"parts"`
		} `json:"contents"`
		Tools []struct {
			Functions []struct {
				Name string `json:"name"`
			} `json:"functionDeclarations"`
		} `json:"tools"`
	}
	if err := json.Unmarshal(body, &in); err != nil {
		return Request{}, err
	}
	r := Request{Body: body, Results: map[string]string{}}
	for _, p := range in.System.Parts {
		r.System += p.Text
	}
	for _, t := range in.Tools {
		for _, f := range t.Functions {
			r.Tools = append(r.Tools, f.Name)
		}
	}
	for i := len(in.Contents) - 1; i >= 0; i-- {
		if in.Contents[i].Role != "user" {
			continue
		}
		for _, p := range in.Contents[i].Parts {
			switch {
			case p.Response != nil:
				r.Results[p.Response.Name] = string(p.Response.Response)
			case !strings.HasPrefix(strings.TrimSpace(p.Text), "<") && p.Text != "":
				r.Prompt = p.Text
			}
		}
		if r.Prompt != "" || len(r.Results) > 0 {
			break
		}
	}
	if len(r.Results) > 0 {
		r.Prompt = ""
	}
	return r, nil
}

// geminiAside answers the requests of Gemini CLI beside its turns: counts of tokens, and
// questions about the conversation that want JSON. False if it is none.
func geminiAside(w http.ResponseWriter, r *http.Request) bool {
	var answer object
	switch {
	case strings.HasSuffix(r.URL.Path, ":countTokens"):
		answer = object{"totalTokens": 10}
	case strings.HasSuffix(r.URL.Path, ":generateContent"):
		answer = geminiAnswer([]any{object{"text": `{"reasoning":"scripted","next_speaker":"user","model_choice":"flash"}`}}, true)
	default:
		return false
	}
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(answer)
	return true
}

func geminiAnswer(parts []any, last bool) object {
	candidate := object{"content": object{"role": "model", "parts": parts}, "index": 0}
	if last {
		candidate["finishReason"] = "STOP"
	}
	return object{"candidates": []any{candidate}, "modelVersion": "scripted",
		"usageMetadata": object{"promptTokenCount": 1000, "candidatesTokenCount": 20, "totalTokenCount": 1020, "cachedContentTokenCount": 100}}
}

func sendGeminiError(w http.ResponseWriter, r Reply) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(r.Status)
	_ = json.NewEncoder(w).Encode(object{"error": object{"code": r.Status, "message": r.Message, "status": "INTERNAL"}})
}

// streamGemini sends the answer: a chunk for each block, the last with the reason for the end.
func (s *Server) streamGemini(w http.ResponseWriter, ctx context.Context, req Request, reply Reply) {
	out := events(w, "\r\n\r\n")
	for _, b := range reply.Blocks {
		if !wait(ctx, b.Wait) {
			return
		}
		part := object{"text": b.Text}
		switch {
		case b.Thinking != "":
			part = object{"text": b.Thinking, "thought": true}
		case b.Tool != "":
			part = object{"functionCall": object{"id": s.toolID(b), "name": b.Tool, "args": b.Input}, "thoughtSignature": "c2NyaXB0ZWQ="}
		}
		out.send(geminiAnswer([]any{part}, false))
	}
	if !wait(ctx, reply.End) {
		return
	}
	last := geminiAnswer([]any{}, true)
	last["responseId"] = fmt.Sprintf("r%d", req.N)
	out.send(last)
}
