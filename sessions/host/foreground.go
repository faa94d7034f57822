package host

import (
	"bytes"
	"time"

	"ccdir/sessions/screen"
)

// lookPause is the shortest time between two looks at who has the terminal for reads of part
// bytes and more: a flood must not cost a system call for each. A prompt is shorter.
const lookPause = time.Millisecond

// foreground follows who has the terminal: the session's first process, a shell for example,
// or the program that it runs. A program that was killed leaves its modes behind. Guarded by
// host.mu.
type foreground struct {
	lookedAt time.Time
	away     bool // another group than the first process's has the terminal
	ends     bool // its modes are its own: none were set when it got the terminal
}

// look learns who has the terminal, before the engine gets the n bytes that were read by now. back is true
// once when the first process has it again, and the modes of the program that had it are to
// end.
func (f *foreground) look(own func() (own, known bool), eng screen.ProgramEnder, n int, now time.Time) (back bool) {
	if n >= part && now.Sub(f.lookedAt) < lookPause {
		return false
	}
	mine, known := own()
	if !known {
		return false
	}
	f.lookedAt = now
	switch {
	case !mine && !f.away:
		f.away, f.ends = true, !eng.ProgramModes()
	case mine && f.away:
		f.away = false
		return f.ends
	}
	return false
}

// leavesScreen are the commands by which a program gives the main screen back.
var leavesScreen = [][]byte{[]byte("\x1b[?1049l"), []byte("\x1b[?1047l"), []byte("\x1b[?47l")}

// feedBack feeds p, the first output since the first process has the terminal again. What the
// program printed last may be in it: if that leaves the alternate screen, the modes end behind
// it, otherwise the shell's output must not go to that screen.
func (h *host) feedBack(eng screen.ProgramEnder, p []byte) {
	leaves := false
	for _, l := range leavesScreen {
		leaves = leaves || bytes.Contains(p, l)
	}
	if !leaves {
		eng.EndProgram()
	}
	h.feed(p)
	eng.EndProgram()
}
