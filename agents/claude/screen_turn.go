package claude

import (
	"regexp"
	"strings"
	"sync"

	"ccdir/agents"
	"ccdir/agents/screentext"
)

// maxFooter is how many lines may stand below Claude Code's input line.
const maxFooter = 10

// spinnerLine is the line of a running turn above the input line, as 2.1.294 and
// 2.1.329 show it: an animated star, a word, an ellipsis.
var spinnerLine = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^[·✢✳✶✻✽*] \S[^…]{0,60}… ?(?:\(.*)?$`)
})

// endedLine is printed by 2.1.294 after every turn, interrupted or not.
var endedLine = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[·✢✳✶✻✽*] \S+ for .* · done `) })

// atWorkText stands below the input line while a turn runs.
const atWorkText = "esc to interrupt"

// interruptedLine matches the last lines of an interrupted turn: of one that ran, of a
// question, of a plan.
var interruptedLine = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(?: +⎿  Interrupted ·|● (?:Declined to answer Claude's|User declined to answer) questions|[ ●]+(?:⎿  )?(?:Rejected Claude's|User rejected Claude's) plan:)`)
})

// belongsLine matches lines that continue those: the questions, the plan, a wrapped
// line.
var belongsLine = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^(?: {5}|  ⎿  · )`) })

// TurnSign reads the surroundings of the input line.
func (Adapter) TurnSign(text string) agents.TurnSign {
	if text == "" {
		return agents.TurnUnknown
	}
	lines := strings.Split(strings.TrimRight(strings.ReplaceAll(text, "\u00a0", " "), "\n"), "\n")
	bottom := lastRule(lines, len(lines))
	top := lastRule(lines, bottom)
	if top < 0 || bottom-top < 2 || !strings.HasPrefix(lines[top+1], "❯") && !strings.HasPrefix(lines[top+1], "!") {
		return agents.TurnCovered
	}
	if len(lines)-bottom > maxFooter {
		return agents.TurnUnknown
	}
	last := top - 1
	for last >= 0 && strings.HasPrefix(lines[last], strings.Repeat(" ", 30)) {
		last-- // a hint on the right
	}
	if last < 0 {
		return agents.TurnUnknown
	}
	if spinnerLine().MatchString(lines[last]) || strings.Contains(strings.Join(lines[bottom+1:], " "), atWorkText) {
		return agents.TurnWork
	}
	if endedLine().MatchString(lines[last]) {
		last--
	}
	for ; last >= 0; last-- {
		if interruptedLine().MatchString(lines[last]) {
			return agents.TurnInterrupted
		}
		if !belongsLine().MatchString(lines[last]) {
			break
		}
	}
	return agents.TurnUnknown
}

// lastRule is the index of the last rule of the input line before that index, -1 if
// there is none.
func lastRule(lines []string, before int) int {
	for i := before - 1; i >= 0; i-- {
		if rule(screentext.Line{Text: []rune(lines[i])}) {
			return i
		}
	}
	return -1
}
