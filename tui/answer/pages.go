package answer

import (
	"slices"
	"strconv"
	"strings"

	"ccdir/api"
	"ccdir/internal/keymap"
	"ccdir/internal/text/textsafe"
	"ccdir/tui/answer/request"
	"ccdir/tui/ui"
	"ccdir/tui/widget/modal"
)

// page is what was chosen on the page of one of several questions: numbers of its options, and
// that after the last one for words of one's own.
type page struct {
	sel    int
	picked []int
	own    string
}

// paged: it asks several questions, each on a page of its own.
func (d bar) paged() bool { return len(d.questions) > 0 }

// other is the number of the choice after the options of the present page: own words.
func (d bar) other() int { return len(d.questions[d.page].Options) }

// turned has another page in front, of which the bar's own marks are.
func (d bar) turned(by int) bar {
	n := len(d.questions)
	d.pages = slices.Clone(d.pages)
	d.pages[d.page] = page{d.sel, d.picked, d.pages[d.page].own}
	d.page = (d.page + by + n) % n
	d.sel, d.picked = d.pages[d.page].sel, d.pages[d.page].picked
	d.top, d.problem = 0, ""
	return d
}

// keyPages answers the questions page by page; taken is false for keys that have nothing to do
// with that.
func (d bar) keyPages(env ui.Env, k ui.Key) (_ ui.Component, effects []ui.Effect, taken bool) {
	n := d.other() + 1
	switch k.Name {
	case "Up", "k":
		d.sel = (d.sel + n - 1) % n
	case "Down", "j":
		d.sel = (d.sel + 1) % n
	case "Tab", "Right":
		return d.turned(1), nil, true
	case "BTab", "Left":
		return d.turned(-1), nil, true
	case "Space":
		next := d.take(d.sel)
		return next, nil, true
	case "Enter":
		next, effects := d.forward(env)
		return next, effects, true
	default:
		i, err := strconv.Atoi(k.Name)
		if err != nil || i < 1 || i > n {
			return d, nil, false
		}
		d.sel = i - 1
		d = d.take(d.sel)
		if !d.questions[d.page].Multiple && d.step == stepChoose && d.page < len(d.questions)-1 { // as in the agent's own dialog
			return d.turned(1), nil, true
		}
		return d, nil, true
	}
	d.problem = ""
	return d, nil, true
}

// take marks a choice: one of several is marked or not, of a single choice it is the one. Words
// of one's own are written first.
func (d bar) take(i int) bar {
	d.problem = ""
	several := d.questions[d.page].Multiple
	switch {
	case i == d.other() && (d.pages[d.page].own == "" || !several):
		return d.write(stepText, d.pages[d.page].own)
	case several:
		return d.pick(i)
	}
	d.picked = []int{i}
	return d
}

// ownWords takes the words for the present page.
func (d bar) ownWords(env ui.Env, text string) (ui.Component, []ui.Effect) {
	d.pages = slices.Clone(d.pages)
	d.pages[d.page].own = strings.Join(strings.Fields(text), " ")
	d.step, d.sel = stepChoose, d.other()
	d.picked = slices.DeleteFunc(slices.Clone(d.picked), func(i int) bool { return i == d.other() })
	switch {
	case d.pages[d.page].own == "":
		return d, nil
	case d.questions[d.page].Multiple:
		d.picked = append(d.picked, d.other())
		return d, nil
	}
	d.picked = []int{d.other()}
	return d.forward(env)
}

// forward takes the marked choice of a page that has none and goes on to the next page; from
// the last one it sends all answers.
func (d bar) forward(env ui.Env) (ui.Component, []ui.Effect) {
	switch several := d.questions[d.page].Multiple; {
	case d.sel == d.other() && !slices.Contains(d.picked, d.other()):
		return d.take(d.sel), nil
	case !several && !slices.Contains(d.picked, d.sel):
		d.picked = []int{d.sel}
	case len(d.picked) == 0:
		d.problem = "nothing is marked: Space marks"
		return d, nil
	}
	if d.page < len(d.questions)-1 {
		return d.turned(1), nil
	}
	d = d.turned(0)
	var lines []string
	for i := range d.questions {
		line := d.said(i)
		if line == "" {
			d = d.turned(i - d.page)
			d.problem = "this question has no answer yet"
			return d, nil
		}
		lines = append(lines, line)
	}
	return d.send(env, api.Answer{Behavior: api.AnswerAllow, Text: strings.Join(lines, "\n")})
}

// said is what was chosen on a page, in one line; "" for nothing.
func (d bar) said(i int) string {
	p, q := d.pages[i], d.questions[i]
	if i == d.page {
		p.picked = d.picked
	}
	var out []string
	for _, at := range slices.Sorted(slices.Values(p.picked)) {
		if at == len(q.Options) {
			out = append(out, p.own)
		} else {
			out = append(out, q.Options[at].Label)
		}
	}
	return strings.Join(out, ", ")
}

// pageLines are the present question, below how far the person is.
func (d bar) pageLines(env ui.Env, w int) []request.Line {
	before := "question " + strconv.Itoa(d.page+1) + " of " + strconv.Itoa(len(d.questions))
	for i, q := range d.questions {
		if text := d.said(i); i != d.page && text != "" {
			name := q.Header
			if name == "" {
				name = strconv.Itoa(i + 1)
			}
			before += " · " + name + ": " + textsafe.Line(text)
		}
	}
	return request.PageLines(d.questions[d.page], before, w)
}

// pageOffers are the choices of the present page.
func (d bar) pageOffers(env ui.Env) (out []offer) {
	for i, c := range d.questions[d.page].Options {
		out = append(out, offer{text: textsafe.Line(c.Label), about: c.About})
		out[i].mark = env.Theme.Choice(slices.Contains(d.picked, i)) + " "
	}
	own := offer{text: "other, in words", mark: env.Theme.Choice(slices.Contains(d.picked, d.other())) + " "}
	if text := d.pages[d.page].own; text != "" {
		own.text = "other: " + textsafe.Line(text)
	}
	out = append(out, own)
	out[min(d.sel, len(out)-1)].here = true
	return out
}

// pageKeys are the keys of a page.
func (d bar) pageKeys(env ui.Env) (long, short []string) {
	long, short = []string{"↑ ↓ choose"}, []string{"↑ ↓"}
	if d.questions[d.page].Multiple {
		long, short = append(long, "Space marks"), append(short, "Space")
	}
	enter := "Enter next question"
	if d.page == len(d.questions)-1 {
		enter = "Enter answers all"
	}
	long, short = append(long, enter, modal.KeyIn("Tab", "other question")), append(short, "Enter", modal.KeyIn("Tab", "page"))
	if keys := env.Keys.Of(keymap.AnswerNo).Keys; len(keys) > 0 {
		long, short = append(long, modal.KeyIn(keys[0], "no")), append(short, modal.KeyIn(keys[0], "no"))
	}
	return append(long, "Esc later"), append(short, "Esc")
}
