package scan

import (
	"regexp"
	"slices"
	"strings"
)

// ManPage are the sections and options of a manual page in the macros of man or mdoc. What it does
// not know it passes over; nothing of the page is executed.
func ManPage(page, file string, text []byte) []Entry {
	r := roffPage{page: page, file: file}
	r.begin("", 1)
	lines := strings.Split(strings.ReplaceAll(string(text), "\r\n", "\n"), "\n")
	for i := 0; i < len(lines); i++ {
		r.line = i + 1
		l := lines[i]
		for strings.HasSuffix(l, `\`) && !strings.HasSuffix(l, `\\`) && i+1 < len(lines) {
			i++
			l = l[:len(l)-1] + lines[i]
		}
		if len(l) > 0 && (l[0] == '.' || l[0] == '\'') {
			i = r.request(l, lines, i)
		} else {
			r.put(escapes(l))
		}
	}
	r.flush()
	return r.entries
}

type roffPage struct {
	page, file string
	line       int
	entries    []Entry
	section    string // .SH
	sub        string // .SS
	// tag is the option or term that the body describes, "" in a section's own text.
	tag   string
	start int
	body  strings.Builder
	// nested counts .RS or lists inside a term.
	nested int
	// wantTag: the next line is a tag.
	wantTag bool
	// long: the tag goes on to the macro Xc.
	long bool
	// paragraph is where the last paragraph begins in the body; indented: the tag's body is the
	// indented part after it, as DocBook writes options.
	paragraph int
	indented  bool
	// outer is the text of the section around its terms.
	outer      string
	outerStart int
}

// begin starts a section.
func (r *roffPage) begin(section string, line int) {
	r.section, r.sub, r.tag, r.nested, r.start, r.outerStart = section, "", "", 0, line, line
	r.paragraph, r.indented = 0, false
}

// put adds a line of text, or takes it as a tag.
func (r *roffPage) put(text string) {
	if r.long && r.tag != "" {
		r.tag += " " + oneLine(text)
		return
	}
	if r.wantTag && strings.TrimSpace(text) != "" {
		r.wantTag = false
		r.openTag(text)
		return
	}
	if r.body.Len() < 2*maxText {
		r.body.WriteString(text)
		r.body.WriteByte('\n')
	}
}

// openTag begins a term; terms without a body share that of the next one.
func (r *roffPage) openTag(tag string) {
	if r.tag != "" && strings.TrimSpace(r.body.String()) == "" {
		r.tag += "\n" + oneLine(tag)
		r.body.Reset()
		return
	}
	r.closeTag()
	r.outer += r.body.String()
	r.body.Reset()
	r.paragraph, r.indented = 0, false
	r.tag, r.start = oneLine(tag), r.line
}

// closeTag makes an entry of the term and its body.
func (r *roffPage) closeTag() {
	if r.tag == "" {
		return
	}
	first := strings.FieldsFunc(r.tag, func(c rune) bool {
		return c == ' ' || c == ',' || c == '=' || c == '[' || c == '<' || c == '|' || c == '\n'
	})
	if text := paragraphs(r.body.String()); len(first) > 0 && !isBullet(r.tag) {
		r.entries = append(r.entries, Entry{Package: r.page, Symbol: first[0], Kind: KindField, Signature: r.tag, Heading: r.heading(), Text: text, File: r.file, Line: r.start, Source: "man"})
	} else if text != "" {
		r.outer += "- " + text + "\n\n"
	}
	r.body.Reset()
	r.tag = ""
}

// isBullet reports whether a tag only marks or numbers an item.
func isBullet(tag string) bool { return strings.Trim(tag, "•*-·o0123456789.)( ") == "" }

func (r *roffPage) heading() string {
	if r.sub != "" {
		return r.section + " › " + r.sub
	}
	return r.section
}

// flush ends a section.
func (r *roffPage) flush() {
	r.closeTag()
	text := paragraphs(r.outer + r.body.String())
	r.outer = ""
	r.body.Reset()
	r.wantTag, r.long = false, false
	if text == "" || r.section == "" {
		return
	}
	e := Entry{Package: r.page, Symbol: r.section, Kind: KindSection, Heading: r.heading(), Text: text, File: r.file, Line: r.outerStart, Source: "man"}
	if r.sub != "" {
		e.Symbol = r.sub
	}
	if strings.EqualFold(r.section, "NAME") {
		e.Symbol, e.Kind, e.Text = r.page, KindPackage, oneLine(text)
	}
	r.entries = append(r.entries, e)
}

// paragraphs joins lines; empty ones part paragraphs.
func paragraphs(text string) string {
	var out []string
	for part := range strings.SplitSeq(text, "\n\n") {
		if p := strings.TrimSpace(part); p != "" {
			out = append(out, p)
		}
	}
	return strings.Join(out, "\n\n")
}

// request reads a line that begins with a dot, and returns the index of the last line read.
func (r *roffPage) request(l string, lines []string, i int) int {
	name, rest, _ := strings.Cut(strings.TrimLeft(l[1:], " \t"), " ")
	args := roffArgs(rest)
	switch name {
	case "SH", "Sh":
		r.flush()
		r.begin(escapes(strings.Join(args, " ")), r.line)
	case "SS", "Ss":
		r.flush()
		section := r.section
		r.begin(section, r.line)
		r.sub = escapes(strings.Join(args, " "))
	case "TP", "TQ":
		if r.nested == 0 {
			r.wantTag = true
		} else {
			r.put("")
		}
	case "IP", "HP":
		switch {
		case len(args) > 0 && args[0] != "" && r.nested == 0:
			r.openTag(escapes(args[0]))
		case len(args) > 0 && args[0] != "":
			r.put("\n" + escapes(args[0]))
		default:
			r.put("")
		}
	case "PP", "P", "LP":
		if r.nested == 0 && r.tag != "" && !r.indented {
			r.closeTag()
		}
		r.put("")
		r.paragraph = r.body.Len()
	case "Pp", "sp", "br":
		if name != "br" {
			r.put("")
		}
	case "RS", "Bl":
		r.nest(name, rest)
	case "RE", "El":
		if r.indented && r.nested == 0 {
			r.closeTag()
			r.indented = false
		}
		if name == "El" && r.nested == 0 {
			r.closeTag()
		}
		r.nested = max(0, r.nested-1)
	case "Xc":
		r.long = false
	case "It":
		if r.nested == 0 {
			r.openTag(mdocLine(r.page, args))
			r.long = slices.Contains(args, "Xo")
		} else {
			r.put("\n" + mdocLine(r.page, args))
		}
	case "de", "ig":
		for i+1 < len(lines) && lines[i+1] != ".." {
			i++
		}
		return min(i+1, len(lines)-1)
	case "B", "I", "SM", "SB", "R":
		r.put(escapes(strings.Join(args, " ")))
	case "BR", "RB", "BI", "IB", "IR", "RI":
		r.put(escapes(strings.Join(args, "")))
	default:
		if mdocMacros[name] != 0 {
			r.put(mdocLine(r.page, append([]string{name}, args...)))
		}
	}
	return i
}

// nest notes a list or an indented part inside of a term.
func (r *roffPage) nest(name, rest string) {
	if body := r.body.String(); name == "RS" && r.tag == "" && r.paragraph > 0 && r.paragraph <= len(body) {
		if tag := strings.TrimSpace(body[r.paragraph:]); tag != "" && len(tag) < 300 {
			r.body.Reset()
			r.body.WriteString(body[:r.paragraph])
			r.openTag(strings.Join(strings.Split(tag, "\n"), " "))
			r.indented = true
			return
		}
	}
	if name == "RS" && r.tag != "" || name == "Bl" && (r.tag != "" || !strings.Contains(rest, "-tag")) {
		r.nested++
	}
}

// roffArgs splits arguments at blanks outside of quotes.
func roffArgs(s string) (args []string) {
	for s = strings.TrimLeft(s, " \t"); s != ""; s = strings.TrimLeft(s, " \t") {
		if s[0] == '"' {
			var b strings.Builder
			j := 1
			for ; j < len(s); j++ {
				if s[j] == '"' {
					if j+1 < len(s) && s[j+1] == '"' {
						j++
					} else {
						break
					}
				}
				b.WriteByte(s[j])
			}
			args = append(args, b.String())
			s = s[min(len(s), j+1):]
			continue
		}
		j := 0
		for j < len(s) && s[j] != ' ' && s[j] != '\t' {
			if s[j] == '\\' && j+1 < len(s) {
				if s[j+1] == '"' { // a comment
					return args
				}
				j++
			}
			j++
		}
		j = min(j, len(s))
		args = append(args, s[:j])
		s = s[j:]
	}
	return args
}

// mdocMacros are those of which the text is shown: 1 as it is, others as mdocLine says.
var mdocMacros = map[string]byte{"Nm": 'n', "Nd": 'd', "Fl": '-', "Ar": 1, "Op": '[', "Oo": '[', "Oc": ']', "Cm": 1, "Ic": 1, "Li": 1, "Pa": 1, "Ev": 1, "Em": 1, "Sy": 1, "Va": 1, "Dv": 1, "Er": 1,
	"Xr": 'x', "Dq": '"', "Do": '"', "Dc": '"', "Sq": '\'', "So": '\'', "Sc": '\'', "Ql": '\'', "Qq": '"', "Pq": '(', "Po": '(', "Pc": ')', "Aq": '<', "Ao": '<', "Ac": '>', "Bq": '[', "Ns": 'N', "No": 1, "Tn": 1,
	"Fn": 1, "Ft": 1, "Fa": 1, "Lk": 1, "Mt": 1, "Ux": 1, "Ox": 1, "Bx": 1, "Xo": 1, "Xc": 1, "Ad": 1, "An": 1, "Sx": 1, "Rs": 1, "Cd": 1, "Dl": 1, "D1": 1, "Ap": 1}

// mdocLine renders a line of mdoc macros.
func mdocLine(page string, args []string) string {
	var b strings.Builder
	glue, ends := true, ""
	put := func(s string) {
		if s == "" {
			return
		}
		if !glue && !slices.Contains([]string{".", ",", ";", ":", ")", "]", "?", "!"}, s) {
			b.WriteByte(' ')
		}
		b.WriteString(s)
		glue = s == "(" || s == "["
	}
	mode := byte(1)
	for i := 0; i < len(args); i++ {
		a := args[i]
		if m := mdocMacros[a]; m != 0 {
			mode = m
			switch m {
			case 'N':
				glue = true
			case '[', '"', '\'', '(', '<':
				open, end := string(m), map[byte]string{'[': "]", '"': `"`, '\'': "'", '(': ")", '<': ">"}[m]
				put(open)
				glue = true
				if a != "Oo" && a != "Do" && a != "So" && a != "Po" && a != "Ao" {
					ends = end + ends
				}
				mode = 1
			case ']', ')', '>':
				glue = true
				put(string(m))
			case 'n':
				if i+1 >= len(args) || mdocMacros[args[i+1]] != 0 || len(args[i+1]) == 1 {
					put(page)
				}
			case '-':
				if i+1 >= len(args) || mdocMacros[args[i+1]] != 0 {
					put("-")
					glue = true
				}
			}
			continue
		}
		text := escapes(a)
		switch {
		case mode == '-' && len(a) > 0 && !strings.ContainsAny(text, ".,;:|()[]"):
			put("-" + text)
		case mode == 'x' && i+1 < len(args) && len(args[i+1]) <= 3 && args[i+1] != "" && args[i+1][0] >= '0' && args[i+1][0] <= '9':
			put(text + "(" + args[i+1] + ")")
			i++
		default:
			put(text)
		}
	}
	return b.String() + ends
}

var (
	roffFont   = regexp.MustCompile(`\\f(?:\[[^\]]*\]|\(..|.)|\\s[+-]?\d|\\[mMF](?:\[[^\]]*\]|\(..|.)|\\\*(?:\[[^\]]*\]|\(..|.)|\\n[+-]?(?:\[[^\]]*\]|\(..|.)|\\[vhw]'[^']*'`)
	roffNamed  = regexp.MustCompile(`\\(?:\((..)|\[([^\]]*)\])`)
	roffSingle = regexp.MustCompile(`\\(.)`)
)

var roffGlyphs = map[string]string{"bu": "•", "dq": `"`, "aq": "'", "oq": "‘", "cq": "’", "lq": "“", "rq": "”", "em": "—", "en": "–", "co": "©", "rg": "®", "ha": "^", "ti": "~", "rs": `\`, "ga": "`",
	"mu": "×", "<=": "≤", ">=": "≥", "->": "→", "<-": "←", "sq": "□", "at": "@", "sh": "#", "Do": "$", "ba": "|", "or": "|", "hy": "-", "mi": "-", "pl": "+", "eq": "=", "sl": "/", "de": "°"}

// escapes replaces the escape sequences of roff.
func escapes(s string) string {
	if i := strings.Index(s, `\"`); i >= 0 {
		s = s[:i]
	}
	if !strings.Contains(s, `\`) {
		return s
	}
	s = roffFont.ReplaceAllString(s, "")
	s = roffNamed.ReplaceAllStringFunc(s, func(m string) string {
		name := strings.Trim(m, `\()[]`)
		if strings.HasPrefix(m, `\(`) {
			name = m[2:]
		}
		return roffGlyphs[name]
	})
	return roffSingle.ReplaceAllStringFunc(s, func(m string) string {
		switch m[1:] {
		case "&", "|", "^", "/", ",", "c", "%", ":", ")", "d", "u", "p", "z":
			return ""
		case "e", `\`:
			return `\`
		case "~", " ", "0":
			return " "
		}
		return m[1:] // \- \. \'
	})
}
