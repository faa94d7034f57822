package transcript

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"ccdir/api"
	"ccdir/internal/disk/untrusted"
)

// words decodes lines "> PROMPT", "TEXT", "tool ID", "result ID", "agent ID" and "end".
type words struct{}

func (words) Line(line []byte, b *Builder) {
	verb, rest, _ := strings.Cut(string(line), " ")
	switch verb {
	case ">":
		b.Begin(time.Time{}, "", rest)
	case "tool":
		b.Call(time.Time{}, rest, "Tool", nil, "")
	case "agent":
		b.Call(time.Time{}, rest, "Agent", nil, "")
		b.Starts()
	case "result":
		b.Result(time.Time{}, rest, Result{Outcome: api.ToolOK})
	case "end":
		b.End(time.Time{})
	case "fail":
		b.Fail(api.TurnFailure{Kind: api.FailureAPI, Message: rest})
	case "stop":
		b.Interrupt(time.Time{}, rest)
	default:
		b.Text(time.Time{}, "m", string(line), 0)
	}
}

// follow is a File with what it told so far.
type follow struct {
	*File
	t     *testing.T
	turns []api.Turn
	// passed describes each turn as it was passed on.
	passed []string
}

func newFollow(t *testing.T, path string) *follow {
	return &follow{File: NewFile(path, words{}, Options{}), t: t}
}

func (f *follow) read() {
	f.t.Helper()
	f.passed = nil
	if err := f.Read(f.t.Context(), f.take); err != nil {
		f.t.Fatal(err)
	}
}

func (f *follow) take(turn api.Turn) error {
	f.passed = append(f.passed, fmt.Sprintf("%d %s %s %d+%d", turn.Turn, turn.Prompt, turn.State, turn.From, len(turn.Items)))
	f.turns = Merge(f.turns, turn, 0)
	return nil
}

// told is what was told, as "PROMPT STATE text text".
func (f *follow) told() (all []string) {
	for _, turn := range f.turns {
		text := turn.Prompt + " " + string(turn.State)
		for _, i := range turn.Items {
			switch i.Kind {
			case api.ItemTool:
				text += " " + turn.Tools[i.Tool].ID + "=" + string(turn.Tools[i.Tool].Outcome)
			default:
				text += " " + i.Text
			}
		}
		all = append(all, text)
	}
	return all
}

func (f *follow) want(want ...string) {
	f.t.Helper()
	if got := f.told(); !slices.Equal(got, want) {
		f.t.Errorf("told %q, want %q", got, want)
	}
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func extend(t *testing.T, path, text string) {
	t.Helper()
	f, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.WriteString(text); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
}

func TestFileGrows(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a")
	f := newFollow(t, path)
	f.read() // it does not exist yet
	f.want()
	write(t, path, "> one\nhello\ntool a\ntool b\n> tw") // half a line
	f.read()
	f.want("one running hello a=running b=running")
	f.read()
	if len(f.passed) > 0 {
		t.Errorf("nothing has changed, but it passed on %q", f.passed)
	}
	extend(t, path, "o\nyes\n")
	f.read()
	f.want("one interrupted hello a=interrupted b=interrupted", "two running yes")
	extend(t, path, "end\n")
	f.read()
	f.want("one interrupted hello a=interrupted b=interrupted", "two done yes")
	if want := []string{"2 two done 1+0"}; !slices.Equal(f.passed, want) {
		t.Errorf("it passed on %q, want %q", f.passed, want)
	}
	extend(t, path, "more\n") // the turn goes on
	f.read()
	f.want("one interrupted hello a=interrupted b=interrupted", "two running yes more")
}

// TestResultsArePassedOnLater: a result changes a tool that was passed on before.
func TestResultsArePassedOnLater(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a")
	f := newFollow(t, path)
	write(t, path, "> one\ntool a\ntool b\n")
	f.read()
	extend(t, path, "result a\ntext\n")
	f.read()
	f.want("one running a=ok b=running text")
	extend(t, path, "end\n") // not while a tool runs
	f.read()
	f.want("one running a=ok b=running text")
	extend(t, path, "fail it broke\n")
	f.read()
	f.want("one failed a=ok b=interrupted text it broke")
	if failure := f.turns[0].Failure; failure == nil || failure.Message != "it broke" {
		t.Errorf("the failure is %+v", failure)
	}
}

// TestAnotherFileBeginsAnew: the file was replaced, cut, or written anew in its place.
func TestAnotherFileBeginsAnew(t *testing.T) {
	for name, change := range map[string]func(t *testing.T, path string){
		"replaced": func(t *testing.T, path string) {
			write(t, path+".new", "> other one\n> other two\nof the same length and more\n")
			if err := os.Rename(path+".new", path); err != nil {
				t.Fatal(err)
			}
		},
		"cut": func(t *testing.T, path string) { write(t, path, "> other one\n> other two\n") },
		"written anew": func(t *testing.T, path string) {
			write(t, path, "> other one\n> other two\nand here is a text that is longer than before\n")
		},
		"a link to another": func(t *testing.T, path string) {
			write(t, path+".new", "> other one\n> other two\nof the same length and more\n")
			if err := errors.Join(os.Remove(path), os.Symlink(path+".new", path)); err != nil {
				t.Fatal(err)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "a")
			f := newFollow(t, path)
			write(t, path, "> one\nhello\n> two\n> three\n")
			f.read()
			change(t, path)
			f.read()
			if got := f.told(); len(got) != 2 || !strings.HasPrefix(got[0], "other one ") || !strings.HasPrefix(got[1], "other two ") {
				t.Errorf("told %q", got)
			}
		})
	}
}

// TestNoRegularFile: a FIFO without a writer does not block.
func TestNoRegularFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a")
	f := newFollow(t, path)
	write(t, path, "> one\n")
	f.read()
	if err := errors.Join(os.Remove(path), syscall.Mkfifo(path, 0o600)); err != nil {
		t.Fatal(err)
	}
	if err := f.Read(t.Context(), f.take); !errors.Is(err, untrusted.ErrNotRegular) {
		t.Errorf("reading a FIFO: %v", err)
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	f.read()
	f.want("one running") // removed: what was told stays
}

// TestALineIsBounded: a line without an end neither fills the memory nor hides what
// follows.
func TestALineIsBounded(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a")
	long := bytes.Repeat([]byte("x"), maxLine+3*chunk)
	data := slices.Concat([]byte("> one\n"), long, []byte("\nhello\n"))
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
	f := newFollow(t, path)
	f.read()
	f.want(fmt.Sprintf("one running a line of %d bytes hello", len(long)))
	item := f.turns[0].Items[0]
	if item.Kind != api.ItemRaw || len(item.Raw) != MaxRaw {
		t.Errorf("the long line is %s of %d bytes", item.Kind, len(item.Raw))
	}
}

// TestATurnIsBounded: items beyond the bounds of a turn are counted.
func TestATurnIsBounded(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a")
	write(t, path, "> one\n"+strings.Repeat("text\n", MaxItems+5)+"tool a\nresult a\nend\n> two\nhello\n")
	f := newFollow(t, path)
	f.read()
	if turn := f.turns[0]; len(turn.Items) != MaxItems || turn.Omitted != 6 || turn.State != api.TurnDone {
		t.Errorf("%d items, %d omitted, %s", len(turn.Items), turn.Omitted, turn.State)
	}
	if turn := f.turns[1]; turn.Omitted != 0 || len(turn.Items) != 1 {
		t.Errorf("the next turn: %+v", turn)
	}
}

// byName finds subagents in files beside the conversation, named after the tool call.
type byName struct{}

func (byName) Agents(path string, _ []Agent) (list []Agent) {
	files, _ := filepath.Glob(filepath.Join(filepath.Dir(path), "sub-*"))
	for _, p := range files {
		id := strings.TrimPrefix(filepath.Base(p), "sub-")
		list = append(list, Agent{ID: "of " + id, Call: id, Path: p})
	}
	return list
}

// TestSubagents: what subagents do is read on while the turn is the current one, at any
// depth up to the bound; a subagent that starts itself ends there.
func TestSubagents(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "a")
	f := &follow{File: NewFile(path, words{}, Options{Nested: byName{}}), t: t}
	write(t, path, "> one\nagent x\n")
	f.read()
	if f.turns[0].Tools[0].Agent != nil {
		t.Error("there is a subagent without a file")
	}
	write(t, filepath.Join(dir, "sub-x"), "> do it\nagent x\nI try\n")
	f.read()
	depth := 0
	for list := f.turns; len(list) > 0 && len(list[0].Tools) > 0 && list[0].Tools[0].Agent != nil; list = list[0].Tools[0].Agent.Turns {
		depth++
	}
	if depth != maxDepth {
		t.Errorf("subagents are nested %d deep, want %d", depth, maxDepth)
	}
	extend(t, filepath.Join(dir, "sub-x"), "I have it\n")
	f.read()
	sub := f.turns[0].Tools[0].Agent
	if sub == nil || sub.ID != "of x" || len(sub.Turns) != 1 || !strings.HasSuffix(sub.Turns[0].Answer, "I have it") {
		t.Errorf("the subagent is %+v", sub)
	}
}

func TestUsageCountsAnAnswerOnce(t *testing.T) {
	b := &Builder{}
	b.left = func(*Builder) {}
	b.Begin(time.Time{}, "", "x")
	b.Usage("m1", "big", api.TurnTokens{Input: 10, Output: 1})
	b.Usage("m1", "", api.TurnTokens{Input: 10, Output: 7})
	b.Usage("m2", "", api.TurnTokens{Input: 5, CacheRead: 3})
	if got := b.Current(); got.Tokens != (api.TurnTokens{Input: 15, Output: 7, CacheRead: 3}) || got.Model != "big" {
		t.Errorf("%+v, model %q", got.Tokens, got.Model)
	}
}
