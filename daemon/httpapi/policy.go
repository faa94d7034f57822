package httpapi

import (
	"cmp"
	"context"
	"math"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"ccdir/api"
)

// Policy has the rules for sessions. client is the person's program that calls; call is
// the zero value for a call without a key.
type Policy interface {
	Session(ctx context.Context, ref string) (api.SessionPolicy, error)
	SetRole(ctx context.Context, ref, role, client string, call api.Call) (api.Session, error)
	AllowInSandbox(ctx context.Context, ref, what, client string, call api.Call) (api.Session, error)
	SetOverride(ctx context.Context, ref string, o *api.Override, client string, call api.Call) (api.Session, error)
	NewRule(ctx context.Context, n api.NewRule) (api.LedgerRow, error)
	Revoke(ctx context.Context, ref, rule, client string, call api.Call) error
}

// Ledger is the record of decisions.
type Ledger interface {
	Decisions(ctx context.Context, f api.LedgerFilter) ([]api.LedgerRow, error)
	SumDecisions(ctx context.Context, session string, since time.Time) (api.LedgerSum, error)
	VerifyDecisions(ctx context.Context, against *api.LedgerHead) (api.LedgerCheck, error)
}

// maxClient bounds the name of a client in the ledger, in bytes: a page's names a device, and a machine.
const maxClient = 96

// clientOf returns the name that the caller's program gives itself: "cli", "tui". It
// proves nothing: any process of the user can send any name.
func clientOf(r *http.Request) string {
	_, name, ok := strings.Cut(r.UserAgent(), "(")
	if !ok {
		name = "api"
	}
	name = strings.TrimSuffix(name, ")")
	if len(name) > maxClient {
		name = name[:maxClient]
	}
	return strings.Map(func(c rune) rune {
		if c < 0x20 || c > 0x7e {
			return '?'
		}
		return c
	}, name)
}

// decisions reads the ledger.
func (s *server) decisions(w http.ResponseWriter, r *http.Request) error {
	q := r.URL.Query()
	f := api.LedgerFilter{Tool: q.Get("tool"), By: q.Get("by"), Decision: q.Get("decision"), Request: q.Get("request")}
	var err error
	if f.Since, err = timeOf(r, "since"); err != nil {
		return err
	}
	if f.Before, err = numberOf(r, "before", 1, math.MaxInt64); err != nil {
		return err
	}
	if f.Limit, err = limitOf(r); err != nil {
		return err
	}
	if f.Session, err = s.decidedOn(r); err != nil {
		return err
	}
	rows, err := s.Ledger.Decisions(r.Context(), f)
	if f.Limit > 0 && len(rows) == f.Limit {
		if first := cmp.Or(rows[0].Seq, rows[0].Event); first > 1 {
			next(w, r, "before", strconv.FormatInt(first, 10))
		}
	}
	return ok(w, rows, err)
}

// decidedOn is the session whose decisions the caller asks for, "" for all. A process inside a
// session is shown those about it.
func (s *server) decidedOn(r *http.Request) (session string, err error) {
	if session, err = s.sessionOf(r); err != nil {
		return "", err
	}
	v := s.viewer(r)
	if session == "" && !v.person {
		session = v.session
	}
	if v.all(session) {
		return session, nil
	}
	o, err := s.originOf(r)
	if err != nil {
		return "", err
	}
	return "", s.refuseInside(r, o, "decisions about other sessions are for the person: `ccdir decisions` lists those about this one")
}

// sumDecisions counts rows of the ledger and calls that nobody was asked about.
func (s *server) sumDecisions(w http.ResponseWriter, r *http.Request) error {
	since, err := timeOf(r, "since")
	if err != nil {
		return err
	}
	session, err := s.decidedOn(r)
	if err != nil {
		return err
	}
	sum, err := s.Ledger.SumDecisions(r.Context(), session, since)
	return ok(w, sum, err)
}

// verifyDecisions recomputes the ledger's chain of hashes, and compares it with a head
// that the caller kept.
func (s *server) verifyDecisions(w http.ResponseWriter, r *http.Request) error {
	var against *api.LedgerHead
	if head := r.URL.Query().Get("head"); head != "" {
		seq, hash, ok := strings.Cut(head, ":")
		n, err := strconv.ParseInt(seq, 10, 64)
		if !ok || err != nil || n < 1 || len(hash) != 64 {
			return api.Errorf(api.CodeInvalid, "a head is NUMBER:HASH as --verify prints it, found %.100q", head)
		}
		against = &api.LedgerHead{Seq: n, Hash: hash}
	}
	check, err := s.Ledger.VerifyDecisions(r.Context(), against)
	return ok(w, check, err)
}

func (s *server) sessionPolicy(w http.ResponseWriter, r *http.Request) error {
	p, err := s.Policy.Session(r.Context(), ref(r))
	return ok(w, p, err)
}

func (s *server) setRole(w http.ResponseWriter, r *http.Request) error {
	var in api.SetRole
	if err := body(w, r, maxBody, &in); err != nil {
		return err
	}
	session, err := s.Policy.SetRole(r.Context(), ref(r), in.Role, clientOf(r), changeOf(r))
	return ok(w, session, err)
}

func (s *server) allowInSandbox(w http.ResponseWriter, r *http.Request) error {
	var in api.AllowInSandbox
	if err := body(w, r, maxBody, &in); err != nil {
		return err
	}
	session, err := s.Policy.AllowInSandbox(r.Context(), ref(r), in.Allow, clientOf(r), changeOf(r))
	return ok(w, session, err)
}

func (s *server) setOverride(w http.ResponseWriter, r *http.Request) error {
	var in api.SetOverride
	if err := body(w, r, maxBody, &in); err != nil {
		return err
	}
	var o *api.Override
	if in.Mode != "" {
		if !slices.Contains(api.OverrideModes(), in.Mode) {
			return api.Errorf(api.CodeInvalid, "no override is called %.40q: there are %v", in.Mode, api.OverrideModes())
		}
		span := time.Duration(in.Seconds) * time.Second
		if span == 0 {
			span = api.DefaultOverride
		}
		if in.Seconds < 0 || span > api.MaxOverride {
			return api.Errorf(api.CodeInvalid, "an override holds for at most %s", api.MaxOverride)
		}
		o = &api.Override{Mode: in.Mode, Until: begunAt(r).UTC().Add(span)}
	}
	session, err := s.Policy.SetOverride(r.Context(), ref(r), o, clientOf(r), changeOf(r))
	return ok(w, session, err)
}

func (s *server) newRule(w http.ResponseWriter, r *http.Request) error {
	var in api.NewRule
	if err := body(w, r, maxBody, &in); err != nil {
		return err
	}
	in.Client, in.Call = clientOf(r), changeOf(r)
	row, err := s.Policy.NewRule(r.Context(), in)
	return ok(w, row, err)
}

func (s *server) revokeRule(w http.ResponseWriter, r *http.Request) error {
	return done(w, removed(r, s.Policy.Revoke(r.Context(), ref(r), r.URL.Query().Get("rule"), clientOf(r), changeOf(r))))
}
