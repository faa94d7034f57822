package web

import (
	"net/url"
	"strconv"
	"time"

	"ccdir/api"
)

// portionLen is how many rows of a long list a page has.
const portionLen = 100

// pager leads to the other parts of a long list: addresses, "" for none.
type pager struct {
	Newer, Older string
	From, To, Of int
}

// portion is what a page shows of a long list.
type portion[T any] struct {
	pager
	Rows []T
}

// portionOf is the part of a list that an address asks for by its field from.
func portionOf[T any](u *url.URL, list []T) portion[T] {
	from, err := strconv.Atoi(u.Query().Get("from"))
	if err != nil || from < 0 || from >= len(list) {
		from = 0
	}
	p := portion[T]{pager: pager{From: from + 1, To: min(from+portionLen, len(list)), Of: len(list)}, Rows: list[from:min(from+portionLen, len(list))]}
	if from > 0 {
		p.Newer = with(u, "from", strconv.Itoa(max(0, from-portionLen)))
	}
	if p.To < len(list) {
		p.Older = with(u, "from", strconv.Itoa(p.To))
	}
	return p
}

// with is an address with another value of a field.
func with(u *url.URL, field, value string) string {
	q := u.Query()
	q.Set(field, value)
	if value == "" {
		q.Del(field)
	}
	return (&url.URL{Path: u.Path, RawQuery: q.Encode()}).RequestURI()
}

// sinceOf reads how far back a page goes: 8h, a day, or a time; zero for "".
func sinceOf(u *url.URL, now time.Time) (time.Time, error) {
	text := u.Query().Get("since")
	if text == "" {
		return time.Time{}, nil
	}
	if d, err := time.ParseDuration(text); err == nil && d > 0 {
		return now.Add(-d), nil
	}
	if t, err := time.ParseInLocation(time.DateOnly, text, now.Location()); err == nil {
		return t, nil
	}
	if t, err := time.Parse(time.RFC3339, text); err == nil {
		return t, nil
	}
	return time.Time{}, api.Errorf(api.CodeInvalid, "a time is written as 8h, 2006-01-02 or 2006-01-02T15:04:05Z, found %.40q", text)
}

// numberField is a number of an address, 0 for none.
func numberField(u *url.URL, field string) (int64, error) {
	text := u.Query().Get(field)
	if text == "" {
		return 0, nil
	}
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || n < 0 {
		return 0, api.Errorf(api.CodeInvalid, "%s is a number, found %.40q", field, text)
	}
	return n, nil
}
