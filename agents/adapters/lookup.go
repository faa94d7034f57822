// Package adapters maps each kind of agent to its adapter. Those of shells, of plain
// commands and of the demo agent are here; a CLI with hooks has a package of its own
// beside this one.
package adapters

import (
	"cmp"

	"ccdir/agents"
	"ccdir/agents/claude"
	"ccdir/agents/codex"
	"ccdir/agents/gemini"
	"ccdir/agents/opencode"
	"ccdir/api"
)

// Lookup returns the adapter of a kind; "" is agents.KindGeneric.
func Lookup(kind string) (agents.Adapter, bool) {
	switch kind {
	case agents.KindClaude:
		return claude.Adapter{}, true
	case agents.KindCodex:
		return codex.Adapter{}, true
	case agents.KindGemini:
		return gemini.Adapter{}, true
	case agents.KindOpencode:
		return opencode.Adapter{}, true
	case agents.KindShell:
		return Shell{}, true
	case agents.KindDemo:
		return Demo{}, true
	case agents.KindGeneric, "":
		return Generic{}, true
	}
	return nil, false
}

// HookKind is the kind of the hook of that name, of whatever agent; "" if it is unknown. No
// two agents give one name to different kinds.
func HookKind(name string) api.EventKind {
	return cmp.Or(claude.HookKind(name), codex.HookKind(name), gemini.HookKind(name))
}
