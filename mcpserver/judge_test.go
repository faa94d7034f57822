package mcpserver

import (
	"os/exec"
	"slices"
	"strings"
	"testing"

	"ccdir/mcpserver/diag"
	"ccdir/mcpserver/project"
	"ccdir/mcpserver/runner"
)

// TestNothingRun: a run without a single test that ran is not ok, and says what to do.
func TestNothingRun(t *testing.T) {
	const mod = "module m\n\ngo 1.26\n"
	warns := map[string]string{".ccdir.toml": "[commands.lint]\nrun = ['echo', 'a.c:1:2: warning: odd']\ndecoder = 'gcc'\n"}
	for _, c := range []struct {
		name, program, tool, status, says string
		args                              map[string]any
		files                             map[string]string
	}{
		{"no test files", "go", "test", "no_tests", "write one", nil, map[string]string{"go.mod": mod, "a.go": "package m\n"}},
		{"no match", "go", "test", "no_tests", "no test matches", map[string]any{"name": "TestNone"}, map[string]string{"go.mod": mod, "a_test.go": "package m\nimport \"testing\"\nfunc TestA(t *testing.T) {}\n"}},
		{"no such package", "go", "test", "failed", "no test was run", map[string]any{"path": "./nope"}, map[string]string{"go.mod": mod, "a.go": "package m\n"}},
		{"all skipped", "go", "test", "skipped", "every test was skipped", nil, map[string]string{"go.mod": mod, "a_test.go": "package m\nimport \"testing\"\nfunc TestA(t *testing.T) { t.Skip(\"later\") }\n"}},
		{"one passes", "go", "test", "ok", "1 tests passed", nil, map[string]string{"go.mod": mod, "a_test.go": "package m\nimport \"testing\"\nfunc TestA(t *testing.T) {}\n"}},
		{"missing program", "go", "lint", "missing", "install it", nil, map[string]string{".ccdir.toml": "[commands.lint]\nrun = ['no-such-linter']\n"}},
		{"missing in a script", "sh", "lint", "missing", "no-such-linter is not installed: install the project's development dependencies", nil, map[string]string{".ccdir.toml": "[commands.lint]\nrun = ['sh', '-c', 'no-such-linter .']\n"}},
		{"missing module", "sh", "test", "missing", "pytest is not installed", nil, map[string]string{".ccdir.toml": "[commands.test]\nrun = ['sh', '-c', 'echo /usr/bin/python3: No module named pytest; exit 1']\n"}},
		{"empty pytest run", "sh", "test", "no_tests", "write one", nil, map[string]string{".ccdir.toml": "[commands.test]\nrun = ['sh', '-c', 'exit 5']\ndecoder = 'junit'\n"}},
		{"not found, but installed", "sh", "lint", "failed", "exit code 1", nil, map[string]string{".ccdir.toml": "[commands.lint]\nrun = ['sh', '-c', 'echo key: not found; exit 1']\n"}},
		{"warnings", "echo", "lint", "ok", "0 errors, 1 warnings", nil, warns},
		{"warnings as errors", "echo", "lint", "failed", "warnings_as_errors", map[string]any{"warnings_as_errors": true}, warns},
	} {
		t.Run(c.name, func(t *testing.T) {
			if _, err := exec.LookPath(c.program); err != nil {
				t.Skip(c.program + " is not installed")
			}
			cl := dial(t, Options{}, Caller{Dir: grow(t, c.files)})
			cl.initialize()
			if c.args == nil {
				c.args = map[string]any{}
			}
			res := result(t, cl.call(c.tool, c.args))
			if res.Status != c.status || !strings.Contains(res.Summary, c.says) || len(res.Errors) > 0 {
				t.Errorf("%s: %s; want %s: %s\n%+v", res.Status, res.Summary, c.status, c.says, res)
			}
			if c.tool == "lint" && c.program == "echo" && len(res.Warnings) != 1 {
				t.Errorf("warnings %+v", res.Warnings)
			}
		})
	}
}

// TestNodeRunsNothing: what test runners say if they find no test; their exit code is that of
// failed tests.
func TestNodeRunsNothing(t *testing.T) {
	for output, want := range map[string]string{
		"\nNo tests found!\n\nTests need \".test\" in the filename\n":                     statusNoTests,
		"The following filters did not match any test files:\n x\n":                       statusNoTests,
		"sum.test.js:\n\nerror: regex \"nope\" matched 0 tests. Searched 1 file [32ms]\n": statusNoTests,
		"No tests found, exiting with code 1\nRun with `--passWithNoTests`\n":             statusNoTests,
		"\nNo test files found, exiting with code 1\n\nfilter: x\n":                       statusNoTests,
		"Error: No test files found: \"test\"\n":                                          statusNoTests,
		"sum.test.js:\nerror: Cannot find module './sum'\n":                               runner.Failed,
	} {
		r := &Result{Status: runner.Failed, ExitCode: 1, Output: output, Tests: &diag.Tests{Skipped: 2}}
		r.judge(project.Test, project.Command{Argv: []string{"./node_modules/.bin/bun", "test"}, Decoder: "junit"}, project.TestOptions{Name: "x"}, false)
		if r.Status != want {
			t.Errorf("%q: %s, want %s", output, r.Status, want)
		}
	}
}

// TestFailedBesideTests: a run that fails though each test passed names the error, and one that ended
// before its report was written is not called a run without tests.
func TestFailedBesideTests(t *testing.T) {
	const vitest = " ✓ a.test.js (2 tests) 53ms\n\n⎯⎯⎯ Unhandled Errors ⎯⎯⎯\n\nVitest caught 1 unhandled error during the test run.\n\n⎯⎯⎯ Uncaught Exception ⎯⎯⎯\n" +
		"Error: late\n ❯ Timeout._onTimeout a.test.js:2:46\n      1| import { test, expect } from 'vitest'\n ❯ listOnTimeout node:internal/timers:581:17\n"
	for _, c := range []struct {
		name, output, note string
		tests              *diag.Tests
		want               []diag.Diagnostic
	}{
		{"vitest", vitest, "every test passed, and the run failed: Error: late", &diag.Tests{Passed: 2},
			[]diag.Diagnostic{{File: "a.test.js", Line: 2, Column: 46, Severity: diag.Error, Message: "Error: late", Source: "test"}}},
		{"jest", "Test Suites: 1 passed\nReferenceError: x is not defined\n    at Object.<anonymous> (src/teardown.js:7:3)\n", "run failed: ReferenceError: x is not defined", &diag.Tests{Passed: 1},
			[]diag.Diagnostic{{File: "src/teardown.js", Line: 7, Column: 3, Severity: diag.Error, Message: "ReferenceError: x is not defined", Source: "test"}}},
		{"coverage", "2 passed\nrequired coverage was not reached\n", "every test passed, and the run failed: the end of output says why", &diag.Tests{Passed: 2}, nil},
		{"a test failed", "Error: late\n", "", &diag.Tests{Passed: 2, Failed: 1}, nil},
		{"no report", "Segmentation fault\n", "the run ended before it reported its tests", nil, nil},
	} {
		r := &Result{Status: runner.Failed, ExitCode: 1, Output: c.output, Tests: c.tests}
		r.judge(project.Test, project.Command{Argv: []string{"vitest", "run"}, Decoder: "junit"}, project.TestOptions{}, false)
		if notes := strings.Join(r.notes, "; "); !strings.Contains(notes, c.note) || c.note == "" && notes != "" {
			t.Errorf("%s: %q", c.name, notes)
		}
		if !slices.Equal(r.Errors, c.want) && len(r.Errors)+len(c.want) > 0 {
			t.Errorf("%s: %+v", c.name, r.Errors)
		}
	}
}

// TestFailuresAreCut: the first failures are shown, all are counted.
func TestFailuresAreCut(t *testing.T) {
	test := "package m\nimport (\n\"fmt\"\n\"testing\"\n)\nfunc TestA(t *testing.T) {\nfor i := range 25 {\nt.Run(fmt.Sprint(i), func(t *testing.T) { t.Error(i) })\n}\n}\n"
	cl := dial(t, Options{}, Caller{Dir: grow(t, map[string]string{"go.mod": "module m\n\ngo 1.26\n", "a_test.go": test})})
	cl.initialize()
	for limit, want := range map[int]int{0: maxFailures, 3: 3, 25: 25} {
		res := result(t, cl.call("test", map[string]any{"max_failures": limit}))
		if res.Tests == nil || res.Tests.Failed != 25 || len(res.Tests.Failures) != want || res.Truncated != (want < 25) || res.Tests.Failures[0].Line != 8 {
			t.Errorf("max_failures %d: %s, %+v", limit, res.Summary, res.Tests)
		}
	}
}

// TestCargoText: the model gets no messages in JSON, which the decoder has read.
func TestCargoText(t *testing.T) {
	if got := cargoText("   Compiling x\n{\"reason\":\"compiler-message\"}\nerror: could not\n"); got != "   Compiling x\nerror: could not\n" {
		t.Errorf("got %q", got)
	}
}
