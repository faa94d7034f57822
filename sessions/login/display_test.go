package login

import (
	"fmt"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"ccdir/internal/disk/paths"
)

// TestDisplay: a login whose display answers and is the user's gives it to what starts later; one
// without a display, a dead one, another user's and a process in a session give nothing.
func TestDisplay(t *testing.T) {
	t.Parallel()
	dir, err := os.MkdirTemp("", "cl") // names of sockets are short
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	p, uid := paths.Paths{Runtime: dir}, os.Getuid()
	wayland, err := net.Listen("unix", filepath.Join(dir, "wayland-9"))
	if err != nil {
		t.Fatal(err)
	}
	defer wayland.Close()
	forwarded, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer forwarded.Close()
	number := forwarded.Addr().(*net.TCPAddr).Port - 6000
	if number < 0 {
		t.Fatalf("port %d is below those of X11", number+6000)
	}
	x11 := fmt.Sprintf("DISPLAY=localhost:%d.0", number)
	desktop := []string{"DISPLAY=elsewhere:1", "WAYLAND_DISPLAY=wayland-9"}
	began := []string{"A=b", "XDG_RUNTIME_DIR=" + dir, "DISPLAY=:old", "WAYLAND_DISPLAY=old", "XAUTHORITY=" + dir}
	check := func(what string, uid int, env, want []string) {
		t.Helper()
		Renew(p, uid, env)
		if want = append(slices.Clone(began[:2]), want...); !slices.Equal(WithDisplay(p, os.Getuid(), began), want) {
			t.Errorf("%s: %q, want %q", what, WithDisplay(p, os.Getuid(), began), want)
		}
	}
	runtime := began[1]
	check("no display", uid, []string{"A=c"}, began[2:])
	check("another user's socket", uid+1, append(desktop, runtime), began[2:])
	check("a desktop", uid, append(desktop, runtime), desktop)
	check("the next login", uid, []string{x11, "XAUTHORITY=" + dir}, []string{x11, "XAUTHORITY=" + dir})
	check("in a session", uid, append(desktop, runtime, "CCDIR_SESSION=x"), []string{x11, "XAUTHORITY=" + dir})
	check("nobody listens", uid, []string{"DISPLAY=localhost:59000"}, []string{x11, "XAUTHORITY=" + dir})
	check("no number", uid, []string{"DISPLAY=localhost"}, []string{x11, "XAUTHORITY=" + dir})
	check("no key", uid, []string{x11, "XAUTHORITY=" + filepath.Join(dir, "none")}, []string{x11, "XAUTHORITY=" + dir})
	check("another machine's", uid, []string{"DISPLAY=elsewhere:1"}, []string{"DISPLAY=elsewhere:1"})
	check("the desktop again", uid, append(desktop, runtime), desktop)
	if got := WithDisplay(p, uid, []string{"A=b"}); !slices.Equal(got, []string{"A=b"}) {
		t.Errorf("what has no display gets %q", got)
	}
	wayland.Close()
	check("after its end", uid, nil, began[2:])
	if err := os.WriteFile(p.Display(), []byte(`{"DISPLAY":1}`), 0o600); err != nil {
		t.Fatal(err)
	}
	check("a damaged file", uid, nil, began[2:])
}

// FuzzDisplay: whatever is in the file, an environment stays one, and only the display changes.
func FuzzDisplay(f *testing.F) {
	f.Add([]byte(`["DISPLAY=elsewhere:1","XAUTHORITY=/","HOME=/"]`))
	f.Add([]byte(`["DISPLAY","DISPLAY=elsewhere:1\u0000","WAYLAND_DISPLAY="]`))
	p, env := paths.Paths{Runtime: f.TempDir()}, []string{"A=b", "DISPLAY=:old"}
	f.Fuzz(func(t *testing.T, data []byte) {
		if err := os.WriteFile(p.Display(), data, 0o600); err != nil {
			t.Fatal(err)
		}
		got := WithDisplay(p, os.Getuid(), env)
		if got[0] != env[0] {
			t.Fatalf("%q", got)
		}
		for _, kv := range got[1:] {
			if key, _, is := strings.Cut(kv, "="); !is || !IsDisplay(key) || strings.ContainsRune(kv, 0) {
				t.Fatalf("%q of %q", got, data)
			}
		}
	})
}
