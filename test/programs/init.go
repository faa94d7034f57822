package programs

import (
	"os/exec"
	"regexp"
	"strconv"
	"testing"
)

var initLine = regexp.MustCompile(`(?m)^init (\S+) @\S+ ms, \S+ ms clock, (\d+) bytes`)

// InitBytes runs a program and returns the bytes that its packages allocate before main
// (GODEBUG=inittrace=1), and which package allocates most. Time would depend on the machine.
func InitBytes(t testing.TB, cmd *exec.Cmd) (sum int, largest string) {
	t.Helper()
	cmd.Env = append(cmd.Environ(), "GODEBUG=inittrace=1")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	most := 0
	for _, m := range initLine.FindAllStringSubmatch(string(out), -1) {
		n, err := strconv.Atoi(m[2])
		if err != nil {
			t.Fatal(err)
		}
		if sum += n; n > most {
			most, largest = n, m[1]
		}
	}
	if sum == 0 {
		t.Fatalf("no trace in:\n%s", out)
	}
	return sum, largest
}
