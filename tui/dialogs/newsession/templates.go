package newsession

import (
	"slices"
	"strings"

	"ccdir/internal/text/textsafe"
	"ccdir/tui/dialogs/dirfield"
	"ccdir/tui/ui"
)

// template is the one that is to be opened instead of a session, "" none.
func (d dialog) template() string { return strings.TrimSpace(d.fields[fieldTemplate].String()) }

// openTemplate opens the template in the directory of the dialog.
func (d dialog) openTemplate(env ui.Env) (ui.Component, []ui.Effect) {
	name := d.template()
	switch {
	case !slices.Contains(d.templates, name):
		d.at, d.problem = fieldTemplate, "no template is called "+textsafe.Line(name)
		return d, nil
	case d.on.node() != "":
		d.at, d.problem = fieldTemplate, "templates are opened on this machine: choose here as node"
		return d, nil
	}
	dir := dirfield.Absolute(d.fields[fieldDir].String(), d.base, env.Home)
	return d, []ui.Effect{ui.Close{}, ui.OpenTemplate(env, name, dir)}
}
