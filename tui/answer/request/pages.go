package request

import (
	"strings"

	"ccdir/api"
	"ccdir/internal/text/textsafe"
	"ccdir/tui/paint"
)

// Page is one of several questions that an agent's own dialog asks at once.
type Page struct {
	Text, Header string
	Options      []Choice
	// Multiple: more than one of the options may be taken.
	Multiple bool
}

// Choice is an option of a Page, in one line each.
type Choice struct{ Label, About string }

// Pages are the questions of a request that asks several and takes an answer here, which has a
// line for each; nil for any other.
func Pages(r api.Request) []Page {
	all := questionsOf(r)
	if r.Questions < 2 || len(all) != r.Questions {
		return nil
	}
	var out []Page
	for _, q := range all {
		p := Page{Text: q.Text, Header: textsafe.Line(q.Header), Multiple: q.Multiple}
		for _, o := range q.Options {
			c := Choice{Label: inLine(o.Label)}
			if o.About != o.Label {
				c.About = textsafe.Line(o.About)
			}
			p.Options = append(p.Options, c)
		}
		out = append(out, p)
	}
	return out
}

// PageLines lays the question of a page out in lines of at most w columns; before stands above it.
func PageLines(p Page, before string, w int) []Line {
	b := writer{w: max(w, 1)}
	b.chop(faint, paint.Cut(before, b.w))
	b.prose(strong, p.Text)
	return b.lines
}

// inLine is a text in one line, as an answer has it.
func inLine(s string) string { return strings.Join(strings.Fields(s), " ") }
