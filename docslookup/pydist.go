package docslookup

import (
	"bufio"
	"bytes"
	"context"
	"net/textproto"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"ccdir/docslookup/scan"
	"ccdir/internal/disk/untrusted"
)

// knownDistribution is a distribution as it was when its directory of metadata had a time.
type knownDistribution struct {
	mtime time.Time
	m     *module // nil: none
}

// maxKnown bounds the distributions that are remembered.
const maxKnown = 10000

// distribution is readDistribution, which is asked again only after an installation.
func (l *Library) distribution(site, info string) *module {
	if !strings.HasSuffix(info, "-info") {
		return nil
	}
	at := filepath.Join(site, info)
	stat, err := os.Lstat(at)
	if err != nil {
		return nil // gone meanwhile
	}
	l.mu.Lock()
	known, ok := l.dists[at]
	l.mu.Unlock()
	if !ok || !known.mtime.Equal(stat.ModTime()) || l.recheck == 0 {
		known = knownDistribution{stat.ModTime(), readDistribution(site, info)}
		l.mu.Lock()
		if len(l.dists) >= maxKnown {
			clear(l.dists)
		}
		l.dists[at] = known
		l.mu.Unlock()
	}
	if known.m == nil {
		return nil
	}
	m := *known.m
	return &m
}

// readDistribution is an installed package by its directory of metadata; nil: it is none.
func readDistribution(site, info string) *module {
	stem, ok := strings.CutSuffix(info, ".dist-info")
	file := "METADATA"
	if !ok {
		if stem, ok = strings.CutSuffix(info, ".egg-info"); !ok {
			return nil
		}
		file = "PKG-INFO"
	}
	root, err := os.OpenRoot(site)
	if err != nil {
		return nil
	}
	defer func() { _ = root.Close() }()
	data, err := untrusted.ReadIn(root, path.Join(info, file), maxManifest)
	if err != nil {
		return nil
	}
	head := metadata(data)
	name, version := head.Get("Name"), head.Get("Version")
	if name == "" || version == "" || strings.ContainsAny(name+version, "@#/\\ \x00") || !strings.HasPrefix(normalized(stem), normalized(name)) {
		return nil
	}
	tops := topLevels(root, info)
	m := &module{ecosystem: ecoPython, name: name, version: version, dir: site, scan: scanPython, want: pythonFile, enter: pythonDirectory, info: path.Join(info, file)}
	m.roots = append([]string{m.info}, tops...)
	for _, t := range tops {
		if t = strings.ReplaceAll(strings.TrimSuffix(strings.TrimSuffix(t, ".py"), ".pyi"), "/", "."); !slices.Contains(m.provides, t) {
			m.provides = append(m.provides, t)
		}
	}
	return m
}

// metadata reads the headers of METADATA.
func metadata(data []byte) textproto.MIMEHeader {
	// A faulty line ends the headers; those before count.
	head, _ := textproto.NewReader(bufio.NewReader(bytes.NewReader(data))).ReadMIMEHeader()
	return head
}

// topLevels are the packages and modules of a distribution, by its list of files.
func topLevels(root *os.Root, info string) (tops []string) {
	record, err := untrusted.ReadIn(root, path.Join(info, "RECORD"), 16<<20)
	if err != nil {
		data, _ := untrusted.ReadIn(root, path.Join(info, "top_level.txt"), 64<<10) // egg-info
		for _, name := range strings.Fields(string(data)) {
			for _, n := range []string{name, name + ".py"} {
				if _, err := root.Lstat(n); err == nil && filepath.IsLocal(n) && len(tops) < 50 {
					tops = append(tops, n)
				}
			}
		}
		return tops
	}
	files := map[string]bool{}
	var sources []string
	for line := range strings.Lines(string(record)) {
		name, _, _ := strings.Cut(line, ",")
		name = strings.Trim(strings.TrimSpace(name), `"`)
		if pythonFile(name) && filepath.IsLocal(name) {
			files[name] = true
			sources = append(sources, name)
		}
	}
	for _, name := range sources {
		parts := strings.Split(name, "/")
		top := parts[0]
		for i := 1; i < len(parts)-1 && i < 4 && !files[top+"/__init__.py"] && !files[top+"/__init__.pyi"]; i++ {
			top += "/" + parts[i] // a namespace that several distributions share
		}
		if !slices.Contains(tops, top) && !strings.HasSuffix(parts[0], "-info") && len(tops) < 200 {
			tops = append(tops, top)
		}
	}
	return tops
}

func pythonDirectory(dir string) bool {
	switch base := path.Base(dir); base {
	case "__pycache__", "tests", "test", "_vendor", "vendored", "third_party":
		return false
	default:
		return !strings.HasPrefix(base, ".") || dir == "."
	}
}

func pythonFile(name string) bool {
	return strings.HasSuffix(name, ".py") || strings.HasSuffix(name, ".pyi") || path.Base(name) == "METADATA" || path.Base(name) == "PKG-INFO"
}

// scanPython reads the description of a distribution and its modules.
func scanPython(ctx context.Context, m *module, t *tree) (entries []scan.Entry) {
	var modules scan.Python
	for _, f := range t.walk(ctx, m) {
		if ctx.Err() != nil {
			break
		}
		text := t.text(f.name)
		switch {
		case text == nil:
		case f.name == m.info:
			entries = append(entries, description(m, f.name, text)...)
		case strings.HasSuffix(f.name, ".pyi"), strings.HasSuffix(f.name, ".py"):
			modules.Source(f.name, text)
		}
	}
	return append(entries, modules.Entries()...)
}

// description are the summary and the sections of METADATA.
func description(m *module, name string, text []byte) (entries []scan.Entry) {
	if summary := metadata(text).Get("Summary"); summary != "" {
		entries = append(entries, scan.Entry{Symbol: m.name, Kind: scan.KindPackage, Signature: "package " + m.name + " " + m.version, Text: summary, File: name, Line: 1, Source: "metadata"})
	}
	head, body, _ := bytes.Cut(bytes.ReplaceAll(text, []byte("\r\n"), []byte("\n")), []byte("\n\n"))
	lines := bytes.Count(head, []byte("\n")) + 2
	for _, e := range scan.Markdown(name, body) {
		e.Line += lines
		e.Source = "readme"
		entries = append(entries, e)
	}
	return entries
}
