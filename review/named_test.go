package review

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"ccdir/api"
)

// plain is a directory outside of git in which tools name files.
type plain struct {
	t    testing.TB
	root string
	n    *Names
}

func newPlain(t testing.TB) *plain {
	t.Helper()
	n, err := OpenNames(filepath.Join(t.TempDir(), "named", "s"), true)
	if err != nil {
		t.Fatal(err)
	}
	return &plain{t, t.TempDir(), n}
}

// write has a tool write a file: it names it first.
func (p *plain) write(name, text string) {
	p.t.Helper()
	p.name(name)
	p.put(name, text)
}

func (p *plain) name(names ...string) {
	p.t.Helper()
	for i := range names {
		names[i] = filepath.Join(p.root, names[i])
	}
	if err := p.n.Before(p.root, names); err != nil {
		p.t.Fatal(err)
	}
}

func (p *plain) put(name, text string) {
	p.t.Helper()
	file := filepath.Join(p.root, name)
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		p.t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		p.t.Fatal(err)
	}
}

func (p *plain) open() *Repo {
	p.t.Helper()
	o, err := OpenNamed(p.t.Context(), p.n)
	if err != nil {
		p.t.Fatal(err)
	}
	p.t.Cleanup(o.Close)
	return o
}

// take is a snapshot of now.
func (p *plain) take(o *Repo) string {
	p.t.Helper()
	id, err := o.Take(p.t.Context(), "", "ccdir: now")
	if err != nil {
		p.t.Fatal(err)
	}
	return id
}

// diff is what differs, as words.
func (p *plain) diff(o *Repo, base, head string) string {
	p.t.Helper()
	base, err := o.Complete(p.t.Context(), base, head)
	if err != nil {
		p.t.Fatal(err)
	}
	files, _, err := o.Diff(p.t.Context(), base, head, Options{})
	if err != nil {
		p.t.Fatal(err)
	}
	var parts []string
	for _, f := range files {
		text := f.Status + " " + f.Path
		if f.LeftOut != "" {
			text += " " + f.LeftOut
		}
		for _, h := range f.Hunks {
			for _, l := range h.Lines {
				text += map[api.LineKind]string{api.LineContext: " ", api.LineAdded: "+", api.LineRemoved: "-"}[l.Kind] + l.Text
			}
		}
		parts = append(parts, text)
	}
	return strings.Join(parts, ", ")
}

// TestNamedTurns: outside of git each turn and the session have what was changed in the files that tools named, also those that were
// named after a snapshot was made, and after another daemon has begun.
func TestNamedTurns(t *testing.T) {
	p := newPlain(t)
	p.put("a", "one\n")
	p.put("other", "by hand\n")
	o := p.open()
	start, err := o.Empty(t.Context(), "ccdir: the session begins")
	if err != nil {
		t.Fatal(err)
	}
	p.write("a", "two\n")
	p.write("sub/new", "n\n")
	first := p.take(o)
	if got := p.diff(o, start, first); got != "changed a-one+two, added sub/new+n" {
		t.Errorf("the first turn: %s", got)
	}
	p.put("other", "again by hand\n")
	p.write("a", "three\n")
	p.write("other", "by a tool\n")
	if err := os.Remove(filepath.Join(p.root, "sub/new")); err != nil {
		t.Fatal(err)
	}
	again, err := OpenNames(p.n.dir, false)
	if err != nil {
		t.Fatal(err)
	}
	p.n = again
	o = p.open()
	second := p.take(o)
	for i, c := range []struct{ base, head, want string }{
		{first, second, "changed a-two+three, changed other-again by hand+by a tool, removed sub/new-n"},
		{start, second, "changed a-one+three, changed other-again by hand+by a tool"},
		{start, first, "changed a-one+two, added sub/new+n"}, // the past stays
		{second, p.take(o), ""},
	} {
		if got := p.diff(o, c.base, c.head); got != c.want {
			t.Errorf("%d: %s, want %s", i, got, c.want)
		}
	}
	if same, err := o.Take(t.Context(), second, "ccdir: now"); err != nil || same != second {
		t.Errorf("the same files are another snapshot: %v", err)
	}
}

// TestNamedHostile: names that git would not take, that lead out of the directory, and files that are none; what is not known is said
// to be so.
func TestNamedHostile(t *testing.T) {
	p := newPlain(t)
	secret := filepath.Join(t.TempDir(), "secret")
	if err := os.WriteFile(secret, []byte("secret\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(secret, filepath.Join(p.root, "link")); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mkfifo(filepath.Join(p.root, "pipe"), 0o600); err != nil {
		t.Fatal(err)
	}
	strange := "-x \"q\\ü\n\t\x01"
	p.put("large", strings.Repeat("x", maxNamedFile+1))
	o := p.open()
	start, err := o.Empty(t.Context(), "ccdir: the session begins")
	if err != nil {
		t.Fatal(err)
	}
	p.name("link", "pipe", "large", strange, "../out", ".git/config", "sub/.GIT/x", ".")
	p.put(strange, "s\n")
	p.put("large", strings.Repeat("y", maxNamedFile+2))
	got := p.diff(o, start, p.take(o))
	if got != "changed large large, added "+strange+"+s" && got != "added "+strange+"+s, changed large large" {
		t.Errorf("%q", got)
	}
	if n, _ := p.n.Len(); n != 4 {
		t.Errorf("%d are named", n)
	}
	// A folder in place of a file.
	p.write("f", "x\n")
	if err := os.Remove(filepath.Join(p.root, "f")); err != nil {
		t.Fatal(err)
	}
	p.write("f/g", "y\n")
	if got := p.diff(o, start, p.take(o)); !strings.Contains(got, "added f/g+y") {
		t.Errorf("%q", got)
	}
}

// TestNamedBounds: beyond the number of files and the sum of bytes it is said.
func TestNamedBounds(t *testing.T) {
	p := newPlain(t)
	for i := range maxNamedBytes/maxNamedFile + 1 {
		p.put(fmt.Sprint("big", i), strings.Repeat("x", maxNamedFile))
		p.name(fmt.Sprint("big", i))
	}
	if f, err := p.n.read(maxNamedBytes/maxNamedFile+1, true); err != nil || f.Left != api.LeftOutTotal || len(f.content) > 0 {
		t.Errorf("%+v %v", f, err)
	}
	for i := range maxNamed {
		p.name(fmt.Sprint("n", i))
	}
	if n, more := p.n.Len(); n != maxNamed || !more {
		t.Errorf("%d, %v", n, more)
	}
	if note, outside := p.open().Outside(); !outside || !strings.Contains(note, "the first 500") {
		t.Errorf("%q", note)
	}
}

// BenchmarkNamed is what the hook before a tool waits for: a file of 64 KiB is kept.
func BenchmarkNamed(b *testing.B) {
	p := newPlain(b)
	p.put("f", string(bytes.Repeat([]byte("a line of a program\n"), 64<<10/20)))
	for b.Loop() {
		p.n.list, p.n.known, p.n.bytes = nil, map[string]bool{}, 0
		p.name("f")
	}
}
