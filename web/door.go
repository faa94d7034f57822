package web

import (
	"context"
	"errors"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"ccdir/api"
	"ccdir/web/devices"
)

const (
	// maxForm bounds the body of a form, in bytes.
	maxForm = 2 << 20
	// maxUpload bounds one with a file.
	maxUpload = 12 << 20
	// headerSecret has the secret that a page's script keeps; a form has it as the field secret.
	headerSecret = "Ccdir-Secret"
)

// policy is the content security policy: nothing of another origin, nothing inline.
const policy = "default-src 'self'; object-src 'none'; base-uri 'none'; frame-ancestors 'none'; form-action 'self'"

// call is one call that the door has let in.
type call struct {
	*http.Request
	// device is that of the cookie, if it is known.
	device devices.Known
	known  bool
	// at is the number of the last event before the call.
	at int64
}

// client is the program that answers, as the ledger names it.
func (c call) client() string { return "page on " + c.device.Name + " (" + c.device.ID + ")" }

// script reports whether a script of the page calls, which takes JSON.
func (c call) script() bool { return strings.HasPrefix(c.Header.Get("Accept"), "application/json") }

// ServeHTTP checks a call and passes it to its route.
func (s *server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h.Set("Content-Security-Policy", policy)
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("X-Frame-Options", "DENY")
	h.Set("Referrer-Policy", "same-origin")
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
	h.Set("Permissions-Policy", "camera=(), microphone=(), geolocation=()")
	h.Set("Cache-Control", "no-store")
	c := call{Request: r}
	c.device, c.known = s.deviceOf(r)
	if err := s.admit(w, c); err != nil {
		s.Access.Dismiss(w)
		s.fail(w, c, err)
		return
	}
	if c.known {
		c.at = s.Log.Server().EventSeq
		s.Nodes.Look()
	}
	s.mux.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), callKey{}, c)))
}

// callKey is the key of the call in the context of a request.
type callKey struct{}

// admit checks what holds for every address: rate, host and origin, and the process that calls.
func (s *server) admit(w http.ResponseWriter, c call) error {
	if err := s.Access.Admit(w.Header(), c.known); err != nil {
		return err
	}
	if err := s.place(c.Request); err != nil {
		return err
	}
	if !public(c.URL.Path) { // to look for the process takes milliseconds
		looks := c.Method == http.MethodGet || c.Method == http.MethodHead
		if err := s.person(c.Request, looks); err != nil {
			return err
		}
	}
	if c.known {
		if err := s.Access.Known(c.Context()); err != nil {
			return err
		}
	}
	return nil
}

// public reports whether an address is that of a file that everybody may have: styles, script, icons.
func public(path string) bool {
	return strings.HasPrefix(path, "/assets/") || path == "/manifest.webmanifest" || path == "/worker.js"
}

// enter is the handler of a route: it checks the device's rights, and what a form proves.
func (s *server) enter(route route) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		c, _ := r.Context().Value(callKey{}).(call)
		c.Request = r
		err := s.permitted(w, c, route)
		if err == nil {
			err = route.handle(s, w, c)
		}
		if err != nil {
			s.fail(w, c, err)
		}
	}
}

func (s *server) permitted(w http.ResponseWriter, c call, route route) error {
	switch {
	case route.rights == "":
	case !c.known:
		return errUnpaired
	case !c.device.Rights.Has(route.rights):
		return api.Errorf(api.CodeForbidden, "this device may %s; this needs one that may %s: pair it again (`ccdir web pair --rights %[2]s`)", c.device.Rights, route.rights)
	}
	if route.method != http.MethodPost {
		return nil
	}
	return s.form(w, c, route.rights != "")
}

// errUnpaired: no cookie of a paired device.
var errUnpaired error = api.Errorf(api.CodeUnauthorized, "this browser is not paired: run `ccdir web pair` where ccdir runs, and open what it prints")

// deviceOf returns the device whose cookie a call has.
func (s *server) deviceOf(r *http.Request) (devices.Known, bool) {
	cookie, err := r.Cookie(s.cookieName())
	if err != nil {
		return devices.Known{}, false
	}
	return s.Devices.Lookup(cookie.Value)
}

// cookieName differs between installations: cookies are shared by all ports of a host.
func (s *server) cookieName() string {
	if s.Secure {
		return "__Host-ccdir-" + s.Devices.Name()
	}
	return "ccdir-" + s.Devices.Name()
}

// cookie is the cookie of a device; maxAge below 0 removes it.
func (s *server) cookie(key string, maxAge int) *http.Cookie {
	return &http.Cookie{Name: s.cookieName(), Value: key, Path: "/", MaxAge: maxAge, HttpOnly: true, Secure: s.Secure, SameSite: http.SameSiteStrictMode}
}

// errElsewhere: a link of another site leads here. It has no cookie (SameSite), so a click is needed.
var errElsewhere = errors.New("a link of another site")

// errEarly: a form was sent before the script of its page had come, and so without the secret. Its
// page's script sends it again.
var errEarly = errors.New("a form without the secret that its page keeps")

// place checks by which name and from which page a call comes.
func (s *server) place(r *http.Request) error {
	host := strings.ToLower(r.Host)
	name := host
	if n, _, err := net.SplitHostPort(host); err == nil {
		name = n
	}
	name = strings.Trim(name, "[]")
	// DNS rebinding: a page whose own name resolves to this address sends that name.
	if !s.Host(name) {
		return api.Errorf(api.CodeForbidden, "the page is not served by the name %.100q: open the address that `ccdir web` prints", r.Host)
	}
	origin, site := r.Header.Get("Origin"), r.Header.Get("Sec-Fetch-Site")
	if origin != "" {
		u, err := url.Parse(origin)
		scheme := "http"
		if s.Secure {
			scheme = "https"
		}
		if err != nil || u.Scheme != scheme || !strings.EqualFold(u.Host, r.Host) {
			return api.Errorf(api.CodeForbidden, "pages of %.100q may not call", origin)
		}
	}
	changes := r.Method != http.MethodGet && r.Method != http.MethodHead
	switch site {
	case "same-origin":
		return nil
	case "", "none":
		if changes && origin == "" {
			return api.Errorf(api.CodeForbidden, "a form must come from the page itself: its Origin is missing")
		}
		return nil
	}
	if !changes && r.Header.Get("Sec-Fetch-Mode") == "navigate" && r.Header.Get("Sec-Fetch-Dest") == "document" {
		return errElsewhere
	}
	return api.Errorf(api.CodeForbidden, "pages of other sites may not call")
}

// person refuses calls of processes inside sessions, and of processes of this machine that cannot be
// told: with each call that changes something, with others (looks) once for their connection. What comes from another machine is not looked at: there the device's key decides.
func (s *server) person(r *http.Request, looks bool) error {
	if !fromHere(r.Context(), r.RemoteAddr) {
		return nil
	}
	what := r.Method + " " + r.URL.Path + " (page)"
	o, err := s.Access.Caller(r.Context(), looks)
	switch {
	case err != nil:
		s.Refused(api.Origin{}, what, err.Error())
		return err
	case o.Inside:
		s.Refused(o, what, "the page is for the person alone ("+o.Why+")")
		return api.Errorf(api.CodeForbidden, "this process runs inside a session of ccdir: the page is for the person alone")
	}
	return nil
}

// fromHere reports whether the other end of a connection is on this machine: a loopback address, or
// the very address by which it was called.
func fromHere(ctx context.Context, remote string) bool {
	host, _, err := net.SplitHostPort(remote)
	ip := net.ParseIP(host)
	if err != nil || ip == nil || ip.IsLoopback() {
		return true // if it cannot be told, look
	}
	if local, ok := ctx.Value(http.LocalAddrContextKey).(*net.TCPAddr); ok && local.IP.Equal(ip) {
		return true
	}
	own, err := net.InterfaceAddrs()
	return err != nil || slices.ContainsFunc(own, func(a net.Addr) bool {
		n, ok := a.(*net.IPNet)
		return ok && n.IP.Equal(ip)
	})
}

// form reads the form of a call that changes something, and checks what it proves.
func (s *server) form(w http.ResponseWriter, c call, device bool) error {
	most, parse := int64(maxForm), c.ParseForm
	if kind, _, _ := strings.Cut(c.Header.Get("Content-Type"), ";"); kind == "multipart/form-data" && c.device.Rights.Has(api.WebType) {
		most, parse = maxUpload, func() error { return c.ParseMultipartForm(maxUpload) } // nothing goes to the disk
	}
	c.Body = http.MaxBytesReader(w, c.Body, most)
	if err := parse(); err != nil {
		return api.Errorf(api.CodeInvalid, "the form cannot be read, or is larger than %d bytes", most)
	}
	if !device {
		return nil
	}
	secret := c.Header.Get(headerSecret)
	if secret == "" {
		secret = c.PostForm.Get("secret")
	}
	token := c.PostForm.Get("token")
	if secret == "" && !c.script() && c.device.Made(token) && !c.device.Proves(token, "") {
		return errEarly
	}
	if !c.device.Proves(token, secret) {
		return api.Errorf(api.CodeForbidden, "this form is not of a page of this device: open the page again. A device that was paired with script needs script to change something")
	}
	return nil
}
