// Package adapters maps each kind of agent to its adapter. Those of shells, of plain
// commands and of the demo agent are here; a CLI with hooks has a package of its own
// beside this one.
package adapters

import (
	"cmp"
	"encoding/json"

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

// Call is a call of a tool of a kind of agent in ccdir's words, with the directory that it
// names; kind "": of the first agent that has such a tool.
func Call(kind, tool string, input json.RawMessage) (name string, in json.RawMessage, dir string) {
	for _, of := range []struct {
		kind string
		call func(string, json.RawMessage) (string, json.RawMessage, string)
	}{{agents.KindCodex, codex.Call}, {agents.KindGemini, gemini.Call}, {agents.KindOpencode, opencode.Call}} {
		if kind != "" && kind != of.kind {
			continue
		}
		if name, in, dir = of.call(tool, input); name != tool {
			return name, in, dir
		}
	}
	return tool, input, ""
}

// HookKind is the kind of the hook of that name, of whatever agent; "" if it is unknown. No
// two agents give one name to different kinds.
func HookKind(name string) api.EventKind {
	return cmp.Or(claude.HookKind(name), codex.HookKind(name), gemini.HookKind(name), opencode.HookKind(name))
}

// SettingsIn are the files and folders by which agents of every kind are set up where an
// environment moves them (agents.Settled).
func SettingsIn(getenv func(key string) string) (paths []string) {
	for _, a := range []agents.Settled{claude.Adapter{}, codex.Adapter{}, gemini.Adapter{}, opencode.Adapter{}} {
		paths = append(paths, a.SettingsIn(getenv)...)
	}
	return paths
}
