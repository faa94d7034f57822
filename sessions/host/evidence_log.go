package host

import (
	"strconv"
	"time"
	"unicode/utf8"

	"ccdir/wire"
)

const (
	maxField  = 4 << 10
	maxFields = 16
	maxPSP    = 64
)

type field struct{ key, value string }

func itoa(n int) string { return strconv.Itoa(n) }

// evidenceLog numbers evidence from 1. It keeps the newest max pieces and the latest
// program status of each id.
type evidenceLog struct {
	ring []wire.Evidence
	max  int
	last uint64 // number of the newest
	psp  map[string]wire.Evidence
}

func (l *evidenceLog) init(max int) {
	l.max = max
	l.psp = map[string]wire.Evidence{}
}

// oldest is the number of the oldest evidence held; last+1 if none is.
func (l *evidenceLog) oldest() uint64 { return l.last - uint64(len(l.ring)) + 1 }

func (l *evidenceLog) get(seq uint64) wire.Evidence {
	return l.ring[(seq-1)%uint64(l.max)]
}

func (l *evidenceLog) add(e wire.Evidence) {
	l.last++
	e.Seq = l.last
	if len(l.ring) < l.max {
		l.ring = append(l.ring, e)
	} else {
		l.ring[(e.Seq-1)%uint64(l.max)] = e
	}
	if e.Name == wire.EvidencePSP {
		id := e.Fields["id"]
		if _, known := l.psp[id]; known || len(l.psp) < maxPSP {
			l.psp[id] = e
		}
		if id != "" && e.Fields["state"] == "clear" {
			delete(l.psp, id)
		}
	}
}

// all returns the evidence held, oldest first.
func (l *evidenceLog) all() []wire.Evidence {
	out := make([]wire.Evidence, 0, len(l.ring))
	for seq := l.oldest(); seq <= l.last; seq++ {
		out = append(out, l.get(seq))
	}
	return out
}

// latestPSP returns the latest program status of each id, in order of arrival.
func (l *evidenceLog) latestPSP() []wire.Evidence {
	var out []wire.Evidence
	for _, e := range l.psp {
		i := len(out)
		for i > 0 && out[i-1].Seq > e.Seq {
			i--
		}
		out = append(out, wire.Evidence{})
		copy(out[i+1:], out[i:])
		out[i] = e
	}
	return out
}

// record adds evidence and wakes the clients that follow evidence. h.mu is held.
func (h *host) record(name string, fields ...field) { h.recordAt(time.Now(), name, fields...) }

// recordAt is record of what happened at that time.
func (h *host) recordAt(at time.Time, name string, fields ...field) {
	e := wire.Evidence{At: at.UTC(), Name: name}
	if len(fields) > 0 {
		e.Fields = make(map[string]string, len(fields))
		for _, f := range fields[:min(len(fields), maxFields)] {
			e.Fields[f.key] = cut(f.value, maxField)
		}
	}
	h.evidence.add(e)
	for c := range h.clients {
		if c.follows {
			c.wakeUp()
		}
	}
}

// cut shortens s to at most n bytes, at a rune boundary.
func cut(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n]
}
