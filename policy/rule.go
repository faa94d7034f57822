package policy

import (
	"errors"
	"fmt"
	"strings"

	"ccdir/api"
	"ccdir/policy/glob"
)

// toolKind groups tools by the argument that their rules take.
type toolKind uint8

const (
	kindOther toolKind = iota
	kindShell
	kindRead
	kindEdit
	kindFetch
	kindNamed
)

// toolMatch selects the tools that a rule is about.
type toolMatch struct {
	kind toolKind
	// only restricts the rule to one tool of a family; "" is the whole family.
	only string
	// pattern matches the names of tools that ccdir does not know; "*" is any text.
	pattern string
}

// matches reports whether the rule is about a part of kind in a request for tool.
func (m *toolMatch) matches(kind toolKind, tool string) bool {
	if m.kind != kindOther {
		return m.kind == kind && (m.only == "" || m.only == tool || renamedTool[m.only] == tool)
	}
	if glob.Match(m.pattern, tool) {
		return true
	}
	if server, rest, ok := mcpName(m.pattern); ok && rest == "" {
		s, _, isMCP := mcpName(tool)
		return isMCP && glob.Match(server, s)
	}
	return kind == kindEdit && glob.Match(m.pattern, api.ToolEdit) || kind == kindRead && glob.Match(m.pattern, api.ToolRead)
}

// mcpName splits mcp__server__tool.
func mcpName(s string) (server, tool string, ok bool) {
	rest, ok := strings.CutPrefix(s, "mcp__")
	if !ok {
		return "", "", false
	}
	server, tool, _ = strings.Cut(rest, "__")
	return server, tool, true
}

// parseRule compiles a rule string: Tool or Tool(argument).
func parseRule(text string, effect Effect) (matcher, error) {
	text = strings.TrimSpace(text)
	tool, rest, hasArg := strings.Cut(text, "(")
	arg, closed := strings.CutSuffix(rest, ")")
	switch {
	case text == "":
		return matcher{}, errors.New("the rule is empty")
	case hasArg && !closed:
		return matcher{}, fmt.Errorf(`%q has no ")" at its end`, text)
	case strings.ContainsFunc(tool, func(r rune) bool { return r <= ' ' || r == ')' || r == 0x7f }):
		return matcher{}, fmt.Errorf("%q is no rule: expected Tool or Tool(argument), such as Bash(git push *)", text)
	case strings.Contains(text, glob.Wild):
		return matcher{}, errors.New("a rule can't contain a NUL")
	}
	tool = Word(tool)
	kind := knownTools[tool]
	if kind == kindOther {
		for name := range knownTools {
			if strings.EqualFold(name, tool) {
				return matcher{}, fmt.Errorf("there is no tool %q; did you mean %s?", tool, name)
			}
		}
		if hasArg {
			return matcher{}, fmt.Errorf("rules for %s can't have an argument: write %s alone", tool, tool)
		}
		if tool == "" {
			return matcher{}, errors.New("the rule names no tool")
		}
		return matcher{tools: toolMatch{pattern: tool}, whole: true}, nil
	}
	m := matcher{tools: toolMatch{kind: kind}}
	own := kind == kindNamed || tool == api.ToolPatch || tool == api.ToolType
	if tool != api.ToolBash && tool != api.ToolRead && tool != api.ToolEdit && (effect == Allow || own) {
		m.tools.only = tool
	}
	if !hasArg || arg == "*" || kind != kindShell && arg == "**" && kind != kindRead && kind != kindEdit {
		m.whole = true
		return m, nil
	}
	if strings.TrimSpace(arg) == "" {
		return matcher{}, fmt.Errorf("%s() has an empty argument: write %s for every use", tool, tool)
	}
	return m, m.argument(kind, strings.TrimSpace(arg))
}

func (m *matcher) argument(kind toolKind, arg string) (err error) {
	switch kind {
	case kindShell:
		m.command = compileCommand(arg)
		if m.command.text == "*" {
			m.command, m.whole = nil, true
		}
	case kindRead, kindEdit:
		m.path, err = compilePath(arg)
	case kindFetch:
		domain, ok := strings.CutPrefix(arg, "domain:")
		if !ok || domain == "" || strings.ContainsAny(domain, "/:@ ") {
			return fmt.Errorf("expected WebFetch(domain:HOST), found %q", arg)
		}
		m.domain = strings.ToLower(strings.TrimSuffix(domain, "."))
	case kindNamed:
		m.name = arg
	}
	return err
}

// SetName returns tool and set of a rule that refers to a set: Tool(@name).
func SetName(text string) (tool, name string, ok bool) {
	tool, rest, ok := strings.Cut(strings.TrimSpace(text), "(@")
	name, closed := strings.CutSuffix(rest, ")")
	return tool, name, ok && closed && IsSetName(name)
}

func IsSetName(s string) bool {
	return s != "" && !strings.ContainsFunc(s, func(r rune) bool {
		return !(r == '_' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9')
	})
}
