package browser

import (
	"fmt"
	"slices"
	"testing"

	"ccdir/api"
)

// benchSessions is how many sessions an overview has whose first paint is measured.
const benchSessions = 50

// half is the median of numbers, tail the worst but one in twenty.
func half(list []float64) float64 { slices.Sort(list); return list[len(list)/2] }
func tail(list []float64) float64 { slices.Sort(list); return list[len(list)*19/20] }

// BenchmarkPage measures what a person sees in a real browser on the daemon's machine: the first paint of the overview
// with fifty sessions, by a browser that has none of the page's files and by one that has, and the echo of a key
// in the terminal, from the key to the changed row.
func BenchmarkPage(b *testing.B) {
	chromium := start(b)
	b.Run("FirstPaint", func(b *testing.B) {
		r := newRig(b, chromium, fmt.Sprintf("max_sessions = %d", benchSessions))
		for i := range benchSessions {
			r.Run(r.ctx, "new", "-n", fmt.Sprintf("s%02d", i), "--", "sleep", "1h")
		}
		p := r.device(api.WebType)
		var answers []float64
		paint := func() float64 {
			p.open("about:blank")
			p.open(r.url + "/")
			p.until("the first paint", `performance.getEntriesByName("first-contentful-paint").length`)
			if n, err := js[int](p, `document.querySelectorAll(".card").length`); err != nil || n != benchSessions {
				b.Fatalf("%d sessions are shown (%v)", n, err)
			}
			at, err := js[float64](p, `performance.getEntriesByName("first-contentful-paint")[0].startTime`)
			if err != nil {
				b.Fatal(err)
			}
			answer, err := js[float64](p, `performance.getEntriesByType("navigation")[0].responseEnd`)
			if err != nil {
				b.Fatal(err)
			}
			answers = append(answers, answer)
			return at
		}
		p.forget()
		first := paint()
		var list []float64
		for b.Loop() {
			list = append(list, paint())
		}
		b.ReportMetric(first, "ms-without-files")
		b.ReportMetric(half(answers), "ms-answer-p50")
		b.ReportMetric(half(list), "ms-p50")
		b.ReportMetric(tail(list), "ms-p95")
	})
	b.Run("Echo", func(b *testing.B) {
		r := newRig(b, chromium)
		r.shell("sh")
		p := r.device(api.WebType)
		p.open(r.url + "/sessions/sh/terminal")
		p.screen("ready>")
		p.press("Type here")
		p.sees("you type here")
		p.until("its size", `document.querySelector("section.typing.open")`)
		p.strikes("cat\r")
		p.strikes("x")
		p.screen("x")
		if _, err := js[bool](p, `(() => {
			window.echoes = []; let at = 0;
			document.addEventListener("keydown", () => { at = performance.now() }, true);
			new MutationObserver(() => { if (at) { echoes.push(performance.now() - at); at = 0 } }).observe(document.querySelector(".xterm-rows"), { subtree: true, childList: true, characterData: true });
			return true })()`); err != nil {
			b.Fatal(err)
		}
		keys := 0
		for b.Loop() {
			p.strikes("a")
			if keys++; keys%60 == 0 {
				p.until("the echo", fmt.Sprintf("echoes.length >= %d", keys))
				p.strikes("\r") // a new line
				keys++
			}
			p.until("the echo", fmt.Sprintf("echoes.length >= %d", keys))
		}
		list, err := js[[]float64](p, "echoes")
		if err != nil || len(list) == 0 {
			b.Fatalf("%v %v", list, err)
		}
		b.ReportMetric(half(list), "ms-p50")
		b.ReportMetric(tail(list), "ms-p95")
	})
}
