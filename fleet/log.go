package fleet

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"ccdir/api"
	"ccdir/orchestrator"
)

// ErrDeposed: another leader has committed since. The state of this one is not the fleet's any more. Who asked may ask again.
var ErrDeposed error = api.Errorf(api.CodeUnavailable, "another server leads the fleet now")

const (
	// headerSum is the checksum of a commit's bytes, headerID its name: an answer that did not come is
	// found by it.
	headerSum = "Ccdir-Sum"
	headerID  = "Ccdir-Commit"

	// maxCommit bounds the bytes of one commit. The engine takes 8 MiB (see engine.Serve).
	maxCommit = 7 << 20
	// commitTry is how long one try of a commit waits for its answer, commitTries how many there are.
	commitTry   = 5 * time.Second
	commitTries = 12
	// readAtOnce is how many commits are asked for at a time.
	readAtOnce = 256
	// settingsRow is the settings in the log's table of rows.
	settingsRow = ""
)

// commit is a message of the log. Rows without a record are deleted.
type commit struct {
	Rows     []logRow        `json:"rows,omitempty"`
	Settings json.RawMessage `json:"settings,omitempty"`
	// Drop is the sequence from which on the log is needed: the rows and settings of this commit are older
	// ones, written again so that what is before Drop can go. 0: nothing can.
	Drop uint64 `json:"drop,omitempty"`
	// Moved: the queue was exported to go on in another fleet. More: the rest of an import follows. Nobody leads
	// while the newest commit has one of them.
	Moved bool `json:"moved,omitempty"`
	More  bool `json:"more,omitempty"`
}

type logRow struct {
	ID     string          `json:"id"`
	Record json.RawMessage `json:"record,omitempty"`
	// Fleet is the fleet's id, with the settings of an exported queue.
	Fleet string `json:"fleet,omitempty"`
}

// Log is the store of a fleet's queue. One goroutine uses it.
type Log struct {
	js     jetstream.JetStream
	stream jetstream.Stream
	last   uint64            // sequence of the newest commit
	rows   map[string]uint64 // commit that has the newest value of each row
	live   int64             // bytes of the rows' newest values, about
	sizes  map[string]int32
	bytes  int64 // of the commits in the stream, about
	first  uint64
	mark   *mark // nil: none
	// moved and more are the newest commit's.
	moved, more bool
	// Deposed is closed with the first commit that was refused.
	Deposed chan struct{}
}

// OpenLog reads the log: the settings and the records of all tasks. It refuses a log in which a commit
// is missing or was changed.
func OpenLog(ctx context.Context, js jetstream.JetStream) (l *Log, set orchestrator.Settings, records []orchestrator.Record, err error) {
	l = &Log{js: js, rows: map[string]uint64{}, sizes: map[string]int32{}, Deposed: make(chan struct{})}
	if l.stream, err = js.Stream(ctx, streamQueue); err != nil {
		return nil, set, nil, fmt.Errorf("the stream %s: %w", streamQueue, err)
	}
	newest := map[string]json.RawMessage{}
	err = l.read(ctx, func(seq uint64, c commit, size int) {
		l.note(seq, c, size)
		for _, row := range c.Rows {
			if row.Record == nil {
				delete(newest, row.ID)
			} else {
				newest[row.ID] = row.Record
			}
		}
		if c.Settings != nil {
			newest[settingsRow] = c.Settings
		}
	})
	if err != nil {
		return nil, set, nil, err
	}
	for id, data := range newest {
		if id == settingsRow {
			if err := json.Unmarshal(data, &set); err != nil {
				return nil, set, nil, fmt.Errorf("the settings in the log: %w", err)
			}
			continue
		}
		var r orchestrator.Record
		if err := json.Unmarshal(data, &r); err != nil {
			return nil, set, nil, fmt.Errorf("the task %.40q in the log: %w", id, err)
		}
		records = append(records, r)
	}
	return l, set, records, nil
}

// read calls fn with each commit, oldest first.
func (l *Log) read(ctx context.Context, fn func(seq uint64, c commit, size int)) error {
	info, err := l.stream.Info(ctx)
	if err != nil {
		return fmt.Errorf("the stream %s: %w", streamQueue, err)
	}
	last := info.State.LastSeq
	if l.first = info.State.FirstSeq; info.State.Msgs == 0 && last == 0 {
		l.first = 1
		return nil
	}
	dropped := uint64(1)
	consumer, err := l.stream.OrderedConsumer(ctx, jetstream.OrderedConsumerConfig{DeliverPolicy: jetstream.DeliverAllPolicy})
	if err != nil {
		return fmt.Errorf("reading the log: %w", err)
	}
	for next := l.first; next <= last; {
		batch, err := consumer.Fetch(int(min(readAtOnce, last-next+1)), jetstream.FetchMaxWait(commitTry))
		if err != nil {
			return fmt.Errorf("reading the log: %w", err)
		}
		got := 0
		for m := range batch.Messages() {
			meta, err := m.Metadata()
			if err != nil {
				return fmt.Errorf("reading the log: %w", err)
			}
			if meta.Sequence.Stream > last {
				return ErrDeposed // somebody commits while we read
			}
			if meta.Sequence.Stream != next {
				return damaged(next, "it is missing")
			}
			c, err := decodeCommit(m.Headers(), m.Data())
			if err != nil {
				return damaged(next, err.Error())
			}
			dropped = max(dropped, c.Drop)
			fn(next, c, len(m.Data()))
			next++
			got++
		}
		if err := batch.Error(); err != nil {
			return fmt.Errorf("reading the log: %w", err)
		}
		if got == 0 {
			return damaged(next, "it is missing")
		}
		if err := ctx.Err(); err != nil {
			return err
		}
	}
	if l.first > dropped {
		return damaged(dropped, "it is missing")
	}
	return nil
}

func damaged(seq uint64, why string) error {
	return fmt.Errorf("%w: commit %d of the fleet's log is damaged (%s): nothing is decided on such a log; take another replica's data, or a copy made by `ccdir-fleet export`", errUnsafe, seq, why)
}

// decodeCommit reads a message of the log and holds it against its checksum.
func decodeCommit(h nats.Header, data []byte) (c commit, err error) {
	if sum := sha256.Sum256(data); h.Get(headerSum) != hex.EncodeToString(sum[:]) {
		return c, errors.New("its bytes are not those that were written")
	}
	if err := json.Unmarshal(data, &c); err != nil {
		return c, fmt.Errorf("it is no commit: %w", err)
	}
	return c, nil
}

// note updates the table of rows.
func (l *Log) note(seq uint64, c commit, size int) {
	set := func(id string, n int) {
		l.live += int64(n) - int64(l.sizes[id])
		if n == 0 {
			delete(l.rows, id)
			delete(l.sizes, id)
			return
		}
		l.rows[id], l.sizes[id] = seq, int32(n)
	}
	for _, row := range c.Rows {
		set(row.ID, len(row.Record))
	}
	if c.Settings != nil {
		set(settingsRow, len(c.Settings))
	}
	l.last, l.moved, l.more = seq, c.Moved, c.More
	l.bytes += int64(size)
}

// CommitTasks is orchestrator.Store's. An error means that nothing was saved; after ErrDeposed, and
// where it is not known whether it was, the log cannot be used any more.
func (l *Log) CommitTasks(rows []orchestrator.Row, settings []byte, _ []orchestrator.Transition) error {
	c := commit{Settings: settings}
	for _, r := range rows {
		c.Rows = append(c.Rows, logRow{ID: r.ID, Record: r.Record})
	}
	if err := l.commit(c); err != nil {
		return err
	}
	return l.compact()
}

func (l *Log) commit(c commit) error {
	select {
	case <-l.Deposed:
		return ErrDeposed
	default:
	}
	data, err := json.Marshal(c)
	if err != nil {
		return err
	}
	if len(data) > maxCommit {
		return fmt.Errorf("%d MiB are too much for one change: at most %d", len(data)>>20, maxCommit>>20)
	}
	if err := l.publish(data); err != nil {
		return err
	}
	l.note(l.last+1, c, len(data))
	if err := l.mark.note(l.last); err != nil {
		l.depose() // the disk is full or away, and the next commits would fail as well
	}
	return nil
}

// publish writes a commit behind the last one. A try without an answer may have been written: the next
// one is refused then, and the newest message is ours.
func (l *Log) publish(data []byte) error {
	sum := sha256.Sum256(data)
	var name [16]byte
	_, _ = rand.Read(name[:])
	id := hex.EncodeToString(name[:])
	var err error
	for range commitTries {
		m := &nats.Msg{Subject: subjectCommit, Data: data, Header: nats.Header{headerSum: {hex.EncodeToString(sum[:])}, headerID: {id}}}
		ctx, cancel := context.WithTimeout(context.Background(), commitTry)
		_, err = l.js.PublishMsg(ctx, m, jetstream.WithExpectLastSequence(l.last), jetstream.WithExpectStream(streamQueue), jetstream.WithRetryAttempts(0))
		cancel()
		if err == nil {
			return nil
		}
		var refused *jetstream.APIError
		if errors.As(err, &refused) && refused.ErrorCode == jetstream.JSErrCodeStreamWrongLastSequence {
			if l.written(id) {
				return nil
			}
			l.depose()
			return ErrDeposed
		}
		if errors.As(err, &refused) {
			break // the stream is full, or such: nothing was written
		}
		time.Sleep(200 * time.Millisecond) // the server is away, or chooses its leader
	}
	if l.written(id) {
		return nil
	}
	var refused *jetstream.APIError
	if !errors.As(err, &refused) {
		l.depose() // it may still arrive: the next leader reads what became of it
		return api.Errorf(api.CodeUnavailable, "the fleet's log: %s", err)
	}
	return fmt.Errorf("the fleet's log: %w", err)
}

// written reports whether the message behind the last one has that name.
func (l *Log) written(id string) bool {
	ctx, cancel := context.WithTimeout(context.Background(), commitTry)
	defer cancel()
	m, err := l.stream.GetMsg(ctx, l.last+1)
	return err == nil && m.Header.Get(headerID) == id
}

func (l *Log) depose() {
	select {
	case <-l.Deposed:
	default:
		close(l.Deposed)
	}
}

const (
	// compactAbove is how large the log is before its beginning is written again, and compactFactor how
	// much larger than what it has of use.
	compactAbove  = 16 << 20
	compactFactor = 4
	// compactSome is how many commits are looked at after each one, so that none takes long.
	compactSome = 4
)

// compact writes rows of the oldest commits again and drops these, a few at a time.
func (l *Log) compact() error {
	if l.bytes < compactAbove || l.bytes < compactFactor*l.live {
		return nil
	}
	moved, upTo, freed := commit{}, l.first, 0
	size := 0
	for range compactSome {
		if upTo >= l.last || size > maxCommit/8 {
			break
		}
		ctx, cancel := context.WithTimeout(context.Background(), commitTry)
		m, err := l.stream.GetMsg(ctx, upTo)
		cancel()
		if err != nil {
			return nil // it is only larger than it needs to be
		}
		c, err := decodeCommit(m.Header, m.Data)
		if err != nil {
			l.depose()
			return damaged(upTo, err.Error())
		}
		for _, row := range c.Rows {
			if l.rows[row.ID] == upTo && row.Record != nil {
				moved.Rows = append(moved.Rows, row)
				size += len(row.Record)
			}
		}
		if c.Settings != nil && l.rows[settingsRow] == upTo {
			moved.Settings = c.Settings
		}
		freed += len(m.Data)
		upTo++
	}
	moved.Drop = upTo
	if err := l.commit(moved); err != nil {
		return nil // the commit before it stands; the next one tells if the log is lost
	}
	ctx, cancel := context.WithTimeout(context.Background(), commitTry)
	defer cancel()
	if err := l.stream.Purge(ctx, jetstream.WithPurgeSequence(upTo)); err == nil {
		l.first = upTo
		l.bytes -= int64(freed)
	}
	return nil
}
