package fleet

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"

	"github.com/nats-io/nats.go/jetstream"

	"ccdir/orchestrator"
)

// Export writes the queue as lines of JSON, a task each: {"id", "record"}, and the settings with the id "".
func Export(ctx context.Context, js jetstream.JetStream, w io.Writer) error {
	_, set, records, err := OpenLog(ctx, js)
	if err != nil {
		return err
	}
	lines := map[string]any{settingsRow: set}
	for _, r := range records {
		lines[r.ID] = r
	}
	out := bufio.NewWriter(w)
	enc := json.NewEncoder(out)
	for _, id := range slices.Sorted(maps.Keys(lines)) {
		record, err := json.Marshal(lines[id])
		if err != nil {
			return err
		}
		if err := enc.Encode(logRow{ID: id, Record: record}); err != nil {
			return err
		}
	}
	return out.Flush()
}

// Import writes what Export wrote into a log that is empty, while no server leads.
func Import(ctx context.Context, js jetstream.JetStream, r io.Reader) (tasks int, err error) {
	l, _, records, err := OpenLog(ctx, js)
	if err != nil {
		return 0, err
	}
	if l.last > 0 || len(records) > 0 {
		return 0, errors.New("this fleet has a queue already: import into a new one")
	}
	dec := json.NewDecoder(r)
	var c commit
	for size := 0; ; {
		var row logRow
		err := dec.Decode(&row)
		if err != nil && !errors.Is(err, io.EOF) {
			return tasks, fmt.Errorf("the exported queue: %w", err)
		}
		if end := err != nil; end || size+len(row.Record) > maxCommit/2 {
			if err := l.commit(c); err != nil {
				return tasks, err
			}
			if c, size = (commit{}), 0; end {
				return tasks, nil
			}
		}
		if err := checkRow(row); err != nil {
			return tasks, err
		}
		size += len(row.Record)
		if row.ID == settingsRow {
			c.Settings = row.Record
			continue
		}
		c.Rows = append(c.Rows, row)
		tasks++
	}
}

func checkRow(row logRow) error {
	var err error
	if row.ID == settingsRow {
		err = json.Unmarshal(row.Record, &orchestrator.Settings{})
	} else {
		var r orchestrator.Record
		if err = json.Unmarshal(row.Record, &r); err == nil && r.ID != row.ID {
			err = errors.New("its record is another one's")
		}
	}
	if err != nil {
		return fmt.Errorf("the exported queue: the row %.40q: %w", row.ID, err)
	}
	return nil
}
