package forge

import (
	"encoding/json"
	"fmt"
	"net/url"
	"strings"

	"ccdir/api"
	"ccdir/internal/text/textsafe"
)

// maxTitle bounds what is kept of a title or a check's name, in bytes.
const maxTitle = 200

// gitHub is gh's description of a pull request. A check is a CheckRun (status, conclusion) or
// a StatusContext (state).
type gitHub struct {
	Number int    `json:"number"`
	URL    string `json:"url"`
	Title  string `json:"title"`
	State  string `json:"state"`
	Draft  bool   `json:"isDraft"`
	Checks []struct {
		Name       string `json:"name"`
		Context    string `json:"context"`
		Status     string `json:"status"`
		Conclusion string `json:"conclusion"`
		State      string `json:"state"`
		URL        string `json:"detailsUrl"`
		Target     string `json:"targetUrl"`
	} `json:"statusCheckRollup"`
}

// parseGitHub reads what gh says.
func parseGitHub(data []byte) (pr api.PullRequest, err error) {
	var g gitHub
	if err := json.Unmarshal(data, &g); err != nil || g.Number <= 0 {
		return pr, fmt.Errorf("gh says nothing that is understood of the pull request")
	}
	pr = api.PullRequest{Number: g.Number, URL: webAddress(g.URL), Title: line(g.Title), State: strings.ToLower(line(g.State)), Draft: g.Draft}
	pending := false
	for _, c := range g.Checks {
		switch outcome := strings.ToUpper(c.Conclusion + c.State); {
		case outcome == "FAILURE", outcome == "ERROR", outcome == "TIMED_OUT", outcome == "STARTUP_FAILURE", outcome == "ACTION_REQUIRED":
			if len(pr.Failing) < maxFailing {
				pr.Failing = append(pr.Failing, api.Check{Name: line(c.Name + c.Context), URL: webAddress(c.URL + c.Target)})
			}
		case outcome == "", outcome == "PENDING", outcome == "EXPECTED", c.Status != "" && strings.ToUpper(c.Status) != "COMPLETED":
			pending = true
		}
	}
	switch {
	case len(pr.Failing) > 0:
		pr.Checks = api.ChecksFailing
	case pending:
		pr.Checks = api.ChecksPending
	case len(g.Checks) > 0:
		pr.Checks = api.ChecksPassing
	}
	return pr, nil
}

// maxFailing bounds the failing checks that are kept.
const maxFailing = 20

// parseGitLab reads what glab says.
func parseGitLab(data []byte) (pr api.PullRequest, err error) {
	var g struct {
		Number   int    `json:"iid"`
		URL      string `json:"web_url"`
		Title    string `json:"title"`
		State    string `json:"state"`
		Draft    bool   `json:"draft"`
		Pipeline struct {
			Status string `json:"status"`
			URL    string `json:"web_url"`
		} `json:"head_pipeline"`
	}
	if err := json.Unmarshal(data, &g); err != nil || g.Number <= 0 {
		return pr, fmt.Errorf("glab says nothing that is understood of the merge request")
	}
	pr = api.PullRequest{Number: g.Number, URL: webAddress(g.URL), Title: line(g.Title), State: strings.ToLower(line(g.State)), Draft: g.Draft}
	if pr.State == "opened" {
		pr.State = "open"
	}
	switch g.Pipeline.Status {
	case "failed":
		pr.Checks = api.ChecksFailing
		pr.Failing = []api.Check{{Name: "pipeline", URL: webAddress(g.Pipeline.URL)}}
	case "success":
		pr.Checks = api.ChecksPassing
	case "":
	default:
		pr.Checks = api.ChecksPending
	}
	return pr, nil
}

func line(text string) string { return textsafe.Cut(textsafe.Line(text), maxTitle) }

// webAddress is an address that can be given to a browser, "" if it is none.
func webAddress(text string) string {
	u, err := url.Parse(text)
	if err != nil || u.Scheme != "https" && u.Scheme != "http" || u.Host == "" || len(text) > 2000 {
		return ""
	}
	return u.String()
}
