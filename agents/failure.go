package agents

import (
	"encoding/json"
	"time"

	"ccdir/api"
)

// FailureTeller is an adapter that knows its agent's words about turns that failed.
type FailureTeller interface {
	// FailureOf classifies a failure by the agent's message about it.
	FailureOf(message string) api.FailureKind
}

// RetryTeller is an adapter whose agent shows on its screen alone that it asks its API again
// after a failure.
type RetryTeller interface {
	// RetryShown reads the end of a screen (RetryLines lines ended by newlines): nil if it
	// shows no retry. at is when the screen was painted.
	RetryShown(text string, at time.Time) *api.Retry
}

// RetryLines is how many of a screen's last lines RetryShown needs.
const RetryLines = 24

// EvidenceRetry is the name of the screen's evidence of a retry, or of its end.
const EvidenceRetry = "retry"

// FieldRetry is the field of evidence that has a retry, as JSON.
const FieldRetry = "retry"

// RetryEvidence is what a screen shows of a retry as evidence; r may be nil.
func RetryEvidence(r *api.Retry, at time.Time) api.Evidence {
	e := api.Evidence{Source: api.SourceScreen, At: at, Name: EvidenceRetry, Fields: map[string]string{}}
	if e.Detail = "the screen shows no retry any longer"; r != nil {
		e.Detail = "the screen shows: " + r.Line(at)
		SetRetry(e.Fields, *r)
	}
	return e
}

// SetRetry puts a retry into the fields of evidence.
func SetRetry(fields map[string]string, r api.Retry) {
	r.Message = Visible(r.Message, MaxField)
	if data, err := json.Marshal(r); err == nil {
		fields[FieldRetry] = string(data)
	}
}

// RetryOf is the retry that evidence tells; nil for none.
func RetryOf(e api.Evidence) *api.Retry {
	text := e.Fields[FieldRetry]
	if text == "" {
		return nil
	}
	var r api.Retry
	if json.Unmarshal([]byte(text), &r) != nil {
		return nil
	}
	return &r
}
