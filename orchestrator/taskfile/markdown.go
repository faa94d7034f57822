package taskfile

import (
	"regexp"
	"strings"
	"sync"

	"ccdir/api/taskkeys"
)

// Compiled on first use: every command links this package.
var (
	// bullet is a list item: indentation, marker, check box, text.
	bullet = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^(\s*)([-*+]|\d+[.)])\s+(\[[ xX]\]\s+)?(.*)$`) })
	// setting is "key: value", keyLike what nobody would begin a sentence with.
	setting = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^([A-Za-z_-]+):\s*(.*)$`) })
	keyLike = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[a-z_-]+:(\s|$)`) })
)

// markdown reads lists. An item at the margin is a task. Lines indented below it belong
// to it: text continues the prompt, a numbered item is a further step, and a bulleted
// "key: value" with a known key sets that key (lists are separated by commas); a word in
// small letters that is no key is refused there. Checked items, headings and other text at
// the margin are skipped.
func (p *parser) markdown(text string) (entries []entry) {
	var cur *entry
	var steps *field
	into := func(line string) { // appends to the last prompt or step
		target := &cur.fields[0].Text
		if steps != nil {
			target = &steps.List[len(steps.List)-1]
		}
		*target += "\n" + line
	}
	flush := func() {
		if cur == nil {
			return
		}
		if steps != nil {
			cur.fields = append(cur.fields, *steps)
		}
		for i := range cur.fields[:1] {
			cur.fields[i].Text = strings.TrimSpace(cur.fields[i].Text)
		}
		entries = append(entries, *cur)
		cur, steps = nil, nil
	}
	for i, line := range strings.Split(text, "\n") {
		at, line := i+1, strings.TrimRight(line, " \t\r")
		m := bullet().FindStringSubmatch(line)
		indented := strings.HasPrefix(line, " ") || strings.HasPrefix(line, "\t")
		switch {
		case m != nil && !indented:
			flush()
			if !strings.Contains(strings.ToLower(m[3]), "x") {
				cur = &entry{line: at, fields: []field{{Field: taskkeys.Field{Key: "prompt", Text: m[4]}, line: at}}}
			}
		case line != "" && !indented:
			flush()
		case cur == nil:
		case m != nil && m[2][0] >= '0' && m[2][0] <= '9':
			if steps == nil {
				steps = &field{Field: taskkeys.Field{Key: "steps", Many: true}, line: at}
			}
			steps.List = append(steps.List, m[4])
		case m != nil:
			kv := setting().FindStringSubmatch(m[4])
			if kv == nil || !taskkeys.Known(kv[1]) {
				if kv != nil {
					p.unknown(at, kv[1], keyLike().MatchString(m[4]))
				}
				into(strings.TrimSpace(line))
				continue
			}
			cur.fields = append(cur.fields, markdownField(kv[1], kv[2], at))
		default:
			into(strings.TrimSpace(line))
		}
	}
	flush()
	return entries
}

// unknown reports a word that looks like a key, or is nearly one: it would silently become
// text of the prompt.
func (p *parser) unknown(line int, word string, like bool) {
	plain := taskkeys.Plain(word)
	for _, key := range taskkeys.Keys {
		if near(plain, key) {
			p.fault(line, "the key %q is unknown: write %s, or text that does not look like a key", plain, key)
			return
		}
	}
	if like {
		p.fault(line, "the key %q is unknown: known are %s; text of the prompt begins with a capital letter or has no dash", plain, strings.Join(taskkeys.Keys, ", "))
	}
}

// near reports whether two words differ by one letter or by two swapped letters.
func near(a, b string) bool {
	if len(a) > len(b) {
		a, b = b, a
	}
	i := 0
	for i < len(a) && a[i] == b[i] {
		i++
	}
	switch len(b) - len(a) {
	case 0:
		swapped := i+1 < len(a) && a[i] == b[i+1] && a[i+1] == b[i] && a[i+2:] == b[i+2:]
		return i < len(a) && (a[i+1:] == b[i+1:] || swapped)
	case 1:
		return a[i:] == b[i+1:]
	}
	return false
}

func markdownField(key, value string, line int) field {
	f := field{Field: taskkeys.Field{Key: key, Text: value}, line: line}
	switch taskkeys.Plain(key) {
	case "args", "accounts", "after", "after_always", "labels":
		f.Many = true
		for part := range strings.SplitSeq(value, ",") {
			f.List = append(f.List, strings.TrimSpace(part))
		}
	}
	return f
}
