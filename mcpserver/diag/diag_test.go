package diag

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write the golden files")

// TestGolden decodes each recording with the decoder of its name.
func TestGolden(t *testing.T) {
	for _, name := range Names() {
		if name == "none" {
			continue
		}
		t.Run(name, func(t *testing.T) {
			log, err := os.ReadFile(filepath.Join("testdata", name+".log"))
			if err != nil {
				t.Fatal(err)
			}
			d, err := Lookup(name)
			if err != nil {
				t.Fatal(err)
			}
			pkg := func(p string) string { return strings.TrimPrefix(strings.TrimPrefix(p, "example.com/broken"), "/") }
			rep, err := Decode(d, Input{Log: bytes.NewReader(log), Dir: "/src/p", PackageDir: pkg})
			if err != nil {
				t.Fatal(err)
			}
			got, err := json.MarshalIndent(rep, "", "\t")
			if err != nil {
				t.Fatal(err)
			}
			golden := filepath.Join("testdata", name+".golden")
			if *update {
				if err := os.WriteFile(golden, append(got, '\n'), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(golden)
			if err != nil {
				t.Fatal(err)
			}
			if string(want) != string(got)+"\n" {
				t.Errorf("got\n%s\nwant\n%s", got, want)
			}
			if len(rep.Diagnostics) == 0 && rep.Tests == nil {
				t.Error("nothing found")
			}
		})
	}
}

func decode(t *testing.T, d Decoder, log string) *Report {
	t.Helper()
	rep, err := Decode(d, Input{Log: strings.NewReader(log), Dir: "/p"})
	if err != nil {
		t.Fatal(err)
	}
	return rep
}

func TestUserPatterns(t *testing.T) {
	d, err := Patterns("mine", []string{`^(?P<severity>W|E)!(?P<file>\S+)@(?P<line>\d+) (?P<message>.*)$`})
	if err != nil {
		t.Fatal(err)
	}
	rep := decode(t, d, "noise\nW!/p/a.x@12 careful\nE!b.x@1 \x1b[31mbroken\x1b[0m\n")
	want := []Diagnostic{
		{File: "a.x", Line: 12, Severity: Warning, Message: "careful", Source: "mine"},
		{File: "b.x", Line: 1, Severity: Error, Message: "broken", Source: "mine"},
	}
	if len(rep.Diagnostics) != 2 || rep.Diagnostics[0] != want[0] || rep.Diagnostics[1] != want[1] || rep.Errors != 1 || rep.Warnings != 1 {
		t.Errorf("got %+v", rep)
	}
	for _, bad := range [][]string{nil, {"("}, {`(?P<fil>x)(?P<message>y)`}, {`(?P<line>\d+)`}} {
		if _, err := Patterns("x", bad); err == nil {
			t.Errorf("%q was accepted", bad)
		}
	}
}

func TestErrorformat(t *testing.T) {
	d, err := Errorformat("vim", []string{`%E%f:%l:%c: %t%*[^:]: %m`, `%-G%.%#`})
	if err != nil {
		t.Fatal(err)
	}
	rep := decode(t, d, strings.Repeat("x", 200_000)+"\na.c:3:4: warning: odd\n")
	if len(rep.Diagnostics) != 1 || rep.Diagnostics[0].Line != 3 || rep.Diagnostics[0].Severity != Warning {
		t.Errorf("got %+v", rep.Diagnostics)
	}
	if d, err = Lookup("errorformat:flake8"); err != nil {
		t.Fatal(err)
	}
	rep = decode(t, d, "a.py:1:2: F401 'os' imported but unused\n")
	if len(rep.Diagnostics) != 1 || rep.Diagnostics[0].Code != "F401" {
		t.Errorf("got %+v", rep.Diagnostics)
	}
	for _, name := range []string{"errorformat:nonesuch", "nonesuch"} {
		if _, err := Lookup(name); err == nil {
			t.Errorf("%s was found", name)
		}
	}
}

// TestLimits: what is kept is bounded, what is counted is not.
func TestLimits(t *testing.T) {
	d, _ := Lookup("gcc")
	var b strings.Builder
	for i := range 1000 {
		b.WriteString("a.c:" + strings.Repeat("1", 1+i%3) + ":" + strings.Repeat("2", 1+i/300) + ": error: e" + strings.Repeat("z", i) + "\n")
	}
	rep := decode(t, d, b.String())
	if len(rep.Diagnostics) != maxDiagnostics || rep.Errors != 1000 || !rep.Truncated {
		t.Errorf("%d kept, %d counted, truncated %v", len(rep.Diagnostics), rep.Errors, rep.Truncated)
	}
}

func TestJUnitRefusesDepth(t *testing.T) {
	d, _ := Lookup("junit")
	deep := strings.Repeat("<a>", 10_000) + strings.Repeat("</a>", 10_000)
	if _, err := Decode(d, Input{Log: strings.NewReader(deep)}); err == nil {
		t.Error("a document nested 10,000 deep was taken")
	}
}

func TestPanicIsContained(t *testing.T) {
	rep, err := Decode(func(_ Input, rep *Report) error {
		rep.add(Diagnostic{Message: "first"})
		panic("boom")
	}, Input{})
	if err == nil || len(rep.Diagnostics) != 1 {
		t.Errorf("got %v, %v", rep, err)
	}
}
