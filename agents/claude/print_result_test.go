package claude

import (
	"testing"
	"time"
)

// limitedRun is what 2.1.329 printed at a subscription's limit, cut to what is
// looked at.
const limitedRun = `{"type":"system","subtype":"init"}
{"type":"rate_limit_event","rate_limit_info":{"status":"rejected","resetsAt":1795254239,"rateLimitType":"five_hour","isUsingOverage":false}}
{"type":"assistant","message":{"content":[{"type":"text","text":"You've hit your 5-hour limit · resets 9:43am (UTC)"}]},"error":"rate_limit","is_api_error_message":true,"api_error_params":{"rate_limit_info":{"status":"rejected","resetsAt":1795254239}}}
{"is_error":true,"num_turns":1,"subtype":"success","api_error_status":429,"result":"You've hit your 5-hour limit · resets 9:43am (UTC)","type":"result","session_id":"c"}
`

func TestPrintResult(t *testing.T) {
	r, ok := Adapter{}.PrintResult([]byte(limitedRun))
	if !ok || !r.Failed || r.Status != 429 || r.Turns != 0 || !r.Reset.Equal(time.Unix(1795254239, 0)) {
		t.Errorf("%v %+v", ok, r)
	}
	// A limit that is not reached yet is told of too.
	r, ok = Adapter{}.PrintResult([]byte(`{"type":"rate_limit_event","rate_limit_info":{"status":"allowed_warning","resetsAt":1795254239}}
{"type":"result","subtype":"success","num_turns":2,"result":"done"}`))
	if !ok || r.Failed || r.Turns != 2 || !r.Reset.IsZero() {
		t.Errorf("%v %+v", ok, r)
	}
	r, ok = Adapter{}.PrintResult([]byte(`{"type":"result","subtype":"error_max_turns","is_error":true,"num_turns":6}`))
	if !ok || !r.Overspent() || r.Turns != 6 {
		t.Errorf("%v %+v", ok, r)
	}
	if _, ok := (Adapter{}).PrintResult([]byte("no JSON\n{\"type\":")); ok {
		t.Error("half a line is a result")
	}
}

// backgroundRun is what 2.1.329 printed when a subagent in the background reported
// after an answer, cut to what is looked at.
const backgroundRun = `{"type":"result","subtype":"success","num_turns":2,"result":"Started.","total_cost_usd":0.00132,"usage":{"input_tokens":20,"output_tokens":40},"modelUsage":{"m":{"inputTokens":30,"outputTokens":60}},"permission_denials":[{"tool_name":"Bash","tool_use_id":"a","tool_input":{}}],"result_index":0}
{"type":"user"}
{"type":"result","subtype":"success","num_turns":1,"result":"Done.","total_cost_usd":0.00176,"usage":{"input_tokens":10,"output_tokens":20},"modelUsage":{"m":{"inputTokens":40,"outputTokens":80}},"permission_denials":[{"tool_name":"Bash","tool_use_id":"a","tool_input":{}},{"tool_name":"Write","tool_use_id":"b"}],"result_index":1}
`

func TestPrintResults(t *testing.T) {
	r, ok := Adapter{}.PrintResult([]byte(backgroundRun))
	if !ok || r.Text != "Done." || r.Turns != 3 || r.Tokens != 120 || r.Cost != 0.00176 || len(r.Denials) != 2 || r.Denials[1].Tool != "Write" {
		t.Errorf("%v %+v", ok, r)
	}
}

func TestLimitReset(t *testing.T) {
	for line, want := range map[string]int64{
		`{"type":"assistant","apiErrorParams":{"rate_limit_info":{"status":"rejected","resetsAt":1795518880}},"quotaLimits":{"status":"rejected","resetsAt":1}}`: 1795518880,
		`{"quotaLimits":{"status":"rejected","resetsAt":1795518880}}`:                                                                                            1795518880,
		`{"quotaLimits":{"status":"allowed","resetsAt":1795518880}}`:                                                                                             0,
		`{"message":"{\"resetsAt\":1795518880}"}`:                                                                                                                0,
		`{"quotaLimits":{"status":"rejected","resetsAt":"soon"}}`:                                                                                                0,
		`{"quotaLimits":{"status":"rejected","resetsAt":-5}}`:                                                                                                    0,
		`["resetsAt"]`: 0,
	} {
		if got := LimitReset([]byte(line)); want == 0 && !got.IsZero() || want != 0 && got.Unix() != want {
			t.Errorf("%s: %v", line, got)
		}
	}
}
