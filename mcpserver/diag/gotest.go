package diag

import (
	"cmp"
	"encoding/json"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
)

// noOutput is the message of a failure that nothing explains.
const noOutput = "failed without output"

// maxOpenTests bounds the running tests whose output is buffered.
const maxOpenTests = 10_000

// goEvent is one line of `go test -json` (cmd/test2json) or of `go build
// -json` (cmd/go help buildjson), Go 1.24 and later.
type goEvent struct {
	Action, Package, ImportPath, Test, Output, FailedBuild string
}

var goTestPlace = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^\s*([^\s:]+\.go):(\d+): (.*)$`)
})

var goPanicPlace = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^\t(\S+_test\.go):(\d+)(?: \+0x[0-9a-f]+)?$`)
})

type goTests struct {
	in      Input
	rep     *Report
	vet     *goVet
	output  map[[2]string]*bounded   // by package and test; "" is the package
	failing map[[2]string]bool       // including the parents of failing tests
	open    map[string]*goUnfinished // by package, until it ends
}

// decodeGoTest reads `go test -json`. The parent of a failing subtest is not counted
// again. Where a package ends while tests run (time limit, exit, panic in another goroutine)
// these are the failures; a package that fails before any test is one under its own name.
func decodeGoTest(in Input, rep *Report) error {
	d := &goTests{in: in, rep: rep, vet: &goVet{rep: rep, source: "go"},
		output: map[[2]string]*bounded{}, failing: map[[2]string]bool{}, open: map[string]*goUnfinished{}}
	for line := range lines(in.Log) {
		var e goEvent
		if len(line) == 0 || line[0] != '{' || json.Unmarshal(line, &e) != nil || e.Action == "" {
			d.vet.line(string(line))
			continue
		}
		d.event(e)
	}
	d.vet.flush()
	return nil
}

func (d *goTests) event(e goEvent) {
	key := [2]string{e.Package, e.Test}
	switch e.Action {
	case "build-output":
		d.vet.line(strings.TrimRight(e.Output, "\n"))
	case "output":
		out := d.output[key]
		if out == nil && len(d.output) < maxOpenTests {
			out = &bounded{}
			d.output[key] = out
		}
		if out != nil {
			out.add(e.Output)
		}
		d.unfinished(e.Package).printed(e.Test, e.Output)
	case "run":
		d.unfinished(e.Package).begin(e.Test)
	case "pause", "cont":
		d.unfinished(e.Package).pause(e.Test, e.Action == "pause")
	case "pass", "skip":
		d.unfinished(e.Package).end(e.Test)
		if e.Test != "" && e.Action == "pass" {
			d.rep.tests().Passed++
		} else if e.Test != "" {
			d.rep.tests().Skipped++
		}
		delete(d.output, key)
	case "fail":
		if e.Test == "" {
			d.died(e)
		}
		d.unfinished(e.Package).end(e.Test)
		d.fail(e, TestFailure{})
		delete(d.output, key)
	}
	if e.Test == "" && (e.Action == "pass" || e.Action == "skip" || e.Action == "fail") {
		delete(d.open, e.Package)
	}
}

func (d *goTests) unfinished(pkg string) *goUnfinished {
	u := d.open[pkg]
	if u == nil {
		u = &goUnfinished{}
		if len(d.open) < maxOpenTests {
			d.open[pkg] = u
		}
	}
	return u
}

// died takes the tests that ran when the process of a package ended.
func (d *goTests) died(e goEvent) {
	if e.FailedBuild != "" {
		return
	}
	for _, f := range d.unfinished(e.Package).failures() {
		one := e
		one.Test = f.Name
		d.fail(one, f)
		delete(d.output, [2]string{e.Package, f.Name})
	}
}

// fail takes a failed test, or a package that failed. Its place and message are those of f, else
// found in its output.
func (d *goTests) fail(e goEvent, f TestFailure) {
	key := [2]string{e.Package, e.Test}
	if e.FailedBuild != "" {
		return // its build-output has the errors
	}
	known := d.failing[key]
	if len(d.failing) < maxOpenTests {
		d.failing[[2]string{e.Package, ""}] = true
		for t := e.Test; t != ""; {
			d.failing[[2]string{e.Package, t}] = true
			cut := strings.LastIndexByte(t, '/')
			t = t[:max(cut, 0)]
		}
	}
	if known {
		d.panicOfSubtest(key)
		return
	}
	f.Name = strings.TrimSpace(e.Package + " " + e.Test)
	if out := d.output[key]; out != nil {
		f.Output = out.String()
	}
	if file, line, message := goPlace(f.Output); f.File == "" && !strings.HasPrefix(f.Message, "timed out") {
		f.File, f.Line = file, line
		f.Message = cmp.Or(message, f.Message)
	}
	f.File = d.inPackage(e.Package, f.File)
	if f.Message == "" {
		f.Message = firstTelling(f.Output)
	}
	d.rep.fail(f)
}

// panicOfSubtest gives a failed subtest the panic that was printed under its parent, after the
// subtest's own end.
func (d *goTests) panicOfSubtest(parent [2]string) {
	out := d.output[parent]
	if out == nil || parent[1] == "" {
		return
	}
	file, line, message := goPlace(out.String())
	all := d.rep.tests().Failures
	if len(all) == 0 || !strings.HasPrefix(message, "panic: ") {
		return
	}
	if f := &all[len(all)-1]; strings.HasPrefix(f.Name, parent[0]+" "+parent[1]+"/") && f.Message == noOutput {
		f.File, f.Line, f.Message = d.inPackage(parent[0], file), line, message
	}
}

// inPackage is a file named by a test, whose output has paths relative to its package.
func (d *goTests) inPackage(pkg, file string) string {
	if file != "" && !filepath.IsAbs(file) && d.in.PackageDir != nil {
		return filepath.Join(d.in.PackageDir(pkg), file)
	}
	return file
}

// goPlace finds where a Go test failed: its first t.Error line with the lines that
// continue it, or the first frame of a panic in a test file.
func goPlace(output string) (file string, line int, message string) {
	panicking := ""
	all := strings.Split(output, "\n")
	for i, l := range all {
		if m := goTestPlace().FindStringSubmatch(l); m != nil && panicking == "" {
			n, _ := strconv.Atoi(m[2])
			message = m[3]
			for _, more := range all[i+1:] {
				if !strings.HasPrefix(more, "        ") {
					break
				}
				message += "\n" + strings.TrimSpace(more)
			}
			return m[1], n, message
		}
		if strings.HasPrefix(l, "panic: ") && panicking == "" {
			panicking = l
		}
		if m := goPanicPlace().FindStringSubmatch(l); m != nil && panicking != "" {
			n, _ := strconv.Atoi(m[2])
			return m[1], n, panicking
		}
	}
	return "", 0, panicking
}

// firstTelling is the first line that was not printed by the go command itself.
func firstTelling(output string) string {
	for l := range strings.SplitSeq(output, "\n") {
		l = strings.TrimSpace(l)
		if l != "" && !strings.HasPrefix(l, "=== ") && !strings.HasPrefix(l, "--- ") {
			return l
		}
	}
	return noOutput
}

var goLine = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(?:vet: )?((?:[A-Za-z]:)?[^\s:][^:]*\.(?:go|mod|work|s|c|h|cgo)):(\d+)(?::(\d+))?: (.*)$`)
})

// goVet reads the plain findings of go build and go vet; a finding may continue in
// lines that begin with a tab.
type goVet struct {
	rep    *Report
	source string
	last   *Diagnostic
}

func decodeGoVet(in Input, rep *Report) error {
	v := &goVet{rep: rep, source: "go"}
	for line := range lines(in.Log) {
		v.line(Clean(string(line)))
	}
	v.flush()
	return nil
}

func (v *goVet) line(l string) {
	if v.last != nil && strings.HasPrefix(l, "\t") && len(v.last.Message) < maxMessage {
		v.last.Message += "\n" + strings.TrimSpace(l)
		return
	}
	v.flush()
	if m := goLine().FindStringSubmatch(l); m != nil {
		if m[4] == "too many errors" {
			return
		}
		n, _ := strconv.Atoi(m[2])
		c, _ := strconv.Atoi(m[3])
		v.last = &Diagnostic{File: m[1], Line: n, Column: c, Severity: Error, Message: m[4], Source: v.source}
		return
	}
	for _, p := range []string{"go: ", "vet: ", "package ", "link: "} {
		if rest, ok := strings.CutPrefix(l, p); ok && !strings.HasPrefix(rest, "downloading ") && !strings.HasPrefix(rest, "finding ") {
			v.rep.add(Diagnostic{Severity: Error, Message: strings.TrimPrefix(l, "go: "), Source: v.source})
			return
		}
	}
}

func (v *goVet) flush() {
	if v.last != nil {
		v.rep.add(*v.last)
		v.last = nil
	}
}
