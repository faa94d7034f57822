package cli_test

import (
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"testing"
)

// initBudget bounds the bytes that the imported packages allocate before main: every verb pays for
// what they do there. It does not depend on the machine, as time does; it was about 460,000 when
// this was written, and one dependency once cost 1,700,000, and 16 ms.
const initBudget = 600_000

var initLine = regexp.MustCompile(`(?m)^init (\S+) @\S+ ms, \S+ ms clock, (\d+) bytes`)

// TestInit measures what package initialisation allocates (GODEBUG=inittrace=1).
func TestInit(t *testing.T) {
	cmd := exec.Command(exe(), "config", "path")
	cmd.Env = append(os.Environ(), "GODEBUG=inittrace=1", "CCDIR_HOME="+t.TempDir())
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	sum, most, name := 0, 0, ""
	for _, m := range initLine.FindAllStringSubmatch(string(out), -1) {
		n, err := strconv.Atoi(m[2])
		if err != nil {
			t.Fatal(err)
		}
		if sum += n; n > most {
			most, name = n, m[1]
		}
	}
	t.Logf("package initialisation: %d bytes, most of it %s", sum, name)
	if sum == 0 || sum > initBudget {
		t.Errorf("package initialisation allocates %d bytes, at most %d are allowed; most of it: %s\n%s", sum, initBudget, name, out)
	}
}
