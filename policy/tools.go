package policy

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"net/netip"
	"net/url"
	"path"
	"strings"

	"ccdir/api"
	"ccdir/internal/text/patchtext"
	"ccdir/policy/glob"
	"ccdir/policy/shell"
)

// takeApart splits a request into parts, in the memory of buf. The first part is the use of
// the tool itself. After an error the parts are incomplete.
func takeApart(r *Request, c shell.Context, buf []shell.Part) (parts []shell.Part, err error) {
	kind := knownTools[r.Tool]
	whole := shell.Part{Kind: shell.KindTool, Text: r.Tool, Covered: kind != kindOther}
	parts = append(buf[:0], whole)
	if kind == kindOther {
		return parts, nil
	}
	in, err := parseInput(r.Input)
	if err != nil {
		return parts, err
	}
	switch {
	case r.Tool == api.ToolType:
		return takeTyped(in, parts, c)
	case r.Tool == api.ToolPatch:
		return takePatch(r, in, parts)
	}
	switch kind {
	case kindShell:
		return takeCommand(in, parts, c)
	case kindRead, kindEdit:
		return takeFiles(r, in, parts, kind)
	case kindFetch:
		urls, err := in.texts("urls")
		for _, s := range urls {
			parts = append(parts, fetchPart(s))
		}
		if err != nil || len(urls) > 0 {
			return parts, err
		}
		s, ok, err := in.text("url")
		if err != nil || !ok {
			return parts, errOr(err, "the tool's input has no url")
		}
		return append(parts, fetchPart(s)), nil
	}
	given, err := in.texts("paths") // files that it is given beside its name
	if err != nil {
		return parts, err
	}
	for _, s := range given {
		parts = append(parts, filePart(r, shell.KindRead, s, true))
	}
	for _, key := range []string{"subagent_type", "skill", "command", "name"} {
		if s, ok, err := in.text(key); err == nil && ok {
			return append(parts, shell.Part{Kind: shell.KindNamed, Text: s}), nil
		}
	}
	return append(parts, shell.Part{Kind: shell.KindNamed, Unclear: true, Barred: "its input doesn't say what it runs"}), nil
}

func errOr(err error, message string) error {
	if err != nil {
		return err
	}
	return errors.New(message)
}

func takeCommand(in input, parts []shell.Part, c shell.Context) ([]shell.Part, error) {
	command, ok, err := in.text("command")
	if err != nil || !ok {
		return parts, errOr(err, "the tool's input has no command")
	}
	parts[0].Text = command
	if raw, ok := in["dangerouslyDisableSandbox"]; ok && string(raw) != "false" {
		parts[0].Barred = "it runs outside of the sandbox"
	}
	return shell.Split(command, c, parts)
}

// takeTyped splits text that is typed into a running program. That may be a shell, so it is
// judged as commands; it may be another program, and lines may come in pieces, so rules about
// commands are never sure to be kept. Control characters and blanks alone run nothing.
func takeTyped(in input, parts []shell.Part, c shell.Context) ([]shell.Part, error) {
	text, _, err := in.text("text")
	if err != nil || !strings.ContainsFunc(text, func(r rune) bool { return r > ' ' && r != 0x7f }) {
		return parts, err
	}
	typed := shell.Part{Kind: shell.KindOpaque, Text: "text typed into a running program", Unclear: true, Barred: "what the program makes of it can't be seen"}
	out, err := shell.Split(text, c, parts)
	if err != nil {
		out = parts
	}
	return append(out, typed), nil
}

// takePatch splits a patch into the files that it changes.
func takePatch(r *Request, in input, parts []shell.Part) ([]shell.Part, error) {
	files, err := in.patch()
	if err != nil || len(files) == 0 {
		return parts, errOr(err, "the patch can't be read")
	}
	for _, f := range files {
		for _, path := range []string{f.Path, f.MoveTo} {
			if path != "" {
				parts = append(parts, filePart(r, shell.KindEdit, path, false))
			}
		}
	}
	return parts, nil
}

// takeFiles splits the input of file tools. Every key that can name a file counts.
func takeFiles(r *Request, in input, parts []shell.Part, kind toolKind) ([]shell.Part, error) {
	pk := shell.KindRead
	if kind == kindEdit {
		pk = shell.KindEdit
	}
	search := searches(r.Tool)
	found := false
	base := "."
	for _, key := range []string{"file_path", "notebook_path", "path"} {
		s, ok, err := in.text(key)
		if err != nil {
			return parts, err
		}
		if !ok || s == "" && search {
			continue
		}
		found, base = true, s
		parts = append(parts, filePart(r, pk, s, search && r.Tool != api.ToolLS))
	}
	several, err := in.texts("paths")
	if err != nil {
		return parts, err
	}
	for _, s := range several { // files, folders and patterns
		found = true
		if strings.ContainsAny(s, "*?[{!") {
			parts = searchParts(r, append(parts, filePart(r, pk, ".", true)), ".", s)
		} else {
			parts = append(parts, filePart(r, pk, s, true))
		}
	}
	if !found {
		if !search {
			return parts, errors.New("the tool's input names no file")
		}
		parts = append(parts, filePart(r, pk, ".", r.Tool != api.ToolLS))
	}
	if !search {
		return parts, nil
	}
	key := "glob"
	if r.Tool == api.ToolGlob {
		key = "pattern"
	}
	s, ok, err := in.text(key)
	if err != nil || !ok {
		return parts, err
	}
	return searchParts(r, parts, base, s), nil
}

// searches reports whether a tool looks below a directory.
func searches(tool string) bool {
	return tool == api.ToolGrep || tool == api.ToolGlob || tool == api.ToolLS
}

func filePart(r *Request, kind shell.Kind, s string, below bool) shell.Part {
	p := shell.Part{Kind: kind, Text: s, File: shell.File{From: []string{r.Cwd}, Below: below}}
	if s == "~" || strings.HasPrefix(s, "~/") {
		p.Text = r.Home + s[1:]
	}
	if strings.Contains(s, glob.Wild) {
		p.Barred, p.Unclear = "its path contains a NUL", true
	}
	return p
}

// searchParts adds the files that a search with a name pattern can find.
func searchParts(r *Request, parts []shell.Part, base, pattern string) []shell.Part {
	for _, one := range alternatives(pattern) {
		fixed := one
		if i := strings.IndexAny(one, "*?[{!"); i >= 0 {
			fixed = one[:i]
		}
		if dir := fixed[:strings.LastIndexByte(fixed, '/')+1]; dir != "" { // the directory that it starts in
			p := filePart(r, shell.KindRead, dir, true)
			if !path.IsAbs(p.Text) {
				p.Text = base + "/" + p.Text
			}
			parts = append(parts, p)
		}
		if r.Tool == api.ToolGlob {
			continue // Glob returns names only
		}
		p := shell.Part{Kind: shell.KindRead, Covered: true, Unclear: true, File: shell.File{From: []string{r.Cwd}}, Text: base + "/" + glob.FromNames(one)}
		if fixed == one {
			p.Text = base + "/" + glob.AnyDepth + "/" + one
		}
		parts = append(parts, p)
	}
	return parts
}

// alternatives expands a pattern with one pair of braces.
func alternatives(pattern string) []string {
	before, rest, ok := strings.Cut(pattern, "{")
	inside, after, closed := strings.Cut(rest, "}")
	if !ok || !closed || strings.Contains(inside, "{") || strings.Count(inside, ",") > 32 {
		return []string{pattern}
	}
	var out []string
	for _, s := range strings.Split(inside, ",") {
		out = append(out, before+s+after)
	}
	return out
}

// fetchPart parses a web address as browsers do. An address that parsers may read in
// different ways is unclear.
func fetchPart(s string) shell.Part {
	p := shell.Part{Kind: shell.KindFetch, Text: s}
	u, err := url.Parse(s)
	odd := func() shell.Part {
		p.Unclear, p.Barred = true, "its address is not plain"
		return p
	}
	if err != nil || strings.ContainsAny(s, "\\\t\r\n \x00") || u.User != nil || u.Opaque != "" || u.Host == "" {
		return odd()
	}
	if u.Scheme != "http" && u.Scheme != "https" {
		return odd()
	}
	host := strings.ToLower(strings.TrimSuffix(u.Hostname(), "."))
	if addr, err := netip.ParseAddr(host); err == nil {
		p.Text = addr.Unmap().String()
		return p
	}
	last := host[strings.LastIndexByte(host, '.')+1:]
	if last == "" || strings.Trim(last, "0123456789") == "" || strings.HasPrefix(last, "0x") {
		return odd() // a number that is an address
	}
	for i := range len(host) {
		if c := host[i]; !(c >= 'a' && c <= 'z' || c >= '0' && c <= '9' || c == '-' || c == '.' || c == '_') {
			return odd()
		}
	}
	p.Text = host
	return p
}

// InputOf returns the JSON input of a tool for text that a person typed: JSON itself, or a
// bare command, path, address or name.
func InputOf(tool, s string) (json.RawMessage, error) {
	if t := strings.TrimSpace(s); strings.HasPrefix(t, "{") && json.Valid([]byte(t)) {
		return json.RawMessage(t), nil
	}
	key := ""
	switch knownTools[tool] {
	case kindShell:
		key = "command"
		if tool == api.ToolType {
			key = "text"
		}
	case kindRead, kindEdit:
		if tool == api.ToolPatch {
			files, _ := patchtext.Parse(s)
			return json.Marshal(map[string]any{"files": files})
		}
		key = "file_path"
		if tool == api.ToolGrep || tool == api.ToolGlob || tool == api.ToolLS {
			key = "path"
		}
	case kindFetch:
		key = "url"
	case kindNamed:
		key = cmp.Or(nameMember[tool], "subagent_type")
	default:
		return nil, fmt.Errorf("the input of %s must be a JSON object", tool)
	}
	return json.Marshal(map[string]string{key: s})
}
