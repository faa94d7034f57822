package policy

import (
	"path"
	"strings"

	"ccdir/api"
	"ccdir/policy/shell"
)

// mostSuggested bounds what Suggest returns. More is no choice but a list.
const mostSuggested = 2

// Suggest returns the rules by which a person may allow more than this very call, the
// narrowest first; none where only the call itself should be allowed. Each of them allows the
// call, and no call of another program, or of another subcommand of it:
//
//   - for a command of which the tables of policy/shell say that its arguments are harmless,
//     its words before the first option, and its program with the subcommand;
//   - for a file, its directory;
//   - for a tool of an MCP server, the server.
func Suggest(r Request) []string {
	var all []string
	r = r.withDefaults()
	switch kind := knownTools[r.Tool]; {
	case r.Tool == api.ToolBash:
		all = commandSuggestions(&r)
	case r.Tool == api.ToolRead:
		all = fileSuggestions(&r, api.ToolRead)
	case kind == kindEdit && r.Tool != api.ToolPatch:
		all = fileSuggestions(&r, api.ToolEdit)
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

// fileSuggestions is the rule for the directory of a file, for the project's as the project
// writes it; none for the root, the home directory or what is above the project.
func fileSuggestions(r *Request, tool string) []string {
	in, err := parseInput(r.Input)
	if err != nil {
		return nil
	}
	file := ""
	for _, key := range []string{"file_path", "notebook_path"} {
		if s, ok, err := in.text(key); err == nil && ok {
			file = s
		}
	}
	if !path.IsAbs(file) || path.Clean(file) != file || strings.ContainsAny(file, "*?[]!\\()\x00") || strings.ContainsFunc(file, func(c rune) bool { return c < ' ' || c == 0x7f }) {
		return nil
	}
	dir := path.Dir(file)
	if inside, ok := strings.CutPrefix(dir+"/", strings.TrimSuffix(r.Root, "/")+"/"); ok && r.Root != "" && r.Root != "/" && r.Root != r.Home {
		return []string{tool + "(./" + inside + "**)"}
	}
	if dir == "/" || within(r.Home, dir) || within(r.Root, dir) {
		return nil
	}
	return []string{tool + "(/" + dir + "/**)"}
}

// within reports whether a directory is dir or lies below it.
func within(s, dir string) bool { return s == dir || strings.HasPrefix(s, dir+"/") }
