package host

import (
	"strings"
	"testing"

	"ccdir/wire"
)

// TestKilledProgram: the modes of a program that was killed end when a shell that marks no
// prompts has the terminal again, and its prompt is on the main screen.
func TestKilledProgram(t *testing.T) {
	for name, shell := range map[string][]string{
		"bash": {"bash", "--norc", "--noprofile", "-i"},
		"sh":   {"sh", "-i"},
	} {
		t.Run(name, func(t *testing.T) {
			spec := specFor(t, shell...)
			spec.Env = append(spec.Env, "PS1=next> ", "ENV=")
			p := startSpec(t, spec).dial()
			p.view(80, 24)
			p.shows("next>")
			const modes = `\033[?1049h\033[?1003h\033[?1006h\033[?1004h\033[>1u\033[?25l`
			p.typeLine(`sh -c 'printf "` + modes + `%s" li ves; read x; kill -9 $$'`)
			p.until("the program's modes", func() bool {
				f := p.mirror.Flags()
				return f&wire.FlagAlt != 0 && f&wire.FlagMouseAny != 0 && strings.Contains(p.text(), "lives")
			})
			p.keys("Enter")
			p.until("the shell's modes and its prompt", func() bool {
				f := p.mirror.Flags()
				text := p.text()
				return f&(wire.FlagAlt|wire.FlagMouse|wire.FlagFocusReports) == 0 && p.mirror.Cursor().Visible &&
					strings.HasSuffix(text, "next>") && !strings.Contains(text, "lives") && strings.Count(text, "next>") == 2
			})
			p.typeLine("echo a$((1+1))b") // keys are plain again
			p.shows("a2b")
		})
	}
}

// TestLivingProgramKeepsModes: a program whose child has the terminal for a while keeps its
// modes.
func TestLivingProgramKeepsModes(t *testing.T) {
	r := start(t, "bash", "-c", `printf '\033[?1003h\033[?1006h'; read y; sh -ic 'read x; echo child'; echo "is back"; exec cat`)
	p := r.dial()
	p.view(80, 24)
	p.until("its modes", func() bool { return p.mirror.Flags()&wire.FlagMouseAny != 0 })
	p.keys("Enter", "Enter")
	p.shows("is back")
	p.typeLine("typed")
	p.shows("typed\ntyped")
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.mirror.Flags()&wire.FlagMouseAny == 0 {
		t.Error("the mouse's mode has ended")
	}
}
