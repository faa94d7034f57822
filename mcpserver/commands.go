package mcpserver

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"ccdir/mcpserver/diag"
	"ccdir/mcpserver/project"
	"ccdir/mcpserver/runner"
)

// Time limits of commands.
const (
	defaultTime = 30 * time.Second
	buildTime   = 10 * time.Minute
	maxTime     = time.Hour
)

type projectIn struct {
	ProjectPath string `json:"project_path,omitempty" jsonschema:"absolute path of the project; default: the session's directory"`
}

type commandIn struct {
	projectIn
	TimeoutSeconds int `json:"timeout_seconds,omitempty" jsonschema:"time limit; default as configured, usually 600, at most 3600"`
	// WarningsAsErrors makes a run that only warns fail.
	WarningsAsErrors bool   `json:"warnings_as_errors,omitempty"`
	Since            string `json:"since,omitempty" jsonschema:"turn: only what changed since your turn began"`
}

type testIn struct {
	watchIn
	Path        string   `json:"path,omitempty" jsonschema:"file, directory or package to test; default: all"`
	Name        string   `json:"name,omitempty" jsonschema:"pattern for the names of tests, as the test tool has it"`
	Tags        []string `json:"tags,omitempty" jsonschema:"build tags, markers or features"`
	Seed        string   `json:"seed,omitempty" jsonschema:"seed of the order of tests"`
	MaxFailures int      `json:"max_failures,omitempty" jsonschema:"show at most so many, and stop after them if the tool can; default: show 10, run all"`
}

type formatIn struct {
	commandIn
	Write bool `json:"write,omitempty" jsonschema:"write the files; default: only check"`
}

// Result is the result of a command.
type Result struct {
	Status     string            `json:"status" jsonschema:"ok (something was run and is well), failed, no_tests, skipped (all tests), missing (the tool), timeout, cancelled or error"`
	ExitCode   int               `json:"exit_code" jsonschema:"-1 if it did not exit by itself"`
	DurationMS int64             `json:"duration_ms"`
	Command    string            `json:"command"`
	Dir        string            `json:"dir" jsonschema:"where it ran; files are relative to it"`
	Summary    string            `json:"summary"`
	Errors     []diag.Diagnostic `json:"errors" jsonschema:"diagnostics that are errors"`
	Warnings   []diag.Diagnostic `json:"warnings" jsonschema:"the other diagnostics"`
	Tests      *diag.Tests       `json:"tests,omitempty"`
	Output     string            `json:"output" jsonschema:"head and tail of what it printed"`
	Truncated  bool              `json:"truncated" jsonschema:"output or errors are not all; see log"`
	Log        string            `json:"log" jsonschema:"file with the full output"`
	LogURI     string            `json:"log_uri" jsonschema:"the same as a resource of this server"`
	Watch      string            `json:"watch,omitempty" jsonschema:"id of the watch, for run_output and run_stop"`

	// found counts all diagnostics, including those that are not kept.
	found struct{ errors, warnings int }
	// missing: the program is not there.
	missing bool
	// notes are appended to the summary.
	notes []string
}

func (r *request) directory(path string) (string, error) {
	if path == "" {
		path = r.peer.space.Base()
	}
	if !filepath.IsAbs(path) {
		return "", fmt.Errorf("project_path %q must be absolute", path)
	}
	return r.peer.space.Directory(path)
}

// limit is a command's time limit: the call's, else the configured one for the tool,
// else usual.
func (r *request) limit(seconds int, tool string, usual time.Duration) (time.Duration, error) {
	if r.server.opts.Timeout != nil {
		if d := r.server.opts.Timeout(tool); d > 0 {
			usual = d
		}
	}
	d := time.Duration(seconds) * time.Second
	switch {
	case seconds == 0:
		return usual, nil
	case seconds < 0 || d > maxTime:
		return 0, &invalidError{fmt.Sprintf("timeout_seconds must be 1 to %d", int(maxTime.Seconds()))}
	}
	return d, nil
}

// action runs the project's command for one of project.Actions.
func (r *request) action(ctx context.Context, action string, in commandIn, opts project.TestOptions, write bool) (*Result, error) {
	timeout, err := r.limit(in.TimeoutSeconds, action, buildTime)
	if err != nil {
		return nil, err
	}
	p, below, err := r.project(in.ProjectPath)
	if err != nil {
		return nil, err
	}
	opts.Path = testPath(p, action, opts.Path, below)
	if err := r.insideTests(p, opts.Path); err != nil {
		return nil, err
	}
	only, narrowed, err := r.sinceTurn(ctx, p, action, in.Since, &opts)
	if err != nil {
		return nil, err
	}
	c, err := p.Command(action, opts, write)
	if err != nil {
		return nil, err
	}
	until := time.Now().Add(timeout)
	res, err := r.step(ctx, p, action, c, timeout)
	for _, next := range c.Then {
		if err != nil || res.Status != runner.OK {
			break
		}
		first := res
		if res, err = r.step(ctx, p, action, next, left(until)); err == nil {
			res.Command = first.Command + " && " + res.Command
			res.DurationMS += first.DurationMS
			res.Errors = append(first.Errors, res.Errors...)
			res.found.errors += first.found.errors
			res.found.warnings += first.found.warnings
		}
	}
	if err != nil {
		return nil, err
	}
	last := c
	for len(last.Then) > 0 {
		last = last.Then[len(last.Then)-1]
	}
	res.judge(action, last, opts, in.WarningsAsErrors)
	if only != nil {
		res.keepOnly(only)
	}
	if narrowed != "" {
		res.notes = append(res.notes, narrowed)
	}
	if len(c.Unused) > 0 {
		res.notes = append(res.notes, fmt.Sprintf("%s not taken by this project's test command and left out", strings.Join(c.Unused, ", ")))
	}
	if res.Status != runner.Error {
		res.Summary = summary(res)
	}
	return res, nil
}

func decoder(c project.Command) (diag.Decoder, error) {
	switch {
	case len(c.Patterns) > 0:
		return diag.Patterns("project", c.Patterns)
	case len(c.Errorformat) > 0:
		return diag.Errorformat("project", c.Errorformat)
	}
	return diag.Lookup(c.Decoder)
}

// step runs one command and decodes its output.
func (r *request) step(ctx context.Context, p *project.Project, action string, c project.Command, timeout time.Duration) (*Result, error) {
	dec, err := decoder(c)
	if err != nil {
		return nil, err
	}
	argv, report := slices.Clone(c.Argv), ""
	for i, a := range argv {
		if strings.Contains(a, "{report}") {
			if report == "" {
				tmp, err := os.MkdirTemp("", "ccdir-report-")
				if err != nil {
					return nil, err
				}
				defer os.RemoveAll(tmp)
				report = filepath.Join(tmp, "report.xml")
			}
			argv[i] = strings.ReplaceAll(a, "{report}", report)
		}
	}
	began := time.Now()
	res, err := r.execute(ctx, action, p.Dir, argv, timeout)
	if err != nil {
		return nil, err
	}
	defer r.server.logs.done(res.Log)
	if res.Status == runner.Error {
		return res, nil
	}
	if err := decodeRun(dec, c, p, report, began, res); err != nil {
		res.Output += "\n(" + err.Error() + ")"
	}
	if c.Listing && (res.Status == runner.OK || res.Status == runner.Failed) && strings.TrimSpace(res.Output) != "" {
		for name := range strings.SplitSeq(strings.TrimSpace(res.Output), "\n") {
			if name == "" || strings.HasPrefix(name, "… ") || res.Status == runner.Failed && !isFile(p.Dir, name) {
				continue // the line between head and tail that counts the missing bytes, or why it failed
			}
			if rel, err := filepath.Rel(p.Dir, name); err == nil && filepath.IsLocal(rel) {
				name = rel
			}
			res.Errors = append(res.Errors, diag.Diagnostic{File: name, Severity: diag.Error, Message: "not formatted", Source: argv[0]})
		}
		if len(res.Errors) > 0 {
			res.Status = runner.Failed
		}
	}
	switch c.Decoder {
	case "gotest":
		res.Output = goTestText(res.Output)
	case "cargo", "cargotest":
		res.Output = cargoText(res.Output)
	}
	res.Summary = summary(res)
	return res, nil
}

// isFile reports whether a name in a listing is a file.
func isFile(dir, name string) bool {
	if !filepath.IsAbs(name) {
		name = filepath.Join(dir, name)
	}
	info, err := os.Stat(name)
	return err == nil && info.Mode().IsRegular()
}

// cargoText is cargo's output without its messages in JSON, which the decoder has read.
func cargoText(output string) string {
	var b strings.Builder
	for line := range strings.Lines(output) {
		if !strings.HasPrefix(line, `{"reason":"`) {
			b.WriteString(line)
		}
	}
	return b.String()
}

// goTestText extracts the tests' own output from the output of go test -json: the
// events are for the decoder. Lines that are no event stay.
func goTestText(output string) string {
	var b strings.Builder
	for line := range strings.Lines(output) {
		var e struct{ Action, Output string }
		if strings.HasPrefix(line, "{") && json.Unmarshal([]byte(line), &e) == nil && e.Action != "" {
			if !strings.HasPrefix(e.Output, "=== ") {
				b.WriteString(e.Output)
			}
			continue
		}
		b.WriteString(line)
	}
	return b.String()
}

func decodeRun(dec diag.Decoder, c project.Command, p *project.Project, report string, began time.Time, res *Result) error {
	log, err := os.Open(res.Log)
	if err != nil {
		return err
	}
	defer log.Close()
	in := diag.Input{Log: log, Dir: p.Dir, PackageDir: p.GoPackageDir()}
	if report != "" {
		if _, err := os.Stat(report); err != nil {
			return nil // the tool failed earlier; its output says why
		}
		in.Reports = []string{report}
	}
	rep, decErr := diag.Decode(dec, in)
	if len(c.Reports) > 0 {
		if fresh := freshReports(p.Dir, c.Reports, began); len(fresh) > 0 {
			junit, _ := diag.Lookup("junit")
			more, err := diag.Decode(junit, diag.Input{Dir: p.Dir, Reports: fresh})
			rep.Tests, decErr = more.Tests, err
		}
	}
	res.Errors, res.Tests = rep.Diagnostics, rep.Tests
	res.found.errors, res.found.warnings = rep.Errors, rep.Warnings
	res.Truncated = res.Truncated || rep.Truncated
	return decErr
}

// freshReports finds the report files that this run wrote.
func freshReports(dir string, patterns []string, began time.Time) []string {
	var fresh []string
	for _, pat := range patterns {
		if !filepath.IsLocal(pat) {
			continue // a file outside is no report of this project
		}
		names, _ := filepath.Glob(filepath.Join(quoteGlob(dir), pat))
		for _, n := range names {
			info, err := os.Lstat(n)
			if err == nil && info.Mode().IsRegular() && !info.ModTime().Before(began.Add(-time.Second)) && len(fresh) < 1000 {
				fresh = append(fresh, n)
			}
		}
	}
	return fresh
}

// quoteGlob escapes the special characters of filepath.Glob.
func quoteGlob(s string) string {
	return strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`).Replace(s)
}

// execute runs argv in dir. The caller releases the log (logKeeper.done) when it no
// longer needs it.
func (r *request) execute(ctx context.Context, name, dir string, argv []string, timeout time.Duration) (*Result, error) {
	log, err := r.server.logs.next(name, r.peer.caller)
	if err != nil {
		return nil, err
	}
	run, err := runner.Run(ctx, runner.Spec{Argv: argv, Behind: r.peer.caller.Walls.Behind, Dir: dir, Env: r.environ(nil), Timeout: timeout, Log: log,
		Progress: func(_ time.Duration, _ int64, line string) { r.progress(ctx, line) }})
	if err != nil {
		r.server.logs.done(log)
		return nil, err
	}
	res := &Result{Status: run.Status, ExitCode: run.ExitCode, DurationMS: run.Duration.Milliseconds(), Command: strings.Join(argv, " "), Dir: dir,
		missing: run.NotFound, Errors: []diag.Diagnostic{}, Warnings: []diag.Diagnostic{}, Output: run.Output, Truncated: run.Truncated, Log: log, LogURI: r.server.logs.uri(log), Summary: run.Message}
	if run.LogTruncated {
		res.notes = append(res.notes, fmt.Sprintf("it printed %d bytes, of which the log has only the beginning", run.Bytes))
	}
	if res.Summary == "" {
		res.Summary = summary(res)
	}
	return res, nil
}

// versionTime bounds the question for a version.
const versionTime = 3 * time.Second

// version is what a program says about its version, in one line.
func (r *request) version(ctx context.Context, dir string, argv []string) string {
	program := filepath.Base(argv[len(argv)-2])
	res, err := r.execute(ctx, "version", dir, argv, versionTime)
	if err != nil {
		return program + ": " + err.Error()
	}
	defer r.server.logs.done(res.Log)
	line, _, _ := strings.Cut(strings.TrimSpace(res.Output), "\n")
	if res.Status != runner.OK || line == "" {
		return program + " is not installed, or does not say its version"
	}
	return program + " installed: " + line
}

// environ is the environment of a command: the session's, and the call's variables.
func (r *request) environ(env []string) []string {
	return append(append(slices.Clone(r.peer.caller.Env), "NO_COLOR=1", "TERM=dumb", "CI=1"), env...)
}

// outcome is how the command ended, for the record of the call.
func (r *Result) outcome() (outcome, message string) {
	switch r.Status {
	case runner.OK:
		return "ok", r.Summary
	case runner.Cancelled:
		return "cancelled", r.Summary
	}
	return "failed", r.Summary
}

func summary(r *Result) string {
	var parts []string
	if n := len(r.Errors) + len(r.Warnings); n > 0 {
		found := max(n, r.found.errors+r.found.warnings)
		text := fmt.Sprintf("%d diagnostics", found)
		if r.found.errors+r.found.warnings > 0 {
			text += fmt.Sprintf(" (%d errors, %d warnings)", r.found.errors, r.found.warnings)
		}
		if found > n {
			text += fmt.Sprintf(", %d of them here", n)
		}
		parts = append(parts, text)
	}
	if t := r.Tests; t != nil {
		parts = append(parts, fmt.Sprintf("%d tests passed, %d failed, %d skipped", t.Passed, t.Failed, t.Skipped))
	}
	state := r.Status
	if r.Status == runner.Failed {
		state = fmt.Sprintf("failed with exit code %d", r.ExitCode)
	}
	return strings.Join(append(append([]string{state}, parts...), r.notes...), "; ")
}
