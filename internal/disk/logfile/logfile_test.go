//go:build unix

package logfile

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// all reads what a reader has now.
func all(t *testing.T, r *Reader) (lines []string) {
	t.Helper()
	for {
		line, err := r.Next()
		if errors.Is(err, io.EOF) {
			return lines
		}
		if err != nil {
			t.Fatal(err)
		}
		lines = append(lines, line)
	}
}

func newLog(t *testing.T, limit int64) (string, *os.File, io.Writer) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "daemon.log")
	f, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	return path, f, Rotate(f, path, limit)
}

// TestRotation: the files stay bounded, a reader that follows gets each line once and in
// order, and one that comes later gets the newest.
func TestRotation(t *testing.T) {
	path, f, w := newLog(t, 1000)
	r, err := NewReader(path)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	var got []string
	for i := range 1000 {
		fmt.Fprintf(w, "line %d\n", i)
		if i%20 == 0 {
			got = append(got, all(t, r)...)
		}
	}
	got = append(got, all(t, r)...)
	for i, line := range got {
		if line != fmt.Sprint("line ", i) {
			t.Fatalf("line %d of the reader is %q", i, line)
		}
	}
	if len(got) != 1000 {
		t.Errorf("a reader that followed has %d lines", len(got))
	}
	for _, name := range []string{path, Old(path)} {
		info, err := os.Stat(name)
		if err != nil || info.Size() > 1100 {
			t.Errorf("%s: %v, %v", name, info, err)
		}
	}
	// What is written past the writer, as the runtime does, is in the log, too.
	fmt.Fprintln(f, "panic: x")
	late, err := NewReader(path)
	if err != nil {
		t.Fatal(err)
	}
	defer late.Close()
	lines := all(t, late)
	if n := len(lines); n < 100 || lines[n-1] != "panic: x" || lines[n-2] != "line 999" || lines[0] != fmt.Sprint("line ", 1001-n) {
		t.Errorf("a late reader has %d lines, from %q", n, lines[0])
	}
}

// TestTwoWriters: a process whose file another one rotated finds the new file, and pushes
// nothing out.
func TestTwoWriters(t *testing.T) {
	path, _, a := newLog(t, 1000)
	other, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	b := Rotate(other, path, 1000)
	var wg sync.WaitGroup
	for name, w := range map[string]io.Writer{"a": a, "b": b} {
		wg.Go(func() {
			for i := range 300 {
				fmt.Fprintf(w, "%s %d\n", name, i)
			}
		})
	}
	wg.Wait()
	fmt.Fprintln(a, "end a")
	fmt.Fprintln(b, "end b")
	r, err := NewReader(path)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	text := strings.Join(all(t, r), "\n")
	if !strings.Contains(text, "end a") || !strings.Contains(text, "end b") {
		t.Errorf("the ends are missing in %q", text)
	}
}

// TestRemoved: the log is made again in place of one that was removed.
func TestRemoved(t *testing.T) {
	path, _, w := newLog(t, 1000)
	fmt.Fprintln(w, "one")
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	fmt.Fprintln(w, "two")
	if data, err := os.ReadFile(path); err != nil || string(data) != "two\n" {
		t.Errorf("the log has %q, %v", data, err)
	}
}

// TestLinked: a log on another disk is rotated there.
func TestLinked(t *testing.T) {
	real := filepath.Join(t.TempDir(), "real")
	path := filepath.Join(t.TempDir(), "daemon.log")
	if err := os.WriteFile(real, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(real, path); err != nil {
		t.Fatal(err)
	}
	f, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	w := Rotate(f, path, 100)
	for i := range 20 {
		fmt.Fprintf(w, "line %d\n", i)
	}
	if _, err := os.Stat(Old(real)); err != nil {
		t.Error(err)
	}
	if info, err := os.Lstat(path); err != nil || info.Mode()&os.ModeSymlink == 0 {
		t.Errorf("the link is %v, %v", info, err)
	}
}

// TestNotRotated: where the file cannot be renamed it grows on, and no line is lost.
func TestNotRotated(t *testing.T) {
	path, _, w := newLog(t, 100)
	if err := os.MkdirAll(filepath.Join(Old(path), "x"), 0o700); err != nil { // in the way of the rename
		t.Fatal(err)
	}
	for i := range 50 {
		fmt.Fprintf(w, "line %d\n", i)
	}
	data, err := os.ReadFile(path)
	if err != nil || strings.Count(string(data), "\n") != 50 {
		t.Errorf("%d lines, %v", strings.Count(string(data), "\n"), err)
	}
}

// TestForeign: what is no log file is written to as it is.
func TestForeign(t *testing.T) {
	path, _, _ := newLog(t, 100)
	f, err := os.Create(filepath.Join(t.TempDir(), "x"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if w := Rotate(f, path, 100); w != io.Writer(f) {
		t.Errorf("the writer is %T", w)
	}
}

// TestLongLine: a line without an end is read in pieces; one that is not whole is none yet.
func TestLongLine(t *testing.T) {
	path, f, _ := newLog(t, MaxSize)
	fmt.Fprint(f, strings.Repeat("x", maxLine+10), "\nlast")
	r, err := NewReader(path)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if lines := all(t, r); len(lines) != 2 || len(lines[0]) != maxLine || lines[1] != strings.Repeat("x", 10) {
		t.Errorf("%d lines", len(lines))
	}
	fmt.Fprint(f, " one\n")
	if lines := all(t, r); len(lines) != 1 || lines[0] != "last one" {
		t.Errorf("then %q", lines)
	}
}
