package render

import (
	"fmt"
	"slices"
	"strings"

	"ccdir/sessions/screen"
	"ccdir/sessions/screen/vt"
	"ccdir/sessions/screen/vt10x"
)

// engines by name; the first one is the default.
var engines = []struct {
	name string
	make func(screen.Options) screen.Engine
}{
	{"vt", func(o screen.Options) screen.Engine { return vt.New(o) }},
	{"vt10x", func(o screen.Options) screen.Engine { return vt10x.New(o) }},
}

// Engines are the names that newEngine knows, the default first.
func Engines() []string {
	names := make([]string, len(engines))
	for i, e := range engines {
		names[i] = e.name
	}
	return names
}

// newEngine makes the engine of that name; "" is the default one.
func newEngine(name string, o screen.Options) (screen.Engine, error) {
	for _, e := range engines {
		if e.name == name || name == "" {
			return e.make(o), nil
		}
	}
	return nil, fmt.Errorf("no engine %q: there are %s", name, strings.Join(Engines(), " and "))
}

// Size is a size in cells.
type Size struct{ Cols, Rows int }

// Script is a recording to play, in order: Input, then the resize, then Then.
type Script struct {
	Engine string // "" is the default
	Screen screen.Options
	Input  []byte
	Resize Size // zero: none
	Then   []byte
	// Chunk is the number of bytes in one write; 0 writes each input whole.
	Chunk int
}

// Played is the result: the engine as it stands and all that it wrote back.
type Played struct {
	screen.Engine
	Replies []byte
}

// Play runs the script.
func Play(s Script) (Played, error) {
	e, err := newEngine(s.Engine, s.Screen)
	if err != nil {
		return Played{}, err
	}
	p := Played{Engine: e}
	p.feed(s.Input, s.Chunk)
	if s.Resize != (Size{}) {
		e.Resize(s.Resize.Cols, s.Resize.Rows)
	}
	p.feed(s.Then, s.Chunk)
	return p, nil
}

// maxWrite bounds one write, as a PTY does: replies are taken after each.
const maxWrite = 64 << 10

func (p *Played) feed(data []byte, chunk int) {
	if chunk <= 0 || chunk > maxWrite {
		chunk = maxWrite
	}
	for piece := range slices.Chunk(data, chunk) {
		p.Feed(piece)
		p.Replies = p.TakeReplies(p.Replies)
	}
}
