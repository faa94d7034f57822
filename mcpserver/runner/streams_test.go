package runner

import (
	"fmt"
	"math/rand/v2"
	"os"
	"runtime"
	"slices"
	"strings"
	"testing"
)

// TestStreamsApart: the streams come apart and in the order of their writes.
func TestStreamsApart(t *testing.T) {
	script, want := "", []Piece{}
	for i := range 150 {
		stream := []string{Stdout, Stderr}[i%2]
		script += fmt.Sprintf("echo %d >&%d; ", i, 1+i%2)
		want = append(want, Piece{stream, fmt.Sprintln(i)})
	}
	s := spec(t, script)
	s.Apart = true
	res := run(t, t.Context(), s)
	for i, stream := range []string{res.Stdout, res.Stderr} {
		text := ""
		for n := i; n < 150; n += 2 {
			text += fmt.Sprintln(n)
		}
		if stream != text {
			t.Errorf("stream %d: %q", i, stream)
		}
	}
	if runtime.GOOS != "linux" {
		return // see streams_other.go
	}
	if log, err := os.ReadFile(s.Log); err != nil || !slices.Equal(res.Pieces, want) || string(log) != res.Output {
		t.Errorf("%v, pieces %q", err, res.Pieces)
	}
}

// TestOrderProperties: however writes arrive, each stream keeps its text and its order,
// and writes of one line each stand where they were made.
func TestOrderProperties(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	for range 2000 {
		var events []int
		var written [2][]byte
		var wantMerged strings.Builder
		lines := rnd.IntN(2) == 0
		for i := range rnd.IntN(30) {
			stream, text := rnd.IntN(2), fmt.Sprintf("%d\n", i)
			if !lines {
				text = strings.Repeat("x\n", rnd.IntN(3)) + strings.Repeat("é", rnd.IntN(3)) + "."
			}
			events = append(events, stream)
			written[stream] = append(written[stream], text...)
			wantMerged.WriteString(text)
		}
		if n := len(events); !lines && n > 0 { // signals may be late, or lost
			events = events[:rnd.IntN(n)]
		}
		var got [2]string
		merged := ""
		order(events, written, func(stream int, p []byte) {
			got[stream] += string(p)
			merged += string(p)
		})
		if got[0] != string(written[0]) || got[1] != string(written[1]) {
			t.Fatalf("%v of %q: got %q", events, written, got)
		}
		if lines && merged != wantMerged.String() {
			t.Fatalf("%v of %q: got %q", events, written, merged)
		}
	}
}

// TestKeeperProperties: what is kept is the beginning and the end, the gap is exact, the
// bounds hold, and an offset continues where the last reading ended.
func TestKeeperProperties(t *testing.T) {
	rnd := rand.New(rand.NewPCG(3, 4))
	for range 1000 {
		k := &keeper{headSize: 1 + rnd.IntN(40), tailSize: 1 + rnd.IntN(40)}
		bound := k.headSize + k.tailSize
		var whole, followed strings.Builder
		var streams [2]string
		next, missed := int64(0), int64(0)
		for i := range rnd.IntN(300) {
			n := rnd.IntN(2)
			text := strings.Repeat(string(rune('a'+i%26)), rnd.IntN(12))
			k.add([]string{Stdout, Stderr}[n], []byte(text))
			whole.WriteString(text)
			streams[n] += text
			if rnd.IntN(4) == 0 {
				list, gap := k.pieces(next)
				for _, p := range list {
					if p.Stream != Note {
						followed.WriteString(p.Text)
					}
				}
				missed, next = missed+gap.Bytes, k.total
			}
		}
		list, gap := k.pieces(0)
		kept, before := "", -1
		for _, p := range list {
			if p.Stream == Note {
				before = len(kept)
				continue
			}
			kept += p.Text
		}
		if len(kept) > bound || len(k.head) > maxPieces || len(k.tail) > maxPieces || int64(len(kept))+gap.Bytes != int64(whole.Len()) {
			t.Fatalf("kept %d of %d bytes, gap %+v, bound %d", len(kept), whole.Len(), gap, bound)
		}
		if all := whole.String(); gap.Bytes == 0 && kept != all || gap.Bytes > 0 && (int64(before) != gap.At || kept != all[:gap.At]+all[gap.At+gap.Bytes:]) {
			t.Fatalf("kept %q of %q, gap %+v", kept, all, gap)
		}
		if int64(followed.Len())+missed != next {
			t.Fatalf("followed %d bytes, %d missed, of %d", followed.Len(), missed, next)
		}
	}
}

// TestTruncation: a noisy stream doesn't push out the other, and the gap is told.
func TestTruncation(t *testing.T) {
	s := spec(t, "echo begin; echo 'the error' >&2; yes 0123456789abcdef | head -c 2000000; echo; echo end")
	s.Apart, s.Head, s.Tail = true, 8<<10, 8<<10
	res := run(t, t.Context(), s)
	kept := int64(0)
	for _, p := range res.Pieces {
		if p.Stream != Note {
			kept += int64(len(p.Text))
		}
	}
	if res.Stderr != "the error\n" || !res.Truncated || res.Gap.At != 8<<10 || kept+res.Gap.Bytes != res.Bytes {
		t.Errorf("stderr %q, gap %+v, kept %d of %d", res.Stderr, res.Gap, kept, res.Bytes)
	}
	for name, text := range map[string]string{"output": res.Output, "stdout": res.Stdout} {
		if !strings.HasPrefix(text, "begin\n") || !strings.HasSuffix(text, "end\n") || !strings.Contains(text, "bytes left out …") {
			t.Errorf("%s: %.100q", name, text)
		}
	}
}

// TestStreamEndings: one stream closed early, a half line, and a program that can't be
// started end the reading.
func TestStreamEndings(t *testing.T) {
	s := spec(t, "exec 2>&-; printf half")
	s.Apart = true
	if res := run(t, t.Context(), s); res.Status != OK || res.Stdout != "half" || res.Stderr != "" {
		t.Errorf("%+v", res)
	}
	s.Argv = []string{s.Dir + "/log"} // not executable
	if res := run(t, t.Context(), s); res.Status != Error {
		t.Errorf("%+v", res)
	}
}
