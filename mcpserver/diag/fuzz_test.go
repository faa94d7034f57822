package diag

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// readsReports are the decoders that read files beside the output.
var readsReports = map[string]bool{"sarif": true, "junit": true, "jest": true, "eslint": true}

// fuzzDecoder feeds a decoder any bytes, as the output and as a report: no panic,
// limits hold, and what comes out is harmless text.
func fuzzDecoder(f *testing.F, name string) {
	for _, pattern := range []string{name + ".log", name + "*.xml", name + ".sarif"} {
		files, _ := filepath.Glob(filepath.Join("testdata", pattern))
		for _, file := range files {
			if log, err := os.ReadFile(file); err == nil {
				f.Add(log)
			}
		}
	}
	f.Add([]byte("a.go:1:2: x\n\x1b[31m{\n<testsuite>"))
	d, err := Lookup(name)
	if err != nil {
		f.Fatal(err)
	}
	report := filepath.Join(f.TempDir(), "report")
	f.Fuzz(func(t *testing.T, log []byte) {
		inputs := []Input{{Log: bytes.NewReader(log), Dir: "/p"}}
		if readsReports[name] {
			if err := os.WriteFile(report, log, 0o600); err != nil {
				t.Fatal(err)
			}
			inputs = append(inputs, Input{Log: bytes.NewReader(nil), Dir: "/p", Reports: []string{report}})
		}
		for _, in := range inputs {
			rep, err := Decode(d, in)
			// A panic of the errorformat library is contained, and none of ours.
			if err != nil && strings.Contains(err.Error(), "the decoder failed") && !strings.HasPrefix(name, "errorformat:") {
				t.Fatal(err)
			}
			if len(rep.Diagnostics) > maxDiagnostics {
				t.Fatal("too many diagnostics")
			}
			for _, d := range rep.Diagnostics {
				if d.Line < 0 || len(d.Message) > maxMessage+4 || strings.ContainsRune(d.Message, 0x1b) {
					t.Fatalf("bad diagnostic %+v", d)
				}
			}
		}
	})
}

func FuzzGoTest(f *testing.F)      { fuzzDecoder(f, "gotest") }
func FuzzGoVet(f *testing.F)       { fuzzDecoder(f, "govet") }
func FuzzCargo(f *testing.F)       { fuzzDecoder(f, "cargo") }
func FuzzCargoTest(f *testing.F)   { fuzzDecoder(f, "cargotest") }
func FuzzSARIF(f *testing.F)       { fuzzDecoder(f, "sarif") }
func FuzzJUnit(f *testing.F)       { fuzzDecoder(f, "junit") }
func FuzzUnittest(f *testing.F)    { fuzzDecoder(f, "unittest") }
func FuzzJest(f *testing.F)        { fuzzDecoder(f, "jest") }
func FuzzESLint(f *testing.F)      { fuzzDecoder(f, "eslint") }
func FuzzErrorformat(f *testing.F) { fuzzDecoder(f, "errorformat:eslint") }

// FuzzPatterns is for the decoders of the table of patterns, which are one
// engine, and for patterns of the user's.
func FuzzPatterns(f *testing.F) {
	var all []Decoder
	for name := range patternTable() {
		d, err := Lookup(name)
		if err != nil {
			f.Fatal(err)
		}
		all = append(all, d)
		if log, err := os.ReadFile(filepath.Join("testdata", name+".log")); err == nil {
			f.Add("^(?P<file>[^:]+):(?P<line>[0-9]+) (?P<message>.*)$", log)
		}
	}
	f.Fuzz(func(t *testing.T, pattern string, log []byte) {
		list := all
		if own, err := Patterns("project", []string{pattern}); err == nil {
			list = append(list[:len(list):len(list)], own)
		}
		for _, d := range list {
			rep, err := Decode(d, Input{Log: bytes.NewReader(log), Dir: "/p"})
			if err != nil && strings.Contains(err.Error(), "the decoder failed") {
				t.Fatal(err)
			}
			if len(rep.Diagnostics) > maxDiagnostics {
				t.Fatal("too many diagnostics")
			}
		}
	})
}
