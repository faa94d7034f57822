package conversation

import (
	"slices"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"ccdir/api"
	"ccdir/internal/keymap"
	"ccdir/tui/ui"
	"ccdir/tui/widget/edit"
	"ccdir/tui/widget/turns"
)

// find is the search in the conversation.
type find struct {
	typing bool
	ed     edit.Line
	// query is the text of the search in lower case; "" is no search. words: its words, any
	// of which is a hit; they come from the search over all conversations.
	query string
	words []string
	last  string // the query before
	// first: the cursor has to go to the first hit in the wanted turn once that is loaded.
	first bool
}

// with is a search for words that were found elsewhere.
func (f find) with(words string) find {
	if words = strings.ToLower(strings.TrimSpace(words)); words == "" {
		return f
	}
	return find{query: words, words: strings.Fields(words), first: true}
}

// marks are what is shown inverse.
func (f find) marks() []string {
	if len(f.words) > 0 {
		return f.words
	}
	if f.query != "" {
		return []string{f.query}
	}
	return nil
}

// inRow reports whether a row has it, in small letters.
func (f find) inRow(text string) bool {
	return slices.ContainsFunc(f.marks(), func(w string) bool { return strings.Contains(text, w) })
}

// inThing reports whether a text that is not shown has it.
func (f find) inThing(text string) bool {
	return !slices.ContainsFunc(f.marks(), func(w string) bool { return !strings.Contains(text, w) })
}

// typed takes a key of the search.
func (d dialog) typed(env ui.Env, k ui.Key) (ui.Component, []ui.Effect) {
	f := &d.find
	switch k.Name {
	case "Escape", "C-c", "C-g":
		d.find = find{}
	case "Up", "C-p":
		f.ed = edit.NewLine(f.last)
	case "Enter":
		query := f.ed.String()
		if query == "" {
			query = f.last
		}
		d.find = find{query: strings.ToLower(query)}
		if query == "" {
			return d, nil
		}
		return d.nextFound(env, -1)
	default:
		f.ed, _ = f.ed.Key(k.Name, k.Text())
	}
	return d, nil
}

// Paste puts text into what is searched.
func (d dialog) Paste(_ ui.Env, text string) ui.Component {
	if !d.told {
		return d.later(func(d dialog, env ui.Env) (ui.Component, []ui.Effect) { return d.Paste(env, text), nil })
	}
	if d.find.typing {
		d.find.ed = d.find.ed.Insert(strings.Join(strings.Fields(text), " "))
	}
	return d
}

// nextFound goes to the next place that has what is searched for, downwards by 1 and
// upwards by -1, round and round.
func (d dialog) nextFound(env ui.Env, by int) (ui.Component, []ui.Effect) {
	here, i, ok := d.at(d.cursor)
	if !ok {
		return d, nil
	}
	n := len(d.blocks)
	for step := range n + 1 {
		b := ((here+by*step)%n + n) % n
		rows := d.found(b)
		if by < 0 {
			slices.Reverse(rows)
		}
		for _, row := range rows {
			last := step == n // around to where it began
			if step == 0 && (row-i)*by <= 0 || last && (row-i)*by > 0 {
				continue
			}
			var effects []ui.Effect
			if (b-here)*by < 0 || last {
				effects = []ui.Effect{ui.Say{Text: "the search went on at the other end"}}
			}
			return d.toFound(env, b, row, by), effects
		}
	}
	if next, effects, ok := d.all(); ok {
		return next, append(effects, ui.Say{Text: "not in the turns that are here: older ones are read, press again"})
	}
	return d, []ui.Effect{ui.Warn{Text: "nothing of it is in this conversation; " + env.Keys.Hint(keymap.History) + " searches all"}}
}

// found are the rows of a block that have what is searched for, or that are the heads of
// closed things that have it.
func (d dialog) found(b int) (out []int) {
	rows := d.blocks[b].rows
	hidden := d.hidden(b)
	plain := make([]string, len(rows))
	for i, r := range rows {
		plain[i] = strings.ToLower(ansi.Strip(r.Text))
	}
	for i, r := range rows {
		switch {
		case d.find.inRow(plain[i]):
		case r.Wrapped && i+1 < len(rows) && !d.find.inRow(plain[i+1]) && d.find.inRow(plain[i]+strings.TrimLeft(plain[i+1], " ")):
		case r.Head && r.Path != "" && !d.opened[r.Path] && d.find.inThing(hidden[r.Path]):
		default:
			continue
		}
		out = append(out, i)
	}
	return out
}

// toFound goes to a row of a block. A closed thing that has what is searched for is opened.
func (d dialog) toFound(env ui.Env, b, row, by int) dialog {
	d.follows, d.wanted = false, nil
	for range 5 { // subagents are nested
		r := d.blocks[b].rows[row]
		if !r.Head || r.Path == "" || d.opened[r.Path] || d.find.inThing(strings.ToLower(ansi.Strip(r.Text))) {
			break
		}
		d = d.with(env, map[string]bool{r.Path: true}, b, &place{turn: d.blocks[b].turn.Turn, path: r.Path})
		inside := slices.DeleteFunc(d.found(b), func(i int) bool { return i <= row || !strings.HasPrefix(d.blocks[b].rows[i].Path, r.Path) })
		if len(inside) == 0 {
			break
		}
		if row = d.best(b, inside); by < 0 {
			row = inside[len(inside)-1]
		}
	}
	d.wanted = nil
	d = d.to(d.starts[b] + row)
	d.top = d.cursor - d.height/3
	return d.clamped()
}

// hidden are the texts of the things of a block that can be opened, in small letters, by
// their paths.
func (d dialog) hidden(b int) map[string]string {
	out := map[string]string{}
	gather(d.blocks[b].turn, "", out)
	return out
}

func gather(t api.Turn, below string, out map[string]string) (all string) {
	var every strings.Builder
	for i, item := range t.Items {
		path := turns.Path(below, t.Turn, i)
		text := item.Text + "\n" + item.Raw
		if item.Kind == api.ItemTool && item.Tool < len(t.Tools) {
			c := t.Tools[item.Tool]
			text = c.Name + "\n" + string(c.Input) + "\n" + c.Argument + "\n" + c.Reason + "\n" + c.Result + "\n" + diffText(c.Diff)
			if c.Agent != nil {
				for _, inner := range c.Agent.Turns {
					text += "\n" + inner.Prompt + "\n" + gather(inner, path, out)
				}
			}
		}
		text = strings.ToLower(text)
		out[path] = text
		every.WriteString(text + "\n")
	}
	return every.String()
}

// sought goes to what was searched for in the turn that the view began with, once that is
// here.
func (d dialog) sought(env ui.Env) (dialog, []ui.Effect) {
	if !d.find.first || d.Turn == 0 || len(d.blocks) == 0 || d.blocks[len(d.blocks)-1].turn.Turn < d.Turn {
		return d, nil
	}
	d.find.first = false
	for b, block := range d.blocks {
		if block.turn.Turn == d.Turn {
			if rows := d.found(b); len(rows) > 0 {
				return d.toFound(env, b, d.best(b, rows), 1), nil
			}
		}
	}
	return d, nil
}

// best is the row with most of the words; a closed thing that has all counts as one.
func (d dialog) best(b int, rows []int) int {
	at, most := rows[0], 0
	hidden := d.hidden(b)
	for _, i := range rows {
		r := d.blocks[b].rows[i]
		text := strings.ToLower(ansi.Strip(r.Text))
		if r.Head && r.Path != "" {
			text += hidden[r.Path]
		}
		n := 0
		for _, w := range d.find.marks() {
			if strings.Contains(text, w) {
				n++
			}
		}
		if n > most {
			at, most = i, n
		}
	}
	return at
}
