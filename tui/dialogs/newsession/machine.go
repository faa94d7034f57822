package newsession

import (
	"context"
	"slices"
	"strings"

	"ccdir/api"
	"ccdir/internal/cells"
	"ccdir/internal/text/textsafe"
	"ccdir/tui/paint"
	"ccdir/tui/ui"
	"ccdir/tui/widget/edit"
	"ccdir/tui/widget/theme"
)

// machine is the one on which the session is started: this one, or a node.
type machine struct {
	names  []string // "" first; nil if there are no nodes
	at     int
	home   string // the person's home directory there, "" unknown
	asking bool   // a call for its offer is in flight
}

func newMachine(nodes []ui.Node) machine {
	if len(nodes) == 0 {
		return machine{}
	}
	names := []string{""}
	for _, n := range nodes {
		names = append(names, n.Name)
	}
	return machine{names: names}
}

// node is the chosen machine, "" this one.
func (p machine) node() string {
	if p.at < len(p.names) {
		return p.names[p.at]
	}
	return ""
}

// homeOr is the home directory on the chosen machine; here is this machine's.
func (p machine) homeOr(here string) string {
	if p.node() == "" {
		return here
	}
	return p.home
}

// offers are what a node offers.
type offers struct {
	node   string
	agents []api.AgentInfo
	dirs   []api.Directory
	home   string
}

// chooseNode goes to another machine, and asks what can be started there.
func (d dialog) chooseNode(env ui.Env, key string) (ui.Component, []ui.Effect) {
	n := len(d.on.names)
	old := d.on.at
	switch key {
	case "Left", "h":
		d.on.at = (old + n - 1) % n
	case "Right", "l", "Space":
		d.on.at = (old + 1) % n
	default:
		if i := slices.IndexFunc(d.on.names, func(name string) bool { return name != "" && strings.HasPrefix(name, key) }); i >= 0 {
			d.on.at = i
		}
	}
	if d.on.at == old {
		return d, nil
	}
	d.problem, d.names, d.pick = "", nil, -1
	node := d.on.node()
	if node == "" {
		d.on.asking, d.base = false, env.Dir
		d.fields[fieldDir] = edit.NewLine(env.Dir)
		return d.offer(env.Agents, env.Dirs, lastUsed(env.Sessions).Agent), nil
	}
	d.fields[fieldDir] = edit.NewLine("~")
	return d.askNode()
}

// In is New on a node, "" is this machine, in a directory there.
func In(env ui.Env, node, dir string, draft Draft, demo string) (ui.Component, []ui.Effect) {
	d := New(env, dir, draft, demo).(dialog) //nolint:forcetypeassert // it is ours
	at := slices.Index(d.on.names, node)
	if node == "" || at < 0 {
		return d, nil
	}
	d.on.at = at
	return d.askNode()
}

// askNode asks what can be started on the chosen node.
func (d dialog) askNode() (ui.Component, []ui.Effect) {
	node := d.on.node()
	d.on.asking, d.agents, d.dirs = true, nil, nil
	return d, []ui.Effect{ui.Call{What: "asking " + node, Own: true, Run: func(ctx context.Context, c ui.Client) (ui.Result, error) {
		of := offers{node: node}
		asker, err := ui.As[ui.Nodes](c)
		if err == nil {
			of.agents, of.dirs, of.home, err = asker.NodeOffers(ctx, node)
		}
		return ui.Result{Value: of}, err
	}}}
}

// offered takes what a node offers; that of one that is not chosen any more is too late.
func (d dialog) offered(env ui.Env, of offers, err error) dialog {
	if of.node != d.on.node() {
		return d
	}
	d.on.asking = false
	if err != nil {
		d.problem = ui.Problem(err)
		return d
	}
	d.on.home, d.base = of.home, of.home
	return d.offer(of.agents, of.dirs, lastUsed(env.Sessions).Agent)
}

// draw shows the machines, the chosen one between ‹ and ›.
func (p machine) draw(s *paint.Surface, env ui.Env, x, y, w int, chosen bool) {
	end := x + w
	for i, name := range p.names {
		if name == "" {
			name = "here"
		}
		st := cells.Style{}
		if i != p.at {
			st = theme.FG(env.Theme.Dim)
		} else {
			name = "‹" + name + "›"
			st.Attrs |= cells.Bold
			if chosen {
				st.Attrs |= cells.Inverse
			}
		}
		if x >= end {
			return
		}
		x += s.Text(x, y, end-x, paint.Cut(textsafe.Line(name), end-x), st) + 1
	}
}
