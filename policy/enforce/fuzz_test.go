package enforce

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ccdir/api"
)

// FuzzHead: the kept head is what writeHead wrote, none, or an error; never half of
// one, against which a ledger whose end was cut off would look whole.
func FuzzHead(f *testing.F) {
	good := filepath.Join(f.TempDir(), "head")
	if err := writeHead(good, api.LedgerHead{Seq: 4711, Hash: strings.Repeat("0a", 32)}); err != nil {
		f.Fatal(err)
	}
	data, err := os.ReadFile(good)
	if err != nil {
		f.Fatal(err)
	}
	for _, seed := range []string{string(data), string(data[:len(data)/2]), "", "null", "{}", `{"seq":-1,"hash":"aa"}`, `{"seq":1}`, `{"hash":"aa"}`,
		`{"seq":1e3,"hash":"aa"}`, `{"seq":1,"hash":"aa","seq":2}`, string(data) + string(data), `[]`, `{"seq":9223372036854775808,"hash":"a"}`} {
		f.Add([]byte(seed))
	}
	file := filepath.Join(f.TempDir(), "decisions.head") // of this process, in which one input follows another
	f.Fuzz(func(t *testing.T, data []byte) {
		if err := os.WriteFile(file, data, 0o600); err != nil {
			t.Fatal(err)
		}
		head, err := ReadHead(file)
		if err != nil {
			if head != nil || !strings.Contains(err.Error(), "decisions.head") {
				t.Errorf("%q: %+v, %v", data, head, err)
			}
			return
		}
		if head == nil || head.Seq < 1 || head.Hash == "" || !json.Valid(data) {
			t.Fatalf("%q is taken for a head: %+v", data, head)
		}
		if err := writeHead(file, *head); err != nil {
			t.Fatal(err)
		}
		if again, err := ReadHead(file); err != nil || *again != *head {
			t.Errorf("%q: %+v became %+v, %v", data, head, again, err)
		}
	})
}
