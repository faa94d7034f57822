package patchtext

import (
	"reflect"
	"slices"
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

// TestLinesCounted: lines that an edit has on both sides are no change, wherever they stand.
func TestLinesCounted(t *testing.T) {
	files, _ := Parse("*** Begin Patch\n*** Update File: a\n@@\n x\n-one\n+two\n y\n-three\n z\n@@\n+four\n*** Add File: b\n+1\n+2\n*** Delete File: c\n*** End Patch\n")
	var got [][2]int
	for _, f := range files {
		added, removed := f.Lines()
		got = append(got, [2]int{added, removed})
	}
	if want := [][2]int{{2, 2}, {2, 0}, {0, 0}}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	long := strings.Repeat("a\nb\n", 2000)
	if added, removed := (File{Edits: []Edit{{"x\n" + long, "y\n" + long}}}).Lines(); added != 1 || removed != 1 {
		t.Errorf("a long text: +%d -%d", added, removed)
	}
}
