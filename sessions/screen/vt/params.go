package vt

// params are the numbers of a control sequence. A number left out is 0 at the
// top level (as xterm has it) and -1 in a part after a colon.
type params struct {
	val   [maxSlots]int32
	start [maxParams]uint8 // slot of each top-level parameter
	n     int              // slots in use, at least 1
	top   int              // top-level parameters, at least 1
	full  bool             // further digits are dropped
	any   bool             // a parameter byte came
}

func (p *params) reset() {
	p.val[0], p.start[0] = 0, 0
	p.n, p.top = 1, 1
	p.full, p.any = false, false
}

// empty reports whether no parameter byte came.
func (p *params) empty() bool { return !p.any }

func (p *params) digit(d byte) {
	p.any = true
	if p.full {
		return
	}
	v := &p.val[p.n-1]
	*v = min(max(*v, 0)*10+int32(d), maxParam)
}

// separate begins the next parameter.
func (p *params) separate() {
	p.any = true
	if p.top == maxParams || p.n == maxSlots {
		p.full = true
		return
	}
	p.full = false
	p.start[p.top] = uint8(p.n)
	p.val[p.n] = 0
	p.top++
	p.n++
}

// part begins the next part of the same parameter.
func (p *params) part() {
	p.any = true
	if p.full || p.n == maxSlots {
		p.full = true
		return
	}
	p.val[p.n] = -1
	p.n++
}

// arg is parameter i, or def if it is 0 or was left out.
func (p *params) arg(i, def int) int {
	if i >= p.top {
		return def
	}
	if v := p.val[p.start[i]]; v != 0 {
		return int(v)
	}
	return def
}

// parts returns what stands after the colons of parameter i.
func (p *params) parts(i int) []int32 {
	end := p.n
	if i+1 < p.top {
		end = int(p.start[i+1])
	}
	return p.val[p.start[i]+1 : end]
}
