package cli_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"ccdir/internal/disk/paths"
	"ccdir/test/programs"
)

// example is a shell block of a document with what must come of it.
type example struct {
	line int
	sh   string
	want string
}

// examplesOf finds the blocks: each sh block, and the json block after it.
func examplesOf(text string) (list []example) {
	kind, at := "", 0
	var block []string
	for n, line := range strings.Split(text, "\n") {
		mark, ok := strings.CutPrefix(line, "```")
		switch {
		case !ok:
			block = append(block, line)
		case kind == "":
			kind, at, block = mark, n+2, nil
			if kind == "" {
				kind = "text"
			}
		default:
			body := strings.Join(block, "\n")
			switch {
			case kind == "sh":
				list = append(list, example{line: at, sh: body})
			case kind == "json" && len(list) > 0 && list[len(list)-1].want == "":
				list[len(list)-1].want = body
			}
			kind = ""
		}
	}
	return list
}

// TestAPIDocument runs the examples of docs/api.md in one shell against a daemon
// of their own, and holds the answers against what the document says.
func TestAPIDocument(t *testing.T) {
	text, err := os.ReadFile("../docs/api.md")
	if err != nil {
		t.Fatal(err)
	}
	programs.Need(t, "bash", "curl")
	examples := examplesOf(string(text))
	if len(examples) < 10 {
		t.Fatalf("found only %d examples", len(examples))
	}
	home, err := os.MkdirTemp("", "cc") // short: sockets lie by its name
	if err != nil {
		t.Fatal(err)
	}
	p, err := paths.New(func(key string) string { return map[string]string{"CCDIR_HOME": home}[key] }, os.Getuid())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { leaveNothing(t, p); os.RemoveAll(home) })
	const end = "@@end-of-example"
	var script strings.Builder
	for _, e := range examples {
		fmt.Fprintf(&script, "%s\necho; echo '%s'\n", e.sh, end)
	}
	cmd := exec.CommandContext(t.Context(), "bash", "-c", script.String())
	cmd.Env = []string{"CCDIR_HOME=" + home, "HOME=" + home, "PATH=" + bin + string(filepath.ListSeparator) + os.Getenv("PATH"), "LANG=C.UTF-8", "SHELL=/bin/sh"}
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v\n%s\n%s", err, out, stderr.String())
	}
	if stderr.Len() > 0 {
		t.Errorf("the examples said: %s", stderr.String())
	}
	answers := strings.Split(string(out), end+"\n")
	for i, e := range examples {
		if e.want == "" {
			continue
		}
		got, want := documents(t, answers[i]), documents(t, e.want)
		if len(got) != len(want) {
			t.Errorf("docs/api.md:%d: %d answers, the document has %d:\n%s", e.line, len(got), len(want), answers[i])
			continue
		}
		for n := range want {
			if why := contains(got[n], want[n], ""); why != "" {
				t.Errorf("docs/api.md:%d: answer %d: %s\n%s", e.line, n+1, why, answers[i])
			}
		}
	}
}

// documents are the JSON documents of a text; "started" and the like that verbs
// print are left out.
func documents(t *testing.T, text string) (list []any) {
	t.Helper()
	if i := strings.IndexAny(text, "{["); i >= 0 {
		text = text[i:]
	}
	for dec := json.NewDecoder(strings.NewReader(text)); ; {
		var v any
		if err := dec.Decode(&v); errors.Is(err, io.EOF) {
			return list
		} else if err != nil {
			t.Fatalf("%v in %s", err, text)
		}
		list = append(list, v)
	}
}

// contains says where got lacks what want has, "" if it lacks nothing. "…" in a
// text stands for any.
func contains(got, want any, at string) string {
	switch want := want.(type) {
	case map[string]any:
		have, ok := got.(map[string]any)
		if !ok {
			return fmt.Sprintf("%s is %v and no object", at, got)
		}
		for k, w := range want {
			if _, ok := have[k]; !ok {
				return fmt.Sprintf("%s.%s is missing", at, k)
			}
			if why := contains(have[k], w, at+"."+k); why != "" {
				return why
			}
		}
		return ""
	case []any:
		have, ok := got.([]any)
		if !ok || len(have) != len(want) {
			return fmt.Sprintf("%s is %v, and not %d elements", at, got, len(want))
		}
		for i, w := range want {
			if why := contains(have[i], w, fmt.Sprintf("%s[%d]", at, i)); why != "" {
				return why
			}
		}
		return ""
	case string:
		have, ok := got.(string)
		if !ok {
			return fmt.Sprintf("%s is %v and no text", at, got)
		}
		parts := strings.Split(want, "…")
		fits := len(parts) > 1 || have == want
		for _, part := range parts {
			_, rest, ok := strings.Cut(have, part)
			have, fits = rest, fits && ok
		}
		if !fits {
			return fmt.Sprintf("%s is %q, want %q", at, got, want)
		}
		return ""
	}
	if got != want {
		return fmt.Sprintf("%s is %v, want %v", at, got, want)
	}
	return ""
}

// TestContains: the comparison can fail.
func TestContains(t *testing.T) {
	for _, c := range []struct {
		got, want string
		fits      bool
	}{
		{`{"a":1,"b":"x"}`, `{"a":1}`, true}, {`{"a":1}`, `{"a":2}`, false}, {`{"a":1}`, `{"b":1}`, false}, {`[1]`, `[]`, false}, {`[]`, `[]`, true},
		{`{"a":"hello world"}`, `{"a":"…wor…"}`, true}, {`{"a":"hello"}`, `{"a":"…wor…"}`, false}, {`{"a":"hello"}`, `{"a":"hell"}`, false},
		{`{"a":null}`, `{"a":"…"}`, false}, {`{"a":[{"b":1,"c":2}]}`, `{"a":[{"c":2}]}`, true}, {`"x"`, `"…"`, true}, {`[{}]`, `{}`, false},
	} {
		if why := contains(documents(t, "["+c.got+"]")[0], documents(t, "["+c.want+"]")[0], ""); (why == "") != c.fits {
			t.Errorf("%s in %s: %q", c.want, c.got, why)
		}
	}
}
