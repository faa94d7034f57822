package daemon

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"ccdir/api"
)

// TestTCPInside: the token does not make a process that runs in a session the
// person, however it was started.
func TestTCPInside(t *testing.T) {
	t.Parallel()
	if runtime.GOOS != "linux" {
		return // there the token speaks: see docs/api.md
	}
	p, address, token := tcpPlace(t, "")
	in := p.inner(api.NewSession{Name: "one", Agent: "claude"})
	path := "/v1/sessions/one/focus"
	for i, how := range ways() {
		for n, call := range []string{"GET http://" + address + "/v1/health", "POST http://" + address + path} {
			script, out := filepath.Join(in.dir, fmt.Sprintf("tcp%d-%d", i, n)), filepath.Join(in.dir, fmt.Sprintf("answer%d-%d", i, n))
			text := fmt.Sprintf("PATH=%s curl -sS -o /dev/null -w '%%{http_code}' -H 'Authorization: Bearer %s' -X %s >%s.part 2>%s.err; mv %s.part %s\n",
				os.Getenv("PATH"), token, call, out, out, out, out)
			if err := os.WriteFile(script, []byte(text), 0o700); err != nil {
				t.Fatal(err)
			}
			p.call("POST", "/v1/sessions/one/input/raw", api.RawInput{Data: []byte(fmt.Sprintf(how, "sh "+script) + "\n")}, nil)
			var got []byte
			until(t, "the call from inside", func() (done bool) {
				var err error
				got, err = os.ReadFile(out)
				return err == nil
			})
			if want := []string{"200", "403"}[n]; strings.TrimSpace(string(got)) != want {
				t.Errorf("%s as %s: %s, want %s", call, how, got, want)
			}
		}
	}
	if resp, e := overTCP(t, "POST", address, path, http.Header{"Authorization": {"Bearer " + token}}); resp.StatusCode != http.StatusNoContent {
		t.Errorf("the person: %s %+v", resp.Status, e)
	}
}
