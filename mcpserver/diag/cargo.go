package diag

import (
	"bytes"
	"encoding/json"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"

	"ccdir/internal/disk/untrusted"
)

// cargoMessage is a line of `cargo … --message-format=json` (The Cargo Book,
// External tools) with rustc's diagnostic in it.
type cargoMessage struct {
	Reason  string `json:"reason"`
	Message *struct {
		Message string `json:"message"`
		Level   string `json:"level"`
		Code    *struct {
			Code string `json:"code"`
		} `json:"code"`
		Spans []struct {
			File    string `json:"file_name"`
			Line    int    `json:"line_start"`
			EndLine int    `json:"line_end"`
			Column  int    `json:"column_start"`
			Primary bool   `json:"is_primary"`
			Label   string `json:"label"`
		} `json:"spans"`
		Children []struct {
			Message string `json:"message"`
			Level   string `json:"level"`
		} `json:"children"`
	} `json:"message"`
}

// decodeCargo reads cargo's JSON messages, and the plain "error: " lines of
// cargo itself (a broken manifest, a missing crate).
func decodeCargo(in Input, rep *Report) error {
	rep.base = cargoRoot(in.Dir)
	for line := range lines(in.Log) {
		cargoLine(line, rep)
	}
	return nil
}

// cargoLine reports whether the line was one of cargo's JSON messages.
func cargoLine(line []byte, rep *Report) bool {
	if len(line) == 0 || line[0] != '{' {
		if rest, ok := strings.CutPrefix(string(line), "error: "); ok && !cargoSummary(rest) {
			rep.add(Diagnostic{Severity: Error, Message: rest, Source: "cargo"})
		}
		return false
	}
	var c cargoMessage
	if json.Unmarshal(line, &c) != nil || c.Reason == "" {
		return false
	}
	if c.Reason != "compiler-message" || c.Message == nil || c.Message.Level == "failure-note" {
		return true
	}
	m := c.Message
	d := Diagnostic{Severity: m.Level, Message: m.Message, Source: "rustc"}
	if strings.HasPrefix(m.Level, "error") {
		d.Severity = Error
	}
	if m.Code != nil {
		d.Code = m.Code.Code
		if strings.HasPrefix(d.Code, "clippy::") {
			d.Source = "clippy"
		}
	}
	for _, s := range m.Spans {
		if s.Primary {
			d.File, d.Line, d.EndLine, d.Column = s.File, s.Line, s.EndLine, s.Column
			if s.Label != "" && !strings.Contains(d.Message, s.Label) {
				d.Message += ": " + s.Label
			}
			break
		}
	}
	if d.File == "" && cargoSummary(m.Message) {
		return true
	}
	for _, child := range m.Children {
		if child.Level == "help" && child.Message != "" {
			d.Message += "\nhelp: " + child.Message
		}
	}
	rep.add(d)
	return true
}

// cargoSummary reports whether a message only counts or repeats others.
func cargoSummary(s string) bool {
	return strings.HasPrefix(s, "aborting due to") || strings.HasPrefix(s, "could not compile") ||
		strings.HasSuffix(s, "emitted") || strings.HasPrefix(s, "test failed, to rerun") || strings.Contains(s, "target failed:") || strings.Contains(s, "targets failed:")
}

var libtestLine = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^test (\S+(?: - .*)?) \.\.\. (ok|FAILED|ignored)(?:,.*)?$`)
})

var libtestPanic = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^thread '.*?'(?: \(\d+\))? panicked at (?:'(.*)', )?([^\s:]+):(\d+):\d+:?$`)
})

// decodeCargoTest reads `cargo test --message-format=json`: messages of the
// compiler as JSON, then the plain lines of Rust's test harness.
func decodeCargoTest(in Input, rep *Report) error {
	rep.base = cargoRoot(in.Dir)
	var failed []string
	sections, section, inFailures := map[string]*bounded{}, "", false
	settle := func() { // ends one test binary
		for _, name := range failed {
			f := TestFailure{Name: name}
			if s := sections[name]; s != nil {
				f.Output = s.String()
				f.File, f.Line, f.Message = rustPlace(f.Output)
			}
			rep.fail(f)
		}
		failed, sections, section, inFailures = nil, map[string]*bounded{}, "", false
	}
	for raw := range lines(in.Log) {
		if cargoLine(raw, rep) {
			continue
		}
		l := Clean(string(raw))
		if name, ok := strings.CutPrefix(l, "---- "); ok && inFailures {
			section = strings.TrimSuffix(name, " stdout ----")
			if len(sections) < maxFailures {
				sections[section] = &bounded{}
			}
			continue
		}
		switch m := libtestLine().FindStringSubmatch(l); {
		case l == "failures:":
			inFailures, section = true, ""
		case strings.HasPrefix(l, "test result: "):
			settle()
		case section != "" && sections[section] != nil:
			sections[section].add(l + "\n")
		case m == nil || inFailures:
		case m[2] == "ok":
			rep.tests().Passed++
		case m[2] == "ignored":
			rep.tests().Skipped++
		case len(failed) < maxOpenTests:
			failed = append(failed, m[1])
		}
	}
	settle()
	return nil
}

// rustPlace finds the panic of a failed test and its message, which since Rust 1.73 is
// on the following lines.
func rustPlace(output string) (file string, line int, message string) {
	all := strings.Split(output, "\n")
	for i, l := range all {
		m := libtestPanic().FindStringSubmatch(l)
		if m == nil {
			continue
		}
		n, _ := strconv.Atoi(m[3])
		message = m[1]
		for _, more := range all[i+1:] {
			if message != "" && m[1] != "" || strings.HasPrefix(more, "note: ") || strings.HasPrefix(more, "stack backtrace:") {
				break
			}
			message += "\n" + more
		}
		return m[2], n, strings.TrimSpace(message)
	}
	return "", 0, firstTelling(output)
}

// maxCargoUp bounds the directories searched upwards for the root of a workspace.
const maxCargoUp = 8

// maxManifest bounds a Cargo.toml, in bytes.
const maxManifest = 1 << 20

// cargoRoot is the root of the workspace that a package belongs to: rustc and the
// panics of tests name files relative to it. "" if that is dir itself, or unknown.
func cargoRoot(dir string) string {
	for at, n := dir, 0; dir != "" && n < maxCargoUp; at, n = filepath.Dir(at), n+1 {
		file := filepath.Join(at, "Cargo.toml")
		manifest, err := untrusted.Read(file, maxManifest)
		if err != nil {
			continue
		}
		if bytes.Contains(manifest, []byte("[workspace")) {
			if at == dir {
				return ""
			}
			return at
		}
	}
	return ""
}
