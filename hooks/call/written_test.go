package call

import (
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"ccdir/api"
)

// narrow is an output that takes some bytes and no more.
type narrow struct{ room int }

func (f *narrow) Write(p []byte) (int, error) {
	n := min(f.room, len(p))
	if f.room -= n; n < len(p) {
		return n, errors.New("no room")
	}
	return n, nil
}

// TestHalfAnAnswer: agents take half an answer with exit code 0 for none, and run the tool. So the
// process fails unless the whole answer was written, that of the daemon and its own.
func TestHalfAnAnswer(t *testing.T) {
	const answer = `{"decision":"deny"}`
	p := newPlace(t)
	stop := p.serve(t, func(w http.ResponseWriter, _ *http.Request) {
		_ = json.NewEncoder(w).Encode(api.HookReply{Stdout: answer})
	})
	code := func(room int, environ []string) int {
		return run(older("PreToolUse"), strings.NewReader("{}"), &narrow{room}, io.Discard, environ, time.Now())
	}
	if got := code(len(answer), p.environ()); got != 0 {
		t.Errorf("a whole answer: exit code %d", got)
	}
	if got := code(len(answer)-1, p.environ()); got == 0 {
		t.Error("half an answer: exit code 0")
	}
	stop()
	if got := code(10, append(p.environ(), api.EnvOnLoss+"=deny")); got == 0 {
		t.Error("half an answer without a daemon: exit code 0")
	}
}

// TestAnyHookBeforeATool: the adapter's command line says that a hook decides about a tool, how long it
// may take and how it answers; the name is the agent's own.
func TestAnyHookBeforeATool(t *testing.T) {
	p := newPlace(t)
	for args, want := range map[string]string{
		"BeforeTool --gate=decision --timeout=20":           `{"decision":"ask","reason":"`,
		"PreToolUse --gate=hookSpecificOutput --timeout=20": `{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"ask","permissionDecisionReason":"`,
		"PreExec --timeout=20 --gate=hookSpecificOutput":    `{"hookSpecificOutput":{"hookEventName":"PreExec","permissionDecision":"ask",`,
		"PostToolUse --timeout=20":                          "",
		"PreToolUse":                                        `{"hookSpecificOutput":{"hookEventName":"PreToolUse",`, // a session that an older ccdir started
		"BeforeTool":                                        "",
		"BeforeTool --timeout=20 --gate=":                   "",
	} {
		var out strings.Builder
		code := Main(strings.Fields(args), strings.NewReader("{}"), &out, io.Discard, append(p.environ(), api.EnvOnLoss+"=ask"))
		if code != 0 || !strings.HasPrefix(out.String(), want) || want == "" && out.Len() > 0 {
			t.Errorf("%s: printed %q, exit code %d", args, out.String(), code)
		}
		if out.Len() > 0 && !json.Valid([]byte(out.String())) {
			t.Errorf("%s: printed %q", args, out.String())
		}
	}
}

// TestNoSessionBeforeATool: a hook that decides about a tool and does not know its session fails, with
// a reason; others do nothing.
func TestNoSessionBeforeATool(t *testing.T) {
	for args, want := range map[string]int{"PreToolUse --gate=hookSpecificOutput": 2, "BeforeTool --gate=decision": 2, "PreToolUse": 2, "Stop": 0, "Stop --timeout=9": 0} {
		var errs strings.Builder
		start := time.Now()
		if code := Main(strings.Fields(args), strings.NewReader("{}"), io.Discard, &errs, []string{"PATH=/bin"}); code != want || (errs.Len() > 0) != (want != 0) {
			t.Errorf("%s: exit code %d after %s, said %q", args, code, time.Since(start), errs.String())
		}
	}
}

// TestHangingDaemonBeforeATool: a call that may wait for a person's answer waits for a daemon that
// hangs no longer than any other; a daemon that says that it works on the call has the whole time.
func TestHangingDaemonBeforeATool(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	works := make(chan bool, 1)
	hang := make(chan struct{})
	p.serve(t, func(w http.ResponseWriter, r *http.Request) {
		if <-works {
			w.WriteHeader(http.StatusProcessing)
			<-time.After(3 * time.Second) // longer than the call waits without a sign
			_ = json.NewEncoder(w).Encode(api.HookReply{Stdout: "answer"})
			return
		}
		<-hang
	})
	defer close(hang)
	l, ok := parseLine([]string{"PreToolUse", "--gate=hookSpecificOutput", "--timeout=1800"})
	if !ok || l.limit < time.Minute || l.sign <= 0 || l.sign > api.HookSignTime {
		t.Fatalf("%+v", l)
	}
	l.sign = 2 * time.Second
	for _, want := range []string{`"permissionDecision":"deny"`, "answer"} {
		works <- want == "answer"
		var out strings.Builder
		if code := run(l, strings.NewReader("{}"), &out, io.Discard, append(p.environ(), api.EnvOnLoss+"=deny"), time.Now()); code != 0 || !strings.Contains(out.String(), want) {
			t.Errorf("printed %q, exit code %d, want %s", out.String(), code, want)
		}
	}
}
