package policy

import (
	"path"
	"slices"
	"strings"

	"ccdir/api"
	"ccdir/policy/shell"
)

// mostSuggested bounds what Suggest returns. More is no choice but a list.
const mostSuggested = 2

// Exact returns the narrowest rule that is about a call: this very command, the file that it
// reads or changes, the site, the tool of an MCP server, the subagent or skill that it starts.
// There is none where a rule would read the text as a pattern, and none for calls that are
// about several files or whose tool ccdir does not know.
func Exact(r Request) (rule string, ok bool) {
	r = r.withDefaults()
	kind := knownTools[r.Tool]
	if kind == kindOther {
		return r.Tool, strings.HasPrefix(r.Tool, "mcp__") && plainText(r.Tool, "*() ")
	}
	in, err := parseInput(r.Input)
	if err != nil {
		return "", false
	}
	switch kind {
	case kindShell:
		command, _, err := in.text("command")
		ok := err == nil && r.Tool == api.ToolBash && command != "" && command == strings.TrimSpace(command) && plainText(command, `*\`)
		return inRule(api.ToolBash, command), ok
	case kindRead, kindEdit:
		tool, files := filesOf(&r)
		if len(files) != 1 || searches(r.Tool) {
			return "", false
		}
		return inRule(tool, "/"+files[0]), true // "//" begins a path from the root
	}
	parts, err := takeApart(&r, shell.Context{}, nil)
	if err != nil || len(parts) != 2 || parts[1].Unclear || parts[1].Text == "" || !plainText(parts[1].Text, `*\() `) {
		return "", false
	}
	if kind == kindFetch {
		return inRule(api.ToolWebFetch, "domain:"+parts[1].Text), true
	}
	return inRule(r.Tool, parts[1].Text), true
}

func inRule(tool, text string) string { return tool + "(" + text + ")" }

// plainText reports whether s has none of these characters and no control characters.
func plainText(s, without string) bool {
	return !strings.ContainsAny(s, without) && !strings.ContainsFunc(s, func(c rune) bool { return c < ' ' || c == 0x7f })
}

// Suggest returns the rules by which a person may allow more than this very call, the
// narrowest first; none where only the call itself should be allowed. Each of them allows the
// call, and no call of another program, or of another subcommand of it:
//
//   - for a command of which the tables of policy/shell say that its arguments are harmless,
//     its words before the first option, and its program with the subcommand;
//   - for files, the directory that has all of them;
//   - for a tool of an MCP server, the server.
func Suggest(r Request) []string {
	var all []string
	r = r.withDefaults()
	switch kind := knownTools[r.Tool]; {
	case r.Tool == api.ToolBash:
		all = commandSuggestions(&r)
	case kind == kindRead || kind == kindEdit:
		all = fileSuggestions(&r)
	case kind == kindOther:
		if server, tool, ok := mcpName(r.Tool); ok && tool != "" && plainWord(server) {
			all = []string{"mcp__" + server}
		}
	}
	var out []string
	for _, rule := range all {
		if len(out) < mostSuggested && allowsAlone(rule, r) {
			out = append(out, rule)
		}
	}
	return out
}

// allowsAlone reports whether a rule allows the request without any other.
func allowsAlone(rule string, r Request) bool {
	g, err := NewGrants([]string{rule}, "")
	return err == nil && (&Policy{}).DecideWith(r, Extra{Grants: g}).Decision == Allow
}

// commandSuggestions are the patterns for a command line of which a single command needs a rule.
func commandSuggestions(r *Request) (out []string) {
	parts, err := takeApart(r, shell.Context{Home: r.Home, Dir: r.Cwd, Away: r.Cwd != r.Root}, nil)
	if err != nil {
		return nil
	}
	var words []shell.Word
	for i := range parts {
		p := &parts[i]
		switch {
		case p.Barred != "" || p.Kind == shell.KindOpaque:
			return nil
		case p.Kind != shell.KindCommand || p.Covered || p.Possible:
		case words != nil || p.Command.Assigned != "" || p.Command.Script != "":
			return nil
		default:
			words = p.Command.Words
		}
	}
	least := shell.Fixed(words)
	if least == 0 {
		return nil
	}
	n := 0
	for n < len(words) && words[n].Known() && plainWord(words[n].Text) {
		n++
	}
	if n < least {
		return nil
	}
	if n > least && (n < len(words) || n == least+1) {
		out = append(out, pattern(words[:n]))
	}
	return append(out, pattern(words[:least]))
}

// pattern is the rule for commands that begin with these words.
func pattern(words []shell.Word) string {
	texts := make([]string, len(words))
	for i, w := range words {
		texts[i] = w.Text
	}
	return api.ToolBash + "(" + strings.Join(texts, " ") + " *)"
}

// plainWord reports whether a word is no option, and the same to a shell, in a rule and to its
// readers.
func plainWord(s string) bool {
	return s != "" && s[0] != '-' && !strings.ContainsFunc(s, func(c rune) bool {
		return !(c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || strings.ContainsRune("./_-:@+,", c))
	})
}

// fileSuggestions is the rule for the directory of a call's files, for the project's as the
// project writes it; none for the root, the home directory or what is above the project.
func fileSuggestions(r *Request) []string {
	tool, files := filesOf(r)
	if len(files) == 0 {
		return nil
	}
	dir := files[0]
	if !searches(r.Tool) {
		dir = path.Dir(dir)
	}
	for _, file := range files[1:] {
		for !within(file, dir) && dir != "/" {
			dir = path.Dir(dir)
		}
	}
	if inside, ok := strings.CutPrefix(dir+"/", strings.TrimSuffix(r.Root, "/")+"/"); ok && r.Root != "" && r.Root != "/" && r.Root != r.Home {
		return []string{inRule(tool, "./"+inside+"**")}
	}
	if dir == "/" || within(r.Home, dir) || within(r.Root, dir) {
		return nil
	}
	return []string{inRule(tool, "/"+dir+"/**")}
}

// filesOf returns the files that a call names, each once and from the root, and the tool that
// rules about them name. A search has the directory in which it begins. None if a rule could
// not name one of them.
func filesOf(r *Request) (tool string, files []string) {
	tool = api.ToolRead
	if knownTools[r.Tool] == kindEdit {
		tool = api.ToolEdit
	}
	parts, err := takeApart(r, shell.Context{}, nil)
	if err != nil {
		return tool, nil
	}
	named := parts[1:]
	if searches(r.Tool) {
		named = named[:min(1, len(named))]
	}
	for i := range named {
		file := named[i].Text
		if !path.IsAbs(file) {
			file = r.Cwd + "/" + strings.TrimPrefix(file, "./")
		}
		if file = strings.TrimSuffix(file, "/."); !path.IsAbs(r.Cwd) && !path.IsAbs(named[i].Text) || path.Clean(file) != file || file == "/" || !plainText(file, `*?[]!\()`) {
			return tool, nil
		}
		if !slices.Contains(files, file) {
			files = append(files, file)
		}
	}
	return tool, files
}

// within reports whether a directory is dir or lies below it.
func within(s, dir string) bool { return s == dir || strings.HasPrefix(s, dir+"/") }
