// Package sessionlist is the list of sessions: which of them a filter lets through, in which
// order and below which heading. It is pure: a Source is everything that the list is made
// of, and what looks into directories is the caller's.
package sessionlist
