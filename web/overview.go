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
}

// cardOf is a session as a card; asks are the open requests by session.
func cardOf(v api.Session, asks map[string]string, now time.Time) card {
	standing := v.Standing(now)
	clash, _ := v.ClashLine()
	pull, bad := v.PullRequestLine()
	return card{
		ID: v.ID, Name: short(v.Name, maxHeadline), Standing: standing, Sign: standing.Sign(false), Word: v.StandingWord(now),
		Headline: short(v.Headline(now), maxHeadline), Agent: short(v.AgentLine(), maxHeadline), Place: short(filepath.Base(v.CWD), maxHeadline),
		Branch: short(v.BranchLine(), maxHeadline), Usage: v.UsageLine(), Task: v.Task, Mode: modeWord(v.PermissionMode),
		Since: v.Since, Ask: asks[v.ID], Clash: short(clash, maxHeadline), Pull: pull, Bad: bad, Pending: v.Pending,
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
	// Query and Standing filter the cards; Standings are offered.
	Query    string
	Standing api.Standing
	Counts   []count
	Server   api.Server
}

// count is how many sessions have a standing.
type count struct {
	Standing api.Standing
	Sign     string
	N        int
}

// filter selects cards of the overview.
type filter struct {
	query    string
	standing api.Standing
}

func filterOf(r *http.Request) filter {
	q := r.URL.Query()
	return filter{query: strings.TrimSpace(q.Get("q")), standing: api.Standing(q.Get("standing"))}
}

// shows reports whether the filter selects a card: all words of the query are in it.
func (f filter) shows(c card) bool {
	if f.standing != "" && c.Standing != f.standing {
		return false
	}
	text := strings.ToLower(strings.Join([]string{c.Name, c.Headline, c.Agent, c.Place, c.Branch, c.Task, c.Word}, "\n"))
	for _, word := range strings.Fields(strings.ToLower(f.query)) {
		if !strings.Contains(text, word) {
			return false
		}
	}
	return true
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

// overviewBlocks are the counts and the cards that the filter selects.
func (s *server) overviewBlocks(f filter) ([]block, error) {
	cards := s.cards(s.Now())
	top, err := blockOf("counts", "counts", map[string]any{"Counts": countsOf(cards), "Server": s.Log.Server()})
	if err != nil {
		return nil, err
	}
	list := []block{top}
	for _, c := range cards {
		if !f.shows(c) {
			continue
		}
		b, err := blockOf("s-"+c.ID, "card", c)
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
	blocks, err := s.overviewBlocks(f)
	if err != nil {
		return err
	}
	s.render(w, c, http.StatusOK, page{Title: "Sessions", Nav: "sessions", Body: "overview", Live: liveAddress(c, "overview"),
		Data: overviewPage{Blocks: blocks, Query: f.query, Standing: f.standing, Counts: countsOf(s.cards(s.Now()))}})
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
