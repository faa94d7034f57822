package docslookup

import (
	"slices"
	"strconv"
	"strings"
)

// goMod is the content of a go.mod or go.work file.
type goMod struct {
	goVersion, toolchain string
	requires             []goRequire
	replaces             []goReplace
	uses                 []string // of go.work
}

type goRequire struct {
	path, version string
	indirect      bool
}

type goReplace struct {
	path, version string
	to            goRequire
	dir           string // of the file that says so
}

// parseGoMod reads a go.mod or go.work file; lines that it does not know are passed over.
func parseGoMod(data []byte) (m goMod) {
	block := ""
	for line := range strings.Lines(string(data)) {
		line, comment, _ := strings.Cut(line, "//")
		words := strings.Fields(line)
		for i, w := range words {
			if s, err := strconv.Unquote(w); err == nil {
				words[i] = s
			}
		}
		switch {
		case len(words) == 0:
		case words[0] == ")":
			block = ""
		case block != "":
			m.directive(block, words, comment)
		case len(words) == 2 && words[1] == "(":
			block = words[0]
		default:
			m.directive(words[0], words[1:], comment)
		}
	}
	return m
}

func (m *goMod) directive(verb string, args []string, comment string) {
	switch {
	case verb == "go" && len(args) == 1:
		m.goVersion = args[0]
	case verb == "toolchain" && len(args) == 1:
		m.toolchain = args[0]
	case verb == "use" && len(args) == 1:
		m.uses = append(m.uses, args[0])
	case verb == "require" && len(args) == 2:
		m.requires = append(m.requires, goRequire{args[0], args[1], strings.HasPrefix(strings.TrimSpace(comment), "indirect")})
	case verb == "replace":
		i := slices.Index(args, "=>")
		if i < 1 || i > 2 || len(args) < i+2 || len(args) > i+3 {
			return
		}
		r := goReplace{path: args[0], to: goRequire{path: args[i+1]}}
		if i == 2 {
			r.version = args[1]
		}
		if len(args) == i+3 {
			r.to.version = args[i+2]
		}
		m.replaces = append(m.replaces, r)
	}
}

// add joins another file of the same build: the greatest version of a module is selected.
func (m *goMod) add(other goMod, dir string) {
	if goNewer(other.goVersion, m.goVersion) {
		m.goVersion = other.goVersion
	}
	if other.toolchain != "" {
		m.toolchain = other.toolchain
	}
	for _, r := range other.replaces {
		r.dir = dir
		m.replaces = append(m.replaces, r)
	}
	for _, r := range other.requires {
		i := slices.IndexFunc(m.requires, func(have goRequire) bool { return have.path == r.path })
		if i < 0 {
			m.requires = append(m.requires, r)
			continue
		}
		have := &m.requires[i]
		have.indirect = have.indirect && r.indirect
		if versionLess(have.version, r.version) {
			have.version = r.version
		}
	}
}

// versionLess compares semantic versions by their numbers, then as text; one with a
// pre-release is less than the release.
func versionLess(a, b string) bool {
	x, preX, _ := strings.Cut(strings.TrimPrefix(a, "v"), "-")
	y, preY, _ := strings.Cut(strings.TrimPrefix(b, "v"), "-")
	switch {
	case goNewer(y, x):
		return true
	case goNewer(x, y) || preX == preY:
		return false
	case preX == "" || preY == "":
		return preX != ""
	}
	return preX < preY
}
