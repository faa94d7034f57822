package call

import (
	"encoding/json"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"ccdir/api"
	"ccdir/internal/disk/paths"
)

func TestNoDaemonSpools(t *testing.T) {
	p := newPlace(t)
	for _, hook := range []string{"UserPromptSubmit", "PreToolUse", "Stop"} {
		if out, errs, code := p.call(hook, `{"hook":"`+hook+`"}`, time.Minute); out+errs != "" || code != 0 {
			t.Errorf("%s printed %q %q, exit %d", hook, out, errs, code)
		}
	}
	got := p.spooled(t) // in the order of their names
	if len(got) != 3 {
		t.Fatalf("%d calls in the spool", len(got))
	}
	for i, hook := range []string{"UserPromptSubmit", "PreToolUse", "Stop"} {
		if got[i].Hook != hook || string(got[i].Payload) != `{"hook":"`+hook+`"}` || got[i].Token != "secret" || got[i].ID == "" {
			t.Errorf("call %d is %+v", i, got[i])
		}
	}
}

func TestSpooledCallIsDeliveredByTheSecondAttempt(t *testing.T) {
	p := newPlace(t)
	var calls atomic.Int32
	ids := make(chan string, 2)
	p.serve(t, func(w http.ResponseWriter, r *http.Request) {
		ids <- r.Header.Get(api.HeaderHookID)
		if calls.Add(1) == 1 {
			w.WriteHeader(http.StatusServiceUnavailable)
			return
		}
		_, _ = io.WriteString(w, `{"stdout":"late"}`)
	})
	if out, _, _ := p.call("Stop", "{}", time.Minute); out != "late" {
		t.Errorf("printed %q", out)
	}
	if a, b := <-ids, <-ids; a != b {
		t.Errorf("ids %s and %s differ", a, b)
	}
	if n := len(p.spooled(t)); n != 0 {
		t.Errorf("%d calls left in the spool", n)
	}
}

func TestSpoolOfLargePayloadIsShort(t *testing.T) {
	p := newPlace(t)
	p.call("PostToolUse", `{"session_id":"x","big":"`+strings.Repeat("a", maxSpoolPayload)+`"}`, time.Minute)
	got := p.spooled(t)
	if len(got) != 1 || len(got[0].Payload) > 200 || !strings.Contains(string(got[0].Payload), `"session_id":"x"`) {
		t.Errorf("spooled %d calls", len(got))
	}
}

func TestFullSpool(t *testing.T) {
	p := newPlace(t)
	dir := filepath.Join(p.dir, paths.SpoolDir)
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	for i := range maxSpoolFiles {
		if err := os.WriteFile(filepath.Join(dir, newID(time.Unix(int64(i), 0))), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if _, _, code := p.call("Stop", "{}", time.Minute); code != 0 {
		t.Errorf("exit %d", code)
	}
	if n := len(p.spooled(t)); n != 0 {
		t.Errorf("%d calls were written", n)
	}
	if _, err := os.Stat(filepath.Join(dir, paths.SpoolOverflow)); err != nil {
		t.Error(err)
	}
}

func TestRemovedSessionStaysRemoved(t *testing.T) {
	p := newPlace(t)
	p.dir = filepath.Join(p.dir, "gone")
	if _, _, code := p.call("Stop", "{}", time.Minute); code != 0 {
		t.Errorf("exit %d", code)
	}
	if _, err := os.Stat(p.dir); err == nil {
		t.Error("the session's directory was made again")
	}
}

func TestIDsSortByTime(t *testing.T) {
	a, b := newID(time.Unix(999_999_999, 0)), newID(time.Unix(1_000_000_000, 1))
	if a >= b {
		t.Errorf("%s does not sort before %s", a, b)
	}
	if a, b := newID(time.Unix(0, 0)), newID(time.Unix(0, 0)); a == b {
		t.Error("two ids are equal")
	}
}

func FuzzShorten(f *testing.F) {
	f.Add([]byte(`{"a":"b","c":[1`))
	f.Fuzz(func(t *testing.T, data []byte) {
		if out := shorten(data, len(data)); !json.Valid(out) {
			t.Errorf("%q is no JSON", out)
		}
	})
}
