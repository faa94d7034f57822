package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"time"

	"ccdir/usage"
	"ccdir/usage/sums"
)

// usageSchema is a migration: what conversations used, by day and model, and the sums that agents told of
// them. A row is the whole of its key, so that saving it again changes nothing.
const usageSchema = `
CREATE TABLE usage (
  conversation TEXT NOT NULL,
  day          TEXT NOT NULL, -- YYYY-MM-DD where the daemon runs
  model        TEXT NOT NULL,
  session      TEXT NOT NULL, -- the one that had the conversation when the row changed last
  name         TEXT NOT NULL, -- of the session
  agent        TEXT NOT NULL,
  account      TEXT NOT NULL,
  task         TEXT NOT NULL,
  labels       TEXT NOT NULL, -- of the task, a JSON array
  repo         TEXT NOT NULL, -- the main work tree
  input        INTEGER NOT NULL,
  output       INTEGER NOT NULL,
  cache_read   INTEGER NOT NULL,
  cache_write  INTEGER NOT NULL,
  cache_hour   INTEGER NOT NULL, -- of cache_write
  cost         REAL,             -- US dollars; NULL: unknown
  estimate     INTEGER NOT NULL,
  lacks        INTEGER NOT NULL, -- tokens whose cost is unknown
  PRIMARY KEY (conversation, day, model)
) STRICT, WITHOUT ROWID;
CREATE INDEX usage_day ON usage (day);
CREATE TABLE usage_told (
  conversation TEXT NOT NULL,
  at           INTEGER NOT NULL, -- Unix nanoseconds
  usd          REAL NOT NULL,
  PRIMARY KEY (conversation, at)
) STRICT, WITHOUT ROWID;
`

// UsageOf says whose a conversation is.
type UsageOf struct {
	Conversation, Session, Name, Agent, Account, Task, Repo string
	Labels                                                  []string
}

// UsageRow is what a conversation used of a model on a day.
type UsageRow struct {
	UsageOf
	sums.Row
}

const upsertUsage = `INSERT INTO usage VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
ON CONFLICT DO UPDATE SET session = excluded.session, name = excluded.name, agent = excluded.agent, account = excluded.account,
  task = excluded.task, labels = excluded.labels, repo = CASE excluded.repo WHEN '' THEN usage.repo ELSE excluded.repo END,
  input = excluded.input, output = excluded.output, cache_read = excluded.cache_read, cache_write = excluded.cache_write,
  cache_hour = excluded.cache_hour, cost = excluded.cost, estimate = excluded.estimate, lacks = excluded.lacks
WHERE (usage.input, usage.output, usage.cache_read, usage.cache_write, usage.cache_hour, usage.lacks) <>
  (excluded.input, excluded.output, excluded.cache_read, excluded.cache_write, excluded.cache_hour, excluded.lacks)
  OR usage.cost IS NOT excluded.cost OR usage.estimate <> excluded.estimate`

// SaveUsage saves all rows of a conversation. A row that is as it was keeps its session. Durable when it
// returns.
func (s *Store) SaveUsage(of UsageOf, rows []sums.Row) error {
	if of.Labels == nil {
		of.Labels = []string{}
	}
	labels, err := json.Marshal(of.Labels)
	if err != nil {
		return err
	}
	return s.update(func(tx *sql.Tx) error {
		for _, r := range rows {
			var cost sql.NullFloat64
			if c := r.Cost(); c != nil {
				cost = sql.NullFloat64{Float64: *c, Valid: true}
			}
			t := r.Tokens
			if _, err := tx.Exec(upsertUsage, of.Conversation, r.Day, r.Model, of.Session, of.Name, of.Agent, of.Account, of.Task, string(labels), of.Repo,
				t.Input, t.Output, t.CacheRead, t.CacheWrite, t.CacheWriteHour, cost, r.Estimate, r.Lacks); err != nil {
				return err
			}
		}
		return nil
	})
}

// Usage lists the rows from a day on ("": all), oldest first.
func (s *Store) Usage(ctx context.Context, since string) ([]UsageRow, error) {
	return all(ctx, s.read, func(scan scanner) (r UsageRow, err error) {
		var labels string
		var cost sql.NullFloat64
		t := &r.Tokens
		err = scan(&r.Conversation, &r.Day, &r.Model, &r.Session, &r.Name, &r.Agent, &r.Account, &r.Task, &labels, &r.Repo,
			&t.Input, &t.Output, &t.CacheRead, &t.CacheWrite, &t.CacheWriteHour, &cost, &r.Estimate, &r.Lacks)
		if err == nil {
			err = json.Unmarshal([]byte(labels), &r.Labels)
		}
		r.CostUSD, r.Priced = cost.Float64, cost.Valid
		return r, err
	}, "SELECT * FROM usage WHERE day >= ? ORDER BY day, conversation, model", since)
}

// UsageTold are the sums that an agent told of a conversation.
func (s *Store) UsageTold(ctx context.Context, conversation string) ([]usage.Told, error) {
	return all(ctx, s.read, func(scan scanner) (t usage.Told, err error) {
		var at int64
		err = scan(&at, &t.USD)
		t.Until = time.Unix(0, at)
		return t, err
	}, "SELECT at, usd FROM usage_told WHERE conversation = ? ORDER BY at", conversation)
}

// SaveUsageTold saves a sum that an agent told; over is the time of one that it replaces, or zero.
func (s *Store) SaveUsageTold(conversation string, t usage.Told, over time.Time) error {
	return s.update(func(tx *sql.Tx) error {
		if !over.IsZero() {
			if _, err := tx.Exec("DELETE FROM usage_told WHERE conversation = ? AND at = ?", conversation, over.UnixNano()); err != nil {
				return err
			}
		}
		_, err := tx.Exec("INSERT INTO usage_told VALUES (?, ?, ?) ON CONFLICT DO UPDATE SET usd = excluded.usd", conversation, t.Until.UnixNano(), t.USD)
		return err
	})
}

// PruneUsage deletes what was used before a day.
func (s *Store) PruneUsage(day string, before time.Time) error {
	return s.update(func(tx *sql.Tx) error {
		if _, err := tx.Exec("DELETE FROM usage WHERE day < ?", day); err != nil {
			return err
		}
		_, err := tx.Exec("DELETE FROM usage_told WHERE at < ? AND conversation NOT IN (SELECT conversation FROM usage)", before.UnixNano())
		return err
	})
}
