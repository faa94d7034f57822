package wire

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"

	"ccdir/internal/cells"
)

// Formats of OutputParams.
const (
	FormatText = "text"
	FormatANSI = "ansi"
	FormatRaw  = "raw"
	// FormatCells is history and screen as they are saved (see DecodeSaved), in
	// OutputResult.Raw.
	FormatCells = "cells"
)

// savedMagic begins the saved screen (screen.bin); the last byte is the version
// of the format.
const savedMagic = "ccdirscr\x01"

// AppendSaved appends the saved form of a screen and its history: the magic,
// the number of history lines as a uvarint, the rows in the encoding of frames,
// history first.
func AppendSaved(dst []byte, table *cells.Table, history, rows []cells.Row) []byte {
	dst = append(dst, savedMagic...)
	dst = binary.AppendUvarint(dst, uint64(len(history)))
	var e RowEncoder
	e.Reset(table)
	for i, r := range history {
		e.Add(i, r)
	}
	for i, r := range rows {
		e.Add(len(history)+i, r)
	}
	return e.AppendTo(dst)
}

// DecodeSaved passes the lines of a saved screen to fn, history first, until fn returns
// false. The cells are valid until fn returns.
func DecodeSaved(data []byte, table *cells.Table, fn func(history bool, row cells.Row) bool) error {
	rest, ok := bytes.CutPrefix(data, []byte(savedMagic))
	if !ok {
		return fmt.Errorf("%w: not a saved screen of this version", ErrMalformed)
	}
	r := reader{b: rest}
	history := r.int(1 << 30)
	if r.bad {
		return ErrMalformed
	}
	return DecodeRows(r.b, table, func(i int, row cells.Row) bool { return fn(i < history, row) })
}

// ReadFinal reads final.json in a session's directory; os.ErrNotExist if there is none.
func ReadFinal(dir string) (final Final, err error) {
	b, err := os.ReadFile(filepath.Join(dir, "final.json"))
	if err != nil {
		return Final{}, err
	}
	if err := json.Unmarshal(b, &final); err != nil {
		return Final{}, fmt.Errorf("final.json: %w", err)
	}
	return final, nil
}

// ReadOutput answers OutputParams for a session that has ended, from the files
// final.json, screen.bin and ring.raw in its directory.
func ReadOutput(dir string, p OutputParams) (OutputResult, error) {
	final, err := ReadFinal(dir)
	if err != nil {
		return OutputResult{}, err
	}
	out := OutputResult{End: final.Written}
	if p.Format == FormatRaw {
		raw, err := os.ReadFile(filepath.Join(dir, "ring.raw"))
		if err != nil {
			return OutputResult{}, err
		}
		out.Start = min(max(p.From, final.RingStart), final.RingStart+uint64(len(raw)))
		out.Raw = raw[out.Start-final.RingStart:]
		out.End = out.Start + uint64(len(out.Raw))
		return out, nil
	}
	saved, err := os.ReadFile(filepath.Join(dir, "screen.bin"))
	if err != nil {
		return OutputResult{}, err
	}
	if p.Format == FormatCells {
		out.Raw = saved
		return out, nil
	}
	table := cells.NewTable()
	var decodeErr error
	out.Text, err = RenderOutput(p, table, func(history bool, yield func(cells.Row)) {
		decodeErr = DecodeSaved(saved, table, func(old bool, row cells.Row) bool {
			if history || !old {
				yield(row)
			}
			return true
		})
	})
	return out, errors.Join(err, decodeErr)
}

// RenderOutput renders rows as OutputResult.Text. lines calls yield with every row, those
// of the history first if its argument is true. Blank rows at the end are left out; every
// line ends with a line feed.
func RenderOutput(p OutputParams, table *cells.Table, lines func(history bool, yield func(cells.Row))) (string, error) {
	if p.Format != FormatText && p.Format != FormatANSI && p.Format != "" {
		return "", NewError(CodeInvalid, strconv.Quote(p.Format)+" is not a format: text, ansi, cells or raw")
	}
	var out []byte
	blank := 0 // blank lines held back
	lines(p.Scrollback, func(r cells.Row) {
		row := trim(r.Cells, p.Format == FormatANSI)
		if len(row) == 0 {
			blank++
			return
		}
		for ; blank > 0; blank-- {
			out = append(out, '\n')
		}
		if p.Format == FormatANSI {
			out = appendANSI(out, table, row)
		} else {
			out = table.AppendText(out, row)
		}
		out = append(out, '\n')
	})
	return string(out), nil
}

// trim cuts blank cells at the end; styled: a blank with a visible style is kept.
func trim(cells []cells.Cell, styled bool) []cells.Cell {
	n := len(cells)
	for n > 0 && cells[n-1].Blank() && (!styled || cells[n-1].Style == 0) {
		n--
	}
	return cells[:n]
}

// appendANSI appends cells with SGR sequences for their styles; the line ends in the
// default style.
func appendANSI(dst []byte, t *cells.Table, row []cells.Cell) []byte {
	last := cells.StyleID(0)
	link := ""
	for _, c := range row {
		if c.Span == cells.Tail {
			continue
		}
		if c.Style != last {
			s := t.Style(c.Style)
			if uri := t.LinkURI(s.Link); uri != link {
				dst = appendLink(dst, uri)
				link = uri
			}
			dst = appendSGR(dst, s)
			last = c.Style
		}
		dst = t.AppendGlyph(dst, c.Glyph)
	}
	if link != "" {
		dst = appendLink(dst, "")
	}
	if last != 0 {
		dst = append(dst, "\x1b[m"...)
	}
	return dst
}

func appendLink(dst []byte, uri string) []byte {
	dst = append(dst, "\x1b]8;;"...)
	if cells.SafeLink(uri) {
		dst = append(dst, uri...)
	}
	return append(dst, "\x1b\\"...)
}

// appendSGR appends style s, starting from the default style.
func appendSGR(dst []byte, s cells.Style) []byte {
	dst = append(dst, "\x1b[0"...)
	for i, code := range [...]int{1, 2, 3, 5, 7, 8, 9, 53} {
		if s.Attrs&(1<<i) != 0 {
			dst = append(dst, ';')
			dst = strconv.AppendInt(dst, int64(code), 10)
		}
	}
	switch {
	case s.Underline == cells.UnderlineSingle:
		dst = append(dst, ";4"...)
	case s.Underline != 0:
		dst = append(dst, ";4:"...)
		dst = append(dst, '0'+byte(s.Underline))
	}
	dst = appendSGRColor(dst, 38, s.FG)
	dst = appendSGRColor(dst, 48, s.BG)
	dst = appendSGRColor(dst, 58, s.UnderlineColor)
	return append(dst, 'm')
}

func appendSGRColor(dst []byte, plane int, c cells.Color) []byte {
	if c.IsDefault() {
		return dst
	}
	if i, ok := c.Index(); ok {
		return fmt.Appendf(dst, ";%d;5;%d", plane, i)
	}
	r, g, b, _ := c.RGB()
	return fmt.Appendf(dst, ";%d;2;%d;%d;%d", plane, r, g, b)
}
