package restore

import (
	"fmt"
	"strings"

	"ccdir/api"
	"ccdir/internal/cells"
	"ccdir/internal/keymap"
	"ccdir/internal/text/textsafe"
	"ccdir/tui/ui"
	"ccdir/tui/widget/format"
	"ccdir/tui/widget/listbox"
	"ccdir/tui/widget/modal"
	"ccdir/tui/widget/theme"
)

// width is the width of the dialog's inside.
const width = 84

// heading says why there is something to restore.
func (d rows) heading(env ui.Env) string {
	why := "Hosts have died"
	if d.offer.Reason == api.RestoreReboot {
		why = "The machine was restarted"
	}
	if len(d.offer.Sessions) > 0 && strings.Contains(d.offer.Sessions[0].ID, "/") { // this machine's come first
		why = "Other machines were restarted, or hosts there died"
	}
	return fmt.Sprintf("%s. This ran until %s ago:", why, format.Age(env.Now, d.offer.At))
}

// title says how many are chosen.
func (d rows) title() string {
	return fmt.Sprintf("restore · %d of %d chosen", len(d.chosen()), len(d.offer.Sessions))
}

// Content lists what is offered.
func (d rows) Content(env ui.Env, _ listbox.View) listbox.Content {
	c := listbox.Content{
		Title: d.title(), Head: modal.Styled(d.heading(env), cells.Style{Attrs: cells.Bold}), Hint: "filter by name, directory or prompt",
		Width: width, Click: keymap.RestoreChoose,
		Keys: []keymap.Named{keymap.ViewOpen.As("restore"), keymap.RestoreChoose.As("choose"), keymap.RestoreAll.As("all/none"), keymap.RestoreRefuse.As("don't offer again"), keymap.ViewClose.As("later")},
	}
	for _, v := range d.offer.Sessions {
		c.Items = append(c.Items, listbox.Item{
			ID: v.ID, Match: func() string { return v.Name + " " + v.CWD + " " + v.Prompt },
			Line: func(w int) string { return d.row(env, v, w) },
		})
	}
	return c
}

// row is a session: whether it is chosen, its name, where it ran and what becomes
// of it.
func (d rows) row(env ui.Env, v api.OfferedSession, w int) string {
	text, dim, mark := cells.Style{}, theme.FG(env.Theme.Dim), env.Theme.Choice(!d.left[v.ID])+" "
	if d.left[v.ID] {
		text = dim
	}
	detail, st := "begins anew", dim
	switch {
	case v.Problem != "":
		detail, st = v.Problem, theme.FG(env.Theme.Alert)
	case v.Resume:
		detail = "goes on: " + v.Prompt
	}
	third := max(8, w/4)
	return modal.Columns(w, modal.Column(mark+textsafe.Line(v.Name), third, text), modal.Column(format.Home(textsafe.Line(v.CWD), env.Home), third, dim), modal.Column(textsafe.Line(detail), 0, st))
}
