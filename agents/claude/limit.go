package claude

import (
	"maps"
	"strings"
)

// withContinue sets in the object of --settings, which may be nil, whether the CLI goes on by
// itself when a usage limit has ended. It does so 46 to 106 s after the end, several sessions of an
// account at about the same time (2.1.329).
func withContinue(own map[string]any, on bool) map[string]any {
	out := maps.Clone(own)
	if out == nil {
		out = map[string]any{}
	}
	out["autoContinueAtUsageLimit"] = on
	return out
}

// LimitDialog recognizes the dialog that the CLI opens at a usage limit if it does not go on by
// itself. Its digits act at once, and one of them buys credits; Escape waits (2.1.329).
func (Adapter) LimitDialog(screen string) bool {
	return strings.Contains(screen, "1. Stop and wait for limit to reset")
}
