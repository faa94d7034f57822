package ui

import (
	"context"
	"slices"
)

// Turns are calls under way, by a word: calls with the same one are made in the order in
// which they joined. The program's goroutine owns it.
type Turns map[string][]chan struct{}

// Turn is a call's place among those with the same word.
type Turn struct {
	before []chan struct{}
	over   chan struct{}
}

// Join enters a call behind those that are under way.
func (t *Turns) Join(word string) Turn {
	if *t == nil {
		*t = Turns{}
	}
	before := slices.DeleteFunc(slices.Clone((*t)[word]), func(c chan struct{}) bool {
		select {
		case <-c:
			return true
		default:
			return false
		}
	})
	over := make(chan struct{})
	(*t)[word] = append(slices.Clip(before), over)
	return Turn{before, over}
}

// First is the turn of a call that does not wait for those before; those after wait for it.
func (t Turn) First() Turn { return Turn{over: t.over} }

// Wait waits for the calls before.
func (t Turn) Wait(ctx context.Context) error {
	for _, over := range t.before {
		select {
		case <-over:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return nil
}

// Over says that the call has ended, once.
func (t Turn) Over() {
	if t.over != nil {
		close(t.over)
	}
}
