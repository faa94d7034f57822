package diag

import (
	"os"
	"strings"
	"testing"
)

// TestGoUnfinished: `go test -json -timeout 1s` of three packages: a subtest that hangs beside a
// goroutine of its own, a test that calls os.Exit, and one that panics.
func TestGoUnfinished(t *testing.T) {
	log, err := os.ReadFile("testdata/gounfinished.log")
	if err != nil {
		t.Fatal(err)
	}
	d, _ := Lookup("gotest")
	tests := decode(t, d, string(log)).Tests
	if tests == nil || tests.Passed != 3 || tests.Failed != 3 {
		t.Fatalf("%+v", tests)
	}
	got := map[string]TestFailure{}
	for _, f := range tests.Failures {
		got[f.Name] = f
	}
	for name, want := range map[string]TestFailure{
		"ex/a TestHang/in":    {File: "/src/ex/a/a_test.go", Line: 15, Message: "timed out after 1s"},
		"ex/b TestExit":       {Message: "the test's process ended while it ran"},
		"ex/c TestPanic/deep": {File: "/src/ex/c/c_test.go", Line: 9, Message: "panic: assignment to entry in nil map [recovered, repanicked]"},
	} {
		f, ok := got[name]
		if !ok || f.File != want.File || f.Line != want.Line || f.Message != want.Message {
			t.Errorf("%s: %+v", name, f)
		}
	}
}

// TestGoUnfinishedParallel: tests that only wait for their turn are not named, and where one waits is
// found though the output above it is too long to be kept.
func TestGoUnfinishedParallel(t *testing.T) {
	var log strings.Builder
	event := func(action, test, output string) {
		log.WriteString(`{"Action":"` + action + `","Package":"ex/p","Test":"` + test + `","Output":"` + output + `"}` + "\n")
	}
	for _, test := range []string{"TestA", "TestB", "TestC"} {
		event("run", test, "")
		event("pause", test, "")
	}
	event("cont", "TestB", "")
	event("cont", "TestC", "")
	event("pass", "TestB", "")
	print := func(lines ...string) {
		for _, l := range lines {
			event("output", "TestC", l+`\n`)
		}
	}
	print("panic: test timed out after 2s", "", "goroutine 9 [running]:", "testing.(*M).startAlarm.func1()", `\t/go/src/testing/testing.go:2802 +0x354`, "",
		"goroutine 12 [sync.WaitGroup.Wait]:", "sync.(*WaitGroup).Wait(0xc000012)", `\t/go/src/sync/waitgroup.go:118 +0x48`,
		"ex/p.(*Pool).Drain(...)", `\t/src/ex/p/pool.go:33`, "ex/p.TestC(0xc000102)", `\t/src/ex/p/p_test.go:21 +0x20`, "testing.tRunner(0xc000102, 0x1)", `\t/go/src/testing/testing.go:2036 +0xea`, "")
	for range 200 {
		print("goroutine 99 [chan receive]:", "ex/p.(*Pool).work(0xc0001)", `\t/src/ex/p/pool.go:50 `+strings.Repeat("x", 100), "")
	}
	event("fail", "", "")
	d, _ := Lookup("gotest")
	tests := decode(t, d, log.String()).Tests
	if tests == nil || tests.Passed != 1 || tests.Failed != 1 {
		t.Fatalf("%+v", tests)
	}
	if f := tests.Failures[0]; f.Name != "ex/p TestC" || f.File != "/src/ex/p/pool.go" || f.Line != 33 || f.Message != "timed out after 2s" {
		t.Errorf("%+v", f)
	}
}
