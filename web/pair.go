package web

import (
	"errors"
	"net/http"
	"strings"

	"ccdir/api"
	"ccdir/web/devices"
)

// keyTime is how long browsers keep a cookie, in seconds: they allow 400 days at most.
const keyTime = 400 * 24 * 60 * 60

// pairPage asks for a code. A script takes it from the address's fragment, which is not sent.
func (s *server) pairPage(w http.ResponseWriter, c call) error {
	s.render(w, c, http.StatusOK, page{Title: "Pair this browser", Body: "pair"})
	return nil
}

// pair takes a code and gives the browser its key, and its script the secret that the page keeps.
func (s *server) pair(w http.ResponseWriter, c call) error {
	name := strings.TrimSpace(c.PostForm.Get("name"))
	if name == "" {
		name = browserName(c.UserAgent())
	}
	p, err := s.Devices.Pair(c.PostForm.Get("code"), name, c.script())
	switch {
	case errors.Is(err, devices.ErrLocked):
		s.Note("no code for pairing is accepted any more: " + err.Error())
		s.Refused(api.Origin{}, "POST /pair (page)", err.Error())
		return api.Errorf(api.CodeLimit, "%s", err.Error())
	case errors.Is(err, devices.ErrCode), errors.Is(err, devices.ErrMany):
		return api.Errorf(api.CodeForbidden, "%s", err.Error())
	case err != nil:
		return err
	}
	if c.known { // the same browser, with other rights
		if _, err := s.Devices.Revoke(c.device.ID); err != nil {
			s.Logger.Warn("the device that was paired before is still known", "error", err)
		}
	}
	s.Note("the browser " + p.Name + " (" + p.ID + ") was paired with the page: it may " + string(p.Rights))
	http.SetCookie(w, s.cookie(p.Key, keyTime))
	if c.script() {
		sendJSON(w, http.StatusOK, map[string]string{"secret": p.Secret, "next": "/"})
		return nil
	}
	http.Redirect(w, c.Request, "/", http.StatusSeeOther)
	return nil
}

// unpair forgets the device that calls.
func (s *server) unpair(w http.ResponseWriter, c call) error {
	d, err := s.Devices.Revoke(c.device.ID)
	if err != nil {
		return err
	}
	s.Note("the browser " + d.Name + " (" + d.ID + ") has left the page")
	http.SetCookie(w, s.cookie("", -1))
	return s.done(w, c, "This browser is not paired any more", "/pair")
}

// browserName is what a browser calls itself, in two words.
func browserName(agent string) string {
	pick := func(names ...string) string {
		for _, n := range names {
			if strings.Contains(agent, n) {
				return n
			}
		}
		return ""
	}
	browser := pick("Edg", "OPR", "Firefox", "FxiOS", "CriOS", "Chrome", "Safari", "curl")
	switch browser {
	case "Edg":
		browser = "Edge"
	case "OPR":
		browser = "Opera"
	case "FxiOS":
		browser = "Firefox"
	case "CriOS":
		browser = "Chrome"
	}
	system := pick("iPhone", "iPad", "Android", "Windows", "Macintosh", "Linux")
	if system == "Macintosh" {
		system = "Mac"
	}
	return strings.Join(strings.Fields(browser+" "+system), " on ")
}
