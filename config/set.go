package config

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"ccdir/internal/disk/atomicfile"
	"ccdir/internal/text/tomltext"
)

// Write sets a value in the file, as Set does, and returns what it says before and after. A link is
// followed, so that it stays one.
func Write(path, home, name, value string) (before, now Loaded, err error) {
	file, text, err := File(path)
	if err != nil {
		return before, now, err
	}
	before = Parse([]byte(text), path, home)
	if text, err = Set(text, path, home, name, value); err != nil {
		return before, now, err
	}
	if err := atomicfile.Replace(file, []byte(text)); err != nil {
		return before, now, fmt.Errorf("cannot write %s: %w", path, err)
	}
	return before, Parse([]byte(text), path, home), nil
}

// File returns the text of the configuration file, "" if there is none, and the file itself, where
// the path is a link. Its directory is made.
func File(path string) (file, text string, err error) {
	if file, err = filepath.EvalSymlinks(path); errors.Is(err, fs.ErrNotExist) {
		return path, "", os.MkdirAll(filepath.Dir(path), 0o700)
	} else if err != nil {
		return "", "", err
	}
	data, err := os.ReadFile(file)
	return file, string(data), err
}

// Set returns the file's text with a value for a key ("max_sessions", "keys.prefix"); comments and
// order stay. The value is TOML, or a text without its quotes. What would not load is refused.
func Set(text, file, home, name, value string) (string, error) {
	if before := Parse([]byte(text), file, home); before.Broken() {
		return "", fmt.Errorf("%s: correct that first (`ccdir config edit`)", before.Problems[0])
	}
	if values, _, err := tomltext.Decode(text); name == "theme" && err == nil {
		if _, table := values[name].(map[string]any); table { // beside colours
			name = "theme.base"
		}
	}
	var refused error
	for _, written := range []string{strings.TrimSpace(value), tomltext.Quote(value)} {
		if _, _, err := tomltext.Decode("x = " + written + "\n"); err != nil || strings.ContainsAny(written, "\n") {
			continue
		}
		e := tomltext.NewEditor(text)
		if err := e.Set(written, strings.Split(name, ".")...); err != nil {
			return "", fmt.Errorf("%s: %w (`ccdir config edit`)", name, err)
		}
		after := Parse([]byte(e.Text()), file, home)
		i := slices.IndexFunc(after.Problems, func(p Problem) bool {
			return after.Broken() || p.Key == name || strings.HasPrefix(name, p.Key+".") || strings.HasPrefix(p.Key, name+".")
		})
		if i < 0 {
			return e.Text(), nil
		}
		if refused == nil || !strings.HasPrefix(written, `"`) || strings.Contains(refused.Error(), "expected a string") {
			refused = fmt.Errorf("%s: %s; nothing was written", name, after.Problems[i].Message)
		}
	}
	if refused == nil {
		refused = fmt.Errorf("%s: the value is neither TOML nor one line of text", name)
	}
	return "", refused
}

// Template is the text of a new file: every key as a comment, with its default and meaning.
func Template() string {
	var b strings.Builder
	b.WriteString("# Settings of ccdir. Each key stands here as a comment, with its default; take away the mark to change it.\n" +
		"# `ccdir config check` says what is wrong, docs/config.md has the tables of agents, nodes and repositories.\n")
	table := ""
	for _, e := range (Loaded{Config: Default()}).Explain() {
		in, name, found := strings.Cut(e.Key, ".")
		value := tomlValue(e.Default)
		if !found {
			in, name = "", e.Key
		}
		if value == "" || value == "[]" || in == "agents" || in == "repos" || in == "nodes" || strings.Contains(name, ".") {
			continue
		}
		if in != table {
			table = in
			fmt.Fprintf(&b, "\n# [%s]\n", in)
		}
		fmt.Fprintf(&b, "\n# %s\n# %s = %s\n", e.Doc, tomltext.Key(name), value)
	}
	return b.String()
}

// tomlValue writes a default as TOML; "" if it is none of the simple values.
func tomlValue(v any) string {
	switch v := v.(type) {
	case nil:
		return ""
	case string:
		return tomltext.Quote(v)
	case []string:
		quoted := make([]string, len(v))
		for i, s := range v {
			quoted[i] = tomltext.Quote(s)
		}
		return "[" + strings.Join(quoted, ", ") + "]"
	}
	if data, err := json.Marshal(v); err == nil && !strings.ContainsAny(string(data), "{n[") {
		return string(data)
	}
	return ""
}
