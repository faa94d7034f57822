package vt

const tabWidth = 8

// defaultTabs has a stop in every eighth column.
func defaultTabs(cols int) []bool {
	tabs := make([]bool, cols)
	for x := 0; x < cols; x += tabWidth {
		tabs[x] = true
	}
	return tabs
}

// resizeTabs keeps the stops that are there; new columns get the default ones.
func resizeTabs(tabs []bool, cols int) []bool {
	out := defaultTabs(cols)
	copy(out, tabs)
	return out
}

// setTab is HTS.
func (t *Terminal) setTab() {
	if t.cur.x < t.cols {
		t.tabs[t.cur.x] = true
	}
}

// clearTabs is TBC.
func (t *Terminal) clearTabs(how int) {
	switch how {
	case 0:
		if t.cur.x < t.cols {
			t.tabs[t.cur.x] = false
		}
	case 3:
		clear(t.tabs)
	}
}

// tabForward is HT and CHT: to the n-th stop, or the last column. A pending
// wrap stays pending.
func (t *Terminal) tabForward(n int) {
	pg := t.cur
	for ; n > 0 && pg.x < t.cols-1; n-- {
		for pg.x++; pg.x < t.cols-1 && !t.tabs[pg.x]; pg.x++ {
		}
	}
}

// tabBack is CBT.
func (t *Terminal) tabBack(n int) {
	pg := t.cur
	if pg.x >= t.cols {
		return
	}
	for ; n > 0 && pg.x > 0; n-- {
		for pg.x--; pg.x > 0 && !t.tabs[pg.x]; pg.x-- {
		}
	}
}
