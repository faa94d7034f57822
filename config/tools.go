package config

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	"ccdir/internal/keymap"
	"ccdir/internal/text/redact"
)

// Values of Tool.Where.
const (
	ToolFloating = "floating" // over the grid
	ToolPane     = "pane"     // a pane of the grid
	ToolNone     = "none"     // no terminal at all
)

// Tool is one [tools.NAME]: a program that a key starts in the directory of the focused session.
type Tool struct {
	// Command is a line for sh; "" for the built-in tools is theirs.
	Command string
	// Key comes after the prefix key; "" is none, or the built-in tool's.
	Key string
	// Where it is shown: ToolFloating unless the file says otherwise.
	Where string
}

// BuiltinTools are the tools that need no configuration, and no command.
var BuiltinTools = []string{"shell", "editor", "git"}

// tools reads [tools.NAME].
func (p *parser) tools(v any) {
	t, _ := p.table(v, "tools")
	p.l.Tools = map[string]Tool{}
	for _, name := range slices.Sorted(maps.Keys(t)) {
		fields, ok := p.table(t[name], "tools", name)
		if !ok {
			continue
		}
		tool := Tool{Where: ToolFloating}
		for field, v := range fields {
			if err := tool.take(field, v); err != nil {
				p.problem(err.Error(), "tools", name, field)
			}
		}
		switch {
		case !validAgentName(name):
			p.problem("a tool's name is 1 to 32 lower-case letters, digits, - and _", "tools", name)
			continue
		case tool.Command == "" && !slices.Contains(BuiltinTools, name):
			p.problem("a tool needs a command", "tools", name)
			continue
		}
		p.l.Tools[name] = tool
	}
}

// take takes one key of a tool.
func (t *Tool) take(field string, v any) error {
	s, ok := v.(string)
	switch {
	case field != "command" && field != "key" && field != "where":
		return errors.New("unknown key; a tool has command, key and where")
	case !ok:
		return fmt.Errorf("expected a string, found %s", typeName(v))
	case field == "command":
		t.Command = s
	case field == "where" && s != ToolFloating && s != ToolPane && s != ToolNone:
		return fmt.Errorf("expected one of %s, found %q", quoteAll([]string{ToolFloating, ToolPane, ToolNone}), s)
	case field == "where":
		t.Where = s
	default:
		if _, err := keymap.Normal(s); err != nil {
			return err
		}
		t.Key = s
	}
	return nil
}

// ToolKeys are the keys of the tools, for the table of keys.
func (c Config) ToolKeys() (list []keymap.ToolKey) {
	for _, name := range slices.Sorted(maps.Keys(c.Tools)) {
		t := c.Tools[name]
		list = append(list, keymap.ToolKey{Tool: name, Command: redact.Text(t.Command), Key: t.Key})
	}
	return list
}

// shown is the tool as `ccdir config get` shows it.
func (t Tool) shown() map[string]string {
	return map[string]string{"command": redact.Text(t.Command), "key": t.Key, "where": t.Where}
}
