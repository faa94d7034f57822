package agents

import (
	"bytes"
	"encoding/json"
)

// PrintResult is what a one-shot run reported at its end.
type PrintResult struct {
	// Text is the final message, at most 32 KiB.
	Text string
	// Failed: the agent says that it did not succeed; Kind says how.
	Failed       bool
	Kind         string
	Conversation string
	Turns        int
	// Tokens are input (cache included) and output together; Cost is in US
	// dollars.
	Tokens int64
	Cost   float64
	// Denials is the agent's list of refused permissions, nil if it is empty.
	Denials json.RawMessage
}

// PrintResult finds the last object of type result: one a line, or the only one.
func (Claude) PrintResult(stdout []byte) (r PrintResult, ok bool) {
	lines := bytes.Split(stdout, []byte("\n"))
	for i := len(lines) - 1; i >= 0 && !ok; i-- {
		r, ok = readPrintResult(lines[i])
	}
	return r, ok
}

func readPrintResult(line []byte) (r PrintResult, ok bool) {
	var in struct {
		Type    string  `json:"type"`
		Subtype string  `json:"subtype"`
		IsError bool    `json:"is_error"`
		Result  string  `json:"result"`
		Turns   int     `json:"num_turns"`
		Session string  `json:"session_id"`
		Cost    float64 `json:"total_cost_usd"`
		Usage   struct {
			Input  int64 `json:"input_tokens"`
			Output int64 `json:"output_tokens"`
			Made   int64 `json:"cache_creation_input_tokens"`
			Read   int64 `json:"cache_read_input_tokens"`
		} `json:"usage"`
		Denials []json.RawMessage `json:"permission_denials"`
	}
	line = bytes.TrimSpace(line)
	if len(line) == 0 || line[0] != '{' || json.Unmarshal(line, &in) != nil || in.Type != "result" {
		return r, false
	}
	r = PrintResult{Text: cutString(in.Result, maxReply), Failed: in.IsError, Kind: in.Subtype, Conversation: Visible(in.Session, maxField),
		Turns: in.Turns, Cost: in.Cost, Tokens: in.Usage.Input + in.Usage.Output + in.Usage.Made + in.Usage.Read}
	if len(in.Denials) > 0 {
		if raw, err := json.Marshal(in.Denials); err == nil {
			r.Denials = shortData(raw)
		}
	}
	return r, true
}
