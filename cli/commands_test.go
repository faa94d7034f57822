package cli_test

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"ccdir/api"
	"ccdir/internal/proc"
)

// commands are what scripts have beside testscript's own.
var commands = map[string]func(ts *testscript.TestScript, neg bool, args []string){
	"until":      cmdUntil,
	"json":       cmdJSON,
	"jsonlines":  cmdJSONLines,
	"keep":       cmdKeep,
	"kill9":      cmdKill9,
	"fakedaemon": cmdFakeDaemon,
	"oneline":    cmdOneLine,
	"same":       cmdSame,
	"code":       cmdCode,
	"gone":       cmdGone,
	"contiguous": cmdContiguous,
	"oneelement": cmdOneElement,
}

// untilTimeout bounds each wait for another process.
const untilTimeout = time.Minute

// cmdUntil: until REGEXP CMD ARG… runs a command until its output (standard and
// error together) matches.
func cmdUntil(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) < 2 {
		ts.Fatalf("usage: [!] until REGEXP CMD ARG…")
	}
	re, err := regexp.Compile("(?m)" + args[0])
	ts.Check(err)
	deadline := time.Now().Add(untilTimeout)
	for {
		cmd := exec.Command(lookup(ts, args[1]), args[2:]...)
		cmd.Dir = ts.MkAbs(".")
		cmd.Env = environ(ts)
		out, _ := cmd.CombinedOutput() // what it prints is what counts
		if re.Match(out) != neg {
			return
		}
		if time.Now().After(deadline) {
			ts.Fatalf("%q not seen (neg %t) in the output of %q, which is:\n%s", args[0], neg, args[1:], out)
		}
		time.Sleep(10 * time.Millisecond) // another process: it sends no event
	}
}

func lookup(ts *testscript.TestScript, name string) string {
	if name == "ccdir" || name == "ccdir-shim" {
		return filepath.Join(ts.Getenv("BIN"), name)
	}
	return name
}

// environ is the script's environment as far as ccdir looks at it.
func environ(ts *testscript.TestScript) []string {
	var env []string
	for _, key := range []string{"CCDIR_HOME", "HOME", "PATH", "SHELL", "TERM", "LANG", "NO_COLOR"} {
		if v := ts.Getenv(key); v != "" {
			env = append(env, key+"="+v)
		}
	}
	return env
}

// cmdJSON: json FILE PATH [VALUE] looks up a dotted path ("0.state", "len" is the
// length) in a JSON document. VALUE is compared as text; without one it is
// enough that it exists.
func cmdJSON(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) < 2 || len(args) > 3 {
		ts.Fatalf("usage: [!] json FILE PATH [VALUE]")
	}
	var doc any
	text := ts.ReadFile(args[0])
	dec := json.NewDecoder(strings.NewReader(text))
	dec.UseNumber()
	if err := dec.Decode(&doc); err != nil {
		ts.Fatalf("%s is not JSON: %v\n%s", args[0], err, text)
	}
	if dec.More() {
		ts.Fatalf("%s holds more than one JSON document:\n%s", args[0], text)
	}
	got, err := dig(doc, args[1])
	ok := err == nil && (len(args) == 2 || got == args[2])
	if ok == neg {
		ts.Fatalf("%s: %s is %q (%v), in\n%s", args[0], args[1], got, err, text)
	}
}

// dig returns what is at a dotted path, as text.
func dig(doc any, path string) (string, error) {
	for key := range strings.SplitSeq(path, ".") {
		switch v := doc.(type) {
		case map[string]any:
			next, ok := v[key]
			if !ok {
				return "", fmt.Errorf("no %q", key)
			}
			doc = next
		case []any:
			if key == "len" {
				doc = json.Number(strconv.Itoa(len(v)))
				continue
			}
			i, err := strconv.Atoi(key)
			if err != nil || i < 0 || i >= len(v) {
				return "", fmt.Errorf("no element %q of %d", key, len(v))
			}
			doc = v[i]
		default:
			return "", fmt.Errorf("nothing below %q", key)
		}
	}
	if s, ok := doc.(string); ok {
		return s, nil
	}
	data, err := json.Marshal(doc)
	return string(data), err
}

// cmdJSONLines: jsonlines FILE KEY… checks that every line is one object with
// these keys and no others.
func cmdJSONLines(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: jsonlines FILE KEY…")
	}
	want := map[string]bool{}
	for _, k := range args[1:] {
		want[k] = true
	}
	n := 0
	sc := bufio.NewScanner(strings.NewReader(ts.ReadFile(args[0])))
	sc.Buffer(nil, 1<<20)
	for sc.Scan() {
		var object map[string]any
		if err := json.Unmarshal(sc.Bytes(), &object); err != nil {
			ts.Fatalf("line %q: %v", sc.Text(), err)
		}
		got := map[string]bool{}
		for k := range object {
			got[k] = true
		}
		if !reflect.DeepEqual(got, want) {
			ts.Fatalf("line %q has not just the keys %v", sc.Text(), args[1:])
		}
		n++
	}
	if n == 0 {
		ts.Fatalf("%s has no lines", args[0])
	}
}

// cmdKeep: keep NAME FILE [PATH] sets a variable to a file's text, or to what
// is at PATH of its JSON.
func cmdKeep(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 || len(args) > 3 {
		ts.Fatalf("usage: keep NAME FILE [PATH]")
	}
	value := strings.TrimSpace(ts.ReadFile(args[1]))
	if len(args) == 3 {
		var doc any
		dec := json.NewDecoder(strings.NewReader(value))
		dec.UseNumber()
		ts.Check(dec.Decode(&doc))
		var err error
		value, err = dig(doc, args[2])
		ts.Check(err)
	}
	ts.Setenv(args[0], value)
}

// cmdSame: same A B fails unless both texts are equal.
func cmdSame(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) != 2 || (args[0] == args[1]) == neg {
		ts.Fatalf("compared %q", args)
	}
}

// cmdKill9: kill9 PID|daemon kills a process and waits until it is gone.
func cmdKill9(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: kill9 PID|daemon")
	}
	text := args[0]
	if text == "daemon" {
		var f api.ServerFile
		ts.Check(json.Unmarshal([]byte(ts.ReadFile(filepath.Join(ts.Getenv("STATE"), "server.json"))), &f))
		text = strconv.Itoa(f.PID)
	}
	pid, err := strconv.Atoi(text)
	ts.Check(err)
	if pid < 2 {
		ts.Fatalf("no process %d", pid)
	}
	ts.Check(syscall.Kill(pid, syscall.SIGKILL))
	waitGone(ts, pid)
}

// cmdGone: gone PID waits until a process has ended.
func cmdGone(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: gone PID")
	}
	pid, err := strconv.Atoi(args[0])
	ts.Check(err)
	waitGone(ts, pid)
}

func waitGone(ts *testscript.TestScript, pid int) {
	for deadline := time.Now().Add(untilTimeout); proc.Alive(pid, ""); {
		if time.Now().After(deadline) {
			ts.Fatalf("process %d does not end", pid)
		}
		time.Sleep(2 * time.Millisecond) // another process: it sends no event
	}
}

// cmdFakeDaemon: fakedaemon VERSION serves the script's socket as a daemon of
// that version until the script ends.
func cmdFakeDaemon(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: fakedaemon VERSION")
	}
	ts.Check(os.MkdirAll(ts.Getenv("RUNTIME"), 0o700))
	l, err := net.Listen("unix", ts.Getenv("SOCKET"))
	ts.Check(err)
	mux := http.NewServeMux()
	mux.HandleFunc("GET /v1/health", func(w http.ResponseWriter, _ *http.Request) {
		_ = json.NewEncoder(w).Encode(api.Server{PID: os.Getpid(), Version: args[0]}) // the client sees it
	})
	srv := &http.Server{Handler: mux}
	done := make(chan error, 1)
	go func() { done <- srv.Serve(l) }()
	ts.Defer(func() {
		srv.Close()
		if err := <-done; !errors.Is(err, http.ErrServerClosed) {
			ts.Logf("fake daemon: %v", err)
		}
	})
}

// cmdOneLine: oneline FILE checks that a text is one line that begins "ccdir: "
// and holds no control characters.
func cmdOneLine(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: oneline FILE")
	}
	oneLine(ts, ts.ReadFile(args[0]))
}

func oneLine(ts *testscript.TestScript, text string) {
	line, rest, found := strings.Cut(text, "\n")
	if !found || rest != "" || !strings.HasPrefix(line, "ccdir: ") || strings.ContainsFunc(line, func(r rune) bool { return r < 0x20 }) {
		ts.Fatalf("not one line for a person: %q", text)
	}
}

// cmdCode: code N CMD ARG… runs a command, which must exit with N and, where
// that is not 0, say why in one line and print nothing else.
func cmdCode(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: code N CMD ARG…")
	}
	cmd := exec.Command(lookup(ts, args[1]), args[2:]...)
	cmd.Dir = ts.MkAbs(".")
	cmd.Env = environ(ts)
	var stdout, stderr strings.Builder
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	var exit *exec.ExitError
	if err := cmd.Run(); err != nil && !errors.As(err, &exit) {
		ts.Fatalf("%q: %v", args[1:], err)
	}
	if got := strconv.Itoa(cmd.ProcessState.ExitCode()); got != args[0] {
		ts.Fatalf("%q: exit code %s, want %s\n%s%s", args[1:], got, args[0], stdout.String(), stderr.String())
	}
	if args[0] != "0" {
		oneLine(ts, stderr.String())
	}
}

// cmdContiguous: contiguous FILE FIRST LAST checks that the events of a stream
// have the numbers FIRST to LAST, each once, in order.
func cmdContiguous(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 3 {
		ts.Fatalf("usage: contiguous FILE FIRST LAST")
	}
	next, err := strconv.ParseInt(args[1], 10, 64)
	ts.Check(err)
	last, err := strconv.ParseInt(args[2], 10, 64)
	ts.Check(err)
	for line := range strings.Lines(ts.ReadFile(args[0])) {
		var e api.Event
		ts.Check(json.Unmarshal([]byte(line), &e))
		if e.Seq != next {
			ts.Fatalf("event %d where %d belongs", e.Seq, next)
		}
		next++
	}
	if next != last+1 {
		ts.Fatalf("the events end at %d, not at %d", next-1, last)
	}
}

// cmdOneElement: oneelement FILE checks that a file is a JSON array of one element.
func cmdOneElement(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) != 1 {
		ts.Fatalf("usage: oneelement FILE")
	}
	var list []json.RawMessage
	ts.Check(json.Unmarshal([]byte(ts.ReadFile(args[0])), &list))
	if (len(list) == 1) == neg {
		ts.Fatalf("%d elements", len(list))
	}
}
