package host

import (
	"strings"
	"testing"
	"unicode/utf8"
)

// FuzzProgramStatus: what an application says of itself becomes fields that are text,
// each with a name, and not more than are kept.
func FuzzProgramStatus(f *testing.F) {
	f.Add([]byte("state=working:title=aGVsbG8=:msg=aGk"))
	f.Add([]byte("a:=b:c=:title=%%%:msg=\xff"))
	f.Add([]byte(strings.Repeat("k=v:", 100)))
	f.Fuzz(func(t *testing.T, data []byte) {
		list := pspFields(data)
		if len(list) > maxFields {
			t.Fatalf("%d fields", len(list))
		}
		for _, one := range list {
			if one.key == "" || len(one.key) > 64 || !utf8.ValidString(one.key) || !utf8.ValidString(one.value) {
				t.Errorf("%q of %q", one, data)
			}
		}
	})
}
