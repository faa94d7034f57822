package policy

import (
	"path"
	"strings"

	"ccdir/policy/glob"
	"ccdir/policy/shell"
)

// commandPattern is the argument of a Bash rule.
//
// For allow rules it is a text in which "*" matches any text, compared with the whole
// command. For deny and ask rules it is taken apart as well: the program, the options that
// must be present in any form and place, and the other words in their order.
type commandPattern struct {
	// text is the argument, "*" in it any text. bare is text without " *" at its end, which
	// matches as well if bareToo is set.
	text, bare string
	bareToo    bool
	// nameWord is the first word, which names the program.
	nameWord string
	program  string // the program that nameWord names, without directory
	anyName  bool   // first has a "*"
	options  []string
	words    []string
	// exact: the pattern does not end with "*".
	exact bool
}

// compileCommand compiles the argument of a Bash rule.
func compileCommand(arg string) *commandPattern {
	if head, ok := strings.CutSuffix(arg, ":*"); ok {
		arg = head + " *"
	}
	r := &commandPattern{text: arg}
	if head, ok := strings.CutSuffix(arg, " *"); ok && strings.TrimSpace(head) != "" {
		r.bare, r.bareToo = head, true
	}
	tokens := strings.Fields(strings.NewReplacer("'", "", `"`, "").Replace(arg))
	if len(tokens) == 0 {
		return r
	}
	r.nameWord = tokens[0]
	r.program, r.anyName = shell.ProgramName(r.nameWord), strings.Contains(r.nameWord, "*")
	for _, t := range tokens[1:] {
		if len(t) > 1 && t[0] == '-' && t != "--" && !strings.Contains(t, "*") {
			r.options = append(r.options, splitOption(r.program, t)...)
			continue
		}
		if t != "--" {
			r.words = append(r.words, t)
		}
	}
	r.exact = !strings.HasSuffix(arg, "*")
	if !r.exact && (len(r.words) == 0 || r.words[len(r.words)-1] != "*") && strings.HasSuffix(arg, " *") {
		r.words = append(r.words, "*")
	}
	return r
}

// fixedName returns the program that the rule is about; false if it may be several.
func (r *commandPattern) fixedName() (string, bool) {
	if r.nameWord == "" || strings.Contains(r.nameWord, "*") || strings.Contains(r.nameWord, "=") {
		return "", false
	}
	return r.program, true
}

// singleDash are programs whose options with one dash are words, not clusters of letters.
var singleDash = map[string]bool{"find": true, "go": true, "java": true, "javac": true, "gcc": true, "clang": true, "cc": true, "terraform": true, "kotlinc": true,
	"scala": true, "screen": true, "xset": true, "openssl": true, "ffmpeg": true, "convert": true, "mvn": true}

// splitOption splits a cluster of letters such as -rf into options.
func splitOption(name, option string) []string {
	if strings.HasPrefix(option, "--") || len(option) < 3 || len(option) > 5 || singleDash[name] || !letters(option[1:]) {
		return []string{option}
	}
	var out []string
	for _, c := range option[1:] {
		out = append(out, "-"+string(c))
	}
	return out
}

func letters(s string) bool {
	for i := range len(s) {
		if c := s[i] | 0x20; c < 'a' || c > 'z' {
			return false
		}
	}
	return true
}

// sameOption maps the long name of an option to its letters.
var sameOption = map[string]string{"force": "f", "recursive": "rR", "delete": "d", "all": "a", "yes": "y", "global": "g", "interactive": "i", "no-verify": "n", "quiet": "q", "verbose": "v", "assume-yes": "y", "system": "s", "remove": "r"}

// allows reports whether the pattern certainly matches the part. Programs in trustedDirs may
// be written with their directory.
func (r *commandPattern) allows(p *shell.Part) bool {
	if p.Command.UnsafeVar != "" {
		return strings.Contains(r.nameWord, "=") && r.matches(p.Command.Assigned+p.Text)
	}
	if r.matches(p.Text) || p.Command.Assigned != "" && strings.Contains(r.nameWord, "=") && r.matches(p.Command.Assigned+p.Text) {
		return true
	}
	name := p.Command.Words[0].Text
	for _, dir := range trustedDirs {
		if base, ok := strings.CutPrefix(name, dir); ok && base != "" && !strings.Contains(base, "/") {
			return r.matches(base + strings.TrimPrefix(p.Text, name))
		}
	}
	return false
}

var trustedDirs = []string{"/bin/", "/usr/bin/", "/sbin/", "/usr/sbin/"}

// pins reports whether the pattern names the script before its first "*".
func (r *commandPattern) pins(script string) bool {
	fixed, _, _ := strings.Cut(r.text, "*")
	fixed = strings.TrimSuffix(fixed, " ")
	for _, f := range strings.Fields(fixed)[min(1, len(strings.Fields(fixed))):] {
		if f == script {
			return true
		}
	}
	return false
}

func (r *commandPattern) matches(text string) bool {
	return glob.Match(r.text, text) || r.bareToo && text == r.bare
}

func (r *commandPattern) mayMatch(text string) bool {
	return glob.MayMatch(r.text, text, false) || r.bareToo && glob.MayMatch(r.bare, text, false)
}

// catches matches a deny or ask rule with a command. Without loose only certain matches are
// looked for.
func (r *commandPattern) catches(p *shell.Part, loose bool) certainty {
	name := p.Command.Words[0]
	if !name.Known() {
		if !loose {
			return no
		}
		return r.maybeName(name, p)
	}
	texts := p.Ways()
	for _, text := range texts {
		if r.matches(text) {
			return surely
		}
	}
	sameName := r.nameWord != "" && (r.program == p.Program() || r.anyName && r.namesProgram(name.Text))
	if sameName && !p.Command.VerbFirst && r.catchesWords(p.Command.Words[1:], false) {
		return surely
	}
	if sameName && p.Command.VerbFirst && r.catchesVerb(p.Command.Words[1:], false) {
		return surely
	}
	if !p.Unclear || !loose {
		return no
	}
	for _, text := range texts {
		if r.mayMatch(text) {
			return perhaps
		}
	}
	if sameName && (p.Command.VerbFirst && r.catchesVerb(p.Command.Words[1:], true) || !p.Command.VerbFirst && r.catchesWords(p.Command.Words[1:], true)) {
		return perhaps
	}
	return no
}

// catchesVerb is catchesWords for a command whose first argument is a subcommand: it must
// match the first word of the rule, not the value of an option.
func (r *commandPattern) catchesVerb(words []shell.Word, loose bool) bool {
	if len(words) == 0 || words[0].Text != "" && words[0].Text[0] == '-' {
		return false
	}
	return r.catchesWords(words, loose)
}

// namesProgram compares program names without directories.
func (r *commandPattern) namesProgram(s string) bool {
	if strings.Contains(r.nameWord, "*") {
		return glob.Match(r.nameWord, s) || glob.Match(r.nameWord, shell.ProgramName(s))
	}
	return r.program == shell.ProgramName(s)
}

// maybeName is catches for a command whose name is unknown.
func (r *commandPattern) maybeName(name shell.Word, p *shell.Part) certainty {
	if r.nameWord == "" || r.mayMatch(shell.Join(p.Command.Words)) {
		return perhaps
	}
	base := strings.ToLower(name.Text)
	if i := strings.LastIndexByte(base, '/'); i >= 0 {
		base = base[i+1:]
	}
	if !glob.MayMatch(r.program, base, false) && !glob.MayMatch(strings.ToLower(r.nameWord), base, false) && !shell.IsOtherName(base) {
		return no
	}
	if name.Several || r.catchesWords(p.Command.Words[1:], true) {
		return perhaps
	}
	return no
}

// catchesWords matches the words after the name: all options of the rule are present, in any
// form and place, and its other words come in order. With loose, unknown words may be
// anything.
func (r *commandPattern) catchesWords(words []shell.Word, loose bool) bool {
	for _, o := range r.options {
		if !hasOption(o, words, loose) {
			return false
		}
	}
	if !loose && !r.hasFirst(words) {
		return false
	}
	m := wordMatcher{rule: r.words, words: words, loose: loose, seen: make([]bool, (len(r.words)+1)*(len(words)+1))}
	return m.match(0, 0)
}

// hasFirst reports whether the rule's first word is present, if it is a plain one. Most rules
// about a program fail here.
func (r *commandPattern) hasFirst(words []shell.Word) bool {
	if len(r.words) == 0 || strings.Contains(r.words[0], "*") {
		return true
	}
	for _, w := range words {
		if w.Text == r.words[0] || strings.IndexByte(w.Text, '/') >= 0 {
			return true
		}
	}
	return false
}

// hasOption looks for an option in any of its forms. Words after "--" count, because programs
// differ in whether those are options.
func hasOption(option string, words []shell.Word, loose bool) bool {
	long := strings.TrimPrefix(option, "--")
	isLong := len(long) < len(option)-1
	long, _, _ = strings.Cut(long, "=")
	for _, w := range words {
		s := w.Text
		if loose && !w.Known() && (s[0] == glob.Wild[0] || s[0] == '-') {
			return true
		}
		if len(s) < 2 || s[0] != '-' {
			continue
		}
		if s == option {
			return true
		}
		if strings.HasPrefix(s, "--") {
			name, _, _ := strings.Cut(s[2:], "=")
			switch {
			case name == "":
			case isLong && strings.HasPrefix(long, name):
				return true
			case !isLong && len(option) == 2 && abbreviates(name, option[1]):
				return true
			}
			continue
		}
		if len(option) == 2 && strings.ContainsAny(s[1:], sameLetters(option[1])) ||
			isLong && sameOption[long] != "" && strings.ContainsAny(s[1:], sameOption[long]) {
			return true
		}
	}
	return false
}

// abbreviates reports whether a long option, possibly shortened, is the same as the letter.
func abbreviates(name string, letter byte) bool {
	for long, short := range sameOption {
		if strings.HasPrefix(long, name) && strings.IndexByte(short, letter) >= 0 {
			return true
		}
	}
	return false
}

func sameLetters(c byte) string {
	if c == 'r' || c == 'R' {
		return "rR"
	}
	return string(c)
}

// wordMatcher finds the words of a rule, in order, in those of a command. Options and their
// values may stand between.
type wordMatcher struct {
	rule  []string
	words []shell.Word
	loose bool
	seen  []bool // states that were tried already
}

func (m *wordMatcher) match(i, j int) bool {
	at := i*(len(m.words)+1) + j
	if m.seen[at] {
		return false
	}
	m.seen[at] = true
	if i < len(m.rule) && m.rule[i] == "*" {
		return m.match(i+1, j) || j < len(m.words) && m.match(i, j+1)
	}
	if j == len(m.words) {
		return i == len(m.rule)
	}
	w := m.words[j]
	if m.loose && !w.Known() && w.Several && m.match(i, j+1) {
		return true
	}
	if len(w.Text) > 1 && w.Text[0] == '-' {
		if m.match(i, j+1) || i < len(m.rule) && j+1 < len(m.words) && w.Text != "--" && m.match(i, j+2) {
			return true
		}
	}
	if i == len(m.rule) || !m.same(m.rule[i], w) {
		return false
	}
	return m.match(i+1, j+1) || m.loose && w.Several && !w.Known() && m.match(i+1, j)
}

func (m *wordMatcher) same(pattern string, w shell.Word) bool {
	if m.loose {
		return glob.MayMatch(pattern, w.Text, false)
	}
	return glob.Match(pattern, w.Text) || strings.Contains(w.Text, "/") && glob.Match(pattern, path.Clean(w.Text))
}
