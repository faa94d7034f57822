package config

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"ccdir/internal/text/tomltext"
)

// Node is one [nodes.NAME]: another machine.
type Node struct {
	// SSH is the destination for ssh: a name of ~/.ssh/config, user@host or ssh://….
	SSH string
	// Options are put before it on ssh's command line.
	Options []string
	// Program is the path of ccdir-shim there; "" looks for it. Home is CCDIR_HOME there.
	Program string
	Home    string
	// Clipboard: panes of the node may set the clipboard and show links.
	Clipboard bool
}

// ReservedNode are the names that no node may have: they mean all machines, and this one.
var ReservedNode = []string{"all", "here"}

// ValidNodeName reports whether name may name a node: it becomes part of file names, and stands
// before the slash of NODE/SESSION.
func ValidNodeName(name string) bool {
	return validAgentName(name) && !slices.Contains(ReservedNode, name)
}

// NodeNames lists the nodes.
func (c *Config) NodeNames() []string { return slices.Sorted(maps.Keys(c.Nodes)) }

// nodes reads the tables [nodes.NAME].
func (p *parser) nodes(v any) {
	t, _ := p.table(v, "nodes")
	for _, name := range slices.Sorted(maps.Keys(t)) {
		fields, ok := p.table(t[name], "nodes", name)
		if !ok {
			continue
		}
		if !ValidNodeName(name) {
			p.problem("a node's name is 1 to 32 lower-case letters, digits, - and _, and none of "+strings.Join(ReservedNode, ", "), "nodes", name)
			continue
		}
		p.node(name, fields)
	}
}

func (p *parser) node(name string, fields map[string]any) {
	var n Node
	for field, v := range fields {
		var err error
		s, isText := v.(string)
		switch field {
		case "ssh":
			n.SSH = s
		case "program":
			n.Program = s
		case "home":
			n.Home = s
		case "options":
			n.Options, err = stringList(v)
			isText = true
		case "clipboard":
			n.Clipboard, isText = v.(bool)
			if !isText {
				err = fmt.Errorf("expected true or false, found %s", show(v))
				isText = true
			}
		default:
			err = fmt.Errorf("unknown key; a node has ssh, options, program, home and clipboard")
			isText = true
		}
		if !isText {
			err = fmt.Errorf("expected a string, found %s", typeName(v))
		}
		if err != nil {
			p.problem(err.Error(), "nodes", name, field)
		}
	}
	if err := CheckTarget(n.SSH); err != nil {
		p.problem(err.Error(), "nodes", name)
		return
	}
	if p.l.Nodes == nil {
		p.l.Nodes = map[string]Node{}
	}
	p.l.Nodes[name] = n
}

// CheckTarget fails unless ssh can take target as its destination.
func CheckTarget(target string) error {
	if target == "" || strings.HasPrefix(target, "-") || strings.ContainsFunc(target, func(r rune) bool { return r <= ' ' || r == 0x7f }) {
		return fmt.Errorf("a node needs ssh: a name of ~/.ssh/config, user@host or ssh://user@host:port")
	}
	return nil
}

// AddNode returns the file's text with the node, which it must not have yet.
func AddNode(text, name string, n Node) string {
	var b strings.Builder
	if b.WriteString(text); text != "" && !strings.HasSuffix(text, "\n") {
		b.WriteString("\n")
	}
	if text != "" {
		b.WriteString("\n")
	}
	fmt.Fprintf(&b, "[nodes.%s]\nssh = %s\n", tomltext.Key(name), tomltext.Quote(n.SSH))
	if len(n.Options) > 0 {
		quoted := make([]string, len(n.Options))
		for i, o := range n.Options {
			quoted[i] = tomltext.Quote(o)
		}
		fmt.Fprintf(&b, "options = [%s]\n", strings.Join(quoted, ", "))
	}
	for _, f := range []struct{ key, value string }{{"program", n.Program}, {"home", n.Home}} {
		if f.value != "" {
			fmt.Fprintf(&b, "%s = %s\n", f.key, tomltext.Quote(f.value))
		}
	}
	return b.String()
}

// RemoveNode returns the file's text without the node's table; ok is false if it is not written
// as [nodes.NAME].
func RemoveNode(text, name string) (out string, ok bool) {
	var kept []string
	inside := false
	for line := range strings.Lines(text) {
		if head := strings.TrimSpace(line); strings.HasPrefix(head, "[") {
			inside = head == "[nodes."+name+"]" || head == `[nodes."`+name+`"]`
			ok = ok || inside
		}
		if !inside {
			kept = append(kept, line)
		}
	}
	return strings.TrimRight(strings.Join(kept, ""), "\n") + "\n", ok
}

// explainNodes describes the nodes, for `ccdir config get`.
func (l Loaded) explainNodes() (entries []Entry) {
	for _, name := range l.NodeNames() {
		n := l.Nodes[name]
		value := map[string]any{"ssh": n.SSH, "options": n.Options, "program": n.Program, "home": n.Home, "clipboard": n.Clipboard}
		entries = append(entries, Entry{Key: "nodes." + name, Value: value, Source: l.source("nodes", name), Doc: "node " + name})
	}
	return entries
}
