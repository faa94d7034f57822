package proc

import (
	"bytes"
	"os"
	"testing"
)

// FuzzStat: whatever a process is called, its fields are found, or it is an error.
func FuzzStat(f *testing.F) {
	own, err := readStat(os.Getpid())
	if err != nil {
		f.Fatal(err)
	}
	f.Add(own)
	f.Add([]byte("1 (a) b) c ) R 1 1 1 0 -1 4194560 1 0 0 0 0 0 0 0 20 0 1 0 77 1 1 1 1 1 1 1"))
	f.Add([]byte("1 (a"))
	f.Add([]byte(""))
	f.Fuzz(func(t *testing.T, data []byte) {
		fields, ok := splitStat(data)
		if !ok {
			return
		}
		for _, field := range fields {
			if len(field) == 0 || bytes.ContainsAny(field, " )\n\t") {
				t.Errorf("a field is %q", field)
			}
		}
		if len(fields[startField]) == 0 {
			t.Error("no start time")
		}
	})
}
