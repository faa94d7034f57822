package tui

import (
	"regexp"
	"strings"
	"testing"

	"ccdir/api"
	"ccdir/tui/widget/theme"
)

// sgrCodes are renditions, which our own lines have.
var sgrCodes = regexp.MustCompile(`\x1b\[[0-9;:]*m`)

// FuzzRecords: calls and decisions are shown as text whatever their JSON holds.
func FuzzRecords(f *testing.F) {
	f.Add([]byte(`{"tool":"bash","role":"dev","cwd":"/x","input":{"command":"a\u001b[2J\nb"}}`))
	f.Add([]byte(`[{`))
	th := theme.New("dark", nil)
	f.Fuzz(func(t *testing.T, data []byte) {
		lines := oneCall(th, api.Event{Message: string(data), Data: data}, "name", 60)
		for _, l := range lines {
			if strings.ContainsAny(sgrCodes.ReplaceAllString(l, ""), "\x1b\x07\n\r") {
				t.Errorf("a call is shown as %q", l)
			}
		}
		_ = decisionText(api.LedgerRow{Input: data})
	})
}
