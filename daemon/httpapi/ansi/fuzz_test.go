package ansi

import (
	"encoding/json"
	"testing"

	"ccdir/api"
)

// FuzzAttachInput: a message of an attached terminal becomes inputs of the host's
// protocol that have a type, and not more than there is text.
func FuzzAttachInput(f *testing.F) {
	for _, seed := range []string{`{"type":"input","data":"ls\r"}`, `{"type":"keys","keys":["C-c","x"]}`, `{"type":"paste","data":"a\u001b[201~b"}`,
		`{"type":"input","data":"\u001b[<0;1;1M\u001b[200~x\u001b[201~\u001b[A"}`, `{"type":"resize","cols":-1}`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		var in api.AttachInput
		if json.Unmarshal(data, &in) != nil {
			return
		}
		if list := Inputs(in); len(list) > len(in.Data)+len(in.Keys)+1 {
			t.Errorf("%d inputs of %q", len(list), data)
		}
	})
}
