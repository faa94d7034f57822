package store

import (
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"ccdir/api"
)

func openTestSaid(t testing.TB, path string) *Said {
	t.Helper()
	s, err := OpenSaid(path, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s
}

func passage(turn, place int, part api.SaidPart, text string) SaidPassage {
	return SaidPassage{SaidKey: SaidKey{turn, place, part}, At: time.Unix(int64(1000*turn), 0), Hash: int64(len(text)), Text: text}
}

// TestSaid: passages are found by words, newest first, with the turn's number in the
// session; the latest text of a place counts, once.
func TestSaid(t *testing.T) {
	s := openTestSaid(t, filepath.Join(t.TempDir(), "said.db"))
	ctx := t.Context()
	put := func(conversation string, ord, turns int, list ...SaidPassage) {
		t.Helper()
		src, _, err := s.Source(ctx, "s1", conversation)
		if err != nil {
			t.Fatal(err)
		}
		src.Ord, src.Turns, src.Mark = ord, turns, "m"
		if err := s.Put(ctx, src, list, nil); err != nil {
			t.Fatal(err)
		}
	}
	put("c1", 0, 2, passage(1, 0, api.SaidPrompt, "fix the flaky test"), passage(2, 3, api.SaidAnswer, "the flaky one is 修正しました"))
	put("c2", 1, 1, passage(1, 0, api.SaidPrompt, "another flaky prompt\nwith two lines"))
	put("c2", 1, 1, passage(1, 0, api.SaidPrompt, "another flaky prompt, changed"))
	for query, want := range map[string]string{
		"flaky": "2 answer, 3 prompt, 1 prompt", "flaky test": "1 prompt", "changed": "3 prompt", "lines": "", "修正": "2 answer", "fla": "2 answer, 3 prompt, 1 prompt",
		"fl": "", "is": "2 answer", "正": "2 answer",
	} {
		hits, err := s.Search(ctx, strings.Fields(query), 10)
		var got []string
		for _, h := range hits {
			got = append(got, fmt.Sprintf("%d %s", h.Turn, h.Part))
		}
		if text := strings.Join(got, ", "); err != nil || text != want {
			t.Errorf("%q finds %q, want %q (%v)", query, text, want, err)
		}
	}
	src, known, err := s.Source(ctx, "s1", "c1")
	if err != nil || src.Mark != "m" || src.Turns != 2 || len(known) != 2 {
		t.Errorf("the source is %+v with %v: %v", src, known, err)
	}
	if err := s.Put(ctx, src, nil, []SaidKey{{1, 0, api.SaidPrompt}}); err != nil {
		t.Fatal(err)
	}
	if hits, err := s.Search(ctx, []string{"test"}, 10); err != nil || len(hits) != 0 {
		t.Errorf("what is gone is found: %v %v", hits, err)
	}
	if err := s.Forget(ctx, "s1"); err != nil {
		t.Fatal(err)
	}
	if list, err := s.Sessions(ctx); err != nil || len(list) != 0 {
		t.Errorf("after Forget there is %v: %v", list, err)
	}
}

// TestSaidIsBegunAnew: a file that is no index, or one of another version.
func TestSaidIsBegunAnew(t *testing.T) {
	path := filepath.Join(t.TempDir(), "said.db")
	if err := os.WriteFile(path, []byte(strings.Repeat("no database ", 1000)), 0o600); err != nil {
		t.Fatal(err)
	}
	s := openTestSaid(t, path)
	if _, err := s.write.Exec("PRAGMA user_version = 99"); err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if _, _, err := openTestSaid(t, path).Source(t.Context(), "s", "c"); err != nil {
		t.Error(err)
	}
}

// BenchmarkSaidSearch is a query in an index of 100,000 passages, of which each has the
// word.
func BenchmarkSaidSearch(b *testing.B) {
	s := openTestSaid(b, filepath.Join(b.TempDir(), "said.db"))
	src, _, err := s.Source(b.Context(), "s", "c")
	if err != nil {
		b.Fatal(err)
	}
	for turn := range 100 {
		var list []SaidPassage
		for place := range 1000 {
			list = append(list, passage(turn, place, api.SaidResult, fmt.Sprintf("common words and %d of them %s", turn*1000+place, strings.Repeat("filler text here ", 30))))
		}
		if err := s.Put(b.Context(), src, list, nil); err != nil {
			b.Fatal(err)
		}
	}
	for _, words := range []string{"common", "common 77123", "words fil"} {
		b.Run(words, func(b *testing.B) {
			for b.Loop() {
				if _, err := s.Search(b.Context(), strings.Fields(words), 200); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
