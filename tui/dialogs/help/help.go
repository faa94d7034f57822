// Package help shows the keys that one begins with, then the whole table, in as many columns
// as it takes and there is room for; what is typed filters it. It owns the filter and the
// place, and asks for nothing. It also draws the panel of what may follow the prefix key.
package help

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"ccdir/tui/ui"
	"ccdir/tui/widget/edit"
	"ccdir/tui/widget/modal"
)

// dialog is the dialog.
type dialog struct {
	all    bool // the whole table, not the short page
	top    int  // first line in view
	filter edit.Line
}

// New shows the keys that one begins with.
func New() ui.Component { return dialog{} }

// Of shows the keys of one group.
func Of(group string) ui.Component { return dialog{all: true, filter: edit.NewLine(group)} }

func (d dialog) Key(env ui.Env, k ui.Key) (ui.Component, []ui.Effect) {
	p := d.plan(env)
	d.top = d.clamp(p)
	switch k.Name {
	case "Escape", "C-c", "Enter":
		if !d.filter.Empty() && k.Name == "Escape" {
			return dialog{all: true}, nil
		}
		return d, []ui.Effect{ui.Close{}}
	case "Up":
		d.top--
	case "Down":
		d.top++
	case "PPage":
		d.top -= p.room
	case "NPage":
		d.top += p.room
	case "Home":
		d.top = 0
	case "End":
		d.top = p.h
	case "?":
		if d.filter.Empty() {
			return dialog{all: !d.all}, nil
		}
		fallthrough
	default:
		if !d.all && k.Name == "a" {
			return dialog{all: true}, nil
		}
		d.all = true
		d.filter, _ = d.filter.Key(k.Name, k.Text())
		d.top, p = 0, d.plan(env)
	}
	d.top = d.clamp(p)
	return d, nil
}

// Mouse: the wheel scrolls; a click beside the dialog closes it.
func (d dialog) Mouse(env ui.Env, msg tea.MouseMsg) (ui.Component, []ui.Effect) {
	p := d.plan(env)
	e := msg.Mouse()
	switch msg.(type) {
	case tea.MouseWheelMsg:
		d.top = d.clamp(p) + modal.WheelLines*modal.WheelSteps(e.Button)
		d.top = d.clamp(p)
	case tea.MouseClickMsg:
		if !p.box.Contains(e.X, e.Y) {
			return d, []ui.Effect{ui.Close{}}
		}
	}
	return d, nil
}

// Paste puts text into the filter.
func (d dialog) Paste(_ ui.Env, text string) ui.Component {
	d.all, d.filter, d.top = true, d.filter.Insert(strings.Join(strings.Fields(text), " ")), 0
	return d
}

// YieldsPrefix: nothing is lost.
func (d dialog) YieldsPrefix() bool { return true }

func (d dialog) clamp(p plan) int { return max(0, min(d.top, p.h-p.room)) }
