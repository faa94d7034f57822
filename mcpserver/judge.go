package mcpserver

import (
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"ccdir/mcpserver/diag"
	"ccdir/mcpserver/project"
	"ccdir/mcpserver/runner"
)

// Statuses of a Result besides those of package runner.
const (
	statusNoTests = "no_tests" // no test was run
	statusSkipped = "skipped"  // all tests were skipped
	statusMissing = "missing"  // the tool is not installed
)

// maxFailures is how many failed tests a result has if the call does not say.
const maxFailures = 10

// notThere matches what shells, package managers and Python say about a tool that is not
// installed.
var notThere = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?m)command not found\s*$|: not found\s*\n(?s:.*)\bError 127$|No module named '?(?:pytest|mypy|ruff|flake8)\b|error: no such command: |could not determine executable to run`)
})

// notThereName finds the name of the tool in what they say.
var notThereName = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile("([\\w./@+-]+): (?:command )?not found|No module named '?([\\w.]+)|no such command: `?([\\w-]+)|executable file not found[^\n]*\"([^\"\n]+)\"")
})

// missingTool says which tool the output of a failed command calls not installed.
func missingTool(output string) string {
	all := notThereName().FindAllStringSubmatch(output, -1)
	for i := len(all) - 1; i >= 0; i-- { // the last is the one that ended the command
		if name := strings.Join(all[i][1:], ""); name != "" {
			return filepath.Base(name) + " is not installed"
		}
	}
	return "a tool of this project is not installed (see output)"
}

// countsTests are the decoders that know how many tests were run.
var countsTests = []string{"gotest", "junit", "jest", "unittest", "cargotest"}

// judge sets the status of a run whose exit code says too little, with what to do, and
// puts warnings apart.
func (r *Result) judge(action string, c project.Command, opts project.TestOptions, strict bool) {
	r.split()
	switch {
	case r.missing:
		r.Status = statusMissing
		r.notes = append(r.notes, r.Summary+": install it, or name another program in .ccdir.toml, [commands."+action+"] run = [...]")
	case r.Status == runner.Failed && len(r.Errors) == 0 && (r.Tests == nil || r.Tests.Failed == 0) && (r.ExitCode == 127 || notThere().MatchString(r.Output)):
		r.Status = statusMissing
		r.notes = append(r.notes, missingTool(r.Output)+": install the project's development dependencies")
	case strict && r.Status == runner.OK && r.found.warnings > 0:
		r.Status = runner.Failed
		r.notes = append(r.notes, "there are warnings, and warnings_as_errors was asked for")
	}
	r.cutFailures(opts.MaxFailures)
	if action == project.Test && slices.Contains(countsTests, c.Decoder) {
		r.judgeTests(c, opts)
	}
}

// judgeTests tells a run without tests from one whose tests pass.
func (r *Result) judgeTests(c project.Command, opts project.TestOptions) {
	none := r.Status == runner.OK ||
		r.Status == runner.Failed && r.ExitCode == 5 && (c.Decoder == "junit" || c.Decoder == "unittest") || // Python: no test was collected
		r.Status == runner.Failed && r.ExitCode == 1 && (c.Decoder == "jest" || c.Decoder == "junit") && noneFound.MatchString(r.Output)
	t := r.Tests
	switch {
	case t != nil && t.Passed > 0 && t.Failed == 0 && r.Status == runner.Failed && len(r.Errors) == 0:
		r.beside()
	case t != nil && t.Passed+t.Failed > 0 || r.Status == runner.Failed && len(r.Errors) > 0:
		return
	case !none && r.Status == runner.Failed && (c.Decoder == "junit" || c.Decoder == "jest"):
		r.notes = append(r.notes, "the run ended before it reported its tests: the end of output says why") // reports are written at the end
	case !none && r.Status == runner.Failed:
		r.notes = append(r.notes, "no test was run: the end of output says why")
	case !none:
		return
	case t != nil && t.Skipped > 0 && (opts.Name == "" || !skipsOthers(c)):
		r.Status = statusSkipped
		r.notes = append(r.notes, "every test was skipped: see output for the reasons")
	default:
		r.Status = statusNoTests
		r.notes = append(r.notes, noTests(c, opts))
	}
}

// thrown is how runners print an error that no test has caught, and sourcePlace the place below it.
var (
	thrown      = regexp.MustCompile(`^\s*(?:Uncaught |Unhandled )?((?:[\w.]*(?:Error|Exception|Warning)|panic|fatal error|error|fatal)\b:? \S.*)$`)
	sourcePlace = regexp.MustCompile(`(?:^|[\s(])(?:file://)?([^\s():]+\.\w+):(\d+)(?::(\d+))?`)
)

// beside finds why a run failed in which every test passed: the first error in its output, with the
// place that is printed with it.
func (r *Result) beside() {
	lines := strings.Split(r.Output, "\n")
	for i, line := range lines {
		m := thrown.FindStringSubmatch(line)
		if m == nil {
			continue
		}
		d := diag.Diagnostic{Severity: diag.Error, Message: m[1], Source: "test"}
		for _, below := range lines[i+1 : min(i+6, len(lines))] {
			if at := sourcePlace.FindStringSubmatch(below); at != nil && !strings.HasPrefix(at[1], "node:") {
				d.File = at[1]
				d.Line, _ = strconv.Atoi(at[2])
				d.Column, _ = strconv.Atoi(at[3])
				break
			}
		}
		r.Errors = append(r.Errors, d)
		r.found.errors++
		r.notes = append(r.notes, "every test passed, and the run failed: "+d.Message)
		return
	}
	r.notes = append(r.notes, "every test passed, and the run failed: the end of output says why")
}

// noneFound is what Jest, Vitest, Mocha and Bun print, as an error, if no file has tests or none fits.
var noneFound = regexp.MustCompile(`(?m)^(No tests found|No test files found|Error: No test files found|The following filters did not match any test files|error: regex .* matched 0 tests)`)

func bunTest(c project.Command) bool {
	return filepath.Base(c.Argv[0]) == "bun" && len(c.Argv) > 1 && c.Argv[1] == "test"
}

// skipsOthers reports whether a test runner counts the tests that a name does not fit as skipped.
func skipsOthers(c project.Command) bool {
	return c.Decoder == "jest" || bunTest(c) || slices.ContainsFunc(c.Argv[:min(len(c.Argv), 3)], func(arg string) bool { return filepath.Base(arg) == "vitest" })
}

// cutFailures keeps the first failed tests; the count has all.
func (r *Result) cutFailures(limit int) {
	if limit <= 0 {
		limit = maxFailures
	}
	if t := r.Tests; t != nil && len(t.Failures) > limit {
		t.Failures, r.Truncated = t.Failures[:limit], true
		r.notes = append(r.notes, fmt.Sprintf("%d of the failed tests are here (max_failures)", limit))
	}
}

func noTests(c project.Command, opts project.TestOptions) string {
	switch {
	case opts.Name != "" || opts.Path != "" || len(opts.Tags) > 0:
		return "no test matches path, name and tags: call test without them to see all"
	case c.Decoder == "unittest":
		return "no test was found: unittest runs methods of TestCase classes in test*.py, below directories with an __init__.py"
	}
	return "no test was found: write one, or name the command that runs them in .ccdir.toml, [commands.test] run = [...]"
}

// split puts the diagnostics that are no errors apart.
func (r *Result) split() {
	all := r.Errors
	r.Errors = []diag.Diagnostic{}
	for _, d := range all {
		if d.Severity == diag.Error {
			r.Errors = append(r.Errors, d)
		} else {
			r.Warnings = append(r.Warnings, d)
		}
	}
}
