package vt

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/hinshun/vt10x"

	"ccdir/sessions/screen"
)

// The benchmarks run ours and vt10x side by side on the same bytes:
//
//	go test -run '^$' -bench Feed -benchmem ./sessions/screen/vt
//
// Ours keeps a history of 10,000 lines, which vt10x does not have.

const benchBytes = 1 << 20

// workloads make about benchBytes of what programs print.
var workloads = []struct {
	name string
	make func(cols, rows int) []byte
}{
	{"ascii", asciiLines},
	{"sgr", colouredWords},
	{"cjk", cjkEmoji},
	{"repaint", scatteredRepaint},
	{"region", regionScroll},
	{"ink", inkRepaint},
}

var benchSizes = [][2]int{{80, 24}, {200, 50}}

func benchWords(r *rand.Rand) string {
	return []string{"the", "terminal", "of", "a", "coding", "agent", "prints", "lines", "quickly", "and", "often"}[r.IntN(11)]
}

func generate(step func(b *bytes.Buffer, r *rand.Rand)) []byte {
	var b bytes.Buffer
	r := rand.New(rand.NewPCG(1, 2))
	for b.Len() < benchBytes {
		step(&b, r)
	}
	return b.Bytes()
}

func asciiLines(cols, rows int) []byte {
	return generate(func(b *bytes.Buffer, r *rand.Rand) {
		start := b.Len()
		for b.Len()-start < 20+r.IntN(cols-20) {
			b.WriteString(benchWords(r))
			b.WriteByte(' ')
		}
		b.WriteString("\r\n")
	})
}

func colouredWords(cols, rows int) []byte {
	return generate(func(b *bytes.Buffer, r *rand.Rand) {
		for range cols / 10 {
			switch r.IntN(3) {
			case 0:
				fmt.Fprintf(b, "\x1b[38;5;%dm", r.IntN(256))
			case 1:
				fmt.Fprintf(b, "\x1b[38;2;%d;%d;%dm", r.IntN(8)*30, r.IntN(8)*30, r.IntN(8)*30)
			default:
				fmt.Fprintf(b, "\x1b[1;3%dm", r.IntN(8))
			}
			b.WriteString(benchWords(r) + "\x1b[0m ")
		}
		b.WriteString("\r\n")
	})
}

func cjkEmoji(cols, rows int) []byte {
	return generate(func(b *bytes.Buffer, r *rand.Rand) {
		for range cols / 12 {
			b.WriteString([]string{"日本語の", "中文文本", "한국어", "👩\u200d💻", "🇫🇷", "é", "🚀🔥", "a\u0301"}[r.IntN(8)])
		}
		b.WriteString("\r\n")
	})
}

func scatteredRepaint(cols, rows int) []byte {
	return generate(func(b *bytes.Buffer, r *rand.Rand) {
		fmt.Fprintf(b, "\x1b[%d;%dH\x1b[3%dm%s\x1b[K", 1+r.IntN(rows), 1+r.IntN(cols), r.IntN(8), benchWords(r))
	})
}

func regionScroll(cols, rows int) []byte {
	return generate(func(b *bytes.Buffer, r *rand.Rand) {
		fmt.Fprintf(b, "\x1b[3;%dr\x1b[%d;1H", rows-3, rows-3)
		for range 8 {
			b.WriteString("\r\n" + strings.Repeat(benchWords(r)+" ", 4))
		}
		fmt.Fprintf(b, "\x1b[r\x1b[%d;1Hstatus %d\x1b[K", rows, r.IntN(1000))
	})
}

func inkRepaint(cols, rows int) []byte {
	return generate(func(b *bytes.Buffer, r *rand.Rand) {
		b.WriteString("\x1b[?2026h")
		for range 7 {
			b.WriteString("\x1b[2K\x1b[1A")
		}
		b.WriteString("\x1b[2K\x1b[G")
		fmt.Fprintf(b, "\x1b[38;5;174m✻ Thinking… (%ds · esc to interrupt)\x1b[39m\r\n\r\n", r.IntN(100))
		b.WriteString("╭" + strings.Repeat("─", cols-2) + "╮\r\n")
		b.WriteString("│ > " + benchWords(r) + strings.Repeat(" ", cols-15) + "│\r\n")
		b.WriteString("╰" + strings.Repeat("─", cols-2) + "╯\r\n")
		b.WriteString("\x1b[2m  ? for shortcuts\x1b[22m\r\n\r\n\x1b[?2026l")
	})
}

func BenchmarkFeed(b *testing.B) {
	for _, w := range workloads {
		for _, size := range benchSizes {
			cols, rows := size[0], size[1]
			data := w.make(cols, rows)
			b.Run(fmt.Sprintf("%s/%dx%d/ours", w.name, cols, rows), func(b *testing.B) {
				t := New(screen.Options{Cols: cols, Rows: rows, HistoryLines: 10000})
				feedLoop(b, data, t.Feed)
			})
			b.Run(fmt.Sprintf("%s/%dx%d/vt10x", w.name, cols, rows), func(b *testing.B) {
				t := vt10x.New(vt10x.WithSize(cols, rows))
				feedLoop(b, data, func(p []byte) { _, _ = t.Write(p) })
			})
		}
	}
}

// feedLoop writes data in pieces of 4 KiB, as a PTY gives them.
func feedLoop(b *testing.B, data []byte, write func([]byte)) {
	b.SetBytes(int64(len(data)))
	b.ReportAllocs()
	start, n := cpuTime(), 0
	for b.Loop() {
		for p := range slices.Chunk(data, 4096) {
			write(p)
		}
		n++
	}
	if spent := cpuTime() - start; spent > 0 {
		b.ReportMetric(float64(n)*float64(len(data))/1e6/spent.Seconds(), "MB/cpu-s")
	}
}

// cpuTime is what the process has used of the processors: on a machine that has
// other work, a better measure than the clock.
func cpuTime() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// BenchmarkSnapshot reads the whole screen, as a client's first frame does.
func BenchmarkSnapshot(b *testing.B) {
	t := New(screen.Options{Cols: 200, Rows: 50})
	t.Feed(colouredWords(200, 50))
	buf := make([]byte, 0, 64<<10)
	b.ReportAllocs()
	for b.Loop() {
		buf = buf[:0]
		for y := range 50 {
			buf = t.Table().AppendText(buf, t.Row(y).Cells)
		}
	}
}

// BenchmarkResize re-wraps a history of 10,000 coloured lines.
func BenchmarkResize(b *testing.B) {
	t := New(screen.Options{Cols: 100, Rows: 30, HistoryLines: 10000})
	t.Feed(colouredLines(12000))
	wide := false
	for b.Loop() {
		wide = !wide
		if wide {
			t.Resize(60, 30)
		} else {
			t.Resize(100, 30)
		}
	}
}

// colouredLines are n lines of 100 columns with a colour per word.
func colouredLines(n int) []byte {
	var b bytes.Buffer
	r := rand.New(rand.NewPCG(3, 4))
	for range n {
		width := 0
		for width < 100 {
			w := benchWords(r)
			w = w[:min(len(w), 100-width)]
			fmt.Fprintf(&b, "\x1b[38;5;%dm%s", r.IntN(256), w)
			if width += len(w); width < 100 {
				b.WriteByte(' ')
				width++
			}
		}
		b.WriteString("\x1b[m\r\n")
	}
	return b.Bytes()
}

// heapOf measures what make's result keeps alive, in bytes.
func heapOf(make func() any) int64 {
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	v := make()
	runtime.GC()
	runtime.ReadMemStats(&after)
	runtime.KeepAlive(v)
	return int64(after.HeapAlloc) - int64(before.HeapAlloc)
}

// BenchmarkHeap reports the bytes of a terminal of 100x30, fresh and after
// 12,000 coloured lines.
func BenchmarkHeap(b *testing.B) {
	lines := colouredLines(12000)
	for _, c := range []struct {
		name string
		data []byte
	}{{"fresh", nil}, {"10000lines", lines}} {
		b.Run(c.name, func(b *testing.B) {
			var n int64
			for b.Loop() {
				n = heapOf(func() any {
					t := New(screen.Options{Cols: 100, Rows: 30, HistoryLines: 10000})
					t.Feed(c.data)
					return t
				})
			}
			b.ReportMetric(float64(n), "heap-bytes")
		})
	}
}

// TestHeapBounds holds the bounds that hosts count on.
func TestHeapBounds(t *testing.T) {
	fresh := heapOf(func() any { return New(screen.Options{Cols: 100, Rows: 30, HistoryLines: 10000}) })
	if fresh > 60<<10 {
		t.Errorf("a fresh terminal keeps %d bytes, more than 60 KiB", fresh)
	}
	lines := colouredLines(12000)
	full := heapOf(func() any {
		term := New(screen.Options{Cols: 100, Rows: 30, HistoryLines: 10000})
		term.Feed(lines)
		if n := term.HistoryLen(); n != 10000 {
			t.Errorf("history holds %d lines", n)
		}
		return term
	})
	if full > 10<<20 {
		t.Errorf("10,000 coloured lines of 100 columns keep %d bytes, more than 10 MiB", full)
	}
}
