package paint

import "testing"

// TestCutMiddle: the end of a command stays; it is never wider than its room.
func TestCutMiddle(t *testing.T) {
	for _, c := range []struct {
		text string
		max  int
		want string
	}{
		{"make", 20, "make"},
		{"rm -rf build && make generate && git push --force", 30, "rm -rf build && mak…sh --force"},
		{"日本語のとても長いコマンドです", 25, "日本語のとても長…ンドです"},
		{"rm -rf build && make", 8, "rm -rf …"},
		{"rm -rf build && make", 0, ""},
	} {
		if got := CutMiddle(c.text, c.max); got != c.want || Width(got) > c.max {
			t.Errorf("%q in %d: %q (%d wide), want %q", c.text, c.max, got, Width(got), c.want)
		}
	}
}
