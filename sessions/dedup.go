package sessions

import "ccdir/internal/once"

// dedup remembers the newest keys of evidence, so that each piece counts once. The
// session's actor owns it.
type dedup struct{ *once.Memory[string, struct{}] }

func newDedup(n int) dedup { return dedup{once.NewMemory[string, struct{}](n)} }

// add remembers a key and reports whether it was new. Evidence without a key ("") is
// always new.
func (d dedup) add(key string) bool { return key == "" || d.Put(key, struct{}{}) }

// has reports whether a key is known.
func (d dedup) has(key string) bool {
	_, known := d.Get(key)
	return known
}
