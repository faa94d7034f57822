package opencode

import (
	"context"
	"database/sql"
	"encoding/json"
	"math"
	"time"

	"ccdir/usage"
)

// counted are the answers of a conversation and its subagents that were written since a time. A branch of a
// conversation begins with copies of its messages, which are older than it.
const counted = `WITH RECURSIVE s(id, born) AS (
  SELECT id, coalesce(time_created, 0) FROM session WHERE id = ?1
  UNION SELECT c.id, coalesce(c.time_created, 0) FROM session c JOIN s ON c.parent_id = s.id)
SELECT m.id, m.time_created, m.time_updated, s.born, m.data FROM message m JOIN s ON m.session_id = s.id
WHERE m.time_updated >= ?2 AND length(m.data) <= ?3 ORDER BY m.time_updated`

// Used implements transcript.Metered.
func (c *conversation) Used(ctx context.Context) (usage.Used, error) {
	err := c.snapshot(ctx, func(tx *sql.Tx) error {
		rows, err := tx.QueryContext(ctx, counted, c.id, c.counted, maxData)
		if err != nil {
			return err
		}
		defer func() { _ = rows.Close() }()
		for rows.Next() {
			var id, data string
			var created, updated, born int64
			if err := rows.Scan(&id, &created, &updated, &born, &data); err != nil {
				return err
			}
			c.counted = max(c.counted, updated)
			if a, ok := answerOf(data, created, born); ok {
				c.used.Add(id, a)
			}
		}
		return rows.Err()
	})
	return c.used, err
}

// answerOf is what a message used; false: it is no answer, or a copy of one.
func answerOf(data string, created, born int64) (usage.Use, bool) {
	var m messageInfo
	if json.Unmarshal([]byte(data), &m) != nil || m.Role != "assistant" || m.Time.Created > 0 && m.Time.Created < born {
		return usage.Use{}, false
	}
	if m.Cost < 0 || math.IsInf(m.Cost, 0) {
		m.Cost = 0
	}
	return usage.Use{At: when(m.Time.Created, time.UnixMilli(created)), Vendor: m.Provider, Model: m.Model, Tokens: m.tokens(), CostUSD: m.Cost}, true
}
