package wall

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"ccdir/sandbox"
)

// BenchmarkStart is what walls cost: the start of a program and its end, with the processors' time of all
// processes (cpu-ms/op), and the memory of the process that stays beside it (kB-beside).
func BenchmarkStart(b *testing.B) {
	shim := filepath.Join(b.TempDir(), "shim")
	if out, err := exec.Command("go", "build", "-trimpath", "-o", shim, "ccdir/cmd/ccdir-shim").CombinedOutput(); err != nil {
		b.Fatalf("the shim cannot be built: %v\n%s", err, out)
	}
	real, err := os.ReadFile(shim)
	if err != nil {
		b.Fatal(err)
	}
	for _, mechanism := range append([]string{"none"}, mechanisms(b)...) {
		b.Run(mechanism, func(b *testing.B) {
			l, p, argv := newLab(b), sandbox.Plan{}, []string{"/bin/true"}
			if mechanism != "none" {
				l.file(l.self, string(real), 0o755)
				p = l.plan(sandbox.Worktree, mechanism)
				l.write(p)
				argv = append([]string{l.self, Verb, l.root + "/plan.json", "--"}, argv...)
			}
			busy := 0.0
			for b.Loop() {
				cmd := l.command(l.work, argv[0], argv[1:]...)
				if out, err := cmd.CombinedOutput(); err != nil {
					b.Fatalf("%v: %s", err, out)
				}
				busy += float64((cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()).Microseconds()) / 1000
			}
			b.ReportMetric(busy/float64(b.N), "cpu-ms/op")
			s := l.shell(p)
			own, _ := s.run(b, "echo $PPID")
			inside, err := strconv.Atoi(strings.TrimSpace(own)) // of a process in the shell: the shell's parent
			if err != nil {
				b.Fatal(err)
			}
			beside := 0
			if inside != os.Getpid() {
				beside = private(b, s.pid)
			}
			b.ReportMetric(float64(beside), "kB-beside")
		})
	}
}

// private is the memory that only a process has, in kB.
func private(b *testing.B, pid int) (sum int) {
	data, err := os.ReadFile(fmt.Sprintf("/proc/%d/smaps_rollup", pid))
	if err != nil {
		b.Log(err)
	}
	for line := range strings.Lines(string(data)) {
		if f := strings.Fields(line); len(f) > 1 && strings.HasPrefix(f[0], "Private_") {
			n, _ := strconv.Atoi(f[1])
			sum += n
		}
	}
	return sum
}
