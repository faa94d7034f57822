package conversation

import (
	"testing"

	"ccdir/api"
)

// TestFailureKind: what the CLI says of an error of the API, before a hook names its kind.
func TestFailureKind(t *testing.T) {
	for message, want := range map[string]api.FailureKind{
		"API Error: Request rejected (429) · This request would exceed your account's rate limit.": api.FailureLimit,
		"API Error: 429 rate limit":                  api.FailureLimit,
		"API Error: 401 no such key in the test":     api.FailureAuth,
		"API Error: 400 mock error 429":              api.FailureAPI,
		"API Error: Connection error. (4290 ms)":     api.FailureAPI,
		"the model says: API Error handling (429)":   api.FailureAPI,
		"API Error: the output token maximum is 400": api.FailureMaxTokens,
	} {
		if got := FailureKind("", 0, message); got != want {
			t.Errorf("%q: %s, want %s", message, got, want)
		}
	}
}
