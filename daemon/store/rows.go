package store

import (
	"context"
	"database/sql"
)

// scanner reads the columns of a row (sql.Row.Scan, sql.Rows.Scan).
type scanner func(into ...any) error

// all reads every row of the answer to a query; the list is never nil.
func all[T any](ctx context.Context, db *sql.DB, one func(scanner) (T, error), query string, args ...any) ([]T, error) {
	rows, err := db.QueryContext(ctx, query, args...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	list := []T{}
	for rows.Next() {
		v, err := one(rows.Scan)
		if err != nil {
			return nil, err
		}
		list = append(list, v)
	}
	return list, rows.Err()
}

// texts reads the only column of a query.
func (s *Store) texts(ctx context.Context, query string, args ...any) ([]string, error) {
	return all(ctx, s.read, func(scan scanner) (text string, err error) {
		err = scan(&text)
		return text, err
	}, query, args...)
}

// records reads the two columns of a query: keys and values.
func (s *Store) records(ctx context.Context, query string, args ...any) (map[string][]byte, error) {
	type pair struct {
		key    string
		record []byte
	}
	list, err := all(ctx, s.read, func(scan scanner) (p pair, err error) {
		err = scan(&p.key, &p.record)
		return p, err
	}, query, args...)
	if err != nil {
		return nil, err
	}
	records := make(map[string][]byte, len(list))
	for _, p := range list {
		records[p.key] = p.record
	}
	return records, nil
}
