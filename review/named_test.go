package review

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

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
	if err := p.n.Before(p.root, names, nil); err != nil {
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

// TestNamedLate: what is read when its tool may have written already is no "before", and said to be so; the next turn knows better.
func TestNamedLate(t *testing.T) {
	p := newPlain(t)
	p.put("a", "one\n")
	p.put("gone", "g\n")
	p.put("kept", "k\n")
	o := p.open()
	start, err := o.Empty(t.Context(), "ccdir: the session begins")
	if err != nil {
		t.Fatal(err)
	}
	answered := make(chan struct{})
	before := func(name string) {
		t.Helper()
		if err := p.n.Before(p.root, []string{filepath.Join(p.root, name)}, answered); err != nil {
			t.Fatal(err)
		}
	}
	before("kept") // in time
	close(answered)
	p.put("a", "two\n")
	p.put("kept", "l\n")
	if err := os.Remove(filepath.Join(p.root, "gone")); err != nil {
		t.Fatal(err)
	}
	before("a")
	before("gone")
	p.write("a", "three\n") // once more in the turn: it stays unknown
	first := p.take(o)
	if got := p.diff(o, start, first); got != "changed a late, changed kept-k+l, removed gone late" {
		t.Errorf("the first turn: %s", got)
	}
	files, _, err := o.Diff(t.Context(), start, first, Options{Stat: true})
	for _, f := range files {
		if f.LeftOut == api.LeftOutLate && (f.Added != nil || f.Removed != nil) || err != nil {
			t.Errorf("lines of %s are counted: %v", f.Path, err)
		}
	}
	p.write("a", "four\n")
	if got := p.diff(o, first, p.take(o)); got != "changed a-three+four" {
		t.Errorf("the next turn: %s", got)
	}
	// What could not be kept is unknown, too, once it can.
	folder := filepath.Join(p.n.dir, "before")
	if err := os.Rename(folder, folder+".away"); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(folder, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	p.put("full", "f\n")
	if err := p.n.Before(p.root, []string{filepath.Join(p.root, "full")}, nil); err == nil {
		t.Error("it is kept where there is no folder")
	}
	if err := os.Rename(folder+".away", folder); err == nil {
		t.Error("a file is no folder")
	} else if err := os.Remove(folder); err != nil {
		t.Fatal(err)
	} else if err := os.Rename(folder+".away", folder); err != nil {
		t.Fatal(err)
	}
	last := p.take(o)
	p.write("full", "g\n")
	if got := p.diff(o, last, p.take(o)); got != "changed full late" {
		t.Errorf("after a full disk: %s", got)
	}
}

// TestLateSnapshot: a snapshot that is made long after its moment says so, unless nothing has changed until then.
func TestLateSnapshot(t *testing.T) {
	r, p := newRepo(t), newPlain(t)
	r.write("a", "one\n")
	r.commit("first")
	p.write("a", "one\n")
	git, named := r.open(), p.open()
	for i, o := range []*Repo{git, named} {
		ago := time.Now().Add(-3 * lateness)
		last, err := o.TakeOf(t.Context(), "", "ccdir: first", time.Now())
		if err != nil {
			t.Fatal(err)
		}
		same, err := o.TakeOf(t.Context(), last, "ccdir: same", ago)
		if err != nil || same != last {
			t.Errorf("%d: the same files are another snapshot: %v", i, err)
		}
		r.write("a", "two\n")
		p.put("a", "two\n")
		late, err := o.TakeOf(t.Context(), last, "ccdir: late", ago)
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range []struct {
			commit string
			late   bool
		}{{last, false}, {late, true}} {
			if by, err := o.Late(t.Context(), c.commit); err != nil || (by >= 3*lateness) != c.late || !c.late && by != 0 {
				t.Errorf("%d: %s late, want %v: %v", i, by, c.late, err)
			}
		}
		r.write("a", "one\n")
		p.put("a", "one\n")
	}
}

// TestLeftThenRead: a file that a snapshot lacks is no new one, and no older text stands for it, when a later snapshot has it.
func TestLeftThenRead(t *testing.T) {
	r := newRepo(t)
	r.write("tracked", "one\n")
	r.commit("first")
	o := r.open()
	huge := strings.Repeat("x", maxNewFile+1)
	r.write("tracked", huge)
	r.write("new", huge)
	r.write("stays", huge)
	from := r.take(o, "")
	r.write("tracked", "one\n")
	r.write("new", "small\n")
	to := r.take(o, "")
	if got := names(r.diff(o, from, to, Options{})); got != "changed new (large), changed tracked (large)" {
		t.Error(got)
	}
	r.write("new", "smaller\n")
	if got := names(r.diff(o, to, r.take(o, ""), Options{})); got != "changed new" {
		t.Error(got)
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
