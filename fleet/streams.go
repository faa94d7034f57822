package fleet

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/nats-io/nats.go/jetstream"
)

// Streams, buckets and subjects. They are names for ever: servers of several versions read them.
const (
	streamQueue   = "QUEUE"
	streamOrders  = "ORDERS"
	streamReports = "REPORTS"
	bucketLeader  = "CCDIR_LEADER"
	bucketNodes   = "CCDIR_NODES"

	subjectNode    = "$KV." + bucketNodes + "." // and the node
	subjectCommit  = "q.commit"
	subjectOrder   = "order."  // and the node
	subjectReport  = "report." // the node, the task, the attempt
	subjectClaim   = "claim."  // and the node
	subjectRequest = "ask."    // and who asks
)

const (
	// presenceEvery is how often a machine tells of itself; awayAfter how long it may be silent.
	presenceEvery = 5 * time.Second
	awayAfter     = 60 * time.Second
	// leaderFor is how long a leader's key lives without being renewed; safety is Log's sequence.
	leaderFor   = 10 * time.Second
	renewLeader = 3 * time.Second
	// orderWait is how long a machine has to acknowledge an order until it comes again.
	orderWait = 20 * time.Second

	maxQueueBytes   = 8 << 30
	maxOrdersBytes  = 1 << 30
	maxReportsBytes = 2 << 30
	reportsKept     = 30 * 24 * time.Hour
)

// streams are those that a fleet needs.
func streams(replicas int) []jetstream.StreamConfig {
	return []jetstream.StreamConfig{
		{Name: streamQueue, Subjects: []string{subjectCommit}, Storage: jetstream.FileStorage, Replicas: replicas,
			MaxBytes: maxQueueBytes, Discard: jetstream.DiscardNew, AllowDirect: false, DenyDelete: true},
		{Name: streamOrders, Subjects: []string{subjectOrder + "*"}, Storage: jetstream.FileStorage, Replicas: replicas,
			Retention: jetstream.WorkQueuePolicy, MaxBytes: maxOrdersBytes, Discard: jetstream.DiscardNew, Duplicates: 2 * time.Minute},
		{Name: streamReports, Subjects: []string{subjectReport + ">"}, Storage: jetstream.FileStorage, Replicas: replicas,
			Retention: jetstream.WorkQueuePolicy, MaxBytes: maxReportsBytes, MaxAge: reportsKept, Discard: jetstream.DiscardNew},
	}
}

// Open makes the streams and buckets that are missing and checks those that exist. Replicas is 1 or 3.
func Open(ctx context.Context, js jetstream.JetStream, replicas int) error {
	for _, want := range streams(replicas) {
		if want.Name == streamQueue {
			want.Metadata = map[string]string{metaFleet: newID()}
		}
		s, err := js.Stream(ctx, want.Name)
		if errors.Is(err, jetstream.ErrStreamNotFound) {
			s, err = js.CreateStream(ctx, want)
		}
		if err != nil {
			return fmt.Errorf("the stream %s: %w", want.Name, err)
		}
		if err := checkStream(s.CachedInfo().Config); err != nil {
			return err
		}
	}
	for _, want := range []jetstream.KeyValueConfig{
		{Bucket: bucketLeader, TTL: leaderFor, Storage: jetstream.FileStorage, Replicas: replicas},
		{Bucket: bucketNodes, TTL: 3 * presenceEvery, Storage: jetstream.MemoryStorage, Replicas: replicas},
	} {
		if _, err := js.KeyValue(ctx, want.Bucket); errors.Is(err, jetstream.ErrBucketNotFound) {
			_, err = js.CreateKeyValue(ctx, want)
			if err != nil && !errors.Is(err, jetstream.ErrBucketExists) {
				return fmt.Errorf("the bucket %s: %w", want.Bucket, err)
			}
		} else if err != nil {
			return fmt.Errorf("the bucket %s: %w", want.Bucket, err)
		}
	}
	return nil
}

// metaFleet is where the stream of the queue has the fleet's id.
const metaFleet = "ccdir_fleet"

func newID() string {
	var b [4]byte
	_, _ = rand.Read(b[:])
	return hex.EncodeToString(b[:])
}

// checkStream refuses what is known to lose acknowledged messages.
func checkStream(c jetstream.StreamConfig) error {
	bad := func(what string) error {
		return fmt.Errorf("%w: %s has %s, with which acknowledged tasks can be lost: make it without, and import the queue again (`ccdir-fleet export`)", errUnsafe, c.Name, what)
	}
	switch {
	case c.Storage != jetstream.FileStorage:
		return bad("storage in memory")
	case c.Compression != jetstream.NoCompression:
		return bad("compression")
	case c.PersistMode == jetstream.AsyncPersistMode:
		return bad("persist_mode async")
	case c.Replicas == 2:
		return bad("two replicas")
	}
	return nil
}

// ValidName reports whether name can be that of a machine, a server or a client: names are tokens of subjects.
func ValidName(name string) bool {
	ok := func(r rune) bool {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '-' || r == '_'
	}
	return name != "" && len(name) <= 64 && strings.IndexFunc(name, func(r rune) bool { return !ok(r) }) < 0
}
