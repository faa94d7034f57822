package httpapi

import (
	"net/http"
	"slices"

	"ccdir/api"
)

// Web is the page in the browser.
type Web interface {
	State() api.Web
	// Set turns the page on or off; an error says why it cannot be served, with what to do.
	Set(on bool) (api.Web, error)
	// Code makes a code by which one device can pair; it fails while the page is off.
	Code(rights api.WebRights) (api.WebCode, error)
	Devices() ([]api.WebDevice, error)
	// Revoke forgets a device: its id, a unique prefix of one, or its name.
	Revoke(ref string) (api.WebDevice, error)
}

func webRoutes() []route {
	return []route{
		{method: "GET", path: "/v1/web", name: "web.get", doc: "Whether the page is served, and where", out: api.Web{}, local: true, handle: (*server).web},
		{method: "PUT", path: "/v1/web", name: "web.set", doc: "Turn the page on or off", in: api.SetWeb{}, required: []string{"on"}, out: api.Web{}, local: true, handle: (*server).setWeb},
		{method: "POST", path: "/v1/web/codes", name: "web.pair", doc: "Make a code by which one device can pair, within a minute", in: api.NewWebCode{}, out: api.WebCode{}, local: true, kind: raw,
			more: "Takes no idempotency key: its answer is secret, and is kept nowhere.", handle: (*server).webCode},
		{method: "GET", path: "/v1/web/devices", name: "web.devices", doc: "The devices that are paired, oldest first", out: []api.WebDevice{}, local: true, handle: (*server).webDevices},
		{method: "DELETE", path: "/v1/web/devices/{ref}", name: "web.revoke", doc: "Forget a device: its id, a unique prefix of one, or its name", out: api.WebDevice{}, local: true, handle: (*server).revokeDevice},
	}
}

func (s *server) web(w http.ResponseWriter, _ *http.Request) error { return ok(w, s.Web.State(), nil) }

func (s *server) setWeb(w http.ResponseWriter, r *http.Request) error {
	var in api.SetWeb
	if err := body(w, r, maxBody, &in); err != nil {
		return err
	}
	state, err := s.Web.Set(in.On)
	return ok(w, state, err)
}

func (s *server) webCode(w http.ResponseWriter, r *http.Request) error {
	in := api.NewWebCode{Rights: api.WebApprove}
	if err := body(w, r, maxBody, &in); err != nil {
		return err
	}
	if !slices.Contains(api.AllWebRights(), in.Rights) {
		return api.Errorf(api.CodeInvalid, "rights are see, approve or type, found %.40q", in.Rights)
	}
	code, err := s.Web.Code(in.Rights)
	return ok(w, code, err)
}

func (s *server) webDevices(w http.ResponseWriter, _ *http.Request) error {
	list, err := s.Web.Devices()
	return ok(w, list, err)
}

func (s *server) revokeDevice(w http.ResponseWriter, r *http.Request) error {
	gone, err := s.Web.Revoke(ref(r))
	return ok(w, gone, err)
}
