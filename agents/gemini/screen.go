package gemini

import (
	"regexp"
	"sync"

	"ccdir/agents"
	"ccdir/api"
)

// startDialogs are the dialogs before the first hook (0.61.0): trust in the folder, the way to
// sign in. Compiled at first use, since every verb links this and does not need it.
var startDialogs = sync.OnceValue(func() []agents.ScreenRule {
	return []agents.ScreenRule{
		{State: api.StateInput, Lines: 40, Match: regexp.MustCompile(`(?m)(?P<question>Do you trust the files in this folder\?)[^\n]*\n(?:.*\n)*?.*1\. Trust folder`)},
		{State: api.StateInput, Lines: 40, Match: regexp.MustCompile(`(?m)(?P<question>How would you like to authenticate for this project\?)`)},
	}
})

// ScreenRules are those of the dialogs before the first hook.
func (Adapter) ScreenRules() []agents.ScreenRule { return startDialogs() }
