package store

import (
	"cmp"
	"context"
	"encoding/json"
	"slices"
	"time"

	"ccdir/api"
)

// sumRefused is how many hosts and tools a sum names.
const sumRefused = 5

// sumRefusals counts what the walls of sessions refused since a moment: by hosts that were tried, and by
// tools whose results read as a refusal.
func (s *Store) sumRefusals(ctx context.Context, session string, since time.Time, sum *api.LedgerSum) error {
	rows, err := s.read.QueryContext(ctx, "SELECT data FROM events WHERE type = ? AND at >= ? AND (? = '' OR session = ?)", api.EventSandboxRefused, since.UnixNano(), session, session)
	if err != nil {
		return err
	}
	defer rows.Close()
	counts := map[api.SandboxRefusal]int{}
	for rows.Next() {
		var data []byte
		if err := rows.Scan(&data); err != nil {
			return err
		}
		var r api.SandboxRefusal
		if json.Unmarshal(data, &r) == nil && r.Count > 0 {
			counts[api.SandboxRefusal{Sandbox: r.Sandbox, Host: r.Host, Tool: r.Tool}] += r.Count
		}
	}
	for r, n := range counts {
		r.Count = n
		sum.Refusals = append(sum.Refusals, r)
	}
	slices.SortFunc(sum.Refusals, func(x, y api.SandboxRefusal) int {
		return cmp.Or(cmp.Compare(y.Count, x.Count), cmp.Compare(x.Host+" "+x.Tool+" "+x.Sandbox, y.Host+" "+y.Tool+" "+y.Sandbox))
	})
	if len(sum.Refusals) > sumRefused {
		for _, r := range sum.Refusals[sumRefused:] {
			sum.OtherRefusals += r.Count
		}
		sum.Refusals = sum.Refusals[:sumRefused]
	}
	return rows.Err()
}
