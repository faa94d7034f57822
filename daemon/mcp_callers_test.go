package daemon

import (
	"fmt"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"ccdir/api"
)

// TestTokenOfAnother: the token of a session is of no use to a process of another one,
// over HTTP as with the bridge.
func TestTokenOfAnother(t *testing.T) {
	t.Parallel()
	if runtime.GOOS != "linux" {
		return // there the token speaks, over TCP: see docs/api.md
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := l.Addr().String()
	l.Close()
	p := newPlace(t)
	p.config("[mcp]\nlisten = \"" + address + "\"\n")
	p.run()
	other := p.create(api.NewSession{Name: "other", Role: "lead", Argv: sh("exec sleep 1000")})
	in := p.inner(api.NewSession{Name: "one", Agent: "claude"})
	own := p.token(in.s)
	n := 0
	for _, tt := range []struct{ token, want string }{{own, "200"}, {p.token(other), "401"}} {
		for _, at := range []string{"--unix-socket " + p.paths.Socket() + " http://ccdir" + api.MCPPath, "http://" + address + api.MCPPath} {
			for _, how := range ways() {
				n++
				script, out := filepath.Join(in.dir, fmt.Sprintf("mcp%d", n)), filepath.Join(in.dir, fmt.Sprintf("answer%d", n))
				text := fmt.Sprintf("PATH=%s curl -sS -o %s.body -w '%%{http_code}' -H 'Authorization: Bearer %s' -H 'Content-Type: application/json' -d '%s' %s >%s.part 2>%s.err; mv %s.part %s\n",
					os.Getenv("PATH"), out, tt.token, strings.TrimSpace(benchHello), at, out, out, out, out)
				if err := os.WriteFile(script, []byte(text), 0o700); err != nil {
					t.Fatal(err)
				}
				p.call("POST", "/v1/sessions/one/input/raw", api.RawInput{Data: []byte(fmt.Sprintf(how, "sh "+script) + "\n")}, nil)
				var got []byte
				until(t, "the call from inside", func() bool {
					var err error
					got, err = os.ReadFile(out)
					return err == nil
				})
				if strings.TrimSpace(string(got)) != tt.want {
					body, _ := os.ReadFile(out + ".body")
					t.Errorf("%.8s at %s as %s: %s, want %s: %s", tt.token, at, how, got, tt.want, body)
				}
			}
		}
	}
}
