package web

import (
	"cmp"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"ccdir/api"
)

// decisionRow is a row of the ledger as the page shows it.
type decisionRow struct {
	api.LedgerRow
	// Who decided, Text is what was decided about.
	Who, Text string
}

func decisionOf(r api.LedgerRow) decisionRow {
	d := decisionRow{LedgerRow: r, Who: r.By}
	switch {
	case r.By == api.ByLead:
		d.Who += " " + r.Lead
	case r.By == api.ByPerson && r.Client != "":
		d.Who += " (" + r.Client + ")"
	case r.By == "" && r.Outcome != "":
		d.Who = "nobody: " + string(r.Outcome)
	}
	if r.File != "" && r.Line > 0 {
		d.Who += " " + r.File + ":" + strconv.Itoa(r.Line)
	}
	d.Text = strings.TrimSpace(r.Rule + " " + r.Reason)
	if len(r.Input) > 0 {
		d.Text, _ = bounded(pretty(r.Input), 0)
	}
	return d
}

// decisionsPage is what the page of decisions shows.
type decisionsPage struct {
	Filter                      api.LedgerFilter
	Since                       string
	Rows                        []decisionRow
	Older                       string
	Sum                         *api.LedgerSum
	Sessions                    []api.Session
	Deciders, Decisions, Ranges []string
}

// Any reports whether the filter leaves out anything.
func (p decisionsPage) Any() bool {
	f := p.Filter
	return f.Session+f.Tool+f.By+f.Decision+p.Since != "" || f.Before > 0
}

// decisions are the rows of the ledger, newest first, by the filters of `ccdir decisions`, and the sum
// of the time that was chosen.
func (s *server) decisions(w http.ResponseWriter, c call) error {
	q := c.URL.Query()
	d := decisionsPage{Since: q.Get("since"), Sessions: s.Log.Sessions(), Deciders: api.LedgerDeciders(), Decisions: api.LedgerDecisions(), Ranges: []string{"1h", "8h", "12h", "24h", "168h"}}
	d.Filter = api.LedgerFilter{Session: q.Get("session"), Tool: strings.TrimSpace(q.Get("tool")), By: q.Get("by"), Decision: q.Get("decision"), Limit: portionLen}
	for field, known := range map[string][]string{"by": d.Deciders, "decision": d.Decisions} {
		if v := q.Get(field); v != "" && !slices.Contains(known, v) {
			return api.Errorf(api.CodeInvalid, "%s is one of %s, not %.40q", field, strings.Join(known, ", "), v)
		}
	}
	var err error
	if d.Filter.Since, err = sinceOf(c.URL, s.Now()); err != nil {
		return err
	}
	if d.Filter.Before, err = numberField(c.URL, "before"); err != nil {
		return err
	}
	rows, err := s.Ledger.Decisions(c.Context(), d.Filter)
	if err != nil {
		return err
	}
	if len(rows) == portionLen {
		if first := cmp.Or(rows[0].Seq, rows[0].Event); first > 1 {
			d.Older = with(c.URL, "before", strconv.FormatInt(first, 10))
		}
	}
	for _, r := range slices.Backward(rows) {
		d.Rows = append(d.Rows, decisionOf(r))
	}
	if !d.Filter.Since.IsZero() && d.Filter.Before == 0 {
		sum, err := s.Ledger.SumDecisions(c.Context(), d.Filter.Session, d.Filter.Since)
		if err != nil {
			return err
		}
		d.Sum = &sum
	}
	s.render(w, c, http.StatusOK, page{Title: "Decisions", Nav: "decisions", Body: "decisions", Data: d})
	return nil
}
