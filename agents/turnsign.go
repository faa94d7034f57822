package agents

import (
	"regexp"
	"strings"
	"sync"
	"time"

	"ccdir/api"
)

// TurnSigns is an adapter that sees on its agent's screen whether a turn goes on,
// where nothing else tells of that in time: without a program status, only the
// session file knows of a "No", up to half a second late.
type TurnSigns interface {
	// TurnSign reads the end of a screen: lines ended by newlines, blanks at their
	// ends cut. TurnUnknown if it shows no sign that is beyond doubt.
	TurnSign(text string) TurnSign
}

// TurnSign is what a screen shows of a turn.
type TurnSign string

// The signs.
const (
	TurnUnknown TurnSign = ""
	// TurnCovered: a dialog, a panel or another view stands in place of the input line.
	TurnCovered TurnSign = "covered"
	// TurnWork: the input line is there, and the sign of work.
	TurnWork TurnSign = "work"
	// TurnInterrupted: the input line is there, no sign of work, and the last word of
	// the conversation is that the turn was interrupted.
	TurnInterrupted TurnSign = "interrupted"
)

// TurnLines is how many of a screen's last lines TurnSign needs.
const TurnLines = 40

// EvidenceTurn is the name of evidence that tells a TurnSign, in its field "sign".
const EvidenceTurn = "turn"

// Evidence is the sign as evidence of a screen that was painted last at that time.
func (s TurnSign) Evidence(at time.Time) api.Evidence {
	e := api.Evidence{Source: api.SourceScreen, At: at, Name: EvidenceTurn, Fields: map[string]string{"sign": string(s)}}
	switch s {
	case TurnCovered:
		e.Detail = "the screen shows no input line"
	case TurnWork:
		e.Says, e.Detail = api.StateWorking, "the screen shows the sign of work"
	case TurnInterrupted:
		e.Says, e.Detail = api.StateIdle, "the screen shows that the turn was interrupted"
	}
	return e
}

// maxFooter is how many lines may stand below Claude Code's input line.
const maxFooter = 10

// claudeSpinner is the line of a running turn above the input line, as 2.1.294 and
// 2.1.329 show it: a star that turns, a word, an ellipsis.
var claudeSpinner = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^[·✢✳✶✻✽*] \S[^…]{0,60}… ?(?:\(.*)?$`)
})

// claudeEnded is the line that 2.1.294 prints behind every turn, interrupted or not.
var claudeEnded = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[·✢✳✶✻✽*] \S+ for .* · done `) })

// claudeAtWork stands below the input line while a turn runs.
const claudeAtWork = "esc to interrupt"

// claudeInterrupted are the beginnings of the last words of an interrupted turn: of
// one that ran, of a question, of a plan.
var claudeInterrupted = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(?: +⎿  Interrupted ·|● (?:Declined to answer Claude's|User declined to answer) questions|[ ●]+(?:⎿  )?(?:Rejected Claude's|User rejected Claude's) plan:)`)
})

// claudeBelongs are lines that go on with the last words: the questions, the plan, a
// wrapped line.
var claudeBelongs = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^(?: {5}|  ⎿  · )`) })

// TurnSign looks at what stands around the input line.
func (Claude) TurnSign(text string) TurnSign {
	if text == "" {
		return TurnUnknown
	}
	lines := strings.Split(strings.TrimRight(strings.ReplaceAll(text, "\u00a0", " "), "\n"), "\n")
	bottom := lastRule(lines, len(lines))
	top := lastRule(lines, bottom)
	if top < 0 || bottom-top < 2 || !strings.HasPrefix(lines[top+1], "❯") && !strings.HasPrefix(lines[top+1], "!") {
		return TurnCovered
	}
	if len(lines)-bottom > maxFooter {
		return TurnUnknown
	}
	last := top - 1
	for last >= 0 && strings.HasPrefix(lines[last], strings.Repeat(" ", 30)) {
		last-- // a hint at the right
	}
	if last < 0 {
		return TurnUnknown
	}
	if claudeSpinner().MatchString(lines[last]) || strings.Contains(strings.Join(lines[bottom+1:], " "), claudeAtWork) {
		return TurnWork
	}
	if claudeEnded().MatchString(lines[last]) {
		last--
	}
	for ; last >= 0; last-- {
		if claudeInterrupted().MatchString(lines[last]) {
			return TurnInterrupted
		}
		if !claudeBelongs().MatchString(lines[last]) {
			break
		}
	}
	return TurnUnknown
}

// lastRule is the last line before that one which is a rule of the input line's,
// -1 if there is none.
func lastRule(lines []string, before int) int {
	for i := before - 1; i >= 0; i-- {
		if (screenLine{text: []rune(lines[i])}).rule() {
			return i
		}
	}
	return -1
}
