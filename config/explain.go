package config

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"ccdir/internal/text/redact"
)

// Entry describes one key, for `ccdir config get`.
type Entry struct {
	Key     string `json:"key"`
	Value   any    `json:"value"`
	Default any    `json:"default"`
	// Source is "default" or "file:line".
	Source string `json:"source"`
	Doc    string `json:"doc"`
}

// Explain lists every key with its value, default, origin and meaning.
// Values of agents' environments are redacted, because they may be secrets.
func (l Loaded) Explain() []Entry {
	standard := Default()
	entries := make([]Entry, 0, len(keys)+8)
	for _, k := range keys {
		entries = append(entries, Entry{Key: k.name, Value: k.get(&l.Config),
			Default: k.get(&standard), Source: l.source(k.name), Doc: k.doc})
	}
	for _, action := range slices.Sorted(maps.Keys(l.Keys)) {
		entries = append(entries, Entry{Key: "keys." + action, Value: l.Keys[action],
			Source: l.source("keys", action), Doc: "binding of " + action})
	}
	for _, name := range append([]string{"command"}, NotifyEvents...) {
		value := l.notifyValues()[name]
		entries = append(entries, Entry{Key: "notify." + name, Value: value, Default: standard.notifyValues()[name],
			Source: l.source("notify", name), Doc: notifyDoc(name)})
	}
	for _, name := range slices.Sorted(maps.Keys(l.Theme)) {
		entries = append(entries, Entry{Key: "theme." + name, Value: l.Theme[name],
			Source: l.source("theme", name), Doc: themeDoc(name)})
	}
	for _, name := range l.AgentNames() {
		entry := Entry{Key: "agents." + name, Value: l.Agents[name].redacted(),
			Source: l.source("agents", name), Doc: "agent " + name}
		if a, ok := standard.Agents[name]; ok {
			entry.Default = a.redacted()
		}
		entries = append(entries, entry)
	}
	if len(l.Command.Env) > 0 || len(l.Command.Screen) > 0 {
		entries = append(entries, Entry{Key: "agents." + CommandAgent, Value: l.Command.redacted(),
			Source: l.source("agents", CommandAgent), Doc: "sessions of a bare command"})
	}
	for _, name := range slices.Sorted(maps.Keys(l.Tools)) {
		entries = append(entries, Entry{Key: "tools." + name, Value: l.Tools[name].shown(), Source: l.source("tools", name), Doc: "tool beside a session: " + name})
	}
	for _, name := range l.TemplateNames() {
		entries = append(entries, Entry{Key: "templates." + name, Value: l.Templates[name].shown(), Source: l.source("templates", name), Doc: "sessions of the template " + name})
	}
	for i, s := range l.Schedules {
		entries = append(entries, Entry{Key: "schedule." + s.Name, Value: s.shown(), Source: l.source("schedule", fmt.Sprint(i)), Doc: "schedule " + s.Name})
	}
	for i, w := range l.Watches {
		entries = append(entries, Entry{Key: "watch." + w.Name, Value: w.shown(), Source: l.source("watch", fmt.Sprint(i)), Doc: "watch " + w.Name})
	}
	for i, r := range l.Reactions {
		entries = append(entries, Entry{Key: fmt.Sprintf("on.%d", i), Value: r.shown(), Source: l.source("on", fmt.Sprint(i)), Doc: "command that events start"})
	}
	for i, repo := range l.Repos {
		entries = append(entries, Entry{Key: fmt.Sprintf("repos.%d", i),
			Value:  repo.shown(),
			Source: l.source("repos", fmt.Sprint(i)), Doc: "repository " + repo.Name})
	}
	entries = append(entries, l.explainNodes()...)
	entries = append(entries, l.explainSandbox()...)
	return append(append(entries, l.explainMCP(standard)...), append(l.explainAPI(standard), l.explainWeb(standard)...)...)
}

func themeDoc(name string) string {
	if name == "base" {
		return "the palette: " + strings.Join(themeBases, ", ") + `, or two as "DARK,LIGHT"`
	}
	return "colour of " + name
}

// Get explains one key, or all keys below it ("agents").
func (l Loaded) Get(name string) ([]Entry, error) {
	var found []Entry
	for _, e := range l.Explain() {
		if e.Key == name || strings.HasPrefix(e.Key, name+".") {
			found = append(found, e)
		}
	}
	if found == nil {
		for _, t := range tables {
			if t.name == name {
				return []Entry{}, nil
			}
		}
		return nil, fmt.Errorf("no configuration key is called %q%s", name, suggest(name))
	}
	return found, nil
}

// source returns where a key's value comes from.
func (l Loaded) source(path ...string) string {
	if at, ok := l.lines[strings.Join(path, "\x00")]; ok {
		for _, p := range l.Problems {
			if p.Key == strings.Join(path, ".") {
				return "default"
			}
		}
		return fmt.Sprintf("%s:%d", l.File, at.Line)
	}
	return "default"
}

// MarshalJSON returns the redacted configuration as one object: the answer of GET
// /v1/config, with the file, its problems and every entry's value by key.
func (l Loaded) MarshalJSON() ([]byte, error) {
	values := map[string]any{}
	for _, k := range keys {
		values[k.name] = k.get(&l.Config)
	}
	agents := map[string]any{}
	for name, a := range l.Agents {
		agents[name] = a.redacted()
	}
	if len(l.Command.Env) > 0 || len(l.Command.Screen) > 0 {
		agents[CommandAgent] = l.Command.redacted()
	}
	repos := make([]map[string]string, 0, len(l.Repos))
	for _, r := range l.Repos {
		repos = append(repos, r.shown())
	}
	tools := map[string]any{}
	for name, t := range l.Tools {
		tools[name] = t.shown()
	}
	values["tools"] = tools
	templates := map[string]any{}
	for name, t := range l.Templates {
		templates[name] = t.shown()
	}
	values["templates"] = templates
	accounts := map[string]any{}
	for name, a := range l.Accounts {
		accounts[name] = a.shown()
	}
	values["accounts"] = accounts
	values["quota"] = l.Quota.shown()
	values["notify"] = l.notifyValues()
	values["keys"], values["theme"], values["agents"], values["repos"] = l.Keys, l.Theme, agents, repos
	mcp := map[string]any{}
	for _, e := range l.explainMCP(l.Config) {
		mcp[strings.TrimPrefix(e.Key, "mcp.")] = e.Value
	}
	values["mcp"] = mcp
	values["api"] = map[string]any{"listen": l.API.Listen, "origins": l.API.Origins, "rate": l.API.Rate}
	values["web"] = map[string]any{"listen": l.Web.Listen, "tls_cert": l.Web.TLSCert, "tls_key": l.Web.TLSKey}
	problems := l.Problems
	if problems == nil {
		problems = []Problem{}
	}
	return json.Marshal(map[string]any{"file": l.File, "problems": problems, "config": values})
}

// redacted is the agent as shown: the names of its variables without their values, and
// its arguments without likely secrets.
func (a Agent) redacted() map[string]any {
	env := map[string]string{}
	for name := range a.Env {
		env[name] = "(set)"
	}
	out := map[string]any{"kind": a.Kind, "command": a.Command, "args": redact.Args(a.Args), "env": env}
	if len(a.Screen) > 0 {
		screen := make([]map[string]any, 0, len(a.Screen))
		for _, r := range a.Screen {
			screen = append(screen, map[string]any{"state": r.State, "match": r.Match, "lines": r.Lines})
		}
		out["screen"] = screen
	}
	return out
}

// shown is the repository as the file has it.
func (r Repo) shown() map[string]string {
	out := map[string]string{"name": r.Name, "path": r.Path}
	if r.Role != "" {
		out["role"] = r.Role
	}
	if r.Sandbox != "" {
		out["sandbox"] = r.Sandbox
	}
	return out
}
