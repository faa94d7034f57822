package wire

import (
	"os"
	"path/filepath"
	"testing"

	"ccdir/internal/cells"
)

// FuzzReadOutput: files of an ended session that are damaged are an error, or give
// something that fits together.
func FuzzReadOutput(f *testing.F) {
	table := cells.NewTable()
	row := cells.Row{Cells: []cells.Cell{{Glyph: 'a'}, {Glyph: 'b'}}}
	screen := AppendSaved(nil, table, []cells.Row{row, row}, []cells.Row{row})
	f.Add([]byte(`{"written":10,"ring_start":7}`), screen, []byte("abc"), uint64(8))
	f.Add([]byte(`{"written":10,"ring_start":18446744073709551615}`), screen, []byte("abc"), uint64(1))
	f.Add([]byte(`{}`), screen[:len(screen)-1], []byte(""), uint64(0))
	f.Add([]byte(`[]`), []byte("ccdirscr\x01\xff"), []byte(""), uint64(0))
	dir := f.TempDir() // of this process, in which one input follows another
	f.Fuzz(func(t *testing.T, final, screen, ring []byte, from uint64) {
		for name, data := range map[string][]byte{"final.json": final, "screen.bin": screen, "ring.raw": ring} {
			if err := os.WriteFile(filepath.Join(dir, name), data, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		if out, err := ReadOutput(dir, OutputParams{Format: FormatRaw, From: from}); err == nil && out.End-out.Start != uint64(len(out.Raw)) {
			t.Errorf("bytes %d to %d are %d", out.Start, out.End, len(out.Raw))
		}
		for _, format := range []string{FormatText, FormatANSI, FormatCells} {
			_, _ = ReadOutput(dir, OutputParams{Format: format, Scrollback: true}) // no panic
		}
	})
}
