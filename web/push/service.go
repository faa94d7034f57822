package push

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"net/http"
	"net/url"
	"slices"
	"sync"
	"time"

	"ccdir/api"
	"ccdir/internal/contain"
	"ccdir/internal/text/textsafe"
)

const (
	// waitTime is how long something has to be so before anybody is told: what is answered at once
	// calls nobody.
	waitTime = 5 * time.Second
	// restTime is the least time between two notices that a session is done, or has failed.
	restTime = time.Minute
	// keepTime is how long a push service keeps a notice for a browser that is away.
	keepTime = 4 * time.Hour
	// maxLine bounds a line of a notice, in bytes.
	maxLine = 200
)

// Subscribed is a device with its subscription.
type Subscribed struct {
	Device, Name string
	Subscription
}

// Store keeps the key and the subscriptions.
type Store interface {
	// PushKey returns the key, which it makes at the first call.
	PushKey() (string, error)
	// Subscribe keeps a device's subscription; nil: it has none any more.
	Subscribe(device string, s *Subscription) error
	Subscriptions() []Subscribed
}

// Options are what a service needs. All are needed.
type Options struct {
	Store Store
	// Secure: the page is served by TLS. Subject says who sends: the page's own address.
	Secure  bool
	Subject string
	// Watch subscribes to what happens; Requests are the open requests.
	Watch    func() (next func(context.Context) ([]api.WatchMessage, error), stop func())
	Requests func() []api.Request
	Sessions func() []api.Session
	// Looking reports whether a page is visible somewhere.
	Looking func() bool
	// Note records what became of a push, in one line, as an event.
	Note   func(message string)
	Client *http.Client
	Now    func() time.Time
	Logger *slog.Logger
}

// Service tells devices what wants a person. Run tells; the other methods may be called at any time.
type Service struct {
	o       Options
	problem string

	mu   sync.Mutex // guards last
	last *api.WebPush
}

// New returns a service.
func New(o Options) *Service {
	s := &Service{o: o}
	switch err := CheckSubject(o.Subject); {
	case !o.Secure:
		s.problem = "browsers take notifications of pages with TLS alone: set web.tls_cert and web.tls_key (docs/web.md)"
	case err != nil:
		s.problem = err.Error() + ": give the page a certificate of a public name"
	}
	return s
}

// Problem is why nothing can be sent; "" if it can.
func (s *Service) Problem() string { return s.problem }

// Last is what became of the last push; nil while there was none.
func (s *Service) Last() *api.WebPush {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.last
}

// Key is the key by which browsers subscribe.
func (s *Service) Key() (string, error) {
	k, err := s.key()
	if err != nil {
		return "", err
	}
	return k.Public(), nil
}

func (s *Service) key() (Key, error) {
	text, err := s.o.Store.PushKey()
	if err != nil {
		return Key{}, err
	}
	return ParseKey(text)
}

// Subscribe keeps what a browser says.
func (s *Service) Subscribe(device string, data []byte) error {
	if s.problem != "" {
		return api.Errorf(api.CodeConflict, "%s", s.problem)
	}
	sub, err := ParseSubscription(data)
	if err != nil {
		return api.Errorf(api.CodeInvalid, "%s", err.Error())
	}
	return s.o.Store.Subscribe(device, &sub)
}

// Unsubscribe ends a device's subscription.
func (s *Service) Unsubscribe(device string) error { return s.o.Store.Subscribe(device, nil) }

// Subscribed reports whether a device has a subscription.
func (s *Service) Subscribed(device string) bool {
	return slices.ContainsFunc(s.o.Store.Subscriptions(), func(d Subscribed) bool { return d.Device == device })
}

// Test tells one device something, and returns what became of that.
func (s *Service) Test(ctx context.Context, device string) error {
	for _, d := range s.o.Store.Subscriptions() {
		if d.Device == device {
			return s.push(ctx, d, notice{Title: "ccdir", Body: "Notifications work", URL: "/", Tag: "test"})
		}
	}
	return api.Errorf(api.CodeConflict, "this device takes no notifications")
}

// notice is what the service worker shows.
type notice struct {
	Title string `json:"title"`
	Body  string `json:"body"`
	// URL is the page that it opens; a newer notice of the same Tag takes its place.
	URL string `json:"url"`
	Tag string `json:"tag"`
	// news: it is told only if nobody has looked.
	news bool
	// id is the request's or session's.
	id string
	at time.Time
}

// Run tells devices what wants a person, until ctx ends. It does nothing if there is a problem.
func (s *Service) Run(ctx context.Context) {
	if s.problem != "" {
		return
	}
	next, stop := s.o.Watch()
	defer stop()
	group := contain.Group{Log: s.o.Logger}
	defer group.Wait()
	waiting, told := map[string]notice{}, map[string]time.Time{}
	standing := map[string]api.Standing{}
	for ctx.Err() == nil {
		messages, err := s.await(ctx, next, waiting)
		if err != nil {
			return // the daemon stops
		}
		for _, m := range messages {
			s.take(m, waiting, standing)
		}
		for _, n := range s.due(waiting, told) {
			for _, d := range s.o.Store.Subscriptions() {
				group.Go(func() {
					_ = s.push(ctx, d, n) // is an event
				})
			}
		}
	}
}

// await returns the next messages; none: something is due.
func (s *Service) await(ctx context.Context, next func(context.Context) ([]api.WatchMessage, error), waiting map[string]notice) ([]api.WatchMessage, error) {
	wait := ctx
	if len(waiting) > 0 {
		first := s.o.Now().Add(waitTime)
		for _, n := range waiting {
			if n.at.Before(first) {
				first = n.at
			}
		}
		var cancel context.CancelFunc
		wait, cancel = context.WithTimeout(ctx, first.Sub(s.o.Now()))
		defer cancel()
	}
	messages, err := next(wait)
	if err != nil && wait.Err() != nil && ctx.Err() == nil {
		return nil, nil
	}
	return messages, err
}

// take notes what is to be told in a while, and what is not any more.
func (s *Service) take(m api.WatchMessage, waiting map[string]notice, standing map[string]api.Standing) {
	now := s.o.Now()
	if m.Snapshot != nil { // what was so before is told already
		for _, v := range m.Snapshot.Sessions {
			standing[v.ID] = v.Standing(now)
		}
	}
	if r := m.Request; r != nil {
		what := "wants " + r.Tool
		switch r.Kind {
		case api.RequestQuestion:
			what = "asks a question"
		case api.RequestPlan:
			what = "has a plan"
		}
		waiting["r-"+r.ID] = notice{Title: line(r.SessionName + " " + what), Body: line(r.Question), URL: "/approvals/" + url.PathEscape(r.ID), Tag: "r-" + r.ID, id: r.ID, at: now.Add(waitTime)}
	}
	if d := m.RequestEnded; d != nil {
		delete(waiting, "r-"+d.Request.ID)
	}
	if m.Removed != "" {
		delete(waiting, "s-"+m.Removed)
		delete(standing, m.Removed)
	}
	v := m.Session
	if v == nil {
		return
	}
	is, key := v.Standing(now), "s-"+v.ID
	was := standing[v.ID]
	standing[v.ID] = is
	n := notice{Title: line(v.Name + " " + v.StandingWord(now)), Body: line(v.Headline(now)), URL: "/sessions/" + url.PathEscape(v.ID), Tag: key, id: v.ID, at: now.Add(waitTime)}
	switch {
	case is == was:
	case is == api.StandingAsks && v.AnswerInPane, is == api.StandingDone || is == api.StandingFailed:
		n.news = is != api.StandingAsks
		waiting[key] = n
	default:
		delete(waiting, key)
	}
}

// due takes what is to be told now. A request and a question are told as long as they are open; that a
// session is done, unless a page is visible, somebody has looked, or it was told just before.
func (s *Service) due(waiting map[string]notice, told map[string]time.Time) (list []notice) {
	now := s.o.Now()
	for key, n := range waiting {
		if now.Before(n.at) {
			continue
		}
		delete(waiting, key)
		switch {
		case n.news:
			seen := !slices.ContainsFunc(s.o.Sessions(), func(v api.Session) bool { return v.ID == n.id && v.Unread })
			if seen || s.o.Looking() || now.Sub(told[key]) < restTime {
				continue
			}
		case key == "r-"+n.id && !slices.ContainsFunc(s.o.Requests(), func(r api.Request) bool { return r.ID == n.id }):
			continue
		}
		told[key] = now
		list = append(list, n)
	}
	for key, at := range told {
		if now.Sub(at) > restTime {
			delete(told, key)
		}
	}
	return list
}

func line(text string) string { return textsafe.Cut(textsafe.Line(text), maxLine) }

// push tells one device, and notes what became of it.
func (s *Service) push(ctx context.Context, to Subscribed, n notice) error {
	key, err := s.key()
	var text []byte
	if err == nil {
		text, err = json.Marshal(n)
	}
	if err == nil {
		err = Sender{Key: key, Subject: s.o.Subject, Client: s.o.Client, Now: s.o.Now}.Send(ctx, to.Subscription, text, n.Tag, keepTime)
	}
	said := "a notification was sent to " + to.Name + " (" + to.Device + ")"
	if err != nil {
		said = "no notification could be sent to " + to.Name + " (" + to.Device + "): " + err.Error()
	}
	if errors.Is(err, ErrGone) {
		if failed := s.o.Store.Subscribe(to.Device, nil); failed != nil {
			s.o.Logger.Warn("a subscription that has ended is still kept", "error", failed)
		}
	}
	said = textsafe.Line(said)
	s.mu.Lock()
	s.last = &api.WebPush{At: s.o.Now().UTC(), Failed: err != nil, Said: said}
	s.mu.Unlock()
	s.o.Note(said)
	return err
}
