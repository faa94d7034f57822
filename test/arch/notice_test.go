package arch

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"ccdir/usage/prices"
)

var update = flag.Bool("update", false, "write NOTICE")

const noticeFile = "../../NOTICE"

const noticeHead = `ccdir's programs link Go's standard library, gitleaks' rules, models.dev's prices, palettes, xterm.js and the modules below. Each is
listed with its licence and the programs it is part of; the texts of the licences follow.
ccdir's own licence is in LICENSE.

Made by go test ./test/arch -run TestNotice -update; do not edit.

`

// linkedModule is a module of which packages are linked.
type linkedModule struct {
	path, version, dir string
	programs           []string
	licences           []string // by name
	files              []licenceFile
}

// licenceFile is the text of a licence, or of a notice that goes with it.
type licenceFile struct{ name, text string }

// licenceName: files with the text of a licence. One is about a picture, which no
// program has.
var (
	licenceName = regexp.MustCompile(`(?i)^(licen[cs]e|copying|notice)([.-].*)?$`)
	notLinked   = map[string]bool{"LICENSE-LOGO": true}
)

// permitted are the licences that a dependency may have, by a sentence of their text.
var permitted = []struct{ name, sentence string }{
	{"Apache-2.0", "Apache License Version 2.0"},
	{"MIT", "Permission is hereby granted, free of charge, to any person obtaining a copy of this software"},
	{"BSD-3-Clause", "may be used to endorse or promote products derived from this software"},
	{"BSD-2-Clause", "Redistribution and use in source and binary forms"},
	{"ISC", "Permission to use, copy, modify, and distribute this software for any purpose with or without fee is hereby granted"},
	{"public domain", "has been dedicated to the public domain"},
}

// TestNotice: NOTICE has the licences of all that is linked, and each is permitted.
func TestNotice(t *testing.T) {
	want := notice(t)
	if *update {
		if err := os.WriteFile(noticeFile, want, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(noticeFile)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Error("NOTICE is not what is linked: go test ./test/arch -run TestNotice -update")
	}
}

func notice(t *testing.T) []byte {
	modules := []*linkedModule{{path: "Go's standard library", dir: goroot(t)}}
	modules = append(modules, &linkedModule{path: "gitleaks' rules (internal/text/redact/gitleaks.go)", dir: "../../internal/text/redact", programs: []string{"ccdir", "ccdir-daemon"}})
	modules = append(modules, &linkedModule{path: "models.dev's prices of " + prices.Date() + " (usage/prices/prices.tsv, from https://github.com/anomalyco/models.dev)",
		dir: "../../usage/prices", programs: []string{"ccdir", "ccdir-daemon"}})
	modules = append(modules, &linkedModule{path: "Palettes of themes (tui/widget/theme/named.go)", dir: "../../tui/widget/theme", programs: []string{"ccdir"}})
	modules = append(modules, &linkedModule{path: "@xterm/xterm 6.0.0, @xterm/addon-fit 0.11.0, @xterm/addon-webgl 0.19.0 and @xterm/addon-search 0.16.0 (web/assets/xterm, from https://github.com/xtermjs/xterm.js)",
		dir: "../../web/assets/xterm", programs: []string{"ccdir-daemon"}})
	byPath := map[string]*linkedModule{}
	for _, program := range []struct{ name, pattern string }{
		{"ccdir", "."}, {"ccdir-daemon", "./cmd/ccdir-daemon"}, {"ccdir-shim", "./cmd/ccdir-shim"}, {"ccdir-fleet", "./cmd/ccdir-fleet"},
	} {
		modules[0].programs = append(modules[0].programs, program.name)
		for _, system := range []string{"linux", "darwin"} {
			for _, m := range linked(t, program.pattern, system) {
				known := byPath[m.path]
				if known == nil {
					known = &m
					byPath[m.path] = known
					modules = append(modules, known)
				}
				if !slices.Contains(known.programs, program.name) {
					known.programs = append(known.programs, program.name)
				}
			}
		}
	}
	slices.SortFunc(modules[5:], func(a, b *linkedModule) int { return strings.Compare(a.path, b.path) })
	var out bytes.Buffer
	out.WriteString(noticeHead)
	for _, m := range modules {
		m.readLicences(t)
		name := strings.TrimSpace(m.path + " " + m.version)
		fmt.Fprintf(&out, "%s\n\t%s; %s\n", name, strings.Join(m.licences, ", "), strings.Join(m.programs, ", "))
	}
	for i, m := range modules {
		for _, f := range m.files {
			if slices.ContainsFunc(modules[:i], func(earlier *linkedModule) bool { return earlier.has(f.text) }) {
				continue // printed for those already
			}
			out.WriteString("\n" + strings.Repeat("=", 80) + "\n")
			for _, same := range modules[i:] {
				if same.has(f.text) {
					fmt.Fprintf(&out, "%s: %s\n", same.path, f.name)
				}
			}
			out.WriteString("\n" + f.text + "\n")
		}
	}
	return out.Bytes()
}

func (m *linkedModule) has(text string) bool {
	return slices.ContainsFunc(m.files, func(f licenceFile) bool { return f.text == text })
}

// readLicences reads the files with licences in the module's folder.
func (m *linkedModule) readLicences(t *testing.T) {
	t.Helper()
	entries, err := os.ReadDir(m.dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if e.IsDir() || !licenceName.MatchString(e.Name()) || notLinked[e.Name()] {
			continue
		}
		data, err := os.ReadFile(filepath.Join(m.dir, e.Name()))
		if err != nil {
			t.Fatal(err)
		}
		text := strings.TrimSpace(strings.ReplaceAll(string(data), "\r\n", "\n"))
		m.files = append(m.files, licenceFile{e.Name(), text})
		words := strings.Join(strings.Fields(text), " ")
		for _, l := range permitted {
			if strings.Contains(words, l.sentence) {
				if l.name == "BSD-2-Clause" && slices.Contains(m.licences, "BSD-3-Clause") {
					continue
				}
				if !slices.Contains(m.licences, l.name) {
					m.licences = append(m.licences, l.name)
				}
			}
		}
	}
	if len(m.licences) == 0 {
		t.Errorf("%s: no licence that is permitted was found in %s", m.path, m.dir)
	}
}

// linked lists the modules of a program's packages.
func linked(t *testing.T, pattern, system string) (list []linkedModule) {
	t.Helper()
	cmd := exec.Command("go", "list", "-deps", "-tags", "split", "-json=Module", pattern)
	cmd.Dir = "../.."
	cmd.Env = append(os.Environ(), "GOOS="+system, "CGO_ENABLED=0")
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("go list: %v\n%s", err, stderr.String())
	}
	for dec := json.NewDecoder(bytes.NewReader(out)); ; {
		var p struct {
			Module *struct {
				Path, Version, Dir string
				Main               bool
			}
		}
		if err := dec.Decode(&p); errors.Is(err, io.EOF) {
			return list
		} else if err != nil {
			t.Fatal(err)
		}
		if p.Module != nil && !p.Module.Main {
			list = append(list, linkedModule{path: p.Module.Path, version: p.Module.Version, dir: p.Module.Dir})
		}
	}
}

func goroot(t *testing.T) string {
	t.Helper()
	out, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(string(out))
}
