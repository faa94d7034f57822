package agents

import "strings"

// PromptText is a prompt as it is pasted: line ends become \n, and control
// characters that would end the paste or act as keys are left out (the end mark
// of a bracketed paste begins with escape). Tabs stay.
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
