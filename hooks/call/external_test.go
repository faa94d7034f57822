package call

import (
	"bytes"
	"io"
	"net"
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

// outside is a CCDIR_HOME with its runtime directory.
func outside(t *testing.T) (env []string, p paths.Paths) {
	t.Helper()
	home := t.TempDir()
	env = []string{"CCDIR_HOME=" + home, "CLAUDE_PID=4711"}
	p, err := paths.New(func(k string) string { return map[string]string{"CCDIR_HOME": home}[k] }, os.Getuid())
	if err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(p.Runtime, 0o700); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(p.Runtime) })
	return env, p
}

// from calls a hook from outside, with a reader that tells whether it was read.
func from(env []string) (code int, read int, took time.Duration) {
	began := time.Now()
	in := &countingReader{r: strings.NewReader(`{"session_id":"c1"}`)}
	code = external("Stop", in, env, os.Getuid(), 99, began)
	return code, int(in.n.Load()), time.Since(began)
}

// countingReader may still be read when the call is over: it waits only so long.
type countingReader struct {
	r io.Reader
	n atomic.Int64
}

func (c *countingReader) Read(p []byte) (int, error) {
	n, err := c.r.Read(p)
	c.n.Add(int64(n))
	return n, err
}

func TestExternalWithoutDaemon(t *testing.T) {
	env, p := outside(t)
	quickly := func(what string) {
		t.Helper()
		var code, read int
		var took time.Duration
		for range 10 { // once is enough: on a busy machine it gives up before it has read
			if code, read, took = from(env); code != 0 || read > 0 && took <= 50*time.Millisecond {
				break
			}
		}
		if code != 0 || read == 0 || took > 50*time.Millisecond {
			t.Errorf("%s: code %d, %d bytes read, %s", what, code, read, took)
		}
	}
	quickly("no socket")
	// A socket whose daemon was killed.
	ln, err := net.ListenUnix("unix", &net.UnixAddr{Name: p.Socket()})
	if err != nil {
		t.Fatal(err)
	}
	ln.SetUnlinkOnClose(false)
	_ = ln.Close()
	quickly("a dead socket")
	if code := Main([]string{"Stop", externalArg}, strings.NewReader("x"), io.Discard, io.Discard, nil); code != 0 {
		t.Errorf("without any environment: %d", code)
	}
}

func TestExternalPosts(t *testing.T) {
	env, p := outside(t)
	type posted struct {
		header http.Header
		body   string
	}
	got := make(chan posted, 100)
	stop := place{socket: p.Socket()}.serve(t, func(w http.ResponseWriter, r *http.Request) {
		b, _ := io.ReadAll(r.Body)
		got <- posted{r.Header, string(b)}
		_, _ = io.WriteString(w, `{"stdout":"{}","exit":2}`)
	})
	// next calls until a call of that agent comes through: none waits long.
	next := func(pid string, call func()) posted {
		t.Helper()
		for range 100 {
			call()
			for len(got) > 0 {
				if c := <-got; c.header.Get(api.HeaderPID) == pid {
					return c
				}
			}
		}
		t.Fatalf("no call of %s came through", pid)
		return posted{}
	}
	var out bytes.Buffer // Main's time began with this process, so its call may not come through
	if code := Main([]string{"Stop", externalArg}, strings.NewReader(`{"a":1}`), &out, &out, env); code != 0 || out.Len() > 0 {
		t.Errorf("code %d, printed %q", code, out.String())
	}
	c := next("4711", func() {
		if code := external("Stop", strings.NewReader(`{"a":1}`), env, os.Getuid(), 99, time.Now()); code != 0 {
			t.Errorf("code %d", code)
		}
	})
	h := c.header
	if h.Get(api.HeaderSession) != "" || h.Get(api.HeaderToken) != "" || h.Get(api.HeaderHook) != "Stop" || h.Get(api.HeaderHookID) == "" || c.body != `{"a":1}` {
		t.Errorf("posted %v, %s", h, c.body)
	}
	// Without CLAUDE_PID the parent is the agent.
	next("99", func() { from(env[:1]) })
	// Inside a session its own hooks report.
	from([]string{env[0], "CLAUDE_PID=1", api.EnvSession + "=s1", api.EnvSocket + "=" + p.Socket()})
	// Others could have made a directory that is open to them.
	if err := os.Chmod(p.Runtime, 0o755); err != nil {
		t.Fatal(err)
	}
	from([]string{env[0], "CLAUDE_PID=2"})
	stop()
	for len(got) > 0 {
		if c := <-got; len(c.header.Get(api.HeaderPID)) == 1 {
			t.Errorf("a call too many: %v", c.header)
		}
	}
}

func TestExternalHangingDaemon(t *testing.T) {
	env, p := outside(t)
	ln, err := net.Listen("unix", p.Socket())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = ln.Close() }()
	if code, _, took := from(env); code != 0 || took > externalLimit+10*time.Second {
		t.Errorf("code %d after %s", code, took)
	}
	if files, _ := filepath.Glob(filepath.Join(p.State, "*")); len(files) > 0 {
		t.Errorf("left behind: %v", files)
	}
}
