package once

// Memory maps the newest keys to their outcomes. Make one with NewMemory.
type Memory[K comparable, V any] struct {
	limit int
	known map[K]entry[V]
	// ring holds the keys in the order in which they were put; once it is full, next is
	// the slot of the oldest.
	ring []slot[K]
	next int
}

// entry is the outcome of a key, and the slot of the ring that will evict it.
type entry[V any] struct {
	value V
	slot  int
}

// slot is a place of the ring; not taken after Forget.
type slot[K comparable] struct {
	key   K
	taken bool
}

// NewMemory returns a Memory of the newest limit keys. It panics if limit is below 1.
func NewMemory[K comparable, V any](limit int) *Memory[K, V] {
	if limit < 1 {
		panic("once: a memory needs a limit of at least 1")
	}
	return &Memory[K, V]{limit: limit, known: map[K]entry[V]{}}
}

// Get returns the outcome of a key.
func (m *Memory[K, V]) Get(key K) (value V, known bool) {
	e, known := m.known[key]
	return e.value, known
}

// Put sets the outcome of a key. A new key evicts the oldest one if the memory is full;
// a known key keeps its age. It reports whether the key was new.
func (m *Memory[K, V]) Put(key K, value V) (fresh bool) {
	if e, known := m.known[key]; known {
		m.known[key] = entry[V]{value, e.slot}
		return false
	}
	at := len(m.ring)
	if at < m.limit {
		m.ring = append(m.ring, slot[K]{})
	} else {
		at = m.next
		m.next = (m.next + 1) % m.limit
		if old := m.ring[at]; old.taken {
			delete(m.known, old.key)
		}
	}
	m.ring[at] = slot[K]{key, true}
	m.known[key] = entry[V]{value, at}
	return true
}

// Update sets the outcome of a key that is known, and does nothing for one that was
// evicted or forgotten meanwhile.
func (m *Memory[K, V]) Update(key K, value V) {
	if e, known := m.known[key]; known {
		m.known[key] = entry[V]{value, e.slot}
	}
}

// Forget removes a key. Its place in the ring is used again when its turn comes, so
// that forgetting makes no other key live longer or shorter.
func (m *Memory[K, V]) Forget(key K) {
	if e, known := m.known[key]; known {
		m.ring[e.slot] = slot[K]{}
		delete(m.known, key)
	}
}

// Len counts the known keys; at most the limit.
func (m *Memory[K, V]) Len() int { return len(m.known) }
