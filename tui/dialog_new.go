package tui

import (
	"fmt"
	"path/filepath"
	"strconv"
	"strings"

	"ccdir/api"
	"ccdir/internal/cells"
	"ccdir/internal/text/textsafe"
	"ccdir/tui/paint"
	"ccdir/tui/terminal"
	"ccdir/tui/terminal/input"
	"ccdir/tui/widget/edit"
	"ccdir/tui/widget/modal"
	"ccdir/tui/widget/theme"
)

// newSession is the dialog that starts a session.
type newSession struct {
	agents  []api.AgentInfo
	agent   int
	dirs    []api.Directory
	dirPick int // -1: the text is the person's own
	fields  [newFields]edit.Line
	at      int // the field with the cursor
	busy    bool
	// stop cancels the call while busy; unsure is the one before, if nobody knows what
	// became of it.
	stop    func()
	unsure  making
	problem string
	demo    string
}

// Fields of the dialog, in order. The agent is a choice, the others are text.
const (
	newAgent = iota
	newDir
	newName
	newPrompt
	newCount
	newFields
)

var newLabels = [newFields]string{"Agent", "Directory", "Name", "Prompt", "How many"}

// openNew opens the dialog with what is known and asks for what isn't.
func (m *model) openNew() cmd {
	d := newSession{dirPick: -1, demo: m.demoName()}
	d = d.offer(m.Agents, m.Dirs)
	if d.fields[newDir] = edit.NewLine(m.opts.Dir); m.opts.Dir == "" && len(d.dirs) > 0 {
		d.fields[newDir] = edit.NewLine(d.dirs[0].Path)
	}
	d.fields[newPrompt] = m.unstarted
	m.overlay = d
	return m.askAgents()
}

// offer takes agents and directories; what was chosen stays chosen.
func (d newSession) offer(agents []api.AgentInfo, dirs []api.Directory) newSession {
	chosen := ""
	if d.agent < len(d.agents) {
		chosen = d.agents[d.agent].Name
	}
	d.agents, d.dirs = agents, dirs
	d.agent = preferred(agents, d.demo)
	for i, a := range agents {
		if a.Name == chosen {
			d.agent = i
		}
	}
	if d.dirPick >= len(dirs) {
		d.dirPick = -1
	}
	return d
}

// preferred is the agent that the dialog begins with: the default one if it is
// installed, else the demo agent, which needs nothing, else the first.
func preferred(agents []api.AgentInfo, demo string) int {
	best := 0
	for i, a := range agents {
		if a.Path != "" && a.Default {
			return i
		}
		if a.Name == demo {
			best = i
		}
	}
	return best
}

// The dialog's inside: its width, the column of labels, and its last line.
const (
	newWidth = 62
	newLabel = 12
	newFoot  = "Enter start   Tab next   Esc cancel"
)

// place is where the dialog is, and the lines below its fields: the first is empty where
// there is room for it.
func (d newSession) place(cols, rows int) (box paint.Rect, notes []string) {
	room := max(0, rows-2-newFields-1)
	notes = d.notes(min(newWidth, max(8, cols-6)), room)
	if len(notes) < room {
		notes = append([]string{""}, notes...)
	}
	return modal.Middle(cols, rows, newWidth, newFields+len(notes)+1), notes
}

func (d newSession) draw(s *paint.Surface, sc *scene) paint.Cursor {
	box, notes := d.place(sc.Cols, sc.Rows)
	modal.Box(s, box, "new session", sc.Theme.Accent)
	r := paint.Rect{X: box.X + 2, Y: box.Y + 1, W: max(0, box.W-4), H: max(0, box.H-2)}
	var cur paint.Cursor
	for i, label := range newLabels {
		if i >= r.H {
			break
		}
		st := theme.FG(sc.Theme.Dim)
		mark := "  "
		if i == d.at {
			st, mark = theme.Bold(sc.Theme.Accent), "▸ "
		}
		s.Text(r.X, r.Y+i, min(newLabel, r.W), mark+label, st)
		x, w := r.X+newLabel, r.W-newLabel
		if w <= 0 {
			continue
		}
		if i == newAgent {
			d.drawAgent(s, sc, x, r.Y+i, w)
			continue
		}
		c := d.fields[i].Draw(s, x, r.Y+i, w, cells.Style{})
		if i == d.at {
			cur = paint.Cursor{X: x + c, Y: r.Y + i, Visible: true}
		} else if d.fields[i].Empty() {
			empty := "optional"
			if i == newCount {
				empty = "1"
			}
			s.Text(x, r.Y+i, w, paint.Cut(empty, w), theme.FG(sc.Theme.Dim))
		}
	}
	for i, n := range notes {
		st := theme.FG(sc.Theme.Dim)
		if strings.HasPrefix(n, "!") {
			n, st = n[1:], theme.Bold(sc.Theme.Alert)
		}
		modal.Line(s, r, newFields+i, n, st)
	}
	foot := newFoot
	if d.busy {
		foot = "starting…"
	}
	modal.Line(s, r, r.H-1, foot, theme.FG(sc.Theme.Dim))
	return cur
}

func (d newSession) drawAgent(s *paint.Surface, sc *scene, x, y, w int) {
	if len(d.agents) == 0 {
		s.Text(x, y, w, "asking…", theme.FG(sc.Theme.Dim))
		return
	}
	end := x + w
	for i, a := range d.agents {
		text := textsafe.Line(a.Name)
		st := cells.Style{}
		if a.Path == "" {
			text += "?"
			st = theme.FG(sc.Theme.Dim)
		}
		if i == d.agent {
			text = "‹" + text + "›"
			st.Attrs |= cells.Bold
			if d.at == newAgent {
				st.Attrs |= cells.Inverse
			}
		}
		if x+paint.Width(text) > end {
			s.Text(x, y, end-x, "…", theme.FG(sc.Theme.Dim))
			return
		}
		x += s.Text(x, y, end-x, text, st) + 1
	}
}

// notes are the lines below the fields, problems marked by "!"; in few words where there
// is room for few lines.
func (d newSession) notes(w, room int) []string {
	var out []string
	add := func(sign, text string) {
		for _, l := range modal.Wrap(text, w) {
			out = append(out, sign+l)
		}
	}
	if a, ok := d.chosen(); ok && a.Path == "" {
		text := textsafe.Line(a.Name) + " is not installed"
		if a.Hint != "" {
			text += ": " + textsafe.Line(a.Hint)
		}
		add("!", text)
		if a.Name != d.demo {
			add("", "The agent "+d.demo+" needs nothing: choose it with ← →")
		}
		if len(out) > room {
			out = nil
			add("!", textsafe.Line(a.Name)+" is not installed")
			add("", "← → choose another: "+d.demo+" is here")
		}
	}
	if d.problem != "" {
		add("!", d.problem)
	}
	if d.at == newAgent && len(d.agents) > 1 {
		add("", "← → choose")
	}
	if d.at == newDir {
		for i, dir := range d.dirs {
			if i == 4 {
				break
			}
			mark := "  "
			if i == d.dirPick {
				mark = "▸ "
			}
			text := textsafe.Line(dir.Path)
			if dir.Name != "" && dir.Name != filepath.Base(dir.Path) {
				text = textsafe.Line(dir.Name) + "  " + text
			}
			out = append(out, mark+paint.Cut(text, w-2))
		}
		if len(d.dirs) > 0 {
			add("", "↑ ↓ choose, or type a path")
		}
	}
	return out
}

func (d newSession) chosen() (api.AgentInfo, bool) {
	if d.agent < len(d.agents) {
		return d.agents[d.agent], true
	}
	return api.AgentInfo{}, false
}

func (d newSession) key(m *model, k input.Key) cmd {
	if d.busy {
		switch {
		case k.Name == "Escape" && m.Offline != "":
			d.stop() // the dialog stays and says what is known of it
		case k.Name == "Escape":
			m.overlay = nil
			m.dropHeld()
		case m.heldCancel(k):
			m.dropHeld()
			d.stop()
		default:
			m.hold(terminal.Typed{Key: &k, At: k.At})
		}
		return nil
	}
	switch k.Name {
	case "Escape", "C-c":
		m.overlay = nil
		m.unstarted = d.fields[newPrompt] // the next dialog has it
		return nil
	case "Enter":
		return d.submit(m)
	case "Tab":
		d.at = (d.at + 1) % newFields
	case "BTab":
		d.at = (d.at + newFields - 1) % newFields
	case "Up", "Down":
		d = d.vertical(k.Name == "Down")
	default:
		d = d.edit(k)
	}
	m.overlay = d
	return nil
}

// vertical moves through the offered directories in that field, else from
// field to field.
func (d newSession) vertical(down bool) newSession {
	step := -1
	if down {
		step = 1
	}
	if d.at == newDir && len(d.dirs) > 0 {
		n := min(len(d.dirs), 4)
		if next := d.dirPick + step; next >= 0 && next < n {
			d.dirPick = next
			d.fields[newDir] = edit.NewLine(d.dirs[next].Path)
			return d
		}
	}
	d.at = (d.at + step + newFields) % newFields
	return d
}

func (d newSession) edit(k input.Key) newSession {
	if d.at != newAgent {
		f, changed := d.fields[d.at].Key(k.Name, k.Text())
		d.fields[d.at] = f
		if changed && d.at == newDir {
			d.dirPick = -1
		}
		d.problem = ""
		return d
	}
	n := len(d.agents)
	if n == 0 {
		return d
	}
	switch k.Name {
	case "Left", "h":
		d.agent = (d.agent + n - 1) % n
	case "Right", "l", "Space":
		d.agent = (d.agent + 1) % n
	default:
		for i := 1; i <= n; i++ { // the next one that begins with the letter
			j := (d.agent + i) % n
			if strings.HasPrefix(d.agents[j].Name, k.Name) {
				d.agent = j
				break
			}
		}
	}
	d.problem = ""
	return d
}

func (d newSession) paste(m *model, text string) {
	switch {
	case d.busy:
		m.hold(terminal.Typed{Paste: []byte(text), At: m.now()})
	case d.at != newAgent:
		if d.at != newPrompt {
			text = strings.Join(strings.Fields(text), " ")
		}
		d.fields[d.at] = d.fields[d.at].Insert(text)
		m.overlay = d
	}
}

// submit starts the session; the dialog stays until that has worked.
func (d newSession) submit(m *model) cmd {
	a, ok := d.chosen()
	count, err := d.count()
	switch {
	case err != nil:
		d.at, d.problem = newCount, err.Error()
	case !ok:
		d.problem = "the daemon has not said yet which agents there are"
	case a.Path == "":
		d.at = newAgent
	default:
		m.unstarted = edit.Line{}
		n := api.NewSession{
			Agent: a.Name, Name: strings.TrimSpace(d.fields[newName].String()),
			CWD: m.absolute(d.fields[newDir].String()), Prompt: strings.TrimSpace(d.fields[newPrompt].String()),
		}
		if count > 1 {
			m.overlay = nil
			return m.createSeveral(n, count)
		}
		n.Env = m.opts.Env
		n.Cols, n.Rows = m.nextSize()
		n = d.unsure.namedSession(n)
		of := m.setOut(startingOne)
		d.busy, d.problem, d.stop, d.unsure = true, "", of.cancel, making{}
		m.overlay = d
		return m.create(of, n)
	}
	m.overlay = d
	return nil
}

// maxCount is how many sessions one dialog starts at most.
const maxCount = 50

// count is how many sessions to start: one unless the person says otherwise.
func (d newSession) count() (int, error) {
	text := strings.TrimSpace(d.fields[newCount].String())
	if text == "" {
		return 1, nil
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 || n > maxCount {
		return 0, fmt.Errorf("how many: a number from 1 to %d", maxCount)
	}
	return n, nil
}

// absolute makes a path of what was typed: ~ is the home directory, and a
// relative path begins in the directory that ccdir was called in.
func (m *model) absolute(path string) string {
	path = strings.TrimSpace(path)
	if path == "~" || strings.HasPrefix(path, "~/") {
		path = filepath.Join(m.opts.getenv("HOME"), path[1:])
	}
	if !filepath.IsAbs(path) {
		path = filepath.Join(m.opts.Dir, path)
	}
	return path
}
