package config

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"ccdir/internal/text/spelling"
	"ccdir/internal/text/tomltext"
)

// maxFile bounds the configuration file, in bytes.
const maxFile = 1 << 20

// Problem is a part of the file that was not used.
type Problem struct {
	File string `json:"file"`
	// Line counts from 1; 0 if it concerns the whole file.
	Line int `json:"line"`
	// Key is the key in question, "" for syntax errors.
	Key string `json:"key,omitempty"`
	// Message says what is wrong and what is expected.
	Message string `json:"message"`
}

// String is "file:line: key: message".
func (p Problem) String() string {
	var b strings.Builder
	b.WriteString(p.File)
	if p.Line > 0 {
		fmt.Fprintf(&b, ":%d", p.Line)
	}
	if p.Key != "" {
		b.WriteString(": " + p.Key)
	}
	return b.String() + ": " + p.Message
}

// Loaded is a configuration together with where it came from.
type Loaded struct {
	Config
	// File is the file's path, whether it exists or not.
	File     string
	Problems []Problem

	// lines holds the line of each key that the file sets.
	lines  tomltext.Positions
	broken bool
}

// Load reads the file; a missing one is an empty one. home replaces "~" in
// paths. See the package comment for what happens to errors.
func Load(file, home string) Loaded {
	data, err := readFile(file)
	if err != nil {
		l := Loaded{Config: Default(), File: file}
		if !errors.Is(err, fs.ErrNotExist) {
			l.broken = true
			l.Problems = []Problem{{File: file, Message: err.Error() + "; nothing was taken from the file"}}
		}
		return l
	}
	return Parse(data, file, home)
}

// Parse is Load for text that was read already; file names it in problems.
func Parse(data []byte, file, home string) Loaded {
	l := Loaded{Config: Default(), File: file}
	raw, lines, err := tomltext.Decode(string(data))
	if err != nil {
		p := Problem{File: file, Message: err.Error() + "; nothing was taken from the file"}
		var syntax *tomltext.Error
		if errors.As(err, &syntax) {
			p.Line, p.Message = syntax.Line, syntax.Message+"; nothing was taken from the file"
		}
		l.broken = true
		l.Problems = []Problem{p}
		return l
	}
	l.lines = lines
	p := parser{l: &l, home: home}
	p.all(raw)
	slices.SortStableFunc(l.Problems, func(a, b Problem) int { return cmp.Compare(a.Line, b.Line) })
	return l
}

// Broken reports whether nothing of the file is used, because it cannot be read or is
// no TOML.
func (l Loaded) Broken() bool { return l.broken }

// parser converts decoded TOML to a Config.
type parser struct {
	l    *Loaded
	home string
}

// problem records a key that is not used. path is the key's path.
func (p *parser) problem(message string, path ...string) {
	p.l.Problems = append(p.l.Problems, Problem{
		File: p.l.File, Line: p.l.lines.Line(path...),
		Key: strings.Join(path, "."), Message: message,
	})
}

func (p *parser) all(raw map[string]any) {
	for _, k := range keys {
		v, ok := raw[k.name]
		if !ok {
			continue
		}
		if err := k.set(&p.l.Config, v); err != nil {
			p.problem(err.Error(), k.name)
		}
	}
	for name, v := range raw {
		switch name {
		case "keys":
			p.bindings(v)
		case "notify":
			p.notify(v)
		case "theme":
			p.theme(v)
		case "agents":
			p.agents(v)
		case "accounts", "quota": // below: they name agents, and accounts
		case "tools":
			p.tools(v)
		case "templates":
			p.templates(v)
		case "repos":
			p.repos(v)
		case "schedule":
			p.l.Schedules = p.schedules(v)
		case "watch":
			p.l.Watches = p.watches(v)
		case "on":
			p.l.Reactions = p.reactions(v)
		case "nodes":
			p.nodes(v)
		case "sandbox":
			p.sandbox(v)
		case "mcp":
			p.mcp(v)
		case "api":
			p.api(v)
		case "web":
			p.web(v)
		default:
			if !slices.ContainsFunc(keys, func(k key) bool { return k.name == name }) {
				p.problem("unknown key"+suggest(name), name)
			}
		}
	}
	if v, ok := raw["accounts"]; ok {
		p.accounts(v)
	}
	if v, ok := raw["quota"]; ok {
		p.quota(v)
	}
	p.checkBindings()
	if _, ok := p.l.Agents[p.l.DefaultAgent]; !ok {
		p.problem(fmt.Sprintf("no agent is called %q; there are %s", p.l.DefaultAgent,
			strings.Join(p.l.AgentNames(), ", ")), "default_agent")
		p.l.DefaultAgent = Default().DefaultAgent
	}
}

// suggest returns a hint with the known key that is nearest to an unknown one.
func suggest(name string) string {
	best, distance := "", 3
	consider := func(known string) {
		if d := spelling.Distance(name, known); d < distance {
			best, distance = known, d
		}
	}
	for _, k := range keys {
		consider(k.name)
	}
	for _, t := range tables {
		consider(t.name)
	}
	if best == "" {
		return " (`ccdir config get` lists all)"
	}
	return fmt.Sprintf("; did you mean %q?", best)
}
