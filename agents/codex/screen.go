package codex

import (
	"regexp"
	"sync"

	"ccdir/agents"
	"ccdir/api"
)

// startDialogs are the dialogs that Codex (0.169.0) opens before it reports anything. Compiled
// at first use, since every verb and the grid link this and do not need it.
var startDialogs = sync.OnceValue(func() []agents.ScreenRule {
	rule := func(question string) agents.ScreenRule {
		return agents.ScreenRule{State: api.StateInput, Lines: 30, Match: regexp.MustCompile(`(?m)^ *(?P<question>` + question + `).*\n(?:.*\n)*? *(?:.* · )?(?i:esc|press enter)\b.*\n\z`)}
	}
	newModel := agents.ScreenRule{State: api.StateInput, Lines: 30, Match: regexp.MustCompile(`(?m)^ *(?P<question>\S.*)\n(?:.*\n)*?[› ]*1\. Try new model\n(?:.*\n)*? *enter/esc confirm\b.*\n\z`)}
	return []agents.ScreenRule{rule(`Trust this folder\?`), rule(`Folder access`), rule(`Working directory · (?:fork|resume)`), rule(`Hooks need review`), rule(`Update available`), newModel}
})

// ScreenRules are those of the dialogs before the first report.
func (Adapter) ScreenRules() []agents.ScreenRule { return startDialogs() }
