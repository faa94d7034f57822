package api

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Marks are what a person has noted of a session for themselves: they change nothing that it does.
type Marks struct {
	// Group is shown, filtered and grouped by; "" none.
	Group string `json:"group,omitempty"`
	// Pinned: it stands first in lists, behind those that ask.
	Pinned bool `json:"pinned,omitempty"`
	// Note is one line of text, "" none.
	Note string `json:"note,omitempty"`
	// Color of its name, one of MarkColors; "" none.
	Color string `json:"color,omitempty"`
}

// SetMarks is the body of POST /v1/sessions/ID/marks: what is left out stays as it is.
type SetMarks struct {
	Group  *string `json:"group,omitempty"`
	Pinned *bool   `json:"pinned,omitempty"`
	Note   *string `json:"note,omitempty"`
	Color  *string `json:"color,omitempty"`
}

// MarkColors are the colours of a session's name.
func MarkColors() []string {
	return []string{"red", "green", "yellow", "blue", "magenta", "cyan"}
}

// Limits of Marks, in characters.
const (
	maxGroup = 40
	maxNote  = 300
)

// Over returns the marks changed by m, or why they cannot be.
func (m SetMarks) Over(old Marks) (Marks, error) {
	set := func(to *string, value *string) {
		if value != nil {
			*to = strings.TrimSpace(*value)
		}
	}
	next := old
	set(&next.Group, m.Group)
	set(&next.Note, m.Note)
	set(&next.Color, m.Color)
	if m.Pinned != nil {
		next.Pinned = *m.Pinned
	}
	switch {
	case !line(next.Group, maxGroup) || strings.Contains(next.Group, "/"):
		return old, Errorf(CodeInvalid, "a group's name is one line of at most %d characters without /", maxGroup)
	case !line(next.Note, maxNote):
		return old, Errorf(CodeInvalid, "a note is one line of at most %d characters", maxNote)
	case next.Color == "":
		return next, nil
	}
	for _, c := range MarkColors() {
		if c == next.Color {
			return next, nil
		}
	}
	return old, Errorf(CodeInvalid, "the colour is one of %s, or empty for none", strings.Join(MarkColors(), ", "))
}

// line reports whether text is one line of at most so many characters.
func line(text string, most int) bool {
	return utf8.ValidString(text) && utf8.RuneCountInString(text) <= most && strings.IndexFunc(text, unicode.IsControl) < 0
}
