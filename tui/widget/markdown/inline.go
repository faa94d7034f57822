package markdown

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"ccdir/internal/cells"
	"ccdir/tui/widget/theme"
)

const (
	// maxSpan is how many bytes emphasis, code or a link may take; a sign that is not
	// answered within is text.
	maxSpan = 1000
	// maxNested is how deep emphasis is told apart.
	maxNested = 4
)

// span is text in a style; it may have line breaks.
type span struct {
	text string
	st   cells.Style
	link string // where a click leads; "" nowhere
}

// inliner reads the signs within a text. Where one was not answered is kept, so that no part
// is looked through twice.
type inliner struct {
	theme *theme.Theme
	text  string
	depth int
	out   []span
	seen  map[string]int // by sign: up to where nothing answers it
}

// inline are the words of a text in styles on top of one.
func inline(th *theme.Theme, text string, st cells.Style) []span { return inlined(th, text, st, 0) }

func inlined(th *theme.Theme, text string, st cells.Style, depth int) []span {
	if depth > maxNested || !strings.ContainsAny(text, "\\`*_~[<&:") {
		return []span{{text: text, st: st}}
	}
	p := inliner{theme: th, text: text, depth: depth, seen: map[string]int{}}
	plain := 0
	for i := 0; i < len(text); {
		words, n := p.at(i, st)
		if n == 0 {
			i++
			continue
		}
		p.add(span{text: text[plain:i], st: st})
		p.add(words...)
		i += n
		plain = i
	}
	p.add(span{text: text[plain:], st: st})
	return p.out
}

func (p *inliner) add(words ...span) {
	for _, w := range words {
		if w.text != "" {
			p.out = append(p.out, w)
		}
	}
}

// at are the words that a sign at i stands for, and how many bytes that takes; 0: it is text.
func (p *inliner) at(i int, st cells.Style) ([]span, int) {
	rest := p.text[i:]
	switch rest[0] {
	case '\\':
		if len(rest) > 1 && rest[1] > ' ' && rest[1] < 0x7f && !letter(rune(rest[1])) {
			return []span{{text: rest[1:2], st: st}}, 2
		}
	case '`':
		return p.code(i, st)
	case '*', '_', '~':
		return p.emphasis(i, st)
	case '!':
		if strings.HasPrefix(rest, "![") {
			words, n := p.link(i+1, st)
			return words, n + min(n, 1)
		}
	case '[':
		return p.link(i, st)
	case '<':
		end := strings.IndexAny(rest[:min(len(rest), maxSpan)], "> \n")
		if end > 1 && rest[end] == '>' && (address(rest[1:]) > 0 || strings.Contains(rest[1:end], "@")) {
			return []span{{rest[1:end], p.linked(st), rest[1:end]}}, end + 1
		}
	case 'h':
		if !letter(before(p.text, i)) {
			if n := address(rest); n > 0 {
				return []span{{rest[:n], p.linked(st), rest[:n]}}, n
			}
		}
	case '&':
		for name, text := range map[string]string{"&amp;": "&", "&lt;": "<", "&gt;": ">", "&quot;": "\"", "&#39;": "'", "&nbsp;": " "} {
			if strings.HasPrefix(rest, name) {
				return []span{{text: text, st: st}}, len(name)
			}
		}
	}
	return nil, 0
}

// runOf is how often a text begins with its first byte.
func runOf(text string) int {
	n := 1
	for n < len(text) && text[n] == text[0] {
		n++
	}
	return n
}

// find is where a sign is answered, from a place on; -1: nowhere. ok says of a place whether
// it is that.
func (p *inliner) find(sign string, from int, ok func(at int) bool) int {
	end := min(len(p.text), from+maxSpan)
	for at := max(from, p.seen[sign]); at < end; at++ {
		if p.text[at] == sign[len(sign)-1] && ok(at) {
			return at
		}
	}
	p.seen[sign] = max(end, p.seen[sign])
	return -1
}

// code is code between runs of "`".
func (p *inliner) code(i int, st cells.Style) ([]span, int) {
	if i > 0 && p.text[i-1] == '`' {
		return nil, 0
	}
	n := runOf(p.text[i:])
	sign := p.text[i : i+n]
	end := p.find(sign, i+n, func(at int) bool { return p.text[at-1] != '`' && runOf(p.text[at:]) == n })
	if end < 0 {
		return nil, 0
	}
	text := strings.ReplaceAll(p.text[i+n:end], "\n", " ")
	if len(text) > 2 && strings.HasPrefix(text, " ") && strings.HasSuffix(text, " ") {
		text = text[1 : len(text)-1]
	}
	st.FG, st.BG = p.theme.Code.FG, p.theme.Code.BG
	if st.BG == cells.DefaultColor {
		st.FG = p.theme.Accent
	}
	return []span{{text: text, st: st}}, end + n - i
}

// emphasis is text between runs of "*", "_" or "~".
func (p *inliner) emphasis(i int, st cells.Style) ([]span, int) {
	sign := p.text[i]
	if i > 0 && p.text[i-1] == sign {
		return nil, 0
	}
	n := runOf(p.text[i:])
	if n > 3 || sign == '~' && n != 2 {
		return nil, 0
	}
	opens, _ := flanks(p.text, i, n)
	if !opens || sign == '_' && letter(before(p.text, i)) {
		return nil, 0
	}
	end := p.find(p.text[i:i+n], i+n, func(at int) bool {
		if p.text[at-1] == sign || p.text[at-1] == '\\' || runOf(p.text[at:]) != n {
			return false
		}
		_, closes := flanks(p.text, at, n)
		return closes && (sign != '_' || !letter(after(p.text, at+n)))
	})
	if end < 0 {
		return nil, 0
	}
	switch {
	case sign == '~':
		st.Attrs |= cells.Strike
	case n == 1:
		st.Attrs |= cells.Italic
	case n == 2:
		st.Attrs |= cells.Bold
	default:
		st.Attrs |= cells.Bold | cells.Italic
	}
	return inlined(p.theme, p.text[i+n:end], st, p.depth+1), end + n - i
}

// flanks reports whether n signs at i may begin, and may end, emphasis.
func flanks(text string, i, n int) (opens, closes bool) {
	b, a := before(text, i), after(text, i+n)
	left, right := unicode.IsSpace(b), unicode.IsSpace(a)
	opens = !right && (letter(a) || left || !letter(b))
	closes = !left && (letter(b) || right || !letter(a))
	return opens, closes
}

// before and after are the characters around a place, a blank at the ends.
func before(text string, i int) rune {
	if i == 0 {
		return ' '
	}
	r, _ := utf8.DecodeLastRuneInString(text[:i])
	return r
}

func after(text string, i int) rune {
	if i >= len(text) {
		return ' '
	}
	r, _ := utf8.DecodeRuneInString(text[i:])
	return r
}

// letter reports whether a character is part of words.
func letter(r rune) bool { return !unicode.IsSpace(r) && !unicode.IsPunct(r) && !unicode.IsSymbol(r) }

// link is "[words](address)".
func (p *inliner) link(i int, st cells.Style) ([]span, int) {
	middle := p.find("]", i+1, func(at int) bool { return strings.HasPrefix(p.text[at:], "](") })
	if middle < 0 {
		return nil, 0
	}
	rest := p.text[middle+2 : min(len(p.text), middle+2+maxSpan)]
	end := strings.IndexAny(rest, ")\n")
	if end < 0 || rest[end] != ')' {
		return nil, 0
	}
	words, address := p.text[i+1:middle], rest[:end]
	if strings.ContainsAny(words, "[\n") {
		return nil, 0
	}
	address, _, _ = strings.Cut(strings.TrimSpace(address), " ")
	address = strings.Trim(address, "<>")
	out := inlined(p.theme, words, p.linked(st), maxNested+1)
	if words != address && "mailto:"+words != address && !strings.HasPrefix(address, "#") && address != "" {
		out = append(out, span{text: " (" + address + ")", st: theme.FG(p.theme.Dim)})
	}
	for i := range out {
		out[i].link = address
	}
	return out, middle + 2 + end + 1 - i
}

// linked is the style of a link.
func (p *inliner) linked(st cells.Style) cells.Style {
	st.FG, st.Underline = p.theme.Accent, cells.UnderlineSingle
	return st
}

// address is how long the web address is with which a text begins; 0: with none.
func address(text string) int {
	for _, scheme := range []string{"https://", "http://"} {
		if !strings.HasPrefix(text, scheme) {
			continue
		}
		end := strings.IndexFunc(text, func(r rune) bool { return unicode.IsSpace(r) || strings.ContainsRune("<>\"`|*", r) })
		if end < 0 {
			end = len(text)
		}
		end = len(strings.TrimRight(text[:end], ".,;:!?)'_]"))
		if end > len(scheme) {
			return end
		}
	}
	return 0
}
