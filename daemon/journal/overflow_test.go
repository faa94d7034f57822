package journal

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"ccdir/api"
)

// TestFile: what a torn write, another generation or damage leaves is no record.
func TestFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "reserve")
	f, records, err := openOverflow(path, 64<<10)
	if err != nil || len(records) != 0 {
		t.Fatal(records, err)
	}
	for _, text := range []string{"one", "two", "three"} {
		if err := f.append([]byte(text)); err != nil {
			t.Fatal(err)
		}
	}
	again := func() []string {
		t.Helper()
		f, records, err := openOverflow(path, 64<<10)
		if err != nil {
			t.Fatal(err)
		}
		defer f.close()
		var list []string
		for _, r := range records {
			list = append(list, string(r))
		}
		return list
	}
	if got := again(); !slices.Equal(got, []string{"one", "two", "three"}) {
		t.Errorf("found %q", got)
	}
	if err := f.reset(); err != nil {
		t.Fatal(err)
	}
	if err := f.append([]byte("new")); err != nil {
		t.Fatal(err)
	}
	if got := again(); !slices.Equal(got, []string{"new"}) { // "two" lies right behind it
		t.Errorf("after a reset: %q", got)
	}
	if err := f.append([]byte("more")); err != nil {
		t.Fatal(err)
	}
	if _, err := f.f.WriteAt([]byte("X"), f.at-1); err != nil {
		t.Fatal(err)
	}
	if got := again(); !slices.Equal(got, []string{"new"}) {
		t.Errorf("with a torn record: %q", got)
	}
	// A header that was not written whole leaves the one before.
	if _, err := f.f.WriteAt(make([]byte, headerSize), int64((f.generation+1)%2)*slotSize); err != nil {
		t.Fatal(err)
	}
	if got := again(); !slices.Equal(got, []string{"new"}) {
		t.Errorf("with one header: %q", got)
	}
	info, err := os.Stat(path)
	if err != nil || info.Size() != 64<<10 || info.Mode().Perm() != 0o600 {
		t.Errorf("%v %v", info, err)
	}
}

func FuzzRecords(f *testing.F) {
	dir := f.TempDir()
	file, _, err := openOverflow(filepath.Join(dir, "seed"), recordsAt+512)
	if err != nil {
		f.Fatal(err)
	}
	for _, c := range []changes{{events: []api.Event{{Seq: 3, Type: "t"}}, keys: []string{"k"}}, {sessions: map[string][]byte{"s": nil}}} {
		data, err := c.encode()
		if err != nil {
			f.Fatal(err)
		}
		if err := file.append(data); err != nil {
			f.Fatal(err)
		}
	}
	whole, err := os.ReadFile(filepath.Join(dir, "seed"))
	if err != nil {
		f.Fatal(err)
	}
	f.Add(whole)
	f.Add(whole[:recordsAt])
	f.Add([]byte(strings.Repeat("x", 100)))
	f.Fuzz(func(t *testing.T, data []byte) {
		generation, ok := readHeader(data)
		if !ok {
			generation = 1
		}
		body := data[min(len(data), recordsAt):]
		records, used := readRecords(bytes.NewReader(body), generation, int64(len(body)))
		if used > int64(len(body)) {
			t.Errorf("%d bytes of %d are records", used, len(body))
		}
		if left := decode(append(records, body), 2); len(left.events) != len(left.keys) {
			t.Errorf("%d events with %d keys", len(left.events), len(left.keys))
		}
	})
}

// TestDamagedFile: whatever the file was, it can be used.
func TestDamagedFile(t *testing.T) {
	for _, data := range []string{"", "x", strings.Repeat("x", 100), fileMagic + strings.Repeat("\xff", 2000), strings.Repeat("\x01", 20_000)} {
		path := filepath.Join(t.TempDir(), "r")
		if err := os.WriteFile(path, []byte(data), 0o600); err != nil {
			t.Fatal(err)
		}
		r, records, err := openOverflow(path, 8<<10)
		if err != nil || len(records) != 0 || r.reset() != nil || r.append([]byte("mine")) != nil {
			t.Fatalf("%.20q: %q, %v", data, records, err)
		}
		r.close()
		if r, records, err = openOverflow(path, 8<<10); err != nil || len(records) != 1 || string(records[0]) != "mine" {
			t.Fatalf("%.20q, used: %q, %v", data, records, err)
		}
		r.close()
	}
}
