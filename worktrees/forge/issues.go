package forge

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
)

// maxIssues bounds a list of issues.
const maxIssues = 50

// Listed is an issue in a list, without its text.
type Listed struct {
	Number int
	Title  string
	URL    string
}

// Issues lists open issues that have a label and match a query in the forge's own words; "" selects all.
func (f *Forge) Issues(ctx context.Context, label, query string) ([]Listed, error) {
	args := []string{"issue", "list", "--state=open", fmt.Sprintf("--limit=%d", maxIssues), "--json=number,title,url"}
	if f.gitlab {
		args = []string{"issue", "list", "--output=json", fmt.Sprintf("--per-page=%d", maxIssues)}
	}
	if label != "" {
		args = append(args, "--label="+label)
	}
	if query != "" {
		args = append(args, "--search="+query)
	}
	out, err := f.run(ctx, nil, args...)
	if err != nil {
		return nil, err
	}
	return parseIssues(out)
}

// parseIssues reads a list of either program. What has no number or no address of the web is left out.
func parseIssues(out []byte) (list []Listed, err error) {
	if len(strings.TrimSpace(string(out))) == 0 { // glab says nothing of none
		return nil, nil
	}
	var all []struct {
		Number int    `json:"number"`
		IID    int    `json:"iid"`
		Title  string `json:"title"`
		URL    string `json:"url"`
		WebURL string `json:"web_url"`
	}
	if err := json.Unmarshal(out, &all); err != nil {
		return nil, fmt.Errorf("the list of issues cannot be read: %w", err)
	}
	for _, i := range all {
		one := Listed{Number: max(i.Number, i.IID), Title: line(i.Title), URL: webAddress(i.URL)}
		if one.URL == "" {
			one.URL = webAddress(i.WebURL)
		}
		if one.Number > 0 && one.URL != "" && len(list) < maxIssues {
			list = append(list, one)
		}
	}
	return list, nil
}

// Public reports whether anybody can write issues there; also where the forge does not say.
func (f *Forge) Public(ctx context.Context) (bool, error) {
	args := []string{"repo", "view", "--json=visibility"}
	if f.gitlab {
		args = []string{"repo", "view", "--output=json"}
	}
	out, err := f.run(ctx, nil, args...)
	if err != nil {
		return true, err
	}
	var answer struct {
		Visibility string `json:"visibility"`
	}
	if err := json.Unmarshal(out, &answer); err != nil {
		return true, fmt.Errorf("%s does not say whether the repository is public: %w", f.name(), err)
	}
	visibility := strings.ToLower(answer.Visibility)
	return visibility != "private" && visibility != "internal", nil
}

// Comment writes a comment to an issue.
func (f *Forge) Comment(ctx context.Context, number int, text string) error {
	if f.gitlab {
		_, err := f.run(ctx, nil, "issue", "note", strconv.Itoa(number), "--message="+text)
		return err
	}
	_, err := f.run(ctx, []byte(text), "issue", "comment", strconv.Itoa(number), "--body-file=-")
	return err
}

// Label adds a label to an issue.
func (f *Forge) Label(ctx context.Context, number int, label string) error {
	if f.gitlab {
		_, err := f.run(ctx, nil, "issue", "update", strconv.Itoa(number), "--label="+label)
		return err
	}
	_, err := f.run(ctx, nil, "issue", "edit", strconv.Itoa(number), "--add-label="+label)
	return err
}
