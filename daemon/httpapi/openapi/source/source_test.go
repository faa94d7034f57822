package source

import (
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"ccdir/daemon/httpapi/openapi"
)

func TestRead(t *testing.T) {
	dir := t.TempDir()
	src := "package p\n\n// T is a thing.\ntype T struct {\n\t// A and B\n\t// are two.\n\tA, B int\n\tC int // the third\n}\n\ntype K string\n\nconst (\n\tOne K = \"1\"\n\tTwo K = \"2\"\n\tOther = \"3\"\n)\n"
	if err := os.WriteFile(filepath.Join(dir, "p.go"), []byte(src), 0o600); err != nil {
		t.Fatal(err)
	}
	c, err := Read(dir)
	if err != nil {
		t.Fatal(err)
	}
	want := openapi.Comments{Types: map[string]string{"T": "T is a thing.", "T.A": "A and B are two.", "T.B": "A and B are two.", "T.C": "the third"},
		Enums: map[string][]string{"K": {"1", "2"}}}
	if !reflect.DeepEqual(c, want) {
		t.Errorf("got %v", c)
	}
	if _, err := Read(t.TempDir()); err == nil {
		t.Error("a directory without source gave comments")
	}
}
