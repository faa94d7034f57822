package diag

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/reviewdog/errorformat"
	"github.com/reviewdog/errorformat/fmts"
)

// maxPatternLine bounds the lines that patterns are matched against, in bytes.
const maxPatternLine = 8 << 10

// groups are the allowed names of a pattern's groups.
var groups = []string{"file", "line", "column", "end_line", "severity", "code", "message"}

// patternTable has the decoders made of regular expressions, compiled at first use. The
// first pattern that matches a line wins.
var patternTable = sync.OnceValue(func() map[string]func() []*regexp.Regexp {
	table := map[string]func() []*regexp.Regexp{}
	for name, exprs := range map[string][]string{
		// gcc, g++, clang, and ld's and make's own errors
		"gcc": {
			`^(?P<file>[^\s:][^:]*):(?P<line>\d+):(?:(?P<column>\d+):)? (?P<severity>fatal error|error|warning): (?P<message>.*?)(?: \[(?P<code>-W[^\]]+)\])?$`,
			`^(?:\S*/ld: )?(?P<file>[^\s:]+):(?P<line>\d+): (?P<message>(?:undefined reference|multiple definition) .*)$`,
			`^(?:\S*/)?(?:ld|collect2): (?:error: )?(?:[^:]*:)?(?:\([^)]*\):)? ?(?P<message>(?:undefined reference|cannot find|multiple definition).*)$`,
			`^(?P<file>[Mm]akefile|GNUmakefile|[^\s:]+\.mk):(?P<line>\d+): \*\*\* (?P<message>.*)$`,
			`^make(?:\[\d+\])?: \*\*\* (?P<message>No rule to make target .*|No targets.*)$`,
		},
		// the first line of CMake's multi-line errors
		"cmake": {`^CMake (?P<severity>Error|Warning)(?: \([^)]*\))? at (?P<file>[^:]+):(?P<line>\d+) (?P<message>.*):$`},
		// tsc --pretty false
		"tsc": {
			`^(?P<file>\S.*?)\((?P<line>\d+),(?P<column>\d+)\): (?P<severity>error|warning) (?P<code>TS\d+): (?P<message>.*)$`,
			`^(?P<severity>error) (?P<code>TS\d+): (?P<message>.*)$`,
		},
		// mypy --show-column-numbers --no-pretty
		"mypy": {`^(?P<file>[^\s:][^:]*):(?P<line>\d+):(?:(?P<column>\d+):)?(?:(?P<end_line>\d+):\d+:)? (?P<severity>error|warning|note): (?P<message>.*?)(?:  \[(?P<code>[\w-]+)\])?$`},
		// ruff --output-format concise, flake8, pycodestyle
		"ruff": {`^(?P<file>[^\s:][^:]*):(?P<line>\d+):(?P<column>\d+): (?P<code>[A-Z]+\d+|SyntaxError|invalid-syntax):? (?P<message>.*)$`},
		// python -m py_compile / compileall; the message is two lines below
		"python": {
			`^(?:\*\*\* )?(?:Sorry: )?(?P<code>\w+Error): (?P<message>.*) \((?P<file>[^,()]+), line (?P<line>\d+)\)$`,
			`^  File "(?P<file>[^"<]+)", line (?P<line>\d+)(?P<message>)`,
			`^(?P<code>(?:Syntax|Indentation|Tab)Error): (?P<message>.*)$`,
		},
		// node --check: the location first, the message three lines below
		"node": {
			`^(?:file://)?(?P<file>/[^:]+):(?P<line>\d+)(?P<message>)$`,
			`^(?P<code>SyntaxError|Error \[\w+\]|\w+Error): (?P<message>.*)$`,
		},
		// javac and kotlinc, as Maven and Gradle pass them on
		"java": {
			`^\[(?P<severity>ERROR|WARNING)\] (?P<file>/[^:\[]+):\[(?P<line>\d+),(?P<column>\d+)\] (?P<message>.*)$`,
			`^(?P<file>[^\s:\[][^:]*\.(?:java|kt|groovy)):(?P<line>\d+): (?P<severity>error|warning): (?:\[(?P<code>[\w-]+)\] )?(?P<message>.*)$`,
			`^(?P<severity>[ew]): (?:file://)?(?P<file>[^:]+\.kts?):(?P<line>\d+):(?P<column>\d+):? (?P<message>.*)$`,
		},
		// mix compile: the message, then its location
		"elixir": {
			`^\s*\*\* \((?P<code>\w+)\) (?P<file>[^\s:]+\.exs?):(?P<line>\d+)(?::(?P<column>\d+))?: (?P<message>.*)$`,
			`^\s*(?P<severity>error|warning): (?P<message>.*)$`,
			`^\s+(?:└─ )?(?P<file>[^\s:]+\.exs?):(?P<line>\d+)(?::(?P<column>\d+))?(?::.*)?(?P<message>)$`,
		},
		// FILE:LINE[:COLUMN]: [severity:] MESSAGE, which most tools can print
		"generic": {`^(?P<file>[^\s:][^:]*):(?P<line>\d+)(?::(?P<column>\d+))?: (?:(?P<severity>fatal error|error|warning|note|info)(?:\[(?P<code>[^\]]+)\])?: )?(?P<message>.+)$`},
	} {
		table[name] = sync.OnceValue(func() []*regexp.Regexp {
			var res []*regexp.Regexp
			for _, e := range exprs {
				res = append(res, regexp.MustCompile(e))
			}
			return res
		})
	}
	return table
})

// Patterns is a decoder of the user's own regular expressions (RE2). Their named groups
// are file, line, column, end_line, severity, code and message; a pattern needs
// message, or file and line. A match without a message and the next one without a
// location (or the reverse) form one finding.
func Patterns(source string, exprs []string) (Decoder, error) {
	var res []*regexp.Regexp
	for _, e := range exprs {
		re, err := regexp.Compile(e)
		if err != nil {
			return nil, fmt.Errorf("pattern %q: %w", e, err)
		}
		named := 0
		for _, g := range re.SubexpNames() {
			if g != "" && !slices.Contains(groups, g) {
				return nil, fmt.Errorf("pattern %q: unknown group %q; groups are %s", e, g, strings.Join(groups, ", "))
			}
			if g != "" {
				named++
			}
		}
		if re.SubexpIndex("message") < 0 && (re.SubexpIndex("file") < 0 || re.SubexpIndex("line") < 0) || named == 0 {
			return nil, fmt.Errorf("pattern %q needs a group (?P<message>…), or (?P<file>…) and (?P<line>…)", e)
		}
		res = append(res, re)
	}
	if len(res) == 0 {
		return nil, errors.New("no patterns given")
	}
	return func(in Input, rep *Report) error { return decodePatterns(source, res, in, rep) }, nil
}

func decodePatterns(source string, res []*regexp.Regexp, in Input, rep *Report) error {
	var half *Diagnostic // a finding that still lacks its location or message
	for raw := range lines(in.Log) {
		l := Clean(string(raw[:min(len(raw), maxPatternLine)]))
		for _, re := range res {
			m := re.FindStringSubmatch(l)
			if m == nil {
				continue
			}
			half = joinHalves(half, fromMatch(source, re, m), rep)
			break
		}
	}
	if half != nil && half.Message != "" {
		rep.add(*half)
	}
	return nil
}

// joinHalves adds findings that are complete and returns one that still lacks its
// location or message.
func joinHalves(half *Diagnostic, d Diagnostic, rep *Report) *Diagnostic {
	placed, said := d.File != "", d.Message != ""
	switch {
	case half != nil && half.Message == "" && said && !placed:
		d.File, d.Line, d.Column = half.File, half.Line, half.Column
	case half != nil && half.File == "" && placed && !said:
		half.File, half.Line, half.Column = d.File, d.Line, d.Column
		d = *half
	default:
		if half != nil && half.Message != "" {
			rep.add(*half)
		}
		if !placed || !said {
			return &d
		}
	}
	rep.add(d)
	return nil
}

func fromMatch(source string, re *regexp.Regexp, m []string) Diagnostic {
	get := func(name string) string {
		if i := re.SubexpIndex(name); i >= 0 {
			return m[i]
		}
		return ""
	}
	num := func(name string) int { n, _ := strconv.Atoi(get(name)); return n }
	return Diagnostic{File: get("file"), Line: num("line"), Column: num("column"), EndLine: num("end_line"),
		Severity: get("severity"), Code: get("code"), Message: get("message"), Source: source}
}

// predefined is the decoder of a tool that errorformat supports.
func predefined(tool string) (Decoder, error) {
	f, ok := fmts.DefinedFmts()[tool]
	if !ok {
		return nil, fmt.Errorf("errorformat knows no tool %q", tool)
	}
	return Errorformat(tool, f.Errorformat)
}

// Errorformat is a decoder of Vim's 'errorformat' patterns.
func Errorformat(source string, patterns []string) (Decoder, error) {
	if len(patterns) == 0 {
		return nil, errors.New("no errorformat given")
	}
	efm, err := errorformat.NewErrorformat(patterns)
	if err != nil {
		return nil, fmt.Errorf("errorformat: %w", err)
	}
	return func(in Input, rep *Report) error {
		s := efm.NewScanner(newLineCutter(in.Log))
		for s.Scan() {
			e := s.Entry()
			if !e.Valid {
				continue
			}
			d := Diagnostic{File: e.Filename, Line: e.Lnum, Column: e.Col, EndLine: e.EndLnum, Message: e.Text, Source: source, Severity: severityOf(e.Type)}
			if e.Nr != 0 {
				d.Code = strconv.Itoa(e.Nr)
				if e.Type != 0 {
					d.Code = string(e.Type) + d.Code
				}
			}
			rep.add(d)
		}
		return nil
	}, nil
}

func severityOf(t rune) string {
	switch t {
	case 0, 'e', 'E', 'f', 'F':
		return Error
	case 'w', 'W':
		return Warning
	}
	return Info
}
