package conversations

import (
	"fmt"
	"testing"

	"ccdir/api"
)

// TestPlaces: the place of a prompt stays the same for its id, and so many are remembered.
func TestPlaces(t *testing.T) {
	var p places
	if _, ok := p.get("s", "a"); ok {
		t.Error("a new prompt has a place")
	}
	p.keep("s", "", api.AskPlace{Turn: 1})
	p.keep("s", "a", api.AskPlace{Turn: 7, Running: true})
	if _, ok := p.get("s", ""); ok {
		t.Error("a prompt without an id has a place")
	}
	if _, ok := p.get("other", "a"); ok {
		t.Error("the same id in another session has a place")
	}
	if place, ok := p.get("s", "a"); !ok || place != (api.AskPlace{Turn: 7, Running: true}) {
		t.Errorf("%+v, %t", place, ok)
	}
	for i := range mostPlaces {
		p.keep("s", fmt.Sprint(i), api.AskPlace{Turn: i})
	}
	if _, ok := p.get("s", "a"); ok || len(p.of) != mostPlaces || len(p.order) != mostPlaces {
		t.Errorf("%d places are remembered", len(p.of))
	}
}
