package docslookup

import (
	"context"
	"runtime"
	"sync"

	"ccdir/internal/contain"
)

// enoughReach is the part of the best index's reach (question.reach) below which an index is not
// asked: none of its entries would be among the first.
const enoughReach = 0.6

// search asks the indexes, some at a time: first how much of the question each can know, then those
// that know enough. A damaged one is dropped and said.
func (l *Library) search(ctx context.Context, q *question, pkg string, list []*module, indexes []*index, paths []string) (rows []row, notes []string) {
	var mu sync.Mutex
	failed := func(i int, err error) { // mu is held
		if ctx.Err() == nil {
			l.drop(paths[i], err)
			notes = append(notes, list[i].name+": its index was damaged and is built again: ask again")
		}
	}
	counts, sum := make([]map[string]int, len(list)), map[string]int{}
	each(indexes, func(i int, x *index) {
		got, err := x.counts(ctx, q)
		mu.Lock()
		defer mu.Unlock()
		if err != nil {
			failed(i, err)
			return
		}
		counts[i] = got
		for s, n := range got {
			sum[s] += n
		}
	})
	q.weigh(sum)
	best := 0.0
	for i := range counts {
		best = max(best, q.reach(counts[i]))
	}
	limit := maxRows
	if len(list) > 10 {
		limit = someRows
	}
	each(indexes, func(i int, x *index) {
		if counts[i] == nil {
			return
		}
		got, err := x.byPieces(ctx, q, pkg, limit)
		if err == nil && q.reach(counts[i]) >= enoughReach*best {
			var more []row
			more, err = x.byWords(ctx, q, pkg, limit)
			got = joinRows(more, got)
		}
		if err == nil {
			var begin []row
			begin, err = x.pageBegin(ctx, q.page)
			got = joinRows(got, begin)
		}
		for k := range got {
			got[k].m = list[i]
		}
		mu.Lock()
		defer mu.Unlock()
		if err != nil {
			failed(i, err)
			return
		}
		rows = append(rows, got...)
	})
	if len(list) == 1 && indexes[0] != nil {
		notes = append(notes, indexes[0].notes...)
	}
	return rows, notes
}

// each calls do for every index that there is, some at a time, and waits.
func each(indexes []*index, do func(i int, x *index)) {
	var wg contain.Group
	work := make(chan int)
	for range min(len(indexes), max(2, runtime.NumCPU())) {
		wg.Go(func() {
			for i := range work {
				contain.Run(nil, func() { do(i, indexes[i]) })
			}
		})
	}
	for i, x := range indexes {
		if x != nil {
			work <- i
		}
	}
	close(work)
	wg.Wait()
}

// joinRows adds to rows those of more that it lacks.
func joinRows(rows, more []row) []row {
	have := map[int64]bool{}
	for _, r := range rows {
		have[r.id] = true
	}
	for _, r := range more {
		if !have[r.id] {
			rows = append(rows, r)
		}
	}
	return rows
}
