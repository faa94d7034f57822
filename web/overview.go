package web

import (
	"cmp"
	"context"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"ccdir/api"
)

// maxHeadline bounds what a card says of a session, in characters.
const maxHeadline = 300

// card is a session in the overview.
type card struct {
	ID, Name, Sign, Word, Headline, Agent, Place, Branch, Usage, Task, Mode string
	// Standing is the word of api.Standing, by which the styles colour it.
	Standing api.Standing
	Since    time.Time
	// Ask is the id of an open request.
	Ask string
	// Clash names sessions whose work would collide; Pull is the pull request, Bad: a check failed.
	Clash, Pull string
	Bad         bool
	Pending     int
	// Changed is how much the last turn changed.
	Changed string
	// Node is the machine that it is on, "" this one; Away is since when that does not answer.
	Node string
	Away time.Time
	// Ended: it has no process; May: the device may end it, or start it again.
	Ended, May bool
}

// changed is how much a last turn changed; "" for nothing.
func changed(d *api.TurnDiff) string {
	if d == nil || d.Files == 0 {
		return ""
	}
	return d.Line()
}

// cardOf is a session as a card; asks are the open requests by session.
func cardOf(v api.Session, asks map[string]string, now time.Time) card {
	standing := v.Standing(now)
	clash, _ := v.ClashLine()
	pull, bad := v.PullRequestLine()
	return card{
		ID: v.ID, Name: short(v.Name, maxHeadline), Standing: standing, Sign: standing.Sign(api.SignsUnicode), Word: short(v.StandingWord(now), maxHeadline),
		Headline: short(v.Headline(now), maxHeadline), Agent: short(v.AgentLine(), maxHeadline), Place: short(filepath.Base(v.CWD), maxHeadline),
		Branch: short(v.BranchLine(), maxHeadline), Usage: v.UsageNews(), Task: v.Task, Mode: modeWord(v.PermissionMode),
		Since: v.Since, Ask: asks[v.ID], Clash: short(clash, maxHeadline), Pull: pull, Bad: bad, Pending: v.Pending,
		Changed: changed(v.LastTurn), Node: v.Node, Away: v.Away, Ended: v.State.Ended(),
	}
}

// modeWord is an agent's permission mode as pages show it: nothing while it asks as usual.
func modeWord(mode string) string {
	if mode == api.ModeManual {
		return ""
	}
	return short(mode, maxHeadline)
}

// asksOf maps sessions to their oldest open request.
func asksOf(list []api.Request) map[string]string {
	asks := map[string]string{}
	for _, q := range slices.Backward(list) {
		asks[q.Session] = q.ID
	}
	return asks
}

// overviewPage is what the overview shows above its cards.
type overviewPage struct {
	Blocks []block
	// Filter is what is chosen, Counts, Agents and Machines are offered.
	Filter           filter
	Counts           []count
	Agents, Machines []string
}

// count is how many sessions have a standing.
type count struct {
	Standing api.Standing
	Sign     string
	N        int
}

// filter selects cards of the overview.
type filter struct {
	Query    string
	Standing api.Standing
	// Agent is the first word of a card's agent; Machine is a node, or thisMachine.
	Agent, Machine string
}

// thisMachine names this machine where nodes are chosen.
const thisMachine = "this machine"

func filterOf(r *http.Request) filter {
	q := r.URL.Query()
	return filter{Query: strings.TrimSpace(q.Get("q")), Standing: api.Standing(q.Get("standing")), Agent: q.Get("agent"), Machine: q.Get("node")}
}

// Any reports whether it leaves out anything.
func (f filter) Any() bool { return f != filter{} }

// shows reports whether the filter selects a card: all words of the query are in it.
func (f filter) shows(c card) bool {
	if f.Standing != "" && c.Standing != f.Standing || f.Agent != "" && c.agent() != f.Agent || f.Machine != "" && c.machine() != f.Machine {
		return false
	}
	text := strings.ToLower(strings.Join([]string{c.Name, c.Headline, c.Agent, c.Place, c.Branch, c.Task, c.Word}, "\n"))
	for _, word := range strings.Fields(strings.ToLower(f.Query)) {
		if !strings.Contains(text, word) {
			return false
		}
	}
	return true
}

func (c card) machine() string { return cmp.Or(c.Node, thisMachine) }

func (c card) agent() string {
	first, _, _ := strings.Cut(c.Agent, " ")
	return first
}

// valuesOf are the different values of cards, sorted; none if all are the same.
func valuesOf(cards []card, value func(card) string) (list []string) {
	for _, c := range cards {
		if v := value(c); v != "" && !slices.Contains(list, v) {
			list = append(list, v)
		}
	}
	if len(list) < 2 {
		return nil
	}
	slices.Sort(list)
	return list
}

// cards are the sessions by need: who asks first, and of those who has waited longest.
func (s *server) cards(now time.Time) []card {
	asks := asksOf(s.Approvals.Requests())
	var list []card
	for _, v := range s.Log.Sessions() {
		list = append(list, cardOf(v, asks, now))
	}
	slices.SortStableFunc(list, func(a, b card) int {
		order := a.Since.Compare(b.Since)
		if a.Standing != api.StandingAsks {
			order = -order
		}
		return cmp.Or(cmp.Compare(a.Standing.Rank(), b.Standing.Rank()), order)
	})
	return list
}

func countsOf(cards []card) (list []count) {
	for _, c := range cards {
		i := slices.IndexFunc(list, func(n count) bool { return n.Standing == c.Standing })
		if i < 0 {
			i = len(list)
			list = append(list, count{Standing: c.Standing, Sign: c.Sign})
		}
		list[i].N++
	}
	return list
}

// head is what stands above the cards: counts, and how the daemon fares.
type head struct {
	Counts []count
	Server api.Server
	Up     string
	// Running counts the sessions that have a process, All all of them.
	Running, All int
	// Away are nodes that do not answer.
	Away []Node
}

func (s *server) head(cards []card, now time.Time) head {
	h := head{Counts: countsOf(cards), Server: s.Log.Server(), All: len(cards)}
	for _, c := range cards {
		if !c.Ended {
			h.Running++
		}
	}
	h.Up = since(h.Server.Started, now)
	for _, n := range s.Nodes.List() {
		if n.Reason != "" {
			h.Away = append(h.Away, n)
		}
	}
	return h
}

// overviewBlocks are the head and the cards that the filter selects.
func (s *server) overviewBlocks(c call, f filter) ([]block, error) {
	now := s.Now()
	cards := s.cards(now)
	top, err := blockOf("counts", "counts", s.head(cards, now))
	if err != nil {
		return nil, err
	}
	list := []block{top}
	for _, one := range cards {
		if !f.shows(one) {
			continue
		}
		one.May = c.device.Rights.Has(api.WebType)
		b, err := blockOf("s-"+one.ID, "card", one)
		if err != nil {
			return nil, err
		}
		list = append(list, b)
	}
	if len(list) == 1 {
		b, err := blockOf("none", "nosessions", len(cards))
		if err != nil {
			return nil, err
		}
		list = append(list, b)
	}
	return list, nil
}

func (s *server) overview(w http.ResponseWriter, c call) error {
	f := filterOf(c.Request)
	blocks, err := s.overviewBlocks(c, f)
	if err != nil {
		return err
	}
	cards := s.cards(s.Now())
	s.render(w, c, http.StatusOK, page{Title: "Sessions", Nav: "sessions", Body: "overview", Live: liveAddress(c, "overview"),
		Data: overviewPage{Blocks: blocks, Filter: f, Counts: countsOf(cards), Agents: valuesOf(cards, card.agent), Machines: valuesOf(cards, card.machine)}})
	return nil
}

// sessionOf returns the session of a request as published.
func (s *server) sessionOf(ctx context.Context, id string) api.Session {
	v, err := s.Sessions.Get(ctx, id)
	if err != nil {
		return api.Session{}
	}
	return v
}
