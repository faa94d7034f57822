package access

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"encoding/json"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"golang.org/x/time/rate"

	"ccdir/api"
)

// TCP has the checks of calls over TCP. Any user and any web page of this machine can reach
// a loopback address.
type TCP struct {
	// Address is the listener's.
	Address net.Addr
	// Token is the secret that callers have to send.
	Token string
	// Origins are the web origins that may call besides the address's own; Rate is the
	// limit of calls per second. Both are called for each call.
	Origins func() []string
	Rate    func() int
	// Now is the clock, nil the system's.
	Now func() time.Time
	// Refused is called with the reasons of refusals, a few times a minute at most; may be
	// nil.
	Refused func(why string)
	Logger  *slog.Logger
}

type remoteKey struct{}

// Remote reports whether a call came over TCP.
func Remote(ctx context.Context) bool { return ctx.Value(remoteKey{}) != nil }

// OverTCP puts the checks of t before the API's handler, and removes the token from calls.
func OverTCP(next http.Handler, t TCP) http.Handler {
	if t.Now == nil {
		t.Now = time.Now
	}
	return &tcpGate{TCP: t, next: next, token: sha256.Sum256([]byte(t.Token)), refusals: rate.NewLimiter(0.1, 5)}
}

type tcpGate struct {
	TCP
	next  http.Handler
	token [sha256.Size]byte

	calls Rates

	refusals *rate.Limiter // of calls of Refused, and of lines in the log
}

// ServeHTTP checks a call and passes it on.
func (g *tcpGate) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Cache-Control", "no-store")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
	origin, err := g.place(r)
	if err == nil && origin != "" {
		h.Set("Access-Control-Allow-Origin", origin)
		h.Set("Access-Control-Expose-Headers", "ETag, Idempotency-Replayed, Link, Location, Retry-After")
		h.Add("Vary", "Origin")
		if r.Method == http.MethodOptions && r.Header.Get("Access-Control-Request-Method") != "" {
			h.Set("Access-Control-Allow-Methods", "GET, POST, PUT, DELETE")
			h.Set("Access-Control-Allow-Headers", "Authorization, Content-Type, Idempotency-Key, If-Match, Last-Event-ID")
			h.Set("Access-Control-Max-Age", "600")
			w.WriteHeader(http.StatusNoContent)
			return
		}
	}
	if err == nil {
		err = g.admit(h, r)
	}
	if err != nil {
		g.tell(err.Message)
		Dismiss(w)
		refuse(w, err)
		return
	}
	g.next.ServeHTTP(w, scrubbed(r))
}

// refuse answers with an error.
func refuse(w http.ResponseWriter, e *api.Error) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(e.Code.Status())
	_ = json.NewEncoder(w).Encode(e) // the client is gone if this fails
}

// place checks the headers Host and Origin. It returns the origin of a page that may read
// the answer; "" for other callers.
func (g *tcpGate) place(r *http.Request) (origin string, refusal *api.Error) {
	// DNS rebinding: a page whose own name resolves to this address sends that name.
	if !slices.Contains(g.hosts(), strings.ToLower(r.Host)) {
		return "", api.Errorf(api.CodeForbidden, "calls go to %s, and not to the host %.100q", g.Address, r.Host)
	}
	if g.inAddress(r.URL.Query()) {
		return "", api.Errorf(api.CodeInvalid, "a token does not belong into an address, where logs keep it: send Authorization: Bearer")
	}
	if site := r.Header.Get("Sec-Fetch-Site"); r.Header.Get("Origin") == "" && site != "" && site != "same-origin" && site != "none" {
		return "", api.Errorf(api.CodeForbidden, "pages of other sites may not call: add the page's origin to api.origins")
	}
	origin = r.Header.Get("Origin")
	if origin == "" {
		return "", nil
	}
	if u, err := url.Parse(origin); err == nil && u.Scheme == "http" && strings.EqualFold(u.Host, r.Host) {
		return origin, nil
	}
	if !slices.Contains(g.Origins(), origin) {
		return "", api.Errorf(api.CodeForbidden, "pages of %.100q may not call: add it to api.origins", origin)
	}
	return origin, nil
}

// hosts returns the names by which the address may be called.
func (g *tcpGate) hosts() []string {
	_, port, _ := net.SplitHostPort(g.Address.String())
	list := []string{strings.ToLower(g.Address.String()), "localhost:" + port}
	if port == "80" {
		list = append(list, "localhost", strings.TrimSuffix(g.Address.String(), ":80"))
	}
	return list
}

// inAddress reports whether a query has the token, or a parameter named like one.
func (g *tcpGate) inAddress(query url.Values) bool {
	found := false
	for name, values := range query {
		found = found || slices.Contains(secretParams, strings.ToLower(name))
		for _, v := range values {
			found = found || g.good(v)
		}
	}
	return found
}

// secretParams are names of parameters that usually hold tokens.
var secretParams = []string{"token", "access_token", "api_key", "apikey", "api-key", "key", "auth", "authorization", "bearer", "password", "secret"}

// good compares in constant time.
func (g *tcpGate) good(token string) bool {
	sum := sha256.Sum256([]byte(token))
	return subtle.ConstantTimeCompare(sum[:], g.token[:]) == 1
}

// admit checks the token, the rate limits, and the user of the connection, and gives the
// connection its place.
func (g *tcpGate) admit(h http.Header, r *http.Request) *api.Error {
	good := g.good(givenToken(r))
	if err := g.calls.Admit(h, good, g.Rate(), g.Now()); err != nil {
		return err
	}
	if !good {
		h.Set("WWW-Authenticate", `Bearer realm="ccdir"`)
		return api.Errorf(api.CodeUnauthorized, "no token, or a wrong one: send Authorization: Bearer with what `ccdir api token` prints")
	}
	if err := OtherUser(r.Context()); err != nil {
		return err
	}
	return Authenticated(r.Context())
}

// tell logs a refusal and calls Refused, within a rate limit.
func (g *tcpGate) tell(why string) {
	if !g.refusals.AllowN(g.Now(), 1) {
		return
	}
	if g.Logger != nil {
		g.Logger.Warn("a call over TCP was refused", "why", why)
	}
	if g.Refused != nil {
		g.Refused(why)
	}
}

// givenToken returns the token of a call: from its header, or from a subprotocol, since a
// browser's WebSocket cannot set the header.
func givenToken(r *http.Request) string {
	if scheme, token, ok := strings.Cut(r.Header.Get("Authorization"), " "); ok && strings.EqualFold(scheme, "Bearer") {
		return strings.TrimSpace(token)
	}
	for _, p := range Subprotocols(r) {
		if token, ok := strings.CutPrefix(p, api.SubprotocolToken); ok {
			return token
		}
	}
	return ""
}

// Subprotocols returns the protocols that a WebSocket call offers.
func Subprotocols(r *http.Request) (list []string) {
	for _, line := range r.Header.Values("Sec-WebSocket-Protocol") {
		for p := range strings.SplitSeq(line, ",") {
			list = append(list, strings.TrimSpace(p))
		}
	}
	return list
}

// scrubbed returns the call without its token, marked as remote.
func scrubbed(r *http.Request) *http.Request {
	offered := slices.DeleteFunc(Subprotocols(r), func(p string) bool { return strings.HasPrefix(p, api.SubprotocolToken) })
	r = r.WithContext(context.WithValue(r.Context(), remoteKey{}, true))
	r.Header = r.Header.Clone()
	r.Header.Del("Authorization")
	r.Header.Del("Sec-WebSocket-Protocol")
	if len(offered) > 0 {
		r.Header.Set("Sec-WebSocket-Protocol", strings.Join(offered, ", "))
	}
	return r
}

// NewToken makes a token from random bytes.
func NewToken(random []byte) string { return hex.EncodeToString(random) }
