package history

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"ccdir/api"
	"ccdir/internal/contain"
	"ccdir/internal/text/textsafe"
	"ccdir/wire"
)

// Bounds of a search in what running sessions show. An answer of a host is 16 MiB at most
// (wire.MaxMessage).
const (
	liveAbreast = 4               // hosts that are asked at once
	liveWithin  = time.Second     // for the answer of one host
	liveAll     = 3 * time.Second // for all of them
	livePlaces  = 10              // lines of one session, the newest
	liveTooLate = "not searched: its host did not answer in time"
)

// searchLive finds lines of running sessions, of screen and scrollback, that have all
// words, and says which sessions were left out. It takes liveAll at most.
func (h *History) searchLive(ctx context.Context, words []string) []api.SearchHit {
	ctx, cancel := context.WithTimeout(ctx, liveAll)
	defer cancel()
	var running []api.Session
	for _, s := range h.o.Journal.Sessions() {
		if !s.External && !s.State.Ended() && s.State != api.StateStarting {
			running = append(running, s)
		}
	}
	found := make([][]api.SearchHit, len(running))
	slots, over := make(chan struct{}, liveAbreast), contain.Group{Log: h.o.Logger}
	for i, s := range running {
		over.Go(func() {
			select {
			case slots <- struct{}{}:
				defer func() { <-slots }()
				if err := contain.Call(h.o.Logger, func() error { found[i] = h.searchPane(ctx, s, words); return nil }); err != nil {
					found[i] = leftOut(s, err)
				}
			case <-ctx.Done():
				found[i] = leftOut(s, ctx.Err())
			}
		})
	}
	over.Wait()
	return slices.Concat(found...)
}

// searchPane searches what one session shows.
func (h *History) searchPane(ctx context.Context, s api.Session, words []string) []api.SearchHit {
	own, cancel := context.WithTimeout(ctx, liveWithin)
	defer cancel()
	out, err := h.o.Sessions.Buffer(own, s.ID, wire.OutputParams{Format: wire.FormatText, Scrollback: true})
	if err != nil {
		return leftOut(s, cmp.Or(own.Err(), err))
	}
	var hits []api.SearchHit
	lines, more := linesWith(out.Text, words, livePlaces)
	for _, line := range lines {
		hits = append(hits, api.SearchHit{Kind: api.HitPane, ID: s.ID, At: cmp.Or(s.Since, s.Created), Session: s.ID, Line: line})
	}
	if more > 0 {
		hits = append(hits, api.SearchHit{Kind: api.HitLeftOut, ID: s.ID, At: s.Since, Session: s.ID, Line: fmt.Sprintf("%d more lines, which are older", more)})
	}
	return hits
}

// leftOut says that a session was not searched; one that has ended meanwhile is found by
// its transcript.
func leftOut(s api.Session, err error) []api.SearchHit {
	why := "not searched: " + textsafe.Cut(textsafe.Line(err.Error()), maxHit)
	switch {
	case api.CodeOf(err) == api.CodeNotFound, api.CodeOf(err) == api.CodeNotRunning, errors.Is(err, context.Canceled):
		return nil
	case errors.Is(err, context.DeadlineExceeded):
		why = liveTooLate
	}
	return []api.SearchHit{{Kind: api.HitLeftOut, ID: s.ID, At: s.Since, Session: s.ID, Line: why}}
}

// linesWith returns the newest lines that have all words, the newest first and each text
// once; most at most, and how many more there are.
func linesWith(text string, words []string, most int) (out []string, more int) {
	lowered := make([]string, len(words))
	for i, w := range words {
		lowered[i] = strings.ToLower(w)
	}
	lines := strings.Split(text, "\n")
	for _, l := range slices.Backward(lines) {
		low := strings.ToLower(l)
		if slices.ContainsFunc(lowered, func(w string) bool { return !strings.Contains(low, w) }) {
			continue
		}
		switch l = textsafe.Cut(textsafe.Line(strings.TrimSpace(l)), maxHit); {
		case slices.Contains(out, l):
		case len(out) < most:
			out = append(out, l)
		default:
			more++
		}
	}
	return out, more
}
