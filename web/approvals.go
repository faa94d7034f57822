package web

import (
	"context"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"ccdir/api"
)

// approvalBlocks are the open requests, oldest first; with id that one alone, or what became of it.
func (s *server) approvalBlocks(ctx context.Context, c call, id string) ([]block, error) {
	var list []block
	for _, q := range s.Approvals.Requests() {
		if id != "" && q.ID != id {
			continue
		}
		b, err := blockOf("r-"+q.ID, "asked", s.withForm(c, askedOf(q, s.sessionOf(ctx, q.Session))))
		if err != nil {
			return nil, err
		}
		list = append(list, b)
	}
	if len(list) > 0 {
		return list, nil
	}
	var rows []api.LedgerRow
	if id != "" {
		var err error
		if rows, err = s.Ledger.Decisions(ctx, api.LedgerFilter{Request: id, Limit: rowsOfRequest}); err != nil {
			return nil, err
		}
	}
	b, err := blockOf("none", "noasks", map[string]any{"ID": id, "Rows": rows})
	return []block{b}, err
}

// rowsOfRequest bounds the rows of the ledger that are shown of one request.
const rowsOfRequest = 10

// withForm is a request with what its form needs.
func (s *server) withForm(c call, a asked) map[string]any {
	return map[string]any{"A": a, "Token": c.device.Token, "May": c.device.Rights.Has(api.WebApprove)}
}

func (s *server) approvals(w http.ResponseWriter, c call) error {
	blocks, err := s.approvalBlocks(c.Context(), c, "")
	if err != nil {
		return err
	}
	s.render(w, c, http.StatusOK, page{Title: "Approvals", Nav: "approvals", Body: "approvals", Live: liveAddress(c, "approvals"), Data: blocks})
	return nil
}

func (s *server) approval(w http.ResponseWriter, c call) error {
	blocks, err := s.approvalBlocks(c.Context(), c, c.PathValue("id"))
	if err != nil {
		return err
	}
	s.render(w, c, http.StatusOK, page{Title: "Approval", Nav: "approvals", Body: "approvals", Live: liveAddress(c, "approval"), Data: blocks})
	return nil
}

// open returns an open request by its whole id.
func (s *server) open(ctx context.Context, id string) (asked, error) {
	list := s.Approvals.Requests()
	i := slices.IndexFunc(list, func(q api.Request) bool { return q.ID == id })
	if i >= 0 {
		return askedOf(list[i], s.sessionOf(ctx, list[i].Session)), nil
	}
	rows, err := s.Ledger.Decisions(ctx, api.LedgerFilter{Request: id, Limit: rowsOfRequest})
	if err == nil && len(rows) > 0 {
		row := rows[len(rows)-1]
		how := endWords(row)
		return asked{}, api.Errorf(api.CodeConflict, "this request is not open any more: %s", how)
	}
	return asked{}, api.Errorf(api.CodeNotFound, "this request is not open any more: it was answered elsewhere, or its agent goes on without an answer")
}

// endWords says how a request ended.
func endWords(row api.LedgerRow) string {
	words := string(row.Outcome)
	if row.Outcome == api.OutcomeAnswered {
		words = map[string]string{api.EffectAllow: "it was allowed", api.EffectDeny: "it was denied"}[row.Decision]
		if by := strings.TrimSpace(row.By + " " + row.Client); by != "" {
			words += " by " + short(by, maxHeadline)
		}
	}
	if row.Reason != "" {
		words += " (" + short(row.Reason, maxHeadline) + ")"
	}
	return words
}

// alwaysPage is the second step before a rule is written: it shows the rule and where it will stand.
func (s *server) alwaysPage(w http.ResponseWriter, c call) error {
	a, err := s.open(c.Context(), c.PathValue("id"))
	if err != nil {
		return err
	}
	if !a.Always {
		return api.Errorf(api.CodeConflict, "no rule is narrow enough to allow this always: allow it once")
	}
	s.render(w, c, http.StatusOK, page{Title: "Always allow", Nav: "approvals", Body: "always", Data: a})
	return nil
}

// always makes an approval last, by the rule and for the scope that the form names by their places.
func always(q asked, form url.Values, a *api.Answer) (err error) {
	rules := q.AlwaysRules
	if len(rules) == 0 {
		rules = []string{q.AlwaysRule}
	}
	scopes := make([]string, 0, len(q.Scopes))
	for _, s := range q.Scopes {
		scopes = append(scopes, s.Scope)
	}
	a.Always = true
	if a.Rule, err = pick(rules, form.Get("rule")); err == nil {
		a.Scope, err = pick(scopes, form.Get("scope"))
	}
	return err
}

// pick returns the element of a list that a field names by its place.
func pick(list []string, field string) (string, error) {
	for i, v := range list {
		if field == fieldName(i) {
			return v, nil
		}
	}
	return "", api.Errorf(api.CodeInvalid, "the answer names a choice that is not there: open the page again")
}

// answer answers a request.
func (s *server) answer(w http.ResponseWriter, c call) error {
	q, err := s.open(c.Context(), c.PathValue("id"))
	if err != nil {
		return err
	}
	f := c.PostForm
	a := api.Answer{Behavior: api.AnswerBehavior(f.Get("behavior")), Client: c.client()}
	words := strings.TrimSpace(strings.ReplaceAll(f.Get("message"), "\r\n", "\n"))
	switch a.Behavior {
	case api.AnswerDeny:
		a.Message = words
	case api.AnswerAllow:
		if words != "" {
			return api.Errorf(api.CodeInvalid, "words go to the agent with a refusal only: deny it with them, or remove them and allow it")
		}
		if q.Kind == api.RequestQuestion {
			if a.Text, err = textOf(q.Asks, f); err != nil {
				return err
			}
		}
		if q.Kind == api.RequestPlan && len(q.Modes) > 0 {
			if a.Mode, err = pick(q.Modes, f.Get("mode")); err != nil {
				return err
			}
		}
		if f.Get("always") != "" {
			if err := always(q, f, &a); err != nil {
				return err
			}
		}
	default:
		return api.Errorf(api.CodeInvalid, "say whether it is allowed or denied")
	}
	d, err := s.Approvals.Answer(q.ID, api.ByPerson, a)
	if err != nil {
		return err
	}
	s.noteFar(c, q.ID, "answered ("+string(a.Behavior)+") the request")
	word := "Allowed"
	if d.Answer != nil && d.Answer.Behavior == api.AnswerDeny {
		word = "Denied"
	}
	if q.Kind == api.RequestQuestion && word == "Allowed" {
		word = "Answered"
	}
	return s.done(w, c, word+": "+q.Tool+" of "+q.Name, "/approvals/"+url.PathEscape(q.ID))
}
