package web

import (
	"context"
	"log/slog"
	"net/http"
	"strings"
	"testing"
	"time"

	"ccdir/api"
	"ccdir/web/push"
)

// push is a service whose push service cannot be reached.
func (p *place) push() *push.Service {
	return push.New(push.Options{Store: p.devices, Secure: true, Subject: "https://box.net.ts.net/", Watch: p.Watch, Requests: p.Requests, Sessions: p.Sessions,
		Looking: func() bool { return p.looking.Load() > 0 }, Note: p.note, Client: &http.Client{Transport: refusing{}}, Now: time.Now, Logger: slog.New(slog.DiscardHandler)})
}

type refusing struct{}

func (refusing) RoundTrip(*http.Request) (*http.Response, error) {
	return nil, context.DeadlineExceeded
}

// TestNotifications: a device subscribes with what its browser says, and is told what becomes of a push;
// a visible page counts as one that looks.
func TestNotifications(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	b := p.paired(api.WebSee, true)
	if _, body := b.get("/notifications"); !strings.Contains(body, `data-key="B`) {
		t.Errorf("no key to subscribe by:\n%s", body)
	}
	for _, bad := range []string{"", "{}", `{"endpoint":"https://127.0.0.1/","keys":{}}`} {
		if status, _ := b.send("/notifications", "/notifications", "subscription", bad); status != http.StatusBadRequest {
			t.Errorf("%q: %d", bad, status)
		}
	}
	good := `{"endpoint":"https://push.service.com/x","keys":{"p256dh":"BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4","auth":"BTBZMqHH6r4Tts7J_aSIgg=="}}`
	if status, body := b.send("/notifications", "/notifications", "subscription", good); status != http.StatusOK {
		t.Fatalf("%d %s", status, body)
	}
	if status, body := b.send("/notifications", "/notifications/test"); status < 400 || !strings.Contains(body, "push.service.com cannot be reached") {
		t.Errorf("a push service that is away: %d %s", status, body)
	}
	if _, body := b.get("/notifications"); !strings.Contains(body, "This device is told.") || !strings.Contains(body, "no notification could be sent to tester") {
		t.Errorf("what became of it:\n%s", body)
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	b.stream(ctx, "/live?view=overview")()
	if p.looking.Load() != 1 {
		t.Errorf("%d pages look", p.looking.Load())
	}
	if status, _ := b.send("/notifications", "/notifications/end"); status != http.StatusOK || len(p.devices.Subscriptions()) != 0 {
		t.Errorf("the end: %d", status)
	}
	nobody := &browser{p: p}
	if status, body := nobody.get("/worker.js"); status != http.StatusOK || !strings.Contains(body, "showNotification") {
		t.Errorf("the worker: %d", status)
	}
}
