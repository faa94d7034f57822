package conversations

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"ccdir/agents"
	"ccdir/agents/transcript"
	"ccdir/api"
	"ccdir/daemon/store"
)

// lines decodes lines "> PROMPT", "do TEXT" (a tool call), "got TEXT" (its result), "end"
// and texts.
type lines struct{}

func (lines) Line(line []byte, b *transcript.Builder) {
	verb, rest, _ := strings.Cut(string(line), " ")
	switch verb {
	case ">":
		b.Begin(time.Unix(1000, 0), "", rest)
	case "do":
		input, _ := json.Marshal(map[string]any{"command": rest, "again": map[string]int{"n": 7}})
		b.Call(time.Unix(1001, 0), "c", "Bash", input, rest)
	case "got":
		b.Result(time.Unix(1002, 0), "c", transcript.Result{Outcome: api.ToolOK, Text: rest})
	case "end":
		b.End(time.Unix(1003, 0))
	default:
		b.Text(time.Unix(1001, 0), "m", string(line), 0)
	}
}

// files is an agent that keeps its conversations in files of lines.
type files struct {
	*world
	dir string
}

func (f files) OpenConversation(c agents.Conversation) transcript.Source {
	return transcript.NewFile(filepath.Join(f.dir, c.ID), lines{}, transcript.Options{Conversation: c.ID})
}

// indexed is a session with files and an index.
type indexed struct {
	t *testing.T
	files
	o IndexOptions
	n indexing
}

func newIndexed(t *testing.T) *indexed {
	x := &indexed{t: t, files: files{&world{session: Session{ID: "s", Name: "api", Agent: "claude"}}, t.TempDir()}}
	x.open()
	return x
}

// open opens the index as a daemon that begins.
func (x *indexed) open() {
	x.t.Helper()
	if x.o.Index != nil {
		if err := x.o.Index.Close(); err != nil {
			x.t.Fatal(err)
		}
	}
	said, err := store.OpenSaid(filepath.Join(x.dir, "index.db"), slog.New(slog.DiscardHandler))
	if err != nil {
		x.t.Fatal(err)
	}
	c := x.world.conversations()
	c.o.Agent = func(string) (agents.Conversationalist, bool) { return x.files, true }
	x.o = IndexOptions{Conversations: c, Index: said}
	x.n = indexing{}
	x.t.Cleanup(func() { _ = said.Close() })
}

func (x *indexed) write(conversation, text string) {
	x.t.Helper()
	f, err := os.OpenFile(filepath.Join(x.dir, conversation), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err == nil {
		_, err = f.WriteString(text)
		err = errors.Join(err, f.Close())
	}
	if err != nil {
		x.t.Fatal(err)
	}
}

func (x *indexed) read() {
	x.t.Helper()
	if _, err := x.n.read(x.t.Context(), x.o, x.session, nil); err != nil {
		x.t.Fatal(err)
	}
}

// finds fails unless a search finds those parts of turns.
func (x *indexed) finds(words string, want ...string) {
	x.t.Helper()
	hits, err := x.o.Index.Search(x.t.Context(), strings.Fields(words), 1000)
	if err != nil {
		x.t.Fatal(err)
	}
	found := map[string]int{}
	for _, h := range hits {
		found[fmt.Sprintf("%d %s", h.Turn, h.Part)]++
	}
	for _, w := range want {
		found[w]--
	}
	for at, n := range found {
		if n != 0 {
			x.t.Errorf("%q: %s is found %+d times more than it should", words, at, n)
		}
	}
}

// TestIndexFollowsFiles: what is appended is found, results of tools too; a conversation
// that was left and one that begins are numbered through.
func TestIndexFollowsFiles(t *testing.T) {
	x := newIndexed(t)
	x.starts("a", "")
	x.write("a", "> fix the needle\ndo grep needle\n")
	x.read()
	x.finds("needle", "1 prompt", "1 input")
	x.write("a", "got a needle here\nI have the nee")
	x.read()
	x.finds("needle", "1 prompt", "1 input", "1 result")
	x.write("a", "dle\nend\n")
	x.read()
	x.finds("needle", "1 prompt", "1 input", "1 result", "1 answer")
	x.starts("b", "")
	x.session.Conversation = "b"
	x.write("b", "> another needle\n")
	x.read()
	x.finds("another", "2 prompt")
	x.finds("Bash again 7", "1 input")
}

// TestIndexOfAnotherFile: a file that was written anew takes the place of what it was.
func TestIndexOfAnotherFile(t *testing.T) {
	x := newIndexed(t)
	x.starts("a", "")
	x.write("a", "> one thing\nold words\n> two\nold words\n> three\n")
	x.read()
	x.finds("old words", "1 answer", "2 answer")
	again := func() {
		t.Helper()
		if err := os.Remove(filepath.Join(x.dir, "a")); err != nil {
			t.Fatal(err)
		}
		x.write("a", "> one thing\nnew words\n")
		x.read()
		x.finds("old words")
		x.finds("new words", "1 answer")
		x.finds("thing", "1 prompt")
	}
	again()
	x.write("a", "old words\n")
	x.read()
	x.open() // the same while no daemon ran
	again()
	if err := os.Remove(filepath.Join(x.dir, "a")); err != nil {
		t.Fatal(err)
	}
	x.open()
	x.read()
	x.finds("new words", "1 answer") // the file is gone: what was said stays
}

// TestIndexAfterAKill: a daemon that dies at any point of the indexing leaves an index
// with which the next one has everything, once.
func TestIndexAfterAKill(t *testing.T) {
	x := newIndexed(t)
	x.starts("a", "")
	var all strings.Builder
	const turns = 40
	for i := range turns {
		fmt.Fprintf(&all, "> prompt %d\ndo look %d\ngot needle %s\nend\n", i, i, strings.Repeat("x ", batchBytes/20))
	}
	x.write("a", all.String())
	var want []string
	for i := range turns {
		want = append(want, fmt.Sprintf("%d result", i+1))
	}
	killed := errors.New("killed")
	for kills := 1; ; kills++ {
		batches := 0
		x.o.Pause = func(string) { batches++ }
		ctx, kill := context.WithCancelCause(t.Context())
		_, err := x.n.read(ctx, x.o, x.session, func() {
			if batches == kills {
				kill(killed)
			}
		})
		if err == nil {
			if kills < 3 {
				t.Fatalf("only %d parts", batches)
			}
			break
		}
		x.open()
	}
	x.finds("needle", want...)
	x.open()
	x.o.Pause = func(string) { t.Error("what is indexed is read again") }
	x.read()
	x.finds("needle", want...)
}

func FuzzPassages(f *testing.F) {
	f.Add(`{"turn":1,"prompt":"p","items":[{"kind":"text","text":"a"},{"kind":"tool"}],"tools":[{"name":"Bash","input":{"command":"x","n":[1,{"y":"z"}]},"agent":{"turns":[{"tools":[{"input":"{"}]}]}}]}`)
	f.Fuzz(func(t *testing.T, raw string) {
		var turn api.Turn
		if len(raw) > 1<<14 || json.Unmarshal([]byte(raw), &turn) != nil {
			return
		}
		seen := map[store.SaidKey]bool{}
		for i, p := range passages(turn) {
			if seen[p.SaidKey] {
				t.Errorf("%+v twice", p.SaidKey)
			}
			seen[p.SaidKey] = true
			if again := passages(turn); again[i].Hash != p.Hash {
				t.Errorf("%+v has another text each time", p.SaidKey)
			}
		}
	})
}
