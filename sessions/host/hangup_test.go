package host

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"ccdir/wire"
)

// TestTypedBeforeHangUp: what a client sent before it hung up is typed, although the
// host finds meanwhile that nobody is there for the program's output.
func TestTypedBeforeHangUp(t *testing.T) {
	const clients, inputs = 20, inputQueue / 2 // as many as wait for a slow program
	spec := specFor(t, "sh", "-c", `stty raw -echo; echo ready; (while :; do echo flood; done) & cat > got`)
	r := startSpec(t, spec)
	for i := range clients {
		p := r.dial()
		p.view(80, 24)
		p.until("a frame", func() bool { return p.frames > 0 })
		for j := range inputs {
			p.send(&wire.Input{Type: wire.InputRaw, Text: fmt.Appendf(nil, "<%d.%d>", i, j)})
		}
		p.close()
		missing := func() (n int) {
			got, _ := os.ReadFile(filepath.Join(spec.CWD, "got"))
			for j := range inputs {
				if !bytes.Contains(got, fmt.Appendf(nil, "<%d.%d>", i, j)) {
					n++
				}
			}
			return n
		}
		for end := time.Now().Add(patience); missing() > 0; time.Sleep(time.Millisecond) {
			if time.Now().After(end) {
				t.Fatalf("of client %d did not come %d inputs of %d", i, missing(), inputs)
			}
		}
	}
}
