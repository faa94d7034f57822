package patchtext

import (
	"reflect"
	"strings"
	"testing"
)

// TestParse: every file of a patch is found, with what changes in it.
func TestParse(t *testing.T) {
	files, whole := Parse("*** Begin Patch\n*** Update File: a.go\n*** Move to: b.go\n@@ func f\n x\n-old\n+new\n@@\n-one\n*** Add File: dir/new.txt\n+hello\n+*** Delete File: no\n" +
		"*** Delete File: gone\n  *** Update File: odd \n*** End Patch\n")
	want := []File{
		{Path: "a.go", Change: Update, MoveTo: "b.go", Edits: []Edit{{"x\nold\n", "x\nnew\n"}, {"one\n", ""}}},
		{Path: "dir/new.txt", Change: Add, Edits: []Edit{{"", "hello\n*** Delete File: no\n"}}},
		{Path: "gone", Change: Delete}, {Path: "odd", Change: Update},
	}
	if !whole || !reflect.DeepEqual(files, want) {
		t.Errorf("whole: %v\n got %+v\nwant %+v", whole, files, want)
	}
	for _, text := range []string{"", "rm x", "*** Begin Patch\n*** End Patch", "*** Update File: x\n+y"} {
		if _, whole := Parse(text); whole {
			t.Errorf("%q is taken for a patch", text)
		}
	}
}

// FuzzParse: no mark of a file at the beginning of a line is missed.
func FuzzParse(f *testing.F) {
	f.Add("*** Begin Patch\n*** Update File: a\n*** Move to: b\n-x\n+y\n*** End Patch")
	f.Fuzz(func(t *testing.T, text string) {
		files, _ := Parse(text)
		n := 0
		for _, line := range strings.Split(text, "\n") {
			for _, h := range heads {
				if strings.HasPrefix(line, h.text) && strings.TrimSpace(line) != strings.TrimSpace(h.text) {
					n++
				}
			}
		}
		if len(files) < n {
			t.Fatalf("%d files of %d in %q", len(files), n, text)
		}
	})
}
