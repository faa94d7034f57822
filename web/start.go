package web

import (
	"crypto/rand"
	"net/http"
	"net/url"
	"path"
	"strings"

	"ccdir/api"
)

// sessionPath is the address of a session's page.
func sessionPath(id string) string { return "/sessions/" + url.PathEscape(id) }

// confirm is the second step before something that interrupts an agent.
type confirm struct {
	Title, Button string
	// Action is where the form goes, Back the page to return to.
	Action, Back string
	Words        []string
}

func (s *server) endPage(w http.ResponseWriter, c call) error {
	return s.confirmed(w, c, "end", "End", "Its agent is asked to end. The conversation stays, and it can be started again.")
}

func (s *server) restartPage(w http.ResponseWriter, c call) error {
	return s.confirmed(w, c, "restart", "Start again", "Its process is ended if it runs, and a new one goes on in the same conversation. What the agent does at the moment is interrupted.")
}

// confirmed asks whether something shall be done to a session.
func (s *server) confirmed(w http.ResponseWriter, c call, what, button, words string) error {
	v, err := s.Sessions.Get(c.Context(), c.PathValue("id"))
	if err != nil {
		return err
	}
	name := short(v.Name, maxHeadline)
	d := confirm{Title: button + ": " + name + "?", Button: button + " " + name, Action: sessionPath(v.ID) + "/" + what, Back: sessionPath(v.ID), Words: []string{words, short(v.StandingWord(s.Now()), maxHeadline)}}
	if line := v.Headline(s.Now()); line != "" {
		d.Words = append(d.Words, short(line, maxHeadline))
	}
	s.render(w, c, http.StatusOK, page{Title: d.Title, Nav: "sessions", Body: "confirm", Data: d})
	return nil
}

// end ends a session, restart starts one again.
func (s *server) end(w http.ResponseWriter, c call) error {
	v, err := s.Sessions.Kill(c.Context(), c.PathValue("id"), api.Kill{})
	if err != nil {
		return err
	}
	return s.done(w, c, "Ended: "+short(v.Name, maxHeadline), sessionPath(v.ID))
}

func (s *server) restart(w http.ResponseWriter, c call) error {
	v, err := s.Sessions.Restart(c.Context(), c.PathValue("id"))
	if err != nil {
		return err
	}
	return s.done(w, c, "Started again: "+short(v.Name, maxHeadline), sessionPath(v.ID))
}

// newSession is what the page of a new session offers.
type newSession struct {
	Node     string
	Machines []machine
	Agents   []api.AgentInfo
	Dirs     []api.Directory
	// Request names the session: sent twice, it is started once.
	Request string
}

func (s *server) newPage(w http.ResponseWriter, c call) error {
	d := newSession{Node: c.URL.Query().Get("node"), Machines: s.machines(c), Request: rand.Text()}
	var err error
	if d.Agents, d.Dirs, err = s.Sessions.Offers(c.Context(), d.Node); err != nil {
		return err
	}
	s.render(w, c, http.StatusOK, page{Title: "New session", Nav: "sessions", Body: "new", Data: d})
	return nil
}

// create starts a session of an agent. The page names it, so that one that is asked for twice is
// started once.
func (s *server) create(w http.ResponseWriter, c call) error {
	f := c.PostForm
	text, err := promptOf(f)
	if err != nil {
		return err
	}
	n := api.NewSession{Node: f.Get("node"), Agent: f.Get("agent"), CWD: strings.TrimSpace(f.Get("cwd")), Worktree: strings.TrimSpace(f.Get("worktree")),
		Model: strings.TrimSpace(f.Get("model")), Name: strings.TrimSpace(f.Get("name")), Prompt: text}
	if n.Request, err = s.requestOf(c); err != nil {
		return err
	}
	if !path.IsAbs(n.CWD) {
		return api.Errorf(api.CodeInvalid, "the directory must begin with a slash, found %.100q", n.CWD)
	}
	v, err := s.Sessions.Create(c.Context(), n)
	if err != nil {
		return err
	}
	return s.done(w, c, "Started: "+short(v.Name, maxHeadline), sessionPath(v.ID))
}

// requestOf is the id of what a form makes, of its device: sent twice, it is made once. "" if the form
// has none.
func (s *server) requestOf(c call) (string, error) {
	id := c.PostForm.Get("id")
	switch {
	case id == "":
		return "", nil
	case len(id) > 64:
		return "", api.Errorf(api.CodeInvalid, "the form's id is too long: open the page again")
	}
	return "page-" + c.device.ID + "-" + id, nil
}

// promptOf is the text of a form, with the line ends of a prompt.
func promptOf(f url.Values) (string, error) {
	text := strings.TrimSpace(strings.ReplaceAll(f.Get("text"), "\r\n", "\n"))
	if len(text) > maxPrompt {
		return "", api.Errorf(api.CodeTooLarge, "the prompt has more than %d KiB: put the text into a file, and name that", maxPrompt>>10)
	}
	return text, nil
}
