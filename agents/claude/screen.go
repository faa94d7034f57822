package claude

import (
	"regexp"
	"strings"
	"sync"

	"ccdir/agents"
	"ccdir/api"
)

// The dialogs that Claude Code opens before any hook, as 2.1.294 and 2.1.329 show them:
// trust in the folder, a key or a server found, broken settings, imports from
// elsewhere, the choice of a conversation. All end with the same line. Compiled at
// first use, since every verb and the grid link this and do not need it.
var startDialogs = sync.OnceValue(func() []agents.ScreenRule {
	return []agents.ScreenRule{
		{State: api.StateInput, Lines: 30, Match: regexp.MustCompile(`(?m)^[ ❯]+(?:\d\. )?Yes, I (?P<question>trust this folder)(?:.*\n)+? *Enter to confirm · Esc to \w+ *\n\z`)},
		// The list of conversations after --resume with an unknown id, which it takes for a search.
		{State: api.StateInput, Lines: 60, Match: regexp.MustCompile(`(?m)^ +Resume session\n(?:.*\n)*? +(?P<question>No sessions match ".*")\.?\n(?:.*\n)*? *(?:.* · )?Esc to clear *\n\z`)},
		{State: api.StateInput, Lines: 60, Match: regexp.MustCompile(`(?m)^─{20,}\n +(?P<question>\S.*)\n(?:.*\n)*? *(?:.* · )?Esc to (?:cancel|clear|close|exit) *\n\z`)},
	}
})

// ScreenRules are those of the dialogs before the first hook.
func (Adapter) ScreenRules() []agents.ScreenRule { return startDialogs() }

// Notice knows the notice that proposes another permission mode. Escape leaves the mode as
// it is.
func (Adapter) Notice(first string) bool {
	return strings.HasPrefix(first, "Make auto mode your default permission mode")
}
