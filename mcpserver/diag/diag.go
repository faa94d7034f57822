// Package diag parses the output of compilers, linters and test runners into diagnostics and
// test results that a model can act on.
//
// A Decoder reads a log once, from start to end, in bounded memory. Logs of any length and
// with any bytes are normal; unknown lines are skipped and are no error. An error means that
// a report in a machine format could not be read at all; earlier findings stay in the
// Report. Decoders keep the first findings up to a limit and count the rest.
package diag

import (
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
)

// Limits on what one Report keeps. The counts include the rest.
const (
	maxDiagnostics = 200
	maxFailures    = 100
	maxMessage     = 2000    // bytes of one message
	maxOutput      = 4000    // bytes of one failed test's output: its end
	maxLine        = 1 << 20 // bytes of one line of a log; the rest is dropped
	maxDocument    = 16 << 20
)

// Severities of a Diagnostic.
const (
	Error   = "error"
	Warning = "warning"
	Info    = "info"
)

// Diagnostic is one finding of a tool.
type Diagnostic struct {
	// File is relative to the directory the tool ran in if it lies below it, else as
	// the tool named it; "" if the finding has no location.
	File string `json:"file" jsonschema:"path relative to the project, or absolute outside of it"`
	// Line, Column and EndLine count from 1; 0 is unknown.
	Line     int    `json:"line" jsonschema:"from 1; 0 if unknown"`
	Column   int    `json:"column" jsonschema:"from 1; 0 if unknown"`
	EndLine  int    `json:"end_line" jsonschema:"0 if unknown"`
	Severity string `json:"severity" jsonschema:"error, warning or info"`
	// Code is the tool's code of the kind of finding, such as TS2322.
	Code    string `json:"code"`
	Message string `json:"message"`
	// Source is the tool that found it.
	Source string `json:"source"`
}

// TestFailure is one test that failed.
type TestFailure struct {
	// Name is unique among the tests of the run.
	Name    string `json:"name"`
	File    string `json:"file"`
	Line    int    `json:"line"`
	Message string `json:"message"`
	// Expected and Got are what the test compared, if it says so.
	Expected string `json:"expected"`
	Got      string `json:"got"`
	// Output is the end of the test's output.
	Output string `json:"output"`
}

// Tests are the results of a test run.
type Tests struct {
	Passed   int           `json:"passed"`
	Failed   int           `json:"failed"`
	Skipped  int           `json:"skipped"`
	Failures []TestFailure `json:"failures"`
}

// Report holds a decoder's findings.
type Report struct {
	Diagnostics []Diagnostic
	// Errors and Warnings count all diagnostics, also those not kept.
	Errors, Warnings int
	// Tests is nil if no test result was found.
	Tests *Tests
	// Truncated: there was more than is kept.
	Truncated bool
	dir       string
	seen      map[Diagnostic]bool
	// base is the directory that the tool's file names are relative to; "" is
	// Input.Dir.
	base string
	// firm is how many of the first Diagnostics are known to be errors.
	firm int
}

// Input is a decoder's input.
type Input struct {
	// Log is the tool's output, standard output and error in whole lines.
	Log io.Reader
	// Dir is the absolute directory the tool ran in.
	Dir string
	// Reports are files that the tool wrote, for decoders of report files.
	Reports []string
	// PackageDir gives the directory of a package below Dir; nil: unknown.
	PackageDir func(pkg string) string
}

// Decoder finds diagnostics and tests in a tool's output.
type Decoder func(in Input, rep *Report) error

// Decode runs d. A panic of d, which hostile output may cause in a library, becomes an
// error; earlier findings stay.
func Decode(d Decoder, in Input) (rep *Report, err error) {
	rep = &Report{Diagnostics: []Diagnostic{}, dir: in.Dir, seen: map[Diagnostic]bool{}}
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("the decoder failed on this output: %v; see the log", r)
		}
	}()
	if in.Log == nil {
		in.Log = strings.NewReader("")
	}
	return rep, d(in, rep)
}

// Lookup returns the decoder of a name: one of Names, "errorformat:NAME" for a
// tool that github.com/reviewdog/errorformat knows.
func Lookup(name string) (Decoder, error) {
	if tool, ok := strings.CutPrefix(name, "errorformat:"); ok {
		return predefined(tool)
	}
	if d := builtin(name); d != nil {
		return d, nil
	}
	return nil, fmt.Errorf("no decoder %q; there are %s and errorformat:TOOL", name, strings.Join(Names(), ", "))
}

// Names lists the decoders of this package, sorted.
func Names() []string {
	names := []string{"none", "gotest", "govet", "cargo", "cargotest", "sarif", "junit", "unittest", "eslint", "jest"}
	for name := range patternTable() {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

func builtin(name string) Decoder {
	switch name {
	case "none":
		return func(Input, *Report) error { return nil }
	case "gotest":
		return decodeGoTest
	case "govet":
		return decodeGoVet
	case "cargo":
		return decodeCargo
	case "cargotest":
		return decodeCargoTest
	case "sarif":
		return decodeSARIF
	case "junit":
		return decodeJUnit
	case "eslint":
		return decodeESLint
	case "jest":
		return decodeJest
	case "unittest":
		return decodeUnittest
	}
	if p, ok := patternTable()[name]; ok {
		return func(in Input, rep *Report) error { return decodePatterns(name, p(), in, rep) }
	}
	return nil
}

// add records one diagnostic; a duplicate is dropped.
func (r *Report) add(d Diagnostic) {
	d.File = r.relative(d.File)
	d.Severity = severity(d.Severity)
	d.Message = head(strings.TrimSpace(Clean(d.Message)), maxMessage)
	d.Line, d.Column, d.EndLine = max(d.Line, 0), max(d.Column, 0), max(d.EndLine, 0)
	d.Code = head(Clean(d.Code), 200)
	if d.Message == "" || r.seen[d] {
		return
	}
	switch d.Severity {
	case Error:
		r.Errors++
	case Warning:
		r.Warnings++
	}
	if len(r.Diagnostics) >= maxDiagnostics {
		r.Truncated = true
		if d.Severity != Error || !r.dropLesser() {
			return
		}
	}
	r.seen[d] = true
	r.Diagnostics = append(r.Diagnostics, d)
}

// dropLesser drops a warning to make room for an error: among a thousand warnings the
// model needs the one error most.
func (r *Report) dropLesser() bool {
	for i := len(r.Diagnostics) - 1; i >= r.firm; i-- {
		if r.Diagnostics[i].Severity != Error {
			r.Diagnostics = slices.Delete(r.Diagnostics, i, i+1)
			return true
		}
	}
	r.firm = len(r.Diagnostics)
	return false
}

func (r *Report) tests() *Tests {
	if r.Tests == nil {
		r.Tests = &Tests{Failures: []TestFailure{}}
	}
	return r.Tests
}

func (r *Report) fail(f TestFailure) {
	t := r.tests()
	t.Failed++
	if len(t.Failures) >= maxFailures {
		r.Truncated = true
		return
	}
	f.File = r.relative(f.File)
	f.Name = head(Clean(f.Name), 500)
	f.Message = head(strings.TrimSpace(Clean(f.Message)), maxMessage)
	f.Output = tail(Clean(f.Output), maxOutput)
	f.Expected, f.Got = compared(f.Message, f.Output)
	t.Failures = append(t.Failures, f)
}

// relative returns a file's path relative to the run's directory if it lies below it.
func (r *Report) relative(file string) string {
	file = Clean(strings.TrimPrefix(strings.TrimSpace(file), "file://"))
	if file == "" {
		return ""
	}
	file = filepath.Clean(file)
	if r.base != "" && !filepath.IsAbs(file) {
		file = filepath.Join(r.base, file)
	}
	if filepath.IsAbs(file) && r.dir != "" {
		if rel, err := filepath.Rel(r.dir, file); err == nil && filepath.IsLocal(rel) {
			return rel
		}
	}
	return head(file, 4096)
}

// severity maps the words of many tools to the three of a Diagnostic.
func severity(s string) string {
	switch strings.ToLower(s) {
	case "", "error", "fatal error", "fatal", "e", "f", "err", "failure", "error: internal compiler error", "critical":
		return Error
	case "warning", "warn", "w":
		return Warning
	}
	return Info
}
