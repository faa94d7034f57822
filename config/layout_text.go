package config

import (
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"ccdir/internal/text/tomltext"
)

// Text is a layout as the text of a layout file, which ParseLayout reads as the same again. dir is the
// file's directory: those below it are written relative to it; "" for a text that stands nowhere.
func (l Layout) Text(dir, home string) string {
	var b strings.Builder
	line := func(key, value string) {
		if value != "" {
			fmt.Fprintf(&b, "%s = %s\n", key, tomltext.Quote(value))
		}
	}
	line("layout", l.Layout)
	line("focus", l.Focus)
	line("zoom", l.Zoom)
	for _, shape := range slices.Sorted(maps.Keys(l.Sizes)) {
		s := l.Sizes[shape]
		fmt.Fprintf(&b, "\n[sizes.%s]\n", tomltext.Key(shape))
		if s.Lines != nil {
			fmt.Fprintf(&b, "lines = %s\n", numbers(s.Lines))
		}
		if s.Cells != nil {
			rows := make([]string, len(s.Cells))
			for i, row := range s.Cells {
				rows[i] = numbers(row)
			}
			fmt.Fprintf(&b, "cells = [%s]\n", strings.Join(rows, ", "))
		}
	}
	for _, s := range l.Sessions {
		s.Dir = shortDir(s.Dir, dir, home)
		b.WriteString("\n[[session]]\n")
		for _, k := range layoutKeys {
			line(k.name, *k.at(&s))
		}
		s.others(&b)
	}
	return strings.TrimPrefix(b.String(), "\n")
}

// others writes the keys that are no texts.
func (s LayoutSession) others(b *strings.Builder) {
	if len(s.Args) > 0 {
		fmt.Fprintf(b, "args = [%s]\n", quoteTOML(s.Args))
	}
	switch {
	case len(s.Argv) == 3 && filepath.Base(s.Argv[0]) == "sh" && s.Argv[1] == "-c": // where it is differs by machine
		fmt.Fprintf(b, "command = %s\n", tomltext.Quote(s.Argv[2]))
	case len(s.Argv) > 0:
		fmt.Fprintf(b, "command = [%s]\n", quoteTOML(s.Argv))
	}
	if len(s.Env) > 0 {
		pairs := make([]string, len(s.Env))
		for i, kv := range s.Env {
			k, v, _ := strings.Cut(kv, "=")
			pairs[i] = tomltext.Key(k) + " = " + tomltext.Quote(v)
		}
		fmt.Fprintf(b, "env = { %s }\n", strings.Join(pairs, ", "))
	}
	if s.Marks.Pinned {
		b.WriteString("pin = true\n")
	}
	if s.Hidden {
		b.WriteString("hidden = true\n")
	}
}

// shortDir writes a directory relative to the file's, or with ~.
func shortDir(path, dir, home string) string {
	if dir != "" && inside(path, dir) {
		rel, _ := filepath.Rel(dir, path) // both are absolute
		return rel
	}
	if rest, ok := strings.CutPrefix(path, home+"/"); ok && home != "" {
		return "~/" + rest
	}
	return path
}

func numbers(list []int) string {
	return strings.ReplaceAll(fmt.Sprint(list), " ", ", ")
}

func quoteTOML(list []string) string {
	quoted := make([]string, len(list))
	for i, v := range list {
		quoted[i] = tomltext.Quote(v)
	}
	return strings.Join(quoted, ", ")
}

// shown is the template as `ccdir config get` shows it: the names of its sessions.
func (l Layout) shown() []string {
	names := make([]string, len(l.Sessions))
	for i, s := range l.Sessions {
		names[i] = s.Name
	}
	return names
}
