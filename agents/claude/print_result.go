package claude

import (
	"bytes"
	"encoding/json"
	"time"

	"ccdir/agents"
	"ccdir/agents/payload"
	"ccdir/api"
)

// PrintResult reads the objects of type result: one per line, or a single one. There
// are several if background subagents reported after an answer (2.1.329); the last one
// has the final message, and each has its own turns. Earlier lines say when a usage
// limit ends.
func (Adapter) PrintResult(stdout []byte) (r agents.PrintResult, ok bool) {
	lines := bytes.Split(stdout, []byte("\n"))
	for i := len(lines) - 1; i >= 0; i-- {
		if before, is := readPrintResult(lines[i]); is && !ok {
			r, ok = before, true
		} else if is {
			r.Turns += before.Turns
			r.Tokens, r.Cost = max(r.Tokens, before.Tokens), max(r.Cost, before.Cost)
			if len(before.Denials) > 0 {
				r.Denials = agents.ShortDenials(append(before.Denials, r.Denials...))
			}
		}
		if ok && r.Status != 0 && r.Reset.IsZero() {
			r.Reset = LimitReset(lines[i])
		}
	}
	r.Denials = agents.ShortDenials(r.Denials)
	return r, ok
}

// LimitReset reads the end of a usage limit from a line of Claude Code's transcript or
// of its JSON output; zero if the line lacks it (2.1.329, signed in with a
// subscription: quotaLimits and apiErrorParams, api_error_params, and events of type
// rate_limit_event).
func LimitReset(line []byte) time.Time {
	if !bytes.Contains(line, []byte(`"resetsAt"`)) {
		return time.Time{}
	}
	type info struct {
		Status string `json:"status"`
		Resets int64  `json:"resetsAt"`
	}
	var in struct {
		Info   info `json:"rate_limit_info"`
		Quota  info `json:"quotaLimits"`
		Params struct {
			Info info `json:"rate_limit_info"`
		} `json:"apiErrorParams"`
		Printed struct {
			Info info `json:"rate_limit_info"`
		} `json:"api_error_params"`
	}
	if json.Unmarshal(line, &in) != nil {
		return time.Time{}
	}
	for _, i := range []info{in.Params.Info, in.Printed.Info, in.Quota, in.Info} {
		if i.Status == "rejected" && i.Resets > 0 {
			return time.Unix(i.Resets, 0)
		}
	}
	return time.Time{}
}

func readPrintResult(line []byte) (r agents.PrintResult, ok bool) {
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
		// Models is the use of the whole run by model, including subagents.
		Models map[string]struct {
			Input  int64 `json:"inputTokens"`
			Output int64 `json:"outputTokens"`
			Made   int64 `json:"cacheCreationInputTokens"`
			Read   int64 `json:"cacheReadInputTokens"`
		} `json:"modelUsage"`
		Denials api.Denials `json:"permission_denials"`
		Status  int         `json:"api_error_status"`
	}
	line = bytes.TrimSpace(line)
	if len(line) == 0 || line[0] != '{' || json.Unmarshal(line, &in) != nil || in.Type != "result" {
		return r, false
	}
	r = agents.PrintResult{Text: payload.Cut(in.Result, payload.MaxReply), Failed: in.IsError, Kind: in.Subtype, Conversation: agents.Visible(in.Session, agents.MaxField),
		Turns: in.Turns, Status: in.Status, Cost: in.Cost, Tokens: in.Usage.Input + in.Usage.Output + in.Usage.Made + in.Usage.Read}
	if r.Status != 0 {
		r.Turns = max(0, r.Turns-1) // the failed call is counted too
	}
	total := int64(0)
	for _, m := range in.Models {
		total += m.Input + m.Output + m.Made + m.Read
	}
	r.Tokens, r.Denials = max(r.Tokens, total), in.Denials
	return r, true
}
