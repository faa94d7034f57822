package outbox

import (
	"crypto/rand"
	"slices"
)

// mostTries bounds how many texts that may have arrived are remembered.
const mostTries = 64

// tries are those whose text may have arrived, the oldest first. Such a text is sent
// again under its id, which types nothing a second time. The ids of texts on their way
// are not among them: who sends the same text again meanwhile means it twice.
type tries struct{ left []try }

// try is a text for a session under an id.
type try struct {
	text, session, id string
	unsure            int // how often the session did not acknowledge it
}

// take is the try of a text for a session: the one before if it may have arrived.
func (t *tries) take(text, session string) try {
	at := slices.IndexFunc(t.left, func(o try) bool { return o.text == text && o.session == session })
	if at < 0 {
		return try{text: text, session: session, id: "tui-" + rand.Text()}
	}
	old := t.left[at]
	t.left = slices.Delete(t.left, at, at+1)
	return old
}

// keep remembers a try that may have arrived.
func (t *tries) keep(o try) {
	t.left = append(t.left, o)
	t.left = slices.Delete(t.left, 0, max(0, len(t.left)-mostTries))
}
