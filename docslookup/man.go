package docslookup

import (
	"bytes"
	"compress/gzip"
	"context"
	"io"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"ccdir/api"
	"ccdir/docslookup/scan"
)

// Bounds of manual pages.
const (
	maxPages   = 4 // that one question looks into
	maxManDirs = 40
)

// manSections in the order in which a name is looked up.
var manSections = []string{"1", "8", "5", "7", "2", "3", "6", "4", "1ssl", "3p", "1p"}

// pageName is a name with its section: tar(1).
var pageName = regexp.MustCompile(`^([\w.+:@-]+)\((\d\w{0,3})\)$`)

// forMan makes a question with the word man in front, or with a name such as tar(1), one about
// manual pages. It returns the page, in lower case, if the question only names one; else "".
func forMan(in *api.DocsQuestion) (page string) {
	rest, named := strings.CutPrefix(in.Query, "man ")
	if in.Package != "" || in.Ecosystem != "" && in.Ecosystem != ecoMan {
		return ""
	}
	if in.Ecosystem == ecoMan || named || slices.ContainsFunc(strings.Fields(in.Query), pageName.MatchString) {
		in.Query, in.Ecosystem = strings.TrimSpace(rest), ecoMan
	}
	if in.Ecosystem != ecoMan || strings.ContainsAny(in.Query, " \t") {
		return ""
	}
	page = strings.ToLower(in.Query)
	if found := pageName.FindStringSubmatch(page); found != nil {
		page = found[1]
	}
	return page
}

// firstOfPage is the bonus of the sections that tell what a manual page is about, for a question
// that only names the page.
func firstOfPage(r *row) float64 {
	switch {
	case r.Kind == scan.KindPackage:
		return 60
	case strings.EqualFold(r.Symbol, "SYNOPSIS"):
		return 55
	case strings.EqualFold(r.Symbol, "DESCRIPTION"):
		return 50
	}
	return 0
}

// manModules are the manual pages that a question names. A question about anything names no
// page by chance: it must be of the ecosystem man, or about a package of that name, or have an option.
func (l *Library) manModules(in api.DocsQuestion) (list []*module) {
	if in.Ecosystem != "" && in.Ecosystem != ecoMan {
		return nil
	}
	fields := strings.Fields(in.Query)
	names := fields
	switch {
	case in.Package != "":
		name, _ := splitVersion(in.Package)
		names = []string{name}
	case in.Ecosystem == "" && !slices.ContainsFunc(fields, func(f string) bool { return len(f) > 1 && f[0] == '-' && strings.Trim(f, "-0123456789") != "" }):
		return nil
	}
	dirs := l.manDirs()
	for i, name := range names[:min(len(names), maxTerms)] {
		if i+1 < len(names) { // git rebase: git-rebase(1)
			if m := manPage(dirs, name+"-"+names[i+1], ""); m != nil && len(list) < maxPages {
				list = append(list, m)
			}
		}
		section := ""
		if found := pageName.FindStringSubmatch(name); found != nil {
			name, section = found[1], found[2]
		}
		if m := manPage(dirs, name, section); m != nil && len(list) < maxPages {
			list = append(list, m)
		}
	}
	return list
}

// manDirs are the directories of manual pages: MANPATH, those beside the directories of PATH,
// and the usual ones.
func (l *Library) manDirs() (dirs []string) {
	add := func(dir string) {
		if filepath.IsAbs(dir) && !slices.Contains(dirs, filepath.Clean(dir)) && len(dirs) < maxManDirs {
			dirs = append(dirs, filepath.Clean(dir))
		}
	}
	for _, dir := range filepath.SplitList(l.env("MANPATH")) {
		add(dir)
	}
	for _, dir := range filepath.SplitList(l.env("PATH")) {
		if dir != "" {
			add(filepath.Join(dir, "..", "share", "man"))
		}
	}
	add("/usr/local/share/man")
	add("/usr/share/man")
	return dirs
}

// manPage finds a page; nil: there is none.
func manPage(dirs []string, name, section string) *module {
	if len(name) < 2 || len(name) > 100 || strings.ContainsAny(name, "/\\@#\x00") || name[0] == '-' || name[0] == '.' {
		return nil
	}
	sections := manSections
	if section != "" {
		sections = []string{section}
	}
	for _, sec := range sections {
		for _, dir := range dirs {
			for _, end := range []string{"", ".gz"} {
				real, err := filepath.EvalSymlinks(filepath.Join(dir, "man"+sec[:1], name+"."+sec+end))
				if err != nil {
					continue
				}
				file := filepath.Base(real)
				return &module{ecosystem: ecoMan, name: name, version: sec, dir: filepath.Dir(real), direct: true, roots: []string{file}, scan: scanMan,
					enter: func(string) bool { return false }, want: func(string) bool { return true }}
			}
		}
	}
	return nil
}

// scanMan reads one page; a page that is only a reference to another one is that one.
func scanMan(_ context.Context, m *module, t *tree) []scan.Entry {
	file := m.roots[0]
	for range 3 {
		text := manText(t, file)
		to, ok := bytes.CutPrefix(text, []byte(".so "))
		if !ok {
			return scan.ManPage(m.name, file, text)
		}
		line, _, _ := bytes.Cut(to, []byte("\n"))
		next := filepath.Base(strings.TrimSpace(string(line)))
		if file = next; !t.has(file) {
			file = next + ".gz"
		}
	}
	return nil
}

func manText(t *tree, name string) []byte {
	data := t.raw(name)
	if !strings.HasSuffix(name, ".gz") || data == nil {
		return data
	}
	z, err := gzip.NewReader(bytes.NewReader(data))
	if err != nil {
		t.skip(name, err)
		return nil
	}
	text, err := io.ReadAll(io.LimitReader(z, maxFileBytes+1))
	if err != nil || len(text) > maxFileBytes {
		t.skip(name, "it is damaged or too large")
		return nil
	}
	return text
}
