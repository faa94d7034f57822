package gitstatus

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"
)

// TestSweep: what a Look has on disk stays while its process lives, and goes once that was killed.
func TestSweep(t *testing.T) {
	if os.Getenv("GITSTATUS_TEST_LOOK") != "" {
		l, err := NewEmpty(t.Context(), t.TempDir())
		if err != nil {
			t.Fatal(err)
		}
		fmt.Println("\nplace " + l.place)
		_, _ = os.Stdin.Read(make([]byte, 1)) // until it is killed
		l.Close()
		return
	}
	t.Setenv("TMPDIR", t.TempDir())
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(self, "-test.run=^TestSweep$")
	cmd.Env = append(os.Environ(), "GITSTATUS_TEST_LOOK=1")
	if _, err := cmd.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	place := ""
	for lines := bufio.NewScanner(out); place == "" && lines.Scan(); {
		place, _ = strings.CutPrefix(lines.Text(), "place ")
		if place == lines.Text() {
			place = ""
		}
	}
	own, err := NewEmpty(t.Context(), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	if n := Sweep(); n != 0 {
		t.Errorf("%d that are in use were removed", n)
	}
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait() // it was killed
	if _, err := os.Stat(place); err != nil {
		t.Fatalf("nothing is left over: %v", err)
	}
	if n := Sweep(); n != 1 {
		t.Errorf("%d were removed, not the one", n)
	}
	if _, err := os.Stat(place); err == nil {
		t.Error("it is left over")
	}
	if _, err := os.Stat(own.place); err != nil {
		t.Error("one in use went")
	}
	own.Close()
	if _, err := os.Stat(own.place); err == nil {
		t.Error("a closed one stays")
	}
}
