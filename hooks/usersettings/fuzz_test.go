package usersettings

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// FuzzRecord: whatever the record of an installation says, no text of the user's is
// lost: what an uninstallation leaves is exactly what was there before ours (and only
// if its sum says so), or the settings without our hooks.
func FuzzRecord(f *testing.F) {
	dir := f.TempDir()
	files := func(name string) File {
		return File{Path: filepath.Join(dir, name+".json"), Record: filepath.Join(dir, name+".record"), Shim: "/opt/ccdir-shim", Now: func() time.Time { return time.Unix(0, 0) }}
	}
	for i, text := range samples {
		s := files("seed")
		if os.WriteFile(s.Path, []byte(text), 0o600) != nil {
			f.Fatal("the seed cannot be written")
		}
		p, err := s.PlanInstall()
		if err != nil || !p.Change {
			continue // what is not understood is left alone
		}
		p.record.Target = "/settings.json"
		data, err := json.Marshal(p.record)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(text, data, i%2 == 0)
	}
	f.Add("{}", []byte(`{"target":"/settings.json","inserted":[{"start":9223372036854775807,"len":9223372036854775807}]}`), true)
	f.Add("{}", []byte(`{"target":"/settings.json","inserted":[{"start":1,"len":-1},{"start":0,"len":99}]}`), true)
	s := files("fuzz") // of this process, in which one input follows another
	f.Fuzz(func(t *testing.T, text string, data []byte, sums bool) {
		if d, err := s.understand(text); err != nil || len(d.ours()) > 0 {
			return // left alone, or ours before
		}
		if err := os.WriteFile(s.Path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		_ = os.Remove(s.Record) // there need not be one
		p, err := s.PlanInstall()
		if err != nil || !p.Change || p.record == nil {
			return
		}
		// The record as it is on a damaged disk; sums: with sums that fit.
		var r record
		if json.Unmarshal(data, &r) == nil {
			r.Target = p.Target
			if sums {
				r.Before, r.After = sum(text), sum(p.After)
			}
			if data, err = json.Marshal(r); err != nil {
				t.Fatal(err)
			}
		}
		for name, content := range map[string][]byte{s.Path: []byte(p.After), s.Record: data} {
			if err := os.WriteFile(name, content, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		out, err := s.PlanUninstall()
		if err != nil {
			return // an error leaves the file alone
		}
		if out.Exact && sum(out.After) != r.Before {
			t.Fatalf("%q is said to be what was before: %q", out.After, text)
		}
		if strings.Contains(out.After, "ccdir-shim") && !strings.Contains(text, "ccdir-shim") {
			t.Fatalf("our hooks are left in %q", out.After)
		}
		if d, err := s.understand(out.After); err != nil || len(d.ours()) > 0 {
			t.Fatalf("left %q, %v", out.After, err)
		}
	})
}
