package scan

import (
	"path"
	"strings"
)

// Markdown are the sections of a document, each with the path of its headings. The text
// before the first heading is a section named after the file.
func Markdown(name string, text []byte) (entries []Entry) {
	if text == nil {
		return nil
	}
	source := documentSource(name)
	var path []string // headings above, by level
	var body []string
	title := strings.TrimSuffix(name[strings.LastIndexByte(name, '/')+1:], ".md")
	start, fence := 1, ""
	flush := func() {
		text := strings.TrimSpace(strings.Join(body, "\n"))
		if text != "" || len(path) > 0 && title != "" {
			entries = append(entries, Entry{Symbol: plainHeading(title), Kind: KindSection, Heading: strings.Join(path, " › "), Text: text, File: name, Line: start, Source: source})
		}
		body = nil
	}
	lines := strings.Split(strings.ReplaceAll(string(text), "\r\n", "\n"), "\n")
	for i, l := range lines {
		trimmed := strings.TrimSpace(l)
		if mark := fenceOf(trimmed); mark != "" && (fence == "" || strings.HasPrefix(trimmed, fence)) {
			if fence == "" {
				fence = mark
			} else {
				fence = ""
			}
		}
		level, heading := headingOf(l)
		if fence == "" && level == 0 && trimmed != "" && i+1 < len(lines) && isUnderline(lines[i+1]) {
			level, heading = 2, trimmed
			if strings.HasPrefix(lines[i+1], "=") {
				level = 1
			}
		}
		if fence != "" || level == 0 {
			if len(body) > 0 && len(body[len(body)-1]) > 0 && isUnderline(l) && fence == "" {
				continue
			}
			body = append(body, l)
			continue
		}
		flush()
		for len(path) >= level {
			path = path[:len(path)-1]
		}
		for len(path) < level-1 {
			path = append(path, "")
		}
		path = append(path, plainHeading(heading))
		title, start = heading, i+1
	}
	flush()
	for i := range entries {
		entries[i].Heading = strings.TrimLeft(strings.ReplaceAll(entries[i].Heading, " ›  › ", " › "), " ›")
	}
	return entries
}

func fenceOf(s string) string {
	for _, mark := range []string{"```", "~~~"} {
		if strings.HasPrefix(s, mark) {
			return mark
		}
	}
	return ""
}

func headingOf(l string) (level int, text string) {
	for level < len(l) && l[level] == '#' {
		level++
	}
	if level == 0 || level > 6 || level < len(l) && l[level] != ' ' && l[level] != '\t' {
		return 0, ""
	}
	return level, strings.TrimSpace(strings.TrimRight(strings.TrimSpace(l[level:]), "#"))
}

// isUnderline reports whether a line makes the one above it a heading.
func isUnderline(l string) bool {
	l = strings.TrimRight(l, " ")
	return len(l) >= 3 && (strings.Trim(l, "=") == "" || strings.Trim(l, "-") == "")
}

// plainHeading drops code marks, links and tags of a heading.
func plainHeading(s string) string {
	s = strings.NewReplacer("`", "", "**", "", "\\", "").Replace(s)
	var b strings.Builder
	for s != "" {
		i := strings.IndexAny(s, "[<")
		if i < 0 {
			break
		}
		b.WriteString(s[:i])
		s = s[i:]
		switch {
		case s[0] == '<' && strings.IndexByte(s, '>') > 0:
			s = s[strings.IndexByte(s, '>')+1:]
		case s[0] == '[' && strings.Contains(s, "](") && strings.IndexByte(s, ')') > strings.Index(s, "]("):
			b.WriteString(s[1:strings.Index(s, "](")])
			s = s[strings.IndexByte(s, ')')+1:]
		default:
			b.WriteByte(s[0])
			s = s[1:]
		}
	}
	return strings.TrimSpace(b.String() + s)
}

// documentSource is the source type of a document.
func documentSource(name string) string {
	base := strings.ToLower(path.Base(name))
	switch {
	case strings.HasPrefix(base, "readme"):
		return "readme"
	case strings.HasPrefix(base, "change"), strings.HasPrefix(base, "history"), strings.HasPrefix(base, "release"):
		return "changelog"
	}
	return "docs"
}
