package store

import (
	"context"
	"database/sql"
	"time"

	"ccdir/usage"
)

// limitsSchema is a migration: what agents said about the windows of their limits, the last of each
// slot of limitSlot.
const limitsSchema = `
CREATE TABLE limits (
  agent   TEXT NOT NULL,
  account TEXT NOT NULL,
  name    TEXT NOT NULL,
  slot    INTEGER NOT NULL, -- at, in limitSlot
  at      INTEGER NOT NULL, -- Unix nanoseconds
  length  INTEGER,          -- seconds or NULL
  used    REAL,             -- percent or NULL
  resets  INTEGER,          -- Unix seconds or NULL
  source  TEXT NOT NULL,
  PRIMARY KEY (agent, account, name, slot)
) STRICT, WITHOUT ROWID;
`

// limitSlot is the time for which one sample of a window is kept.
const limitSlot = 5 * time.Minute

// SaveLimits saves samples, each in place of an earlier one of its slot. Durable when it returns.
func (s *Store) SaveLimits(samples []usage.Sample) error {
	return s.update(func(tx *sql.Tx) error {
		for _, v := range samples {
			length := sql.NullInt64{Int64: int64(v.Length / time.Second), Valid: v.Length > 0}
			resets := sql.NullInt64{Int64: v.ResetsAt.Unix(), Valid: !v.ResetsAt.IsZero()}
			var used sql.NullFloat64
			if v.UsedPercent != nil {
				used = sql.NullFloat64{Float64: *v.UsedPercent, Valid: true}
			}
			_, err := tx.Exec("INSERT OR REPLACE INTO limits (agent, account, name, slot, at, length, used, resets, source) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
				v.Agent, v.Account, v.Name, v.At.UnixNano()/int64(limitSlot), v.At.UnixNano(), length, used, resets, string(v.Source))
			if err != nil {
				return err
			}
		}
		return nil
	})
}

const limitColumns = "agent, account, name, at, length, used, resets, source"

func scanLimit(scan scanner) (v usage.Sample, err error) {
	var at int64
	var length, resets sql.NullInt64
	var used sql.NullFloat64
	err = scan(&v.Agent, &v.Account, &v.Name, &at, &length, &used, &resets, &v.Source)
	v.At, v.Length = time.Unix(0, at).UTC(), time.Duration(length.Int64)*time.Second
	if used.Valid {
		v.UsedPercent = &used.Float64
	}
	if resets.Valid {
		v.ResetsAt = time.Unix(resets.Int64, 0).UTC()
	}
	return v, err
}

// NewestLimits are the newest samples of all windows.
func (s *Store) NewestLimits(ctx context.Context) ([]usage.Sample, error) {
	return all(ctx, s.read, scanLimit, "SELECT "+limitColumns+` FROM limits AS l WHERE slot =
(SELECT max(slot) FROM limits WHERE agent = l.agent AND account = l.account AND name = l.name)`)
}

// Limits are the samples from a time on, oldest first.
func (s *Store) Limits(ctx context.Context, since time.Time) ([]usage.Sample, error) {
	return all(ctx, s.read, scanLimit, "SELECT "+limitColumns+" FROM limits WHERE at >= ? ORDER BY at", since.UnixNano())
}

// PruneLimits deletes the samples from before a time.
func (s *Store) PruneLimits(before time.Time) error {
	return s.update(func(tx *sql.Tx) error {
		_, err := tx.Exec("DELETE FROM limits WHERE at < ?", before.UnixNano())
		return err
	})
}
