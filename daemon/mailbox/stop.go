package mailbox

import (
	"context"
	"fmt"
	"strings"

	"ccdir/api"
)

const (
	// maxStopMessages and maxStopText bound the text of AtStop: messages, and bytes of
	// each. The tool message_inbox has the rest.
	maxStopMessages = 10
	maxStopText     = 4 << 10
)

// AtStop returns the new messages when a turn of a session ends, as a text with which the
// agent continues; "": none. again: the turn was already continued once; then it ends, so
// that two agents that write to each other become idle in between.
func (b *Box) AtStop(ctx context.Context, session string, again bool) string {
	if again {
		b.mu.Lock()
		if newest, ok := b.stopped[session]; ok { // it continued: it has seen them
			delete(b.stopped, session)
			b.nudged[session] = nudge{max(newest, b.nudged[session].newest), b.o.Now()}
		}
		b.mu.Unlock()
		return ""
	}
	n, newest, err := b.o.Store.OpenMessages(ctx, session)
	if err != nil {
		b.o.Logger.Error("cannot look into a mailbox", "session", session, "error", err)
		return ""
	}
	b.mu.Lock()
	told := b.nudged[session].newest
	b.mu.Unlock()
	if n == 0 || newest <= told {
		return ""
	}
	list, err := b.o.Store.Messages(ctx, session, false, maxOpen)
	if err != nil {
		b.o.Logger.Error("cannot look into a mailbox", "session", session, "error", err)
		return ""
	}
	text := stopText(list, told)
	b.mu.Lock()
	b.stopped[session] = newest
	b.mu.Unlock()
	return text
}

// stopText shows the messages after told.
func stopText(list []api.Message, told int64) string {
	var b strings.Builder
	shown, left := 0, 0
	for _, m := range list {
		if m.ID <= told {
			continue
		}
		if shown == maxStopMessages {
			left++
			continue
		}
		shown++
		body := m.Text
		if len(body) > maxStopText {
			body = strings.ToValidUTF8(body[:maxStopText], "") + "… (message_inbox has all of it)"
		}
		fmt.Fprintf(&b, "\n\nMessage %d from %s:\n%s", m.ID, m.FromName, body)
	}
	if left > 0 {
		fmt.Fprintf(&b, "\n\n%d more: message_inbox lists them.", left)
	}
	what := "a new message"
	if shown+left > 1 {
		what = fmt.Sprintf("%d new messages", shown+left)
	}
	return fmt.Sprintf("You have %s. Deal with it, then call the tool message_ack of the server %s.%s", what, api.MCPServer, b.String())
}
