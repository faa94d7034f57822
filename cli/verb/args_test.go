package verb

import "testing"

func TestParseSize(t *testing.T) {
	for _, tc := range []struct {
		in         string
		cols, rows int
		ok         bool
	}{{"80x24", 80, 24, true}, {"1x1", 1, 1, true}, {"1000x1000", 1000, 1000, true}, {"0x0", 0, 0, false}, {"80", 0, 0, false},
		{"80x", 0, 0, false}, {"x24", 0, 0, false}, {"-1x5", 0, 0, false}, {"80x24x1", 0, 0, false}, {"8 0x24", 0, 0, false},
		{"99999999999999999999x1", 0, 0, false}} {
		cols, rows, ok := ParseSize(tc.in)
		if ok != tc.ok || ok && (cols != tc.cols || rows != tc.rows) {
			t.Errorf("%q: got %dx%d %t", tc.in, cols, rows, ok)
		}
	}
}
