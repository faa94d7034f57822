package runner

import "bytes"

// order arranges what two streams delivered by the order of their writes: events has one
// entry per write, by stream. The system tells the order of writes but not their
// lengths. Bytes are exactly in order where a stream wrote once between two writes of
// the other, or a line at a time; else the lines are shared out among the writes.
// Nothing is lost or added, and each stream keeps its own order.
func order(events []int, bytesOf [2][]byte, put func(stream int, p []byte)) {
	runs, writes := groups(events)
	for i, r := range runs {
		b := bytesOf[r.stream]
		n := len(b)
		if last := !mentions(runs[i+1:], r.stream); !last {
			n = share(b, r.writes, writes[r.stream])
		}
		writes[r.stream] -= r.writes
		put(r.stream, b[:n])
		bytesOf[r.stream] = b[n:]
	}
	for stream, rest := range bytesOf { // written, but not yet told
		put(stream, rest)
	}
}

// run is a number of writes to one stream without one to the other between them.
type writeRun struct{ stream, writes int }

func groups(events []int) (runs []writeRun, writes [2]int) {
	for _, e := range events {
		writes[e]++
		if n := len(runs); n > 0 && runs[n-1].stream == e {
			runs[n-1].writes++
			continue
		}
		runs = append(runs, writeRun{e, 1})
	}
	return runs, writes
}

func mentions(runs []writeRun, stream int) bool {
	for _, r := range runs {
		if r.stream == stream {
			return true
		}
	}
	return false
}

// share is how many of the bytes the first writes of all have: whole lines, as many as
// there are writes, or in proportion if there are more lines.
func share(b []byte, writes, all int) int {
	lines := bytes.Count(b, []byte("\n"))
	want := writes
	if lines > all {
		want = max(writes, lines*writes/all)
	}
	n := 0
	for range want {
		end := bytes.IndexByte(b[n:], '\n')
		if end < 0 {
			return len(b)
		}
		n += end + 1
	}
	return n
}
