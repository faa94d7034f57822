package review

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"ccdir/api"
	"ccdir/tui/ui"
	"ccdir/tui/ui/uitest"
)

// differ is a client with differences.
type differ struct {
	ui.Client
	diffs  map[api.DiffScope]api.ReviewDiff
	err    map[api.DiffScope]error
	whole  map[string]api.ReviewFile
	asked  []api.DiffQuestion
	looked []string
}

func (c *differ) Diff(_ context.Context, _ string, q api.DiffQuestion) (api.ReviewDiff, error) {
	c.asked = append(c.asked, q)
	if err := c.err[q.Scope]; err != nil {
		return api.ReviewDiff{}, err
	}
	d := c.diffs[q.Scope]
	if len(q.Paths) > 0 {
		d.Files = nil
		if f, ok := c.whole[q.Paths[0]]; ok {
			d.Files = []api.ReviewFile{f}
		}
	}
	return d, nil
}

func (c *differ) Looked(_ context.Context, _, head string) error {
	c.looked = append(c.looked, head)
	return nil
}

// hunk makes one of lines that begin with ' ', '+' or '-'.
func hunk(old, now int, lines ...string) api.ReviewHunk {
	h := api.ReviewHunk{OldStart: old, NewStart: now}
	for _, l := range lines {
		kind := map[byte]api.LineKind{' ': api.LineContext, '+': api.LineAdded, '-': api.LineRemoved}[l[0]]
		if kind != api.LineAdded {
			h.OldLines++
		}
		if kind != api.LineRemoved {
			h.NewLines++
		}
		h.Lines = append(h.Lines, api.ReviewLine{Kind: kind, Text: l[1:]})
	}
	return h
}

// file makes a file of hunks.
func file(path, status string, hunks ...api.ReviewHunk) api.ReviewFile {
	f := api.ReviewFile{Path: path, Status: status, Hunks: hunks, Content: "c-" + path}
	added, removed := 0, 0
	for _, h := range hunks {
		for _, l := range h.Lines {
			switch l.Kind {
			case api.LineAdded:
				added++
			case api.LineRemoved:
				removed++
			}
		}
	}
	f.Added, f.Removed = &added, &removed
	return f
}

// work is a difference with everything in it.
func work() api.ReviewDiff {
	last := hunk(1, 1, "-old words", "+new words")
	last.Lines[1].NoNewline = true
	link := file("bin/run", api.FileAdded)
	link.Mode = "120000"
	moved := file("docs/guide.md", api.FileRenamed)
	moved.OldPath = "guide.md"
	moved.OldMode, moved.Mode = "100644", "100755"
	lock := file("package-lock.json", api.FileChanged)
	lock.LeftOut = api.LeftOutGenerated
	n := 900
	lock.Added, lock.Removed = &n, &n
	image := api.ReviewFile{Path: "logo.png", Status: api.FileChanged, Binary: true, Content: "c-logo"}
	files := []api.ReviewFile{
		file("pool/pool.go", api.FileChanged,
			hunk(10, 10, " func (p *Pool) Get(name string) (*Conn, error) {", "-\tc := p.free[name]", "-\treturn c, nil", "+\tc, ok := p.free[name] // é 日本",
				"+\tif !ok {", "+\t\treturn nil, fmt.Errorf(\"no connection %q\", name)", "+\t}", "+\treturn c, nil", " }", " "),
			hunk(40, 43, " func (p *Pool) Close() {", "+\t/* all of them */", " \tp.busy.Wait()", "-\tpanic(\"\x1b[31mred\x1b[0m\u202e\")", " }")),
		file("notes.txt", api.FileChanged, last), link, moved, lock, image,
		file("gone.go", api.FileRemoved, hunk(1, 0, "-package gone")),
	}
	turn := 3
	d := api.ReviewDiff{Scope: api.DiffTurn, Turn: &turn, Base: "b", Head: "h", Files: files}
	d.Added, d.Removed = 7, 5
	return d
}

func worked() *differ {
	d := work()
	all := map[api.DiffScope]api.ReviewDiff{api.DiffTurn: d}
	d.Scope, d.Turn, d.Head = api.DiffSession, nil, "h2"
	all[api.DiffSession] = d
	d.Scope, d.Head = api.DiffSeen, "h3"
	d.Files = d.Files[:1]
	all[api.DiffSeen] = d
	return &differ{diffs: all, err: map[api.DiffScope]error{api.DiffBase: errors.New("the repository has no main branch that is known: compare with another scope")}}
}

func session() api.Session {
	return api.Session{ID: "aaaa1111", Name: "api", Agent: "claude", State: api.StateIdle, CWD: "/repo", LastTurn: &api.TurnDiff{Turn: 3}}
}

func rig(t *testing.T, cols, rows int, c *differ) *uitest.Rig {
	t.Helper()
	env := uitest.Env(cols, rows)
	env.Sessions = []api.Session{session()}
	return uitest.NewRig(t, env, c, New(env, session()))
}

func TestPictures(t *testing.T) {
	for _, size := range uitest.Sizes {
		name := fmt.Sprintf("%dx%d", size[0], size[1])
		r := rig(t, size[0], size[1], worked())
		uitest.Golden(t, r.Env, r.C, "turn-"+name)
		r.Do("}", "}", "v", "j")
		uitest.Golden(t, r.Env, r.C, "files-"+name)
		r.Do("Tab", "Tab", "Tab")
		uitest.Golden(t, r.Env, r.C, "problem-"+name)
	}
}

// TestMotions: by hunk and file, to and fro.
func TestMotions(t *testing.T) {
	r := rig(t, 80, 24, worked())
	at := func() row { d := r.C.(dialog); return d.rows[d.cursor] }
	r.Do("n")
	if got := at(); got.kind != rowHunk || got.hunk != 0 {
		t.Errorf("n leads to %+v", got)
	}
	r.Do("]", "n")
	if got := at(); got.kind != rowHunk || got.file != 1 {
		t.Errorf("n leads to %+v", got)
	}
	r.Do("N")
	if got := at(); got.file != 0 || got.hunk != 1 {
		t.Errorf("N leads to %+v", got)
	}
	r.Do("{")
	if got := at(); got.kind != rowFile || got.file != 0 {
		t.Errorf("{ leads to %+v", got)
	}
	r.Do("}", "}", "}")
	if got := at(); got.kind != rowFile || got.file != 3 {
		t.Errorf("} leads to %+v", got)
	}
	r.Do("G", "n")
	if r.Said() != "this is the last hunk" {
		t.Errorf("said %q", r.Said())
	}
}

// TestSearch: what is searched is found in texts and names, and the search goes round.
func TestSearch(t *testing.T) {
	r := rig(t, 80, 24, worked())
	r.Do("/")
	r.C = r.C.(ui.Paster).Paste(r.Env, "ERRORF")
	r.Do("Enter")
	d := r.C.(dialog)
	if l := d.lineOf(d.rows[d.cursor], d.rows[d.cursor].now); l == nil || !strings.Contains(l.Text, "Errorf") {
		t.Errorf("it is at %+v", d.rows[d.cursor])
	}
	r.Do("n")
	if r.Said() != "the search went on at the other end" {
		t.Errorf("said %q", r.Said())
	}
	r.Do("Escape", "/")
	r.C = r.C.(ui.Paster).Paste(r.Env, "nowhere")
	r.Do("Enter")
	if !strings.Contains(r.Said(), "nothing of what is unfolded") {
		t.Errorf("said %q", r.Said())
	}
	r.Do("Escape", "Escape")
	if r.C != nil {
		t.Error("Escape does not close it")
	}
}

// TestFolded: a file is folded and unfolded, one that was left out is asked for.
func TestFolded(t *testing.T) {
	c := worked()
	c.whole = map[string]api.ReviewFile{"package-lock.json": file("package-lock.json", api.FileChanged, hunk(5, 5, "-a lock", "+another lock"))}
	r := rig(t, 80, 24, c)
	r.Do("j", "Enter")
	if d := r.C.(dialog); d.rows[d.cursor].kind != rowFile || !d.isFolded(&d.diff.Files[0]) {
		t.Errorf("%s", r.Dump())
	}
	r.Do("Enter", "}", "}", "}", "}", "Enter")
	r.Shows("another lock")
	if q := c.asked[len(c.asked)-1]; len(q.Paths) != 1 || q.Turn != 3 {
		t.Errorf("asked %+v", q)
	}
	r.Do("o")
	if d := r.C.(dialog); len(d.rows) != len(d.diff.Files) {
		t.Errorf("%s", r.Dump())
	}
	r.Do("o")
	r.Shows("another lock")
}

// TestScopes: Tab shows the next scope; who has seen all of one is told to the daemon.
func TestScopes(t *testing.T) {
	c := worked()
	r := rig(t, 80, 24, c)
	r.Do("G", "Tab")
	r.Shows("1 file +7 −5")
	r.Do("Tab")
	if len(c.looked) != 1 || c.looked[0] != "h3" {
		t.Errorf("looked %v", c.looked)
	}
	r.Do("q")
	if r.C != nil || len(c.looked) != 1 {
		t.Errorf("not all was in view, and %v", c.looked)
	}
}

// TestNothingYet: without a turn what is not committed is shown.
func TestNothingYet(t *testing.T) {
	c := worked()
	c.err[api.DiffTurn] = errors.New("session api has not ended a turn that ccdir saw")
	r := rig(t, 80, 24, c)
	r.Shows("nothing was changed", "uncommitted")
	if !strings.Contains(r.Said(), "not ended a turn") {
		t.Errorf("said %q", r.Said())
	}
}

// TestCopy: the marked lines, the line, or the name.
func TestCopy(t *testing.T) {
	r := rig(t, 80, 24, worked())
	r.Do("y", "j", "j", "v", "j", "y", "y")
	for _, want := range []string{"pool/pool.go", "func (p *Pool) Get(name string) (*Conn, error) {\n\tc := p.free[name]\n", "\tc := p.free[name]"} {
		if !r.Asks(ui.Copy{Text: want}) {
			t.Errorf("%q was not copied", want)
		}
	}
}

// TestNews: a turn that has ended since is told; the place stays when the difference is made again.
func TestNews(t *testing.T) {
	c := worked()
	r := rig(t, 80, 24, c)
	r.Do("n", "n", "j", "j")
	v := session()
	v.LastTurn = &api.TurnDiff{Turn: 4}
	r.Env.Sessions = []api.Session{v}
	r.Shows("turn 4 has ended · r shows it")
	d := c.diffs[api.DiffTurn]
	d.Files = append([]api.ReviewFile{file("a.go", api.FileAdded, hunk(0, 1, "+package a"))}, d.Files...)
	c.diffs[api.DiffTurn] = d
	before := r.C.(dialog).here()
	r.Do("r")
	if after := r.C.(dialog).here(); after != before {
		t.Errorf("it was at %+v, and is at %+v", before, after)
	}
}

// TestHostile: nothing of a difference reaches the terminal as it is.
func TestHostile(t *testing.T) {
	d := work()
	d.Files[1].Path = "a\x1b]52;c;eA==\x07\nb"
	d.Note = "\x1b[2J"
	r := rig(t, 120, 40, &differ{diffs: map[api.DiffScope]api.ReviewDiff{api.DiffTurn: d}})
	r.Do("n", "n")
	for _, c := range r.Dump() {
		if c < ' ' && c != '\n' || c == 0x202e {
			t.Fatalf("%q in\n%q", c, r.Dump())
		}
	}
}

// many is a difference of n lines in files of 500.
func many(n int) api.ReviewDiff {
	d := api.ReviewDiff{Scope: api.DiffTurn, Head: "h"}
	for len(d.Files)*500 < n {
		var lines []string
		for i := range 100 {
			lines = append(lines, fmt.Sprintf(" \tcontext %d", i), fmt.Sprintf("-\told := read(%d, \"text\")", i), fmt.Sprintf("-\tsecond(%d)", i),
				fmt.Sprintf("+\tnew := read(%d, \"texts\")", i), fmt.Sprintf("+\tsecond(%d) // why", i))
		}
		d.Files = append(d.Files, file(fmt.Sprintf("dir/file%d.go", len(d.Files)), api.FileChanged, hunk(1, 1, lines...)))
	}
	return d
}

// TestMany: a large difference is shown plainly.
func TestMany(t *testing.T) {
	r := rig(t, 200, 60, &differ{diffs: map[api.DiffScope]api.ReviewDiff{api.DiffTurn: many(50_000)}})
	d := r.C.(dialog)
	if !d.plain() || len(d.paint.parts) > 0 {
		t.Errorf("%d lines are not plain", d.lines)
	}
	r.Do("G")
	r.Shows("second(99) // why")
}

// BenchmarkOpen: from the answer to the first picture.
func BenchmarkOpen(b *testing.B) {
	for _, n := range []int{9_000, 50_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			env := uitest.Env(200, 60)
			env.Sessions = []api.Session{session()}
			diff := many(n)
			for b.Loop() {
				c, _ := New(env, session()).(dialog).ask(env)
				next, _ := c.Receive(env, told{scope: api.DiffTurn, diff: diff}, nil)
				uitest.Picture(env, next)
			}
		})
	}
}

// BenchmarkScroll: a page down, with its picture.
func BenchmarkScroll(b *testing.B) {
	for _, n := range []int{9_000, 50_000} {
		for _, split := range []bool{false, true} {
			b.Run(fmt.Sprintf("%d-%v", n, split), func(b *testing.B) {
				env := uitest.Env(200, 60)
				env.Sessions = []api.Session{session()}
				start := New(env, session()).(dialog)
				start.split = split
				start, _ = start.ask(env)
				c, _ := start.Receive(env, told{scope: api.DiffTurn, diff: many(n)}, nil)
				picture := uitest.Picture(env, c)
				for b.Loop() {
					c, _ = uitest.Press(env, c, "NPage")
					c, _ = c.(dialog).Refresh(env) // colours are made elsewhere
					c.Draw(env, picture)
					if d := c.(dialog); d.top+d.height >= len(d.rows) {
						c = d.to(0)
					}
				}
			})
		}
	}
}
