package scrollback

import (
	"testing"

	"ccdir/internal/cells"
	"ccdir/wire"
)

// FuzzSavedLines: a saved screen gives lines whose numbers follow one another, as many
// as were asked for at most.
func FuzzSavedLines(f *testing.F) {
	table := cells.NewTable()
	row := cells.Row{Cells: make([]cells.Cell, 5)}
	screen := wire.AppendSaved(nil, table, []cells.Row{row, row, row}, []cells.Row{row, row})
	f.Add(screen, uint64(1), 2)
	f.Add(screen[:len(screen)/2], uint64(0), 0)
	f.Add([]byte("ccdirscr\x01\x05"), uint64(1<<63), 1000)
	f.Fuzz(func(t *testing.T, data []byte, from uint64, count int) {
		for _, first := range []*uint64{nil, &from} {
			out, err := Saved(data, first, max(0, count))
			if err != nil {
				continue
			}
			if count > 0 && len(out.Lines) > count {
				t.Errorf("%d lines instead of %d", len(out.Lines), count)
			}
			for i := 1; i < len(out.Lines); i++ {
				if out.Lines[i].Line != out.Lines[i-1].Line+1 {
					t.Fatalf("line %d after line %d", out.Lines[i].Line, out.Lines[i-1].Line)
				}
			}
		}
	})
}
