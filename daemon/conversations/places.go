package conversations

import (
	"slices"
	"sync"

	"ccdir/api"
)

// mostPlaces bounds the prompts whose places are remembered.
const mostPlaces = 256

// places are where the turns of prompts are looked for, by session and the prompt's id: who makes a
// call of Ask again before it has heard anything gets the turn that began meanwhile, too.
type places struct {
	mu    sync.Mutex
	of    map[[2]string]api.AskPlace
	order [][2]string // oldest first
}

// get returns the place of a prompt; ok is false if it is new, or has no id.
func (p *places) get(session, id string) (place api.AskPlace, ok bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	place, ok = p.of[[2]string{session, id}]
	return place, ok
}

// keep remembers the place of a prompt that has an id.
func (p *places) keep(session, id string, place api.AskPlace) {
	if id == "" {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.of == nil {
		p.of = map[[2]string]api.AskPlace{}
	}
	key := [2]string{session, id}
	if _, known := p.of[key]; !known {
		p.order = append(p.order, key)
	}
	p.of[key] = place
	if over := len(p.order) - mostPlaces; over > 0 {
		for _, old := range p.order[:over] {
			delete(p.of, old)
		}
		p.order = slices.Delete(p.order, 0, over)
	}
}
