package sessions

// dedup remembers the newest n keys.
type dedup struct {
	n    int
	set  map[string]struct{}
	ring []string
	next int
}

func newDedup(n int) dedup { return dedup{n: n, set: map[string]struct{}{}} }

// add remembers a key; false if it was known. "" is never known.
func (d *dedup) add(key string) bool {
	if key == "" {
		return true
	}
	if _, known := d.set[key]; known {
		return false
	}
	if len(d.ring) < d.n {
		d.ring = append(d.ring, key)
	} else {
		delete(d.set, d.ring[d.next])
		d.ring[d.next] = key
		d.next = (d.next + 1) % d.n
	}
	d.set[key] = struct{}{}
	return true
}

// has reports whether a key is known.
func (d *dedup) has(key string) bool {
	_, known := d.set[key]
	return known
}
