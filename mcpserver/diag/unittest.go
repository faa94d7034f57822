package diag

import (
	"regexp"
	"strconv"
	"strings"
	"sync"
)

var unittestHead = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(?:FAIL|ERROR): (\S+) \(([^)]*)\)(?: (.*))?$`)
})

var unittestSum = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(?:FAILED|OK) \(.*?(?:skipped=(\d+))?\)$`)
})

var pythonFrame = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?m)^  File "([^"]+)", line (\d+), in (\S+)`)
})

const (
	unittestRule  = "======================================================================"
	unittestUnder = "----------------------------------------------------------------------"
)

// decodeUnittest reads the output of `python -m unittest`: the sections of failed tests
// between rules, then the counts. (pytest is read through JUnit XML.)
func decodeUnittest(in Input, rep *Report) error {
	var name string
	var out bounded
	ran, failed := 0, 0
	end := func() {
		if name == "" {
			return
		}
		f := TestFailure{Name: name, Output: out.String()}
		f.File, f.Line, f.Message = pythonPlace(f.Output, name)
		rep.fail(f)
		failed++
		name, out = "", bounded{}
	}
	for raw := range lines(in.Log) {
		l := Clean(string(raw))
		switch m := unittestHead().FindStringSubmatch(l); {
		case l == unittestRule:
			end()
		case m != nil && name == "":
			name = m[2]
			if !strings.HasSuffix(name, m[1]) { // before Python 3.11
				name += "." + m[1]
			}
			name = strings.TrimSpace(name + " " + m[3])
		case strings.HasPrefix(l, "Ran "):
			end()
			n, _ := strconv.Atoi(strings.Fields(l + " 0 0")[1])
			ran += max(n, 0)
			rep.tests()
		case name != "" && l != unittestUnder:
			out.add(l + "\n")
		default:
			if m := unittestSum().FindStringSubmatch(l); m != nil && rep.Tests != nil {
				n, _ := strconv.Atoi(m[1])
				rep.Tests.Skipped += max(n, 0)
			}
		}
	}
	end()
	if rep.Tests != nil {
		rep.Tests.Passed = max(0, ran-failed-rep.Tests.Skipped)
	}
	return nil
}

// pythonPlace finds the test's own frame in a traceback, or the innermost one,
// and the exception's line.
func pythonPlace(trace, name string) (file string, line int, message string) {
	for _, m := range pythonFrame().FindAllStringSubmatch(trace, 200) {
		file = m[1]
		line, _ = strconv.Atoi(m[2])
		if strings.HasSuffix(strings.Fields(name)[0], "."+m[3]) {
			break
		}
	}
	for l := range strings.SplitSeq(strings.TrimSpace(trace), "\n") {
		if l != "" && l[0] != ' ' && !strings.HasPrefix(l, "Traceback ") {
			message = l
			break
		}
	}
	return file, line, message
}
