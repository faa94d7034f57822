package web

import (
	"bytes"
	"embed"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"html/template"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"ccdir/api"
	"ccdir/internal/text/textsafe"
)

//go:embed pages
var pageFiles embed.FS

// templates are parsed at the first page: without one they cost nothing.
var templates = sync.OnceValue(func() *template.Template {
	return template.Must(template.New("").Funcs(template.FuncMap{
		"line": textsafe.Line, "text": textsafe.Block, "iso": iso, "clock": clock, "dict": dict, "starts": strings.HasPrefix, "ref": url.PathEscape, "since": since,
	}).ParseFS(pageFiles, "pages/*.html"))
})

// page is what the frame of all pages shows.
type page struct {
	Title string
	// Body is the template of the page's content, which gets Data.
	Body string
	Data any
	// Nav is the entry of the navigation that is this page.
	Nav string
	// Live is the address of the stream that keeps the blocks new; "" for none.
	Live string

	// Set by render.
	Token  string
	Device api.WebDevice
	Known  bool
	Asks   int
	// Seen is the number of the last event that the page knows of.
	Seen int64
	// Version changes with the assets.
	Version string
	Content template.HTML
}

// May reports whether the device may do what needs these rights, for templates.
func (p page) May(rights string) bool { return p.Known && p.Device.Rights.Has(api.WebRights(rights)) }

// block is one piece of a page, which is replaced as a whole when it has changed.
type block struct {
	// Key is unique on its page, V differs between contents.
	Key, V string
	HTML   template.HTML
}

// render sends a page.
func (s *server) render(w http.ResponseWriter, c call, status int, p page) {
	p.Device, p.Known, p.Token, p.Version = c.device.WebDevice, c.known, c.device.Token, assetVersion()
	p.Seen = c.at
	if p.Known {
		p.Asks = len(s.Approvals.Requests())
	}
	var out bytes.Buffer
	var err error
	if p.Content, err = fill(p.Body, contentOf{p}); err == nil {
		err = templates().ExecuteTemplate(&out, "frame", p)
	}
	if err != nil {
		s.Logger.Error("a page cannot be made", "page", p.Body, "error", err)
		http.Error(w, "this page cannot be made: the daemon's log says why", http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.WriteHeader(status)
	_, _ = w.Write(out.Bytes()) // the browser is gone if this fails
}

// contentOf is what a page's content gets: Data, and the page around it.
type contentOf struct{ Page page }

// Data is the page's.
func (c contentOf) Data() any { return c.Page.Data }

// fill executes a template.
func fill(name string, data any) (template.HTML, error) {
	var out bytes.Buffer
	if err := templates().ExecuteTemplate(&out, name, data); err != nil {
		return "", err
	}
	return template.HTML(out.String()), nil //nolint:gosec // html/template made it
}

// blockOf fills a block's template.
func blockOf(key, name string, data any) (block, error) {
	content, err := fill(name, data)
	if err != nil {
		return block{}, err
	}
	sum := fnv.New64a()
	_, _ = sum.Write([]byte(content)) // never fails
	return block{Key: key, V: fmt.Sprintf("%x", sum.Sum64()), HTML: content}, nil
}

// sendJSON answers a script.
func sendJSON(w http.ResponseWriter, status int, v any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(v) // the browser is gone if this fails
}

// iso is a time for programs, "" for none.
func iso(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format(time.RFC3339)
}

// clock is a time for people in the daemon's zone; a script shows how long ago it was.
func clock(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.Local().Format("2 Jan 15:04")
}

// since is how long ago a time was, in its two largest units.
func since(t, now time.Time) string {
	d := now.Sub(t)
	switch {
	case t.IsZero() || d < 0:
		return ""
	case d >= 24*time.Hour:
		return fmt.Sprintf("%d d %d h", d/(24*time.Hour), d%(24*time.Hour)/time.Hour)
	case d >= time.Hour:
		return fmt.Sprintf("%d h %d min", d/time.Hour, d%time.Hour/time.Minute)
	}
	return fmt.Sprintf("%d min", d/time.Minute)
}

// dict makes a map of pairs, for templates that need several values.
func dict(pairs ...any) (map[string]any, error) {
	if len(pairs)%2 != 0 {
		return nil, fmt.Errorf("dict: %d values are no pairs", len(pairs))
	}
	m := map[string]any{}
	for i := 0; i < len(pairs); i += 2 {
		m[fmt.Sprint(pairs[i])] = pairs[i+1]
	}
	return m, nil
}

// short is a text in one line of at most n characters.
func short(text string, n int) string { return textsafe.Cut(strings.TrimSpace(textsafe.Line(text)), n) }
