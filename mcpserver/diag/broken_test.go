package diag

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf16"
)

func utf16le(s string) string {
	b := []byte{0xff, 0xfe}
	for _, u := range utf16.Encode([]rune(s)) {
		b = append(b, byte(u), byte(u>>8))
	}
	return string(b)
}

// TestOddReports: reports in other encodings, with colours of what tests printed, and
// cut off by a kill, are read all the same.
func TestOddReports(t *testing.T) {
	d, err := Lookup("junit")
	if err != nil {
		t.Fatal(err)
	}
	const good = `<testsuite name="s"><testcase classname="c" name="ok"/><testcase classname="c" name="bad"><failure message="m%s">a.py:3: x</failure></testcase></testsuite>`
	whole := strings.ReplaceAll(good, "%s", "")
	for name, tt := range map[string]struct{ doc, message string }{
		"byte order mark": {utf8BOM + whole, "m"},
		"latin 1":         {`<?xml version="1.0" encoding="ISO-8859-1"?>` + strings.ReplaceAll(good, "%s", "\xe4"), "mä"},
		"windows":         {`<?xml version='1.0' encoding='windows-1252' standalone='yes'?>` + "\n" + whole, "m"},
		"false name":      {`<?xml version="1.0" encoding="us-ascii"?>` + strings.ReplaceAll(good, "%s", "ä"), "mä"},
		"UTF-16":          {utf16le(`<?xml version="1.0" encoding="utf-16"?>` + strings.ReplaceAll(good, "%s", "ä€")), "mä€"},
		"colours":         {strings.ReplaceAll(good, "%s", "\x1b[31mred\x1b[0m\x00\x07"), "mred"},
		"references":      {strings.ReplaceAll(good, "%s", "&#x1b;[31mred&#27;[0m&#0;&#8;&#65;&#xD800;"), "mredA"},
		"not UTF-8":       {strings.ReplaceAll(good, "%s", "\xff"), "m\uFFFD"},
	} {
		rep, err := Decode(d, Input{Log: strings.NewReader(tt.doc)})
		if err != nil || rep.Tests == nil || rep.Tests.Passed != 1 || rep.Tests.Failed != 1 || rep.Tests.Failures[0].Message != tt.message {
			t.Errorf("%s: %+v, %v", name, rep.Tests, err)
		}
	}
	for name, doc := range map[string]string{
		"in a case":   `<testsuites>` + strings.TrimSuffix(whole, "</testsuite>") + `<testcase name="next"><fail`,
		"in a tag":    `<testsuites xmlns="urn:x">` + strings.TrimSuffix(whole, "</testsuite>") + `<testcase na`,
		"bare":        `<testsuites><testcase name="ok"/><testcase name="bad"><failure/></testcase><testc`,
		"wrong close": strings.TrimSuffix(whole, "</testsuite>") + `<testcase name="z"></b>`,
	} {
		rep, err := Decode(d, Input{Log: strings.NewReader(doc)})
		if err == nil || !strings.Contains(err.Error(), "broken") || rep.Tests == nil || rep.Tests.Passed != 1 || rep.Tests.Failed != 1 {
			t.Errorf("%s: %+v, %v", name, rep.Tests, err)
		}
	}
	sarif, _ := Lookup("sarif")
	rep, err := Decode(sarif, Input{Log: strings.NewReader(utf8BOM + `{"runs":[{"results":[{"message":{"text":"m"}}]}]}`)})
	if err != nil || len(rep.Diagnostics) != 1 {
		t.Errorf("SARIF: %+v, %v", rep, err)
	}
	report := filepath.Join(t.TempDir(), "r")
	if err := os.WriteFile(report, []byte(`[{"filePath":"a.js","messages":[{"severity":2,"message":"m","line":1}]},{"fileP`), 0o600); err != nil {
		t.Fatal(err)
	}
	eslint, _ := Lookup("eslint")
	if rep, err = Decode(eslint, Input{Reports: []string{report}}); err == nil || len(rep.Diagnostics) != 1 {
		t.Errorf("ESLint: %+v, %v", rep, err)
	}
}

// TestErrorsBeforeWarnings: an error behind a flood of warnings is kept.
func TestErrorsBeforeWarnings(t *testing.T) {
	d, _ := Lookup("gcc")
	var b strings.Builder
	for i := range 3 * maxDiagnostics {
		fmt.Fprintf(&b, "a.c:%d:1: warning: w\n", i+1)
	}
	b.WriteString("b.c:1:1: error: one\nb.c:2:1: error: two\n")
	rep := decode(t, d, b.String())
	last := rep.Diagnostics[len(rep.Diagnostics)-1]
	if len(rep.Diagnostics) != maxDiagnostics || last.Message != "two" || rep.Errors != 2 || rep.Warnings != 3*maxDiagnostics || !rep.Truncated {
		t.Errorf("%d kept, the last %+v, %d errors, %d warnings", len(rep.Diagnostics), last, rep.Errors, rep.Warnings)
	}
}

// TestCargoWorkspace: rustc names files from the root of the workspace.
func TestCargoWorkspace(t *testing.T) {
	root := t.TempDir()
	member := filepath.Join(root, "crates", "a")
	if err := os.MkdirAll(member, 0o755); err != nil {
		t.Fatal(err)
	}
	for dir, text := range map[string]string{root: "[workspace]\nmembers=['crates/a']\n", member: "[package]\nname='a'\n"} {
		if err := os.WriteFile(filepath.Join(dir, "Cargo.toml"), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	const log = `{"reason":"compiler-message","message":{"message":"no","level":"error","spans":[{"file_name":"crates/a/src/lib.rs","line_start":2,"is_primary":true}]}}` + "\n"
	d, _ := Lookup("cargo")
	for dir, want := range map[string]string{root: "crates/a/src/lib.rs", member: "src/lib.rs"} {
		rep, err := Decode(d, Input{Log: strings.NewReader(log), Dir: dir})
		if err != nil || len(rep.Diagnostics) != 1 || rep.Diagnostics[0].File != want {
			t.Errorf("%s: %+v, %v", dir, rep.Diagnostics, err)
		}
	}
}

// TestOpenSequence: only a sequence that the next bytes belong to is open.
func TestOpenSequence(t *testing.T) {
	for s, want := range map[string]int{
		"": 0, "plain": 0, "\x1b[31mred": 0, "\x1b[0m": 0, "a\x1b": 1, "a\x1b[": 2, "a\x1b[38;5": 6, "\x1b]8;;http://x": 13,
		"\x1b]8;;http://x\x1b\\": 0, "\x1b]0;t\a": 0, "\x1b]0;t\asome text": 0, "\x1b7": 0, "\x1b[1mx\x1b[": 2,
	} {
		if got := OpenSequence(s); got != want {
			t.Errorf("%q: %d, want %d", s, got, want)
		}
	}
}
