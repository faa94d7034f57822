package main

import (
	"encoding/json"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"ccdir/agents/claude"
	"ccdir/agents/statusline"
	"ccdir/api"
)

// statusLine is a run of the verb with the person's command in a settings file; socket is the
// daemon's.
func statusLine(t testing.TB, socket, command string) *exec.Cmd {
	t.Helper()
	file := filepath.Join(t.TempDir(), "settings.json")
	text, err := json.Marshal(map[string]any{"statusLine": map[string]any{"type": "command", "command": command}})
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, text, 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(program, append([]string{"statusline"}, statusline.Line{Hook: claude.HookStatusLine, Files: []string{file}}.Args()...)...)
	cmd.Env = append(os.Environ(), api.EnvSession+"=s1", api.EnvToken+"=secret", api.EnvSocket+"="+socket)
	return cmd
}

// TestStatusLine: what the person's command gets, prints and returns is what it would be without us.
func TestStatusLine(t *testing.T) {
	long := strings.Repeat("x", 300<<10)
	for name, tt := range map[string]struct {
		command, input, want string
		code                 int
	}{
		"prints":            {"cat; printf '\\033[1m two\nlines'", `{"a":1}`, "{\"a\":1}\x1b[1m two\nlines", 0},
		"a pipe":            {"[ -p /dev/stdin ] && echo yes", "{}", "yes\n", 0},
		"fails":             {"echo no; exit 7", "{}", "no\n", 7},
		"a long input":      {"wc -c | tr -d ' '", long, "307200\n", 0},
		"does not read":     {"echo still", long, "still\n", 0},
		"none of their own": {"", "{}", statusline.Nothing, 0},
	} {
		t.Run(name, func(t *testing.T) {
			cmd := statusLine(t, "/nonexistent", tt.command)
			cmd.Stdin = strings.NewReader(tt.input)
			out, _ := cmd.Output()
			if string(out) != tt.want || cmd.ProcessState.ExitCode() != tt.code {
				t.Errorf("%q, exit %d", out, cmd.ProcessState.ExitCode())
			}
		})
	}
}

// TestStatusLineIsPassedOn: the daemon has the report before the person's command runs, one that never
// ends too; its end is that of our process.
func TestStatusLineIsPassedOn(t *testing.T) {
	socket := filepath.Join(t.TempDir(), "s")
	listener, err := net.Listen("unix", socket)
	if err != nil {
		t.Fatal(err)
	}
	got := make(chan string, 1)
	server := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		got <- r.Header.Get(api.HeaderSession) + " " + r.Header.Get(api.HeaderHook) + " " + string(body)
		_, _ = io.WriteString(w, "{}")
	})}
	go func() { _ = server.Serve(listener) }()
	t.Cleanup(func() { _ = server.Close() })
	cmd := statusLine(t, socket, "echo running; exec sleep 1000")
	cmd.Stdin = strings.NewReader(`{"cost":1}`)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	line := make([]byte, 8)
	if _, err := io.ReadFull(out, line); err != nil || string(line) != "running\n" {
		t.Errorf("%q %v", line, err)
	}
	select {
	case report := <-got:
		if report != "s1 "+claude.HookStatusLine+` {"cost":1}` {
			t.Errorf("the daemon got %q", report)
		}
	default:
		t.Error("their command runs, and the daemon has no report")
	}
	_ = cmd.Process.Kill()
	if rest, err := io.ReadAll(out); err != nil || len(rest) > 0 { // at once: nothing is left that holds it open
		t.Errorf("%q %v", rest, err)
	}
	_ = cmd.Wait()
}

// TestStatusLineOfAHangingDaemon: it costs the person's line a moment, and not more.
func TestStatusLineOfAHangingDaemon(t *testing.T) {
	socket := filepath.Join(t.TempDir(), "s")
	listener, err := net.Listen("unix", socket) // accepts nothing
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = listener.Close() })
	cmd := statusLine(t, socket, "echo here")
	cmd.Stdin = strings.NewReader("{}")
	if out, err := cmd.Output(); err != nil || string(out) != "here\n" {
		t.Errorf("%q %v", out, err)
	}
}

// BenchmarkStatusLine is the time of the verb with a command of the person's; beside it that of the command
// alone.
func BenchmarkStatusLine(b *testing.B) {
	for name, command := range map[string]func() *exec.Cmd{
		"with":    func() *exec.Cmd { return statusLine(b, "/nonexistent", "exit 0") },
		"without": func() *exec.Cmd { return exec.Command("/bin/sh", "-c", "exit 0") },
	} {
		b.Run(name, func(b *testing.B) {
			var spent time.Duration
			for range b.N {
				cmd := command()
				cmd.Stdin = strings.NewReader("{}")
				begin := time.Now()
				if err := cmd.Run(); err != nil {
					b.Fatal(err)
				}
				spent += time.Since(begin)
			}
			b.ReportMetric(spent.Seconds()*1000/float64(b.N), "ms/run")
		})
	}
}
