package drill

import (
	"context"
	"fmt"
	"slices"
	"syscall"
	"time"

	"ccdir/api"
)

// rounds are the processes to kill, in a new random order each time.
var rounds = []string{"daemon", "daemon", "daemon+grid", "grid", "hook", "bridge"}

// taskEvery is the number of kills between two new tasks.
const taskEvery = 5

// round kills a process at a random moment and checks the others. Every second time it
// first waits until the grids are connected, so that not every kill hits their start.
func (r *run) round(ctx context.Context) error {
	if len(r.kinds) == 0 {
		for _, i := range r.rand.Perm(len(rounds)) {
			r.kinds = append(r.kinds, rounds[i])
		}
	}
	kind := r.kinds[0]
	r.kinds = r.kinds[1:]
	if r.result.Kills.sum()/taskEvery >= len(r.tasks) {
		if err := r.addTask(ctx); err != nil {
			return err
		}
	}
	joined := r.rand.IntN(2) == 0
	if joined {
		if _, err := r.untilJoined(ctx); err != nil {
			return err
		}
	}
	if err := pause(ctx, time.Duration(r.rand.Int64N(int64(r.MaxDelay)))); err != nil {
		return err
	}
	r.Log("killing: %s", kind)
	if err := r.strike(ctx, kind, joined); err != nil {
		return err
	}
	if err := r.attachGrids(); err != nil {
		return err
	}
	if err := r.sameSessions(ctx); err != nil {
		return err
	}
	for _, p := range r.lines {
		if err := r.follow(ctx, p); err != nil {
			return err
		}
	}
	if err := r.readEvents(ctx); err != nil {
		return err
	}
	return r.readMessages(ctx)
}

func (r *run) strike(ctx context.Context, kind string, joined bool) error {
	switch kind {
	case "hook":
		r.result.Kills.Hook++
		return r.hooks.kill(ctx)
	case "bridge":
		r.result.Kills.Bridge++
		return r.bridge.kill(ctx)
	case "grid":
		r.killGrid(r.rand.IntN(len(r.grids)))
		return nil
	case "daemon+grid":
		victim, err := r.killDaemon(ctx)
		if err != nil {
			return err
		}
		r.killGrid(r.rand.IntN(len(r.grids)))
		return r.daemonBack(ctx, victim, joined)
	}
	victim, err := r.killDaemon(ctx)
	if err != nil {
		return err
	}
	return r.daemonBack(ctx, victim, joined)
}

func (r *run) killGrid(i int) {
	r.grids[i].kill()
	r.result.Kills.Grid++
}

// death is a killed daemon: its process and the time.
type death struct {
	pid int
	at  time.Time
}

func (r *run) killDaemon(ctx context.Context) (death, error) {
	// Grids that are just starting may not have started a daemon yet.
	srv, err := r.client.Connect(ctx)
	if err != nil {
		return death{}, err
	}
	d := death{pid: srv.PID, at: time.Now()}
	if err := syscall.Kill(srv.PID, syscall.SIGKILL); err != nil {
		return d, fmt.Errorf("killing daemon %d: %w", srv.PID, err)
	}
	r.result.Kills.Daemon++
	return d, nil
}

// daemonBack waits for the next daemon, which an attached grid starts; if none was
// attached, the drill starts it. Then it waits until the surviving grids show its
// state.
func (r *run) daemonBack(ctx context.Context, was death, joined bool) error {
	alive := slices.ContainsFunc(r.grids, func(g *attached) bool { return !g.ended() })
	var now api.Server
	err := until(ctx, "the daemon does not come back", func() (bool, error) {
		var err error
		if joined && alive {
			now, err = r.looker.Health(ctx)
		} else {
			now, err = r.client.Connect(ctx)
		}
		return err == nil && now.PID != was.pid, nil
	})
	if err != nil {
		return err
	}
	away := time.Since(was.at)
	r.backs = append(r.backs, away)
	r.Log("daemon %d answers after %s", now.PID, away.Round(time.Millisecond))
	if now.EventSeq < r.newest {
		return fmt.Errorf("the log ends at event %d, and event %d was seen", now.EventSeq, r.newest)
	}
	r.newest = now.EventSeq
	if !joined || !alive {
		return nil
	}
	ends, err := r.untilJoined(ctx)
	for _, at := range ends {
		r.joins = append(r.joins, at.Sub(was.at))
	}
	return err
}

// untilJoined changes a session's name and waits until every surviving grid shows it.
// It returns when each did.
func (r *run) untilJoined(ctx context.Context) (ends []time.Time, err error) {
	r.marks++
	name := fmt.Sprintf("mark-%d", r.marks)
	err = until(ctx, "the marker can't be renamed", func() (bool, error) {
		_, err := r.looker.RenameSession(ctx, r.marker.ID, name)
		return err == nil, nil //nolint:nilerr // asked again: grids start the daemon
	})
	if err != nil {
		return nil, err
	}
	seen := map[int]bool{}
	err = until(ctx, "", func() (bool, error) {
		missing := false
		for i, g := range r.grids {
			switch {
			case seen[i] || g.ended():
			case g.shows(name + " "):
				seen[i] = true
				ends = append(ends, time.Now())
			default:
				missing = true
			}
		}
		return !missing, nil
	})
	if err != nil && ctx.Err() == nil {
		for i, g := range r.grids {
			if !seen[i] && !g.ended() {
				return ends, fmt.Errorf("grid %d does not show what happens; it shows: %s", i+1, g.tail())
			}
		}
	}
	return ends, err
}
