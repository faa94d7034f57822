package diag

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// goUnfinished follows the tests of one package that have begun and not ended, and reads the
// goroutine dump that a panic or a time limit prints, line by line: it may be longer than the
// output that is kept.
type goUnfinished struct {
	running []string // tests in the order of their begin; at most maxOpenTests
	paused  map[string]bool
	died    string // the panic's line without "panic: "
	within  string // test under which that line was printed
	waits   []goWait
	root    string // of Go's own source, "" if unknown

	// Of the goroutine that is being read: the function of its last frame, the first place
	// outside of Go's own source, and whether it only waits for a subtest.
	function string
	wait     goWait
	parent   bool
}

// goWait is where a goroutine that runs a test stood, and the test's function.
type goWait struct {
	function, file string
	line           int
}

var goFrame = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^\t(\S+\.go):(\d+)(?: \+0x[0-9a-f]+)?\n?$`)
})

func (u *goUnfinished) begin(test string) {
	if len(u.running) < maxOpenTests {
		u.running = append(u.running, test)
	}
}

func (u *goUnfinished) pause(test string, on bool) {
	if u.paused == nil {
		u.paused = map[string]bool{}
	}
	if on && len(u.paused) < maxOpenTests {
		u.paused[test] = true
	} else {
		delete(u.paused, test)
	}
}

func (u *goUnfinished) end(test string) {
	if i := slices.Index(u.running, test); i >= 0 {
		u.running = slices.Delete(u.running, i, i+1)
	}
}

// printed reads a line that the package printed while the test ran.
func (u *goUnfinished) printed(test, line string) {
	if u.died == "" {
		if rest, ok := strings.CutPrefix(line, "panic: "); ok && len(rest) < maxMessage {
			u.died, u.within = strings.TrimSpace(rest), test
		}
		return
	}
	switch m := goFrame().FindStringSubmatch(line); {
	case strings.HasPrefix(line, "goroutine "):
		u.function, u.wait, u.parent = "", goWait{}, false
	case m != nil:
		if root, ok := strings.CutSuffix(m[1], "testing/testing.go"); ok && u.root == "" {
			u.root = root
		}
		if u.wait.file == "" && !u.own(m[1]) {
			u.wait.file = m[1]
			u.wait.line, _ = strconv.Atoi(m[2])
		}
	case strings.HasPrefix(line, "testing.(*T).Run("):
		u.parent = true
	case strings.HasPrefix(line, "testing.tRunner("):
		if u.wait.file != "" && !u.parent && len(u.waits) < maxFailures {
			u.waits = append(u.waits, goWait{u.function, u.wait.file, u.wait.line})
		}
	default:
		u.function, _, _ = strings.Cut(line, "(0x")
	}
}

// own reports whether a frame is of Go's own source or of a module in the cache, which nobody
// mends to make a test end. The dump begins with frames of testing.go, which tell where Go is.
func (u *goUnfinished) own(file string) bool {
	if u.root == "" { // built with -trimpath
		return !strings.HasSuffix(file, "_test.go")
	}
	return strings.HasPrefix(file, u.root) || strings.Contains(file, "/pkg/mod/")
}

// failures are the tests that ran when the package's process ended: those of which no subtest
// ran, and after a panic only the one that it was printed under. Output comes from the caller.
func (u *goUnfinished) failures() []TestFailure {
	var out []TestFailure
	limit, timedOut := strings.CutPrefix(u.died, "test timed out after ")
	for i, name := range u.running {
		hasChild := slices.ContainsFunc(u.running[i+1:], func(other string) bool { return strings.HasPrefix(other, name+"/") })
		if hasChild || u.paused[name] || len(out) == maxFailures {
			continue
		}
		f := TestFailure{Name: name, Message: "the test's process ended while it ran"}
		switch {
		case timedOut:
			f.Message = "timed out after " + limit
			f.File, f.Line = u.waitOf(name)
		case u.died != "" && u.within != "" && u.within != name:
			continue
		case u.died != "":
			f.Message = "panic: " + u.died
		}
		out = append(out, f)
	}
	return out
}

// waitOf takes the place at which a goroutine of the test stood: its function is the test's, or
// a closure in it.
func (u *goUnfinished) waitOf(test string) (file string, line int) {
	top, _, _ := strings.Cut(test, "/")
	for i, w := range u.waits {
		name := w.function[strings.LastIndexByte(w.function, '/')+1:]
		if _, rest, ok := strings.Cut(name, "."); ok && (rest == top || strings.HasPrefix(rest, top+".func")) {
			u.waits = slices.Delete(u.waits, i, i+1)
			return w.file, w.line
		}
	}
	return "", 0
}
