package pane

import "ccdir/wire"

// SetView sets the room that the client has for the session's screen; latest wins.
func (p *Pane) SetView(v wire.View) {
	p.mu.Lock()
	changed := p.view != v
	p.view = v
	p.fresh = p.fresh || changed
	p.mu.Unlock()
	if changed {
		p.poke()
	}
}

// View is the last SetView's.
func (p *Pane) View() wire.View {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.view
}

// Claim makes this client the owner of the session's size.
func (p *Pane) Claim() {
	p.mu.Lock()
	p.view.Claim, p.fresh = true, true
	p.mu.Unlock()
	p.poke()
}

// takeView returns the view to send now and clears its one-time requests.
func (p *Pane) takeView() wire.View {
	p.mu.Lock()
	defer p.mu.Unlock()
	view := p.view
	p.fresh, p.view.Claim, p.view.Refresh = false, false, false
	return view
}

// giveBack restores a view that was not sent.
func (p *Pane) giveBack(view wire.View) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.fresh = true
	p.view.Claim = p.view.Claim || view.Claim
	p.view.Refresh = p.view.Refresh || view.Refresh
}
