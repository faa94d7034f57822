package tui

// rewrap wraps the lines anew when the session's screen has got another width, as its
// host does: what is seen is what was seen before, and cursor and selection stay on their
// characters. Lines above those that were fetched have other numbers then.
func (c *copyView) rewrap(cols int) {
	if c.ended || cols <= 0 || cols == c.cols {
		return
	}
	c.stopFind()
	c.st.Reflow(cols)
	c.cols = cols
	c.wrapped++
	f := &c.find
	if f.query != "" || f.typing {
		f.kept = f.kept || f.at >= 0
		f.matches, f.at, f.stale = nil, -1, f.query != ""
		f.origin.Reflow(cols)
	}
	if c.known && !c.complete {
		c.cutOff()
	}
}

// cutOff: what is older than the lines that are here cannot be laid above them.
func (c *copyView) cutOff() {
	c.complete, c.note = true, "older lines were wrapped anew: r shows them"
}
