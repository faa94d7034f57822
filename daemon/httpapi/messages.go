package httpapi

import (
	"context"
	"net/http"

	"ccdir/api"
)

// Messages has the mailboxes. receiver is the id of a session or api.Person.
type Messages interface {
	// Send sends a message of the person's.
	Send(ctx context.Context, n api.NewMessage) (api.Message, error)
	Inbox(ctx context.Context, receiver string, all bool, limit int) ([]api.Message, error)
	Ack(ctx context.Context, receiver string, ids []int64) (int, error)
}

// maxMessages bounds a list of messages.
const maxMessages = 1000

// messages lists a mailbox: the person's, or the mailbox of the session in the query.
func (s *server) messages(w http.ResponseWriter, r *http.Request) error {
	q := r.URL.Query()
	receiver, limit := api.Person, maxMessages
	if ref := q.Get("session"); ref != "" && ref != api.Person {
		id, err := s.Sessions.Resolve(ref)
		if err != nil {
			return err
		}
		receiver = id
	}
	if n, err := numberOf(r, "limit", 1, maxMessages); err != nil {
		return err
	} else if n > 0 {
		limit = int(n)
	}
	list, err := s.Messages.Inbox(r.Context(), receiver, truth(q.Get("all")), limit)
	return ok(w, list, err)
}

func (s *server) sendMessage(w http.ResponseWriter, r *http.Request) error {
	var n api.NewMessage
	if err := body(w, r, maxBody, &n); err != nil {
		return err
	}
	n.Request = attemptOf(r.Context()).id
	m, err := s.Messages.Send(r.Context(), n)
	return ok(w, m, err)
}

func (s *server) ackMessages(w http.ResponseWriter, r *http.Request) error {
	var a api.AckMessages
	if err := body(w, r, maxBody, &a); err != nil {
		return err
	}
	n, err := s.Messages.Ack(r.Context(), api.Person, a.IDs)
	return ok(w, api.Acked{Acked: n}, err)
}
