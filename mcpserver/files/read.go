package files

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"syscall"
)

const (
	maxEdit     = 16 << 20  // bytes of a file that is edited or hashed
	maxReadText = 256 << 10 // bytes that one Read returns
	maxReadLine = 2000      // bytes of one line that it returns
	maxCounted  = 256 << 20 // larger files are not counted to the end
	defLines    = 2000
	sniff       = 8 << 10
)

// Text is part of a text file.
type Text struct {
	Path string `json:"path"`
	// Content has each line with its number and a tab in front.
	Content string `json:"content" jsonschema:"lines, each behind its number and a tab"`
	First   int    `json:"first_line"`
	Last    int    `json:"last_line"`
	Total   int    `json:"total_lines" jsonschema:"0 if the file is so large that they were not counted"`
	Size    int64  `json:"size"`
	// Hash is the hash of the whole file, for Edit and Write; "" for one over 16 MiB.
	Hash      string `json:"hash" jsonschema:"hash of the whole file; give it to edit or write"`
	Truncated bool   `json:"truncated" jsonschema:"there is more than was returned"`
}

// openRegular opens without blocking on a FIFO, and refuses everything but regular
// files.
func openRegular(root *os.Root, rel, abs string) (*os.File, os.FileInfo, error) {
	f, err := root.OpenFile(rel, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, nil, explain(abs, err)
	}
	info, err := f.Stat()
	switch {
	case err != nil:
		err = explain(abs, err)
	case info.IsDir():
		err = fmt.Errorf("%s is a directory; use list", abs)
	case !info.Mode().IsRegular():
		err = fmt.Errorf("%s is not a regular file (%s)", abs, info.Mode().Type())
	default:
		return f, info, nil
	}
	f.Close()
	return nil, nil, err
}

func checkText(abs string, size int64, begin []byte) error {
	if bytes.HasPrefix(begin, []byte("\xff\xfe")) || bytes.HasPrefix(begin, []byte("\xfe\xff")) {
		return fmt.Errorf("%s is UTF-16 text (%d bytes); only UTF-8 is read and edited: convert it, with iconv for example", abs, size)
	}
	if kind := http.DetectContentType(begin); strings.HasPrefix(kind, "image/") {
		return fmt.Errorf("%s is an image (%s, %d bytes); read returns text only", abs, kind, size)
	}
	if bytes.IndexByte(begin, 0) >= 0 {
		return fmt.Errorf("%s is a binary file (%d bytes); read returns text only", abs, size)
	}
	return nil
}

// Read returns up to limit lines from line first on (from 1; 0 is the default). A byte
// order mark is not shown.
func (s *Space) Read(ctx context.Context, path string, first, limit int) (*Text, error) {
	root, rel, abs, err := s.open(path)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	f, info, err := openRegular(root, rel, abs)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if first <= 0 {
		first = 1
	}
	if limit <= 0 {
		limit = defLines
	}
	sum := sha256.New()
	var in io.Reader = until{ctx, f}
	if info.Size() > 0 {
		in = io.LimitReader(in, info.Size()) // a file that grows has an end too
	}
	if info.Size() <= maxEdit {
		in = io.TeeReader(in, sum)
	}
	br := bufio.NewReaderSize(in, 64<<10)
	begin, err := br.Peek(sniff)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, explain(abs, err)
	}
	if err := checkText(abs, info.Size(), begin); err != nil {
		return nil, err
	}
	if bytes.HasPrefix(begin, []byte(bom)) {
		_, _ = br.Discard(len(bom)) // just peeked
	}
	t := &Text{Path: abs, First: first, Size: info.Size()}
	if err := t.fill(br, first, limit); err != nil {
		return nil, explain(abs, err)
	}
	if info.Size() <= maxEdit {
		t.Hash = hex.EncodeToString(sum.Sum(nil))[:hashLen]
	}
	if t.Total > 0 && first > t.Total {
		return nil, fmt.Errorf("%s has only %d lines", abs, t.Total)
	}
	return t, nil
}

// until is a reader that ends with its context.
type until struct {
	ctx context.Context
	r   io.Reader
}

func (u until) Read(p []byte) (int, error) {
	if err := u.ctx.Err(); err != nil {
		return 0, err
	}
	return u.r.Read(p)
}

func (t *Text) fill(br *bufio.Reader, first, limit int) error {
	var out strings.Builder
	var line []byte
	cut, full := false, false
	seen := int64(0)
	for {
		part, err := br.ReadSlice('\n')
		if seen += int64(len(part)); seen > maxCounted && (full || t.Total >= first+limit) {
			t.Content, t.Total, t.Truncated = out.String(), 0, true
			return nil
		}
		if room := maxReadLine - len(line); len(part) > 0 {
			line = append(line, part[:min(len(part), max(room, 0))]...)
			cut = cut || len(part) > room+1
		}
		if errors.Is(err, bufio.ErrBufferFull) {
			continue
		}
		if len(part) > 0 || len(line) > 0 {
			t.Total++
			n := t.Total
			in := n >= first && n < first+limit
			if in && !full {
				text := strings.ToValidUTF8(strings.TrimRight(string(line), "\r\n"), "\uFFFD")
				if cut {
					text += "…"
					t.Truncated = true
				}
				fmt.Fprintf(&out, "%d\t%s\n", n, text)
				t.Last = n
				full = out.Len() > maxReadText
			} else if n >= first {
				t.Truncated = true
			}
		}
		line, cut = line[:0], false
		if errors.Is(err, io.EOF) {
			t.Content = out.String()
			return nil
		}
		if err != nil {
			return err
		}
	}
}
