package docslookup

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	"ccdir/api"
)

// BenchmarkLookup is a later question about this repository: its indexes are built and open.
func BenchmarkLookup(b *testing.B) {
	dir, err := filepath.Abs("..")
	if err != nil {
		b.Fatal(err)
	}
	l := library(b)
	for _, c := range []struct{ name, query string }{{"words", "wait for a collection of goroutines to finish"}, {"symbol", "sync.WaitGroup"}, {"package", "sync@go1 WaitGroup"}} {
		b.Run(c.name, func(b *testing.B) {
			q := api.DocsQuestion{Dir: dir, Query: c.query}
			if _, err := l.Lookup(context.Background(), q, nil); err != nil {
				b.Skip(err)
			}
			for b.Loop() {
				if _, err := l.Lookup(context.Background(), q, nil); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkFirst is the first question about this repository, with nothing indexed, by a symbol:
// how long until its package is there.
func BenchmarkFirst(b *testing.B) {
	dir, err := filepath.Abs("..")
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		l := New(Options{Dir: b.TempDir(), Env: os.Environ(), Wait: time.Minute})
		out, err := l.Lookup(context.Background(), api.DocsQuestion{Dir: dir, Query: "WaitGroup", Package: "sync"}, nil)
		l.Close()
		if err != nil || len(out.Hits) == 0 {
			b.Fatal(err, out.Notes)
		}
	}
}
