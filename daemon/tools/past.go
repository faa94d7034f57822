package tools

import (
	"context"
	"strings"

	"ccdir/daemon/store"
	"ccdir/mcpserver"
)

// toolPast searches the stored results.
type toolPast struct{ s *Server }

// Bounds of the results of past_results.
const (
	pastOutput = 4 << 10 // bytes of output per result
	pastNext   = 5       // later calls per result
)

func (c toolPast) Search(ctx context.Context, q mcpserver.PastQuery) ([]mcpserver.PastResult, error) {
	rows, err := c.s.o.Store.Results(ctx, store.ResultQuery{Words: q.Text, Dir: q.Dir, Session: q.Session, Tool: q.Tool, Failed: q.Failed, Limit: q.Limit})
	if err != nil {
		return nil, err
	}
	list := make([]mcpserver.PastResult, 0, len(rows))
	for _, r := range rows {
		p := mcpserver.PastResult{ID: r.ID, At: r.At, Session: r.Session, Tool: r.Tool, Input: r.Input, Outcome: r.Outcome,
			Summary: r.Summary, Output: excerpt(r.Output, q.Text, pastOutput), Next: []mcpserver.PastStep{}}
		if r.Session != "" {
			next, err := c.s.o.Store.ResultsAfter(ctx, r.Session, r.ID, pastNext)
			if err != nil {
				return nil, err
			}
			for _, n := range next {
				p.Next = append(p.Next, mcpserver.PastStep{At: n.At, Tool: n.Tool, Input: n.Input, Outcome: n.Outcome, Summary: n.Summary})
			}
		}
		list = append(list, p)
	}
	return list, nil
}

// excerpt returns at most n bytes of text, around the first word that occurs in it.
func excerpt(text, words string, n int) string {
	if len(text) <= n {
		return text
	}
	from, lower := 0, strings.ToLower(text)
	for w := range strings.FieldsSeq(strings.ToLower(words)) {
		if i := strings.Index(lower, w); i >= 0 && len(lower) == len(text) {
			from = max(0, min(i-n/4, len(text)-n))
			break
		}
	}
	return strings.ToValidUTF8(text[from:from+n], "") + "…"
}
