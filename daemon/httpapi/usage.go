package httpapi

import (
	"context"
	"net/http"
	"slices"
	"time"

	"ccdir/api"
)

// Usage knows what is left of limits, and what was used.
type Usage interface {
	Windows() []api.UsageWindow
	// Probes are what becomes of asking for them, by agent and account.
	Probes() []api.UsageProbe
	// Rows are the sums by something ("": what suits best) of what was used since a time (zero: of
	// all that is kept).
	Rows(ctx context.Context, by api.UsageBy, since time.Time) ([]api.UsageRow, error)
	// Prices is the day of the table by which costs are computed, YYYY-MM-DD.
	Prices() string
}

func (s *server) usage(w http.ResponseWriter, r *http.Request) error {
	by := api.UsageBy(r.URL.Query().Get("by"))
	if by != "" && !slices.Contains(api.UsageBys, by) {
		return api.Errorf(api.CodeInvalid, "by must be one of %v, not %.40q", api.UsageBys, by)
	}
	var since time.Time
	if text := r.URL.Query().Get("since"); text != "" {
		var err error
		if since, err = time.Parse(time.RFC3339, text); err != nil {
			return api.Errorf(api.CodeInvalid, "since must be a time such as 2026-01-02T15:04:05Z, not %.40q", text)
		}
	}
	out := api.Usage{Windows: s.Usage.Windows(), Probes: s.Usage.Probes(), Rows: []api.UsageRow{}, Prices: s.Usage.Prices()}
	if !s.viewer(r).person { // what others used is not for sessions
		return ok(w, out, nil)
	}
	rows, err := s.Usage.Rows(r.Context(), by, since)
	out.Rows = append(out.Rows, rows...)
	return ok(w, out, err)
}

func usageRoutes() []route {
	return []route{
		{method: "GET", path: "/v1/usage", name: "usage", doc: "What is left of the agents' limits, and what was used", query: []param{
			{name: "by", doc: "what the rows are summed by; not given: day", enum: usageBys()},
			{name: "since", doc: "rows of what was used since this time (RFC 3339); not given: of all that is kept"}},
			more: "Windows are as agents tell them, each with its age; a number that nobody told is null.", out: api.Usage{}, handle: (*server).usage},
	}
}

func usageBys() (list []string) {
	for _, by := range api.UsageBys {
		list = append(list, string(by))
	}
	return list
}
