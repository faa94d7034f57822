package markdown

import "strings"

// indent is how many blanks a line begins with.
func indent(line string) int { return len(line) - len(strings.TrimLeft(line, " ")) }

// heading is the level and the text of a line "## text"; level 0: it is none.
func heading(line string) (level int, text string) {
	body := strings.TrimLeft(line, " ")
	for level < len(body) && body[level] == '#' {
		level++
	}
	if level == 0 || level > 6 || indent(line) > 3 || level < len(body) && body[level] != ' ' {
		return 0, ""
	}
	text = strings.TrimSpace(body[level:])
	if end := strings.TrimRight(text, "#"); end == "" || strings.HasSuffix(end, " ") {
		text = strings.TrimRight(end, " ")
	}
	return level, text
}

// underlined is the level of heading that a line makes of those above it, 0: it does not.
func underlined(line string) int {
	body := strings.TrimSpace(line)
	switch {
	case len(body) < 2 || indent(line) > 3:
	case strings.Trim(body, "=") == "":
		return 1
	case strings.Trim(body, "-") == "":
		return 2
	}
	return 0
}

// rule reports whether a line is a rule: three or more of one sign.
func rule(line string) bool {
	body := strings.ReplaceAll(line, " ", "")
	if len(body) < 3 || indent(line) > 3 || !strings.Contains("-*_", body[:1]) {
		return false
	}
	return strings.Trim(body, body[:1]) == ""
}

// quoted reports whether a line belongs to a quote.
func quoted(line string) bool { return indent(line) < 4 && strings.HasPrefix(line[indent(line):], ">") }

// fence is the line that begins a block of code.
type fence struct {
	sign   string // what has to end it
	indent int
	name   string // the language
}

// fenceOf reads the line that begins a block of code.
func fenceOf(line string) (fence, bool) {
	body := strings.TrimLeft(line, " ")
	for _, sign := range []string{"`", "~"} {
		n := len(body) - len(strings.TrimLeft(body, sign))
		if n < 3 || indent(line) > 3 {
			continue
		}
		name := strings.TrimSpace(body[n:])
		if sign == "`" && strings.Contains(name, "`") {
			return fence{}, false
		}
		name, _, _ = strings.Cut(name, " ")
		return fence{body[:n], indent(line), name}, true
	}
	return fence{}, false
}

// ends reports whether a line ends the block of code.
func (f fence) ends(line string) bool {
	body := strings.TrimSpace(line)
	return len(body) >= len(f.sign) && strings.Trim(body, f.sign[:1]) == "" && indent(line) < 4
}

// item is the first line of an item of a list.
type item struct {
	sign, text string
	// indent is from which column on further lines belong to it.
	indent int
	// numbered: it has a number; first: that is 1.
	numbered, first bool
}

// itemOf reads the first line of an item.
func itemOf(line string) (item, bool) {
	start := indent(line)
	body := line[start:]
	it := item{sign: "• "}
	n := 0
	switch {
	case body == "":
		return item{}, false
	case strings.Contains("-*+", body[:1]):
		n = 1
	default:
		for n < len(body) && n < 4 && body[n] >= '0' && body[n] <= '9' {
			n++
		}
		if n == 0 || n == len(body) || body[n] != '.' && body[n] != ')' {
			return item{}, false
		}
		n++
		it.sign, it.numbered, it.first = body[:n]+" ", true, body[:n-1] == "1"
	}
	if n < len(body) && body[n] != ' ' || start > 3 {
		return item{}, false
	}
	rest := body[n:]
	blanks := indent(rest)
	if blanks == 0 || blanks > 4 || blanks == len(rest) {
		blanks = min(1, len(rest))
	}
	it.indent, it.text = start+n+max(blanks, 1), rest[blanks:]
	for box, sign := range map[string]string{"[ ] ": "☐ ", "[x] ": "☑ ", "[X] ": "☑ "} {
		if text, ok := strings.CutPrefix(it.text, box); ok {
			it.sign, it.text = sign, text
			break
		}
	}
	return it, true
}
