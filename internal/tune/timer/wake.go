package timer

import "time"

// timerWaker waits with a runtime timer.
type timerWaker struct {
	timer *time.Timer
	done  chan struct{}
}

func newTimerWaker() *timerWaker {
	timer := time.NewTimer(time.Hour)
	timer.Stop()
	return &timerWaker{timer: timer, done: make(chan struct{})}
}

func (w *timerWaker) set(d time.Duration) { w.timer.Reset(d) }

func (w *timerWaker) wait() bool {
	select {
	case <-w.timer.C:
		return true
	case <-w.done:
		return false
	}
}

func (w *timerWaker) close() {
	w.timer.Stop()
	close(w.done)
}
