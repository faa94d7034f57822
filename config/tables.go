package config

import (
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"ccdir/api"
	"ccdir/internal/keymap"
	"ccdir/internal/text/tomltext"
)

// Kinds are the values of agents.NAME.kind.
var Kinds = []string{"claude", "codex", "gemini", "opencode", "shell", "demo", "generic"}

// themeBases are the palettes that theme.base may name, the default first.
var themeBases = []string{"auto", "dark", "light", "contrast",
	"catppuccin-latte", "catppuccin-mocha", "dracula", "gruvbox-dark", "gruvbox-light", "nord", "rose-pine", "rose-pine-dawn",
	"solarized-dark", "solarized-light", "tokyo-night", "tokyo-night-day"}

// ThemeBases are the palettes that `theme` may name, the default first.
func ThemeBases() []string { return slices.Clone(themeBases) }

// lightBases are those for a light background.
var lightBases = []string{"light", "catppuccin-latte", "gruvbox-light", "rose-pine-dawn", "solarized-light", "tokyo-night-day"}

// LightTheme reports whether the palette is one for a light background, whatever that is.
func (c *Config) LightTheme() bool { return slices.Contains(lightBases, c.Theme["base"]) }

// validBase reports whether there is a palette of that name, or of both of "DARK,LIGHT".
func validBase(s string) bool {
	parts := strings.Split(s, ",")
	for _, part := range parts {
		if !slices.Contains(themeBases, strings.TrimSpace(part)) {
			return false
		}
	}
	return len(parts) <= 2
}

// ThemeParts are the colours that [theme] may set: those of the states, and of parts of
// the screen.
var ThemeParts = []string{
	string(api.StateStarting), string(api.StateIdle), string(api.StateWorking), string(api.StateInput),
	string(api.StatePermission), string(api.StateExited), string(api.StateLost), "dim", "accent", "alert", "hook",
}

func (p *parser) table(v any, path ...string) (map[string]any, bool) {
	t, ok := v.(map[string]any)
	if !ok {
		p.problem("expected a table, found "+typeName(v), path...)
	}
	return t, ok
}

func (p *parser) bindings(v any) {
	t, ok := p.table(v, "keys")
	if !ok {
		return
	}
	for action, v := range t {
		switch v := v.(type) {
		case string:
			p.l.Keys[action] = []string{v}
		case []any:
			list, err := stringList(v)
			if err != nil {
				p.problem(err.Error(), "keys", action)
				continue
			}
			p.l.Keys[action] = list
		default:
			p.problem("expected a key or a list of keys, found "+show(v), "keys", action)
		}
	}
}

// checkBindings reports unknown actions and keys, and conflicts. The grid works
// nevertheless: wrong bindings are left out.
func (p *parser) checkBindings() {
	custom := maps.Clone(p.l.Keys)
	prefix := ""
	if keys, ok := custom["prefix"]; ok {
		delete(custom, "prefix")
		if len(keys) != 1 {
			p.problem("expected one key", "keys", "prefix")
		} else {
			prefix = keys[0]
		}
	}
	_, problems := keymap.Make(prefix, custom, p.l.ToolKeys()...)
	for _, err := range problems {
		message := err.Error()
		if path, rest, ok := strings.Cut(message, ": "); ok && strings.HasPrefix(path, "keys.") {
			p.problem(rest, "keys", strings.TrimPrefix(path, "keys."))
		} else {
			p.problem(message, "keys")
		}
	}
}

// theme reads the table, or the name of a palette alone.
func (p *parser) theme(v any) {
	if s, ok := v.(string); ok {
		if !validBase(s) {
			p.problem(`expected one of `+quoteAll(themeBases)+`, or two as "DARK,LIGHT", found `+show(v), "theme")
			return
		}
		p.l.Theme["base"] = s
		p.l.lines["theme\x00base"] = p.l.lines["theme"]
		return
	}
	t, _ := p.table(v, "theme")
	for name, v := range t {
		s, ok := v.(string)
		if name == "base" {
			if !validBase(s) {
				p.problem("expected one of "+quoteAll(themeBases)+`, or two as "DARK,LIGHT", found `+show(v), "theme", name)
				continue
			}
			p.l.Theme[name] = s
			continue
		}
		if !slices.Contains(ThemeParts, name) {
			p.problem("unknown colour; there are base, "+strings.Join(ThemeParts, ", "), "theme", name)
			continue
		}
		if n, isNumber := v.(int64); isNumber {
			s, ok = strconv.FormatInt(n, 10), true
		}
		if _, valid := ParseColour(s); !ok || !valid {
			p.problem(`expected a colour ("#rrggbb", 0 to 255, or a name such as "red"), found `+show(v), "theme", name)
			continue
		}
		p.l.Theme[name] = s
	}
}

func (p *parser) agents(v any) {
	t, _ := p.table(v, "agents")
	for _, name := range slices.Sorted(maps.Keys(t)) {
		fields, ok := p.table(t[name], "agents", name)
		if !ok {
			continue
		}
		if !validAgentName(name) {
			p.problem("an agent's name is 1 to 32 lower-case letters, digits, - and _", "agents", name)
			continue
		}
		if name == CommandAgent {
			p.commandAgent(fields)
			continue
		}
		p.agent(name, fields)
	}
}

// agent reads one [agents.NAME]; a built-in one is changed field by field. An agent
// with a wrong kind is left out, because it could not be started.
func (p *parser) agent(name string, fields map[string]any) {
	a, builtin := p.l.Agents[name]
	a.Env = maps.Clone(a.Env)
	good := true
	for field, v := range fields {
		var err error
		switch field {
		case "kind":
			s, ok := v.(string)
			if !ok || !slices.Contains(Kinds, s) {
				err = fmt.Errorf("expected one of %s, found %s", quoteAll(Kinds), show(v))
				good = false
			}
			a.Kind = s
		case "command":
			s, ok := v.(string)
			if !ok || s == "" {
				err = fmt.Errorf("expected the executable's name or path, found %s", show(v))
			}
			a.Command = expandPath(s, p.home)
		case "args":
			a.Args, err = stringList(v)
		case "env":
			a.Env, err = stringTable(v)
		case "screen":
			a.Screen = p.screen(v, "agents", name, "screen")
		default:
			err = fmt.Errorf("unknown key; an agent has kind, command, args, env and screen")
		}
		if err != nil {
			p.problem(err.Error(), "agents", name, field)
		}
	}
	if good && a.Kind == "" {
		p.problem("an agent needs a kind: one of "+quoteAll(Kinds), "agents", name)
		good = false
	}
	if good || builtin {
		if !good {
			a.Kind = p.l.Agents[name].Kind
		}
		p.l.Agents[name] = a
	}
}

func (p *parser) repos(v any) {
	list, ok := tomltext.Tables(v)
	if !ok {
		p.problem("write each repository as [[repos]] with name and path", "repos")
		return
	}
	for i, fields := range list {
		at := strconv.Itoa(i)
		var repo Repo
		for field, v := range fields {
			s, isText := v.(string)
			switch {
			case field != "name" && field != "path" && field != "role" && field != "sandbox":
				p.problem("unknown key; a repository has name, path, role and sandbox", "repos", at, field)
			case !isText:
				p.problem("expected a string, found "+typeName(v), "repos", at, field)
			case field == "name":
				repo.Name = s
			case field == "role" && !api.ValidRole(s):
				p.problem(errRole(v).Error(), "repos", at, field)
			case field == "role":
				repo.Role = s
			case field == "sandbox":
				repo.Sandbox = s
			default:
				repo.Path = filepath.Clean(expandPath(s, p.home))
			}
		}
		if !filepath.IsAbs(repo.Path) {
			p.problem("a repository needs a path: absolute or beginning with ~/", "repos", at)
			continue
		}
		if repo.Name == "" {
			repo.Name = filepath.Base(repo.Path)
		}
		p.l.Repos = append(p.l.Repos, repo)
	}
}

// validAgentName reports whether name may name an agent: it becomes part of
// session names.
func validAgentName(name string) bool {
	if name == "" || len(name) > 32 {
		return false
	}
	for _, r := range name {
		if (r < 'a' || r > 'z') && (r < '0' || r > '9') && r != '-' && r != '_' {
			return false
		}
	}
	return true
}

func stringList(v any) ([]string, error) {
	items, ok := v.([]any)
	if !ok {
		return nil, fmt.Errorf("expected a list of strings, found %s", show(v))
	}
	list := make([]string, 0, len(items))
	for _, item := range items {
		s, ok := item.(string)
		if !ok {
			return nil, fmt.Errorf("expected a list of strings, found %s in it", typeName(item))
		}
		list = append(list, s)
	}
	return list, nil
}

func stringTable(v any) (map[string]string, error) {
	t, ok := v.(map[string]any)
	if !ok {
		return nil, fmt.Errorf("expected a table of strings, found %s", show(v))
	}
	out := make(map[string]string, len(t))
	for k, v := range t {
		s, ok := v.(string)
		if !ok {
			return nil, fmt.Errorf("expected a string for %s, found %s", k, typeName(v))
		}
		out[k] = s
	}
	return out, nil
}
