package files

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

// TestForm: what read does not show (CRLF, a byte order mark) is still there after a
// write of what was read.
func TestForm(t *testing.T) {
	s, dir, _ := space(t)
	file := filepath.Join(dir, "f")
	for _, tt := range []struct{ old, write, want string }{
		{"a\r\nb\r\n", "a\nc\n", "a\r\nc\r\n"},
		{"a\r\nb\r\n", "x\r\ny\n", "x\r\ny\n"}, // it knows what it does
		{"a\nb\nc\r\n", "a\nd\n", "a\nd\n"},
		{bom + "a\n", "b\n", bom + "b\n"},
		{bom + "a\r\n", bom + "b\n", bom + "b\r\n"},
		{"a\r\n\x00", "b\n", "b\n"},
		{"a\r\n", "", ""},
	} {
		put(t, file, tt.old)
		w, err := s.Write("f", tt.write, "")
		if err != nil || get(t, file) != tt.want || w.Hash != hashOf([]byte(tt.want)) {
			t.Errorf("%q over %q: %q, %+v, %v", tt.write, tt.old, get(t, file), w, err)
		}
	}
	put(t, file, bom+"a\r\nb\r\n")
	if r, err := s.Read(t.Context(), "f", 0, 0); err != nil || r.Content != "1\ta\n2\tb\n" {
		t.Errorf("%+v, %v", r, err)
	}
	put(t, file, "one\ntwo\nlast\r\n")
	if _, err := s.Edit("f", "two", "2\n3", false, ""); err != nil || get(t, file) != "one\n2\n3\nlast\r\n" {
		t.Errorf("one line among others: %q, %v", get(t, file), err)
	}
	put(t, file, "\xff\xfea\x00\n\x00")
	if _, err := s.Read(t.Context(), "f", 0, 0); err == nil || !strings.Contains(err.Error(), "UTF-16") {
		t.Errorf("UTF-16: %v", err)
	}
}

// TestOverlap: an edit whose text begins at two places is not carried out at one of them.
func TestOverlap(t *testing.T) {
	s, dir, _ := space(t)
	file := filepath.Join(dir, "f")
	put(t, file, "}\n}\n}\n")
	if w, err := s.Edit("f", "}\n}\n", "x\n", false, ""); err == nil || !strings.Contains(err.Error(), "2 times") || !strings.Contains(err.Error(), "lines 1 2") {
		t.Errorf("%+v, %v", w, err)
	}
	if w, err := s.Edit("f", "}\n}\n", "x\n", true, ""); err != nil || w.Replaced != 1 || get(t, file) != "x\n}\n" {
		t.Errorf("%+v, %v", w, err)
	}
}

// TestReadOnly: a file that nobody may write is not replaced under its name.
func TestReadOnly(t *testing.T) {
	s, dir, _ := space(t)
	file := filepath.Join(dir, "f")
	put(t, file, "old")
	if err := os.Chmod(file, 0o444); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Write("f", "new", ""); err == nil || !strings.Contains(err.Error(), "read-only") {
		t.Error(err)
	}
	if _, err := s.Edit("f", "old", "new", false, ""); err == nil || get(t, file) != "old" {
		t.Errorf("%q, %v", get(t, file), err)
	}
}

// TestTwoSpaces: edits of one file by several sessions at once are all in it.
func TestTwoSpaces(t *testing.T) {
	_, dir, _ := space(t)
	put(t, filepath.Join(dir, "f"), "end\n")
	const each = 20
	var editing sync.WaitGroup
	for i := range 3 {
		s, err := New(dir)
		if err != nil {
			t.Fatal(err)
		}
		editing.Go(func() {
			for n := range each {
				if _, err := s.Edit("f", "end\n", fmt.Sprintf("%d-%d\nend\n", i, n), false, ""); err != nil {
					t.Error(err)
				}
			}
		})
	}
	editing.Wait()
	if got := strings.Count(get(t, filepath.Join(dir, "f")), "\n"); got != 3*each+1 {
		t.Errorf("%d lines of %d are there", got, 3*each+1)
	}
}

// TestNewFileIsNotReplaced: a file that comes between the look and the write is not lost.
func TestNewFileIsNotReplaced(t *testing.T) {
	_, dir, _ := space(t)
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	put(t, filepath.Join(dir, "f"), "theirs")
	if err := replace(root, "f", []byte("mine"), nil); !errors.Is(err, errChanged) || get(t, filepath.Join(dir, "f")) != "theirs" {
		t.Errorf("%v, %q", err, get(t, filepath.Join(dir, "f")))
	}
	if left, _ := filepath.Glob(filepath.Join(dir, ".ccdir-*")); len(left) != 0 {
		t.Errorf("left behind: %v", left)
	}
}

// TestReadEnds: a read ends with its call, and a huge file is not read to its end for
// the number of its lines.
func TestReadEnds(t *testing.T) {
	s, dir, _ := space(t)
	put(t, filepath.Join(dir, "f"), strings.Repeat("line\n", 100))
	ctx, cancel := context.WithDeadline(t.Context(), time.Unix(0, 0))
	defer cancel()
	if _, err := s.Read(ctx, "f", 0, 0); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("after the time-out: %v", err)
	}
	file := filepath.Join(dir, "huge")
	put(t, file, strings.Repeat("0123456789abcdef\n", 1000))
	if err := os.Truncate(file, 1<<40); err != nil { // sparse: a terabyte of nothing
		t.Log("no sparse files here:", err)
		return
	}
	if r, err := s.Read(t.Context(), "huge", 1, 10); err != nil || r.Last != 10 || r.Total != 0 || !r.Truncated || r.Hash != "" {
		t.Errorf("%+v, %v", r, err)
	}
}
