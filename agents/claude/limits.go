package claude

import (
	"bytes"
	"encoding/json"
	"errors"
	"math"
	"strings"
	"time"

	"ccdir/agents"
	"ccdir/usage"
)

// HookStatusLine is the name under which the status line's input is handed on. It is no hook of
// Claude Code's.
const HookStatusLine = "StatusLine"

// MeterHook implements agents.Meter.
func (Adapter) MeterHook() string { return HookStatusLine }

// ReadMeter reads the input of a status line (2.1.329).
func (Adapter) ReadMeter(at time.Time, payload []byte) (agents.Metered, error) {
	var in struct {
		Session string `json:"session_id"`
		Model   struct {
			ID string `json:"id"`
		} `json:"model"`
		Cost struct {
			USD *float64 `json:"total_cost_usd"`
			API int64    `json:"total_api_duration_ms"`
		} `json:"cost"`
		Context struct {
			Left  *float64 `json:"remaining_percentage"`
			Usage *struct {
				Input   int64 `json:"input_tokens"`
				Written int64 `json:"cache_creation_input_tokens"`
				Read    int64 `json:"cache_read_input_tokens"`
				Output  int64 `json:"output_tokens"`
			} `json:"current_usage"`
		} `json:"context_window"`
		Limits map[string]json.RawMessage `json:"rate_limits"`
		Spend  json.RawMessage            `json:"spend_limit"`
	}
	if json.Unmarshal(payload, &in) != nil {
		return agents.Metered{}, errors.New("the status line's input is no JSON of the known form")
	}
	m := agents.Metered{Conversation: agents.Visible(in.Session, agents.MaxField), Model: in.Model.ID, Work: in.Cost.API}
	if usd := in.Cost.USD; usd != nil && *usd >= 0 && !math.IsInf(*usd, 0) {
		m.CostUSD = usd
	}
	if left := in.Context.Left; left != nil && *left >= 0 && *left <= 100 {
		n := int(*left)
		m.ContextLeft = &n
	}
	if u := in.Context.Usage; u != nil {
		m.ContextTokens = max(0, u.Input) + max(0, u.Written) + max(0, u.Read) + max(0, u.Output)
	}
	for name, window := range in.Limits {
		m.Samples = appendSample(m.Samples, name, window, usage.SourceStatusLine, at)
	}
	m.Samples = appendSample(m.Samples, spendLimit, in.Spend, usage.SourceStatusLine, at)
	return m, nil
}

// spendLimit is the name of a gateway's limit.
const spendLimit = "spend_limit"

// windowOf is the window of Claude Code's name for it ("five_hour", "seven_day_opus"); ok is false
// for a name of another kind.
func windowOf(name string) (key usage.Key, length time.Duration, ok bool) {
	key.Agent = agents.KindClaude
	for prefix, length := range map[string]time.Duration{"five_hour": usage.FiveHours, "seven_day": usage.SevenDays} {
		if model, found := strings.CutPrefix(name, prefix); found && (model == "" || model[0] == '_' && len(model) <= maxModelName) {
			key.Name = usage.WindowName(length, agents.Visible(strings.ReplaceAll(strings.TrimPrefix(model, "_"), "_", " "), maxModelName))
			return key, length, true
		}
	}
	switch name {
	case spendLimit:
		key.Name = usage.WindowSpend
	case "overage", "extra_usage":
		key.Name = usage.WindowExtra
	default:
		return key, 0, false
	}
	return key, 0, true
}

// maxModelName bounds a model's name in that of a window, in bytes.
const maxModelName = 40

// windowValue is a window as the several reports of Claude Code write it.
type windowValue struct {
	// Used is 0 to 100, in a status line.
	Used *float64 `json:"used_percentage"`
	// Utilization is 0 to 1 in an event of a run, 0 to 100 in the answer to a question.
	Utilization *float64 `json:"utilization"`
	// ResetsAt is a number of Unix seconds, in the answer to a question text.
	ResetsAt      json.RawMessage `json:"resets_at"`
	ResetsAtEvent int64           `json:"resetsAt"`
	Enabled       *bool           `json:"is_enabled"`
}

// appendSample adds the sample of a window, if there is one.
func appendSample(list []usage.Sample, name string, raw json.RawMessage, source usage.Source, at time.Time) []usage.Sample {
	key, length, ok := windowOf(name)
	var v *windowValue
	if !ok || len(raw) == 0 || json.Unmarshal(raw, &v) != nil || v == nil || v.Enabled != nil && !*v.Enabled {
		return list
	}
	s := usage.Sample{Key: key, Length: length, Source: source, At: at}
	switch {
	case v.Used != nil:
		s.UsedPercent = usage.Percent(*v.Used)
	case v.Utilization != nil && source == usage.SourcePrint:
		s.UsedPercent = usage.Percent(math.Round(*v.Utilization*1e4) / 100)
	case v.Utilization != nil:
		s.UsedPercent = usage.Percent(*v.Utilization)
	}
	if s.ResetsAt = resetOf(v.ResetsAt); v.ResetsAtEvent > 0 {
		s.ResetsAt = unixTime(v.ResetsAtEvent)
	}
	if s.UsedPercent == nil {
		return list
	}
	return append(list, s)
}

// resetOf reads the end of a window: Unix seconds or RFC 3339; zero if it is neither.
func resetOf(raw json.RawMessage) time.Time {
	var seconds float64
	if json.Unmarshal(raw, &seconds) == nil {
		return unixTime(int64(seconds))
	}
	var text string
	if json.Unmarshal(raw, &text) != nil {
		return time.Time{}
	}
	at, err := time.Parse(time.RFC3339Nano, text)
	if err != nil || !plausible(at.Unix()) {
		return time.Time{}
	}
	return at
}

func unixTime(seconds int64) time.Time {
	if !plausible(seconds) {
		return time.Time{}
	}
	return time.Unix(seconds, 0)
}

// plausible reports whether a time can be the end of a window: after 2001 and before 2286, which
// every part of ccdir can write.
func plausible(seconds int64) bool { return seconds >= 1e9 && seconds < 1e10 }

// ReadLimits reads an event of type rate_limit_event (2.1.329, signed in).
func (Adapter) ReadLimits(at time.Time, line []byte) (list []usage.Sample) {
	if !bytes.Contains(line, []byte(`"rate_limit_event"`)) {
		return nil
	}
	var in struct {
		Type string `json:"type"`
		Info struct {
			Windows map[string]json.RawMessage `json:"unifiedWindows"`
		} `json:"rate_limit_info"`
	}
	if json.Unmarshal(line, &in) != nil || in.Type != "rate_limit_event" {
		return nil
	}
	for name, window := range in.Info.Windows {
		list = appendSample(list, name, window, usage.SourcePrint, at)
	}
	return list
}

// UsageProbe is the question for the windows of the account, to a process that is started for it
// and sends no message to a model (experimental; 2.1.294 to 2.1.332). It writes no conversation.
func (Adapter) UsageProbe() (args []string, input []byte) {
	args = []string{"-p", "--input-format", "stream-json", "--output-format", "stream-json", "--verbose",
		"--settings", `{"disableAllHooks":true}`, "--strict-mcp-config", "--setting-sources", ""}
	return args, []byte(`{"type":"control_request","request_id":"ccdir-usage","request":{"subtype":"get_usage","skip_behaviors":true}}` + "\n")
}

// ReadUsageProbe reads a line of the answer. done: it is the answer; none of the samples: there are no
// limits to tell, as with an API key, for the reason why.
func (Adapter) ReadUsageProbe(at time.Time, line []byte) (list []usage.Sample, done bool, why string) {
	if !bytes.Contains(line, []byte(`"control_response"`)) {
		return nil, false, ""
	}
	var in struct {
		Type     string `json:"type"`
		Response struct {
			Subtype  string `json:"subtype"`
			Error    string `json:"error"`
			Response struct {
				Available *bool                      `json:"rate_limits_available"`
				Limits    map[string]json.RawMessage `json:"rate_limits"`
			} `json:"response"`
		} `json:"response"`
	}
	if json.Unmarshal(line, &in) != nil || in.Type != "control_response" {
		return nil, false, ""
	}
	answer := in.Response.Response
	switch {
	case in.Response.Subtype != "success":
		return nil, true, "it does not know the question: " + agents.Visible(in.Response.Error, 200)
	case answer.Available != nil && !*answer.Available:
		return nil, true, "it is not signed in with a subscription"
	}
	for name, window := range answer.Limits {
		list = appendSample(list, name, window, usage.SourceProbe, at)
	}
	if len(list) == 0 {
		return nil, true, "its service did not answer, or it was not asked (CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC is set)"
	}
	return list, true, ""
}
