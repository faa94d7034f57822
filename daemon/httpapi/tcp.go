package httpapi

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
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

// TCP is what stands before calls over TCP: the address is loopback's, which any
// user and any web page of this machine can reach.
type TCP struct {
	// Address is what is listened to.
	Address net.Addr
	// Token is the secret that callers have to give.
	Token string
	// Origins are the web origins that may call beside the address's own; Rate is
	// how many calls a second are taken. Both are asked for each call.
	Origins func() []string
	Rate    func() int
	// Now is the clock, nil the system's.
	Now func() time.Time
	// Refused is told why calls are refused, a few times a minute at most; it may
	// be nil.
	Refused func(why string)
	Logger  *slog.Logger
}

type remoteKey struct{}

// remote reports whether a call came over TCP.
func remote(ctx context.Context) bool { return ctx.Value(remoteKey{}) != nil }

// OverTCP puts t before the API's handler. Handlers behind it see neither the
// token nor the header that it came in.
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

	refusals *rate.Limiter // of what Refused and the log are told
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
		h.Set("Access-Control-Expose-Headers", "Link, Location, Retry-After")
		h.Add("Vary", "Origin")
		if r.Method == http.MethodOptions && r.Header.Get("Access-Control-Request-Method") != "" {
			h.Set("Access-Control-Allow-Methods", "GET, POST, PUT, DELETE")
			h.Set("Access-Control-Allow-Headers", "Authorization, Content-Type, Last-Event-ID")
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
		answer(w, err.Code.Status(), err)
		return
	}
	g.next.ServeHTTP(w, scrubbed(r))
}

// place checks where a call says that it goes to and comes from; it returns the
// origin of a page that may read the answer.
func (g *tcpGate) place(r *http.Request) (origin string, refusal *api.Error) {
	// A page that has its own name lead here (DNS rebinding) is told by the name.
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

// hosts are the names of the address.
func (g *tcpGate) hosts() []string {
	_, port, _ := net.SplitHostPort(g.Address.String())
	list := []string{strings.ToLower(g.Address.String()), "localhost:" + port}
	if port == "80" {
		list = append(list, "localhost", strings.TrimSuffix(g.Address.String(), ":80"))
	}
	return list
}

// inAddress reports whether a query has the token, or a name that stands for one.
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

// secretParams are names by which clients put tokens into addresses.
var secretParams = []string{"token", "access_token", "api_key", "apikey", "api-key", "key", "auth", "authorization", "bearer", "password", "secret"}

// good compares in constant time.
func (g *tcpGate) good(token string) bool {
	sum := sha256.Sum256([]byte(token))
	return subtle.ConstantTimeCompare(sum[:], g.token[:]) == 1
}

// admit checks the token, how often calls come, and whose connection it is.
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
	return Befriend(r.Context())
}

// tell passes a refusal on, not too often.
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

// givenToken is the token that a call gives: in its header, or, from a browser's
// WebSocket, which cannot set one, as a subprotocol.
func givenToken(r *http.Request) string {
	if scheme, token, ok := strings.Cut(r.Header.Get("Authorization"), " "); ok && strings.EqualFold(scheme, "Bearer") {
		return strings.TrimSpace(token)
	}
	for _, p := range subprotocols(r) {
		if token, ok := strings.CutPrefix(p, api.SubprotocolToken); ok {
			return token
		}
	}
	return ""
}

func subprotocols(r *http.Request) (list []string) {
	for _, line := range r.Header.Values("Sec-WebSocket-Protocol") {
		for p := range strings.SplitSeq(line, ",") {
			list = append(list, strings.TrimSpace(p))
		}
	}
	return list
}

// scrubbed is the call without its token, marked as remote.
func scrubbed(r *http.Request) *http.Request {
	offered := slices.DeleteFunc(subprotocols(r), func(p string) bool { return strings.HasPrefix(p, api.SubprotocolToken) })
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
