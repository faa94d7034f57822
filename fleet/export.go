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

// Export writes the queue as lines of JSON, a task each: {"id", "record"}, and the settings and the fleet's id with the
// id "". With move the queue ends here: no server of this fleet leads any more, and no claim is answered.
func Export(ctx context.Context, js jetstream.JetStream, w io.Writer, move bool) error {
	l, set, records, err := OpenLog(ctx, js)
	for err == nil && move && !l.moved {
		if err = l.commit(commit{Moved: true}); err == nil {
			break
		}
		if errors.Is(err, ErrDeposed) { // the leader has committed since it was read
			l, set, records, err = OpenLog(ctx, js)
		}
	}
	if err == nil && move {
		err = unseat(ctx, js)
	}
	if err != nil {
		return err
	}
	id, err := fleetID(ctx, js)
	if err != nil {
		return err
	}
	lines := map[string]any{settingsRow: set}
	for _, r := range records {
		lines[r.ID] = r
	}
	out := bufio.NewWriter(w)
	enc := json.NewEncoder(out)
	for _, row := range slices.Sorted(maps.Keys(lines)) {
		record, err := json.Marshal(lines[row])
		if err != nil {
			return err
		}
		line := logRow{ID: row, Record: record}
		if row == settingsRow {
			line.Fleet = id
		}
		if err := enc.Encode(line); err != nil {
			return err
		}
	}
	return out.Flush()
}

// closed says why nobody may lead with this log; nil if somebody may.
func (l *Log) closed() error {
	switch {
	case l.moved:
		return errors.New("this fleet's queue was exported with --move and goes on in another one: end this server")
	case l.more:
		return errors.New("a queue is being imported; if that was cut off, take a new directory and import it again")
	}
	return nil
}

// Import writes what Export wrote into a log that is empty. Attempts that machines still run go on: the fleet takes over
// the id by which they know it, so no machine may have joined yet.
func Import(ctx context.Context, js jetstream.JetStream, r io.Reader) (tasks int, err error) {
	l, _, records, err := OpenLog(ctx, js)
	if err != nil {
		return 0, err
	}
	if l.last > 0 || len(records) > 0 {
		return 0, errors.New("this fleet has a queue already: import into a new one")
	}
	if orders, err := js.Stream(ctx, streamOrders); err != nil {
		return 0, err
	} else if orders.CachedInfo().State.Consumers > 0 {
		return 0, errors.New("machines have joined this fleet already: import into a new one, before they do")
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
			if c.More = !end; end {
				return tasks, errors.Join(l.commit(c), unseat(ctx, js))
			}
			if err := l.commit(c); err != nil {
				return tasks, err
			}
			c, size = commit{}, 0
		}
		if err := checkRow(row); err != nil {
			return tasks, err
		}
		size += len(row.Record)
		if row.ID == settingsRow {
			c.Settings = row.Record
			if err := takeID(ctx, js, row.Fleet); err != nil {
				return tasks, err
			}
			continue
		}
		c.Rows = append(c.Rows, row)
		tasks++
	}
}

// takeID gives this fleet the id of the one whose queue it takes over.
func takeID(ctx context.Context, js jetstream.JetStream, id string) error {
	if !ValidName(id) {
		return errors.New("the exported queue has no id of its fleet: export it with this version")
	}
	s, err := js.Stream(ctx, streamQueue)
	if err != nil {
		return err
	}
	c := s.CachedInfo().Config
	c.Metadata[metaFleet] = id
	_, err = js.UpdateStream(ctx, c)
	return err
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
