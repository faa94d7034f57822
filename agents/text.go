package agents

import (
	"strings"
	"unicode/utf8"

	"ccdir/internal/text/textsafe"
)

var lineEnds = strings.NewReplacer("\r\n", "⏎", "\n", "⏎", "\r", "⏎", "\t", " ")

// Visible returns s as one line of at most limit runes that is harmless to
// show (see textsafe), line ends as ⏎ and tabs as spaces. A cut is marked "…".
func Visible(s string, limit int) string {
	// Payloads may hold megabytes: cut before anything is looked at.
	if most := (limit + 1) * utf8.UTFMax; len(s) > most {
		for most > 0 && !utf8.RuneStart(s[most]) {
			most--
		}
		s = s[:most]
	}
	return textsafe.Cut(textsafe.Line(lineEnds.Replace(s)), limit)
}

// PromptText prepares a prompt for pasting: line ends become \n, and control characters
// that would end the paste or act as keys are removed (the end mark of a bracketed
// paste begins with escape). Tabs stay.
func PromptText(text string) string {
	text = strings.ReplaceAll(text, "\r\n", "\n")
	text = strings.ReplaceAll(text, "\r", "\n")
	return strings.Map(func(r rune) rune {
		if r < 0x20 && r != '\n' && r != '\t' || r >= 0x7f && r < 0xa0 {
			return -1
		}
		return r
	}, text)
}

// EndedText is PromptText for an agent whose Enter takes a proposal for the last word instead of
// sending, where that word has one of the marks: a blank ends the word, and the agent cuts it off
// the text that it takes.
func EndedText(text, marks string) string {
	text = PromptText(text)
	if word := text[strings.LastIndexAny(text, " \t\n")+1:]; strings.ContainsAny(word, marks) {
		text += " "
	}
	return text
}

// Cut shortens foreign text to n bytes and a mark.
func Cut(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n] + "…"
}
