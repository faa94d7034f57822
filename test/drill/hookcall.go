package drill

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"

	"ccdir/api"
)

// HookCall is a hook call that is made here, without the process that an agent starts
// for each: that process would not report whether the daemon has accepted the call.
type HookCall struct {
	Session, Token string
	// Hook is its name. ID is the idempotency key: a call with a known ID is accepted
	// once.
	Hook, ID string
	Payload  string // JSON, as the agent writes it
}

// HookTransport connects to the daemon at socket, with at most conns connections at a
// time. The caller closes idle ones.
func HookTransport(socket string, conns int) *http.Transport {
	return &http.Transport{MaxConnsPerHost: conns, MaxIdleConnsPerHost: conns,
		DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
			return (&net.Dialer{}).DialContext(ctx, "unix", socket)
		}}
}

// Post makes the call; nil means that the daemon has acknowledged it.
func (h HookCall) Post(ctx context.Context, transport http.RoundTripper) error {
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://ccdir/v1/hook", strings.NewReader(h.Payload))
	if err != nil {
		return err
	}
	r.Header.Set(api.HeaderSession, h.Session)
	r.Header.Set(api.HeaderToken, h.Token)
	r.Header.Set(api.HeaderHook, h.Hook)
	r.Header.Set(api.HeaderHookID, h.ID)
	resp, err := transport.RoundTrip(r)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	answer, err := io.ReadAll(resp.Body)
	if err == nil && resp.StatusCode != http.StatusOK {
		err = fmt.Errorf("status %d: %.200s", resp.StatusCode, answer)
	}
	return err
}
