package terminal

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// TestOneFirstFrame: the first frame waits for the pictures of all panes in
// view and has them all; frames after it are paced.
func TestOneFirstFrame(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		pt := newPainting(t)
		synctest.Wait()
		pt.frame(0, "first pane")
		synctest.Wait()
		if n := pt.out.count(); n != 0 {
			t.Fatalf("%d writes before the second pane's picture: %q", n, pt.out.all())
		}
		time.Sleep(time.Millisecond)
		pt.frame(1, "second pane")
		synctest.Wait()
		if n := pt.out.count(); n != 1 {
			t.Fatalf("%d writes when all pictures were there", n)
		}
		for _, text := range []string{"first pane", "second pane"} {
			if !strings.Contains(pt.out.all()[0], text) {
				t.Errorf("the first frame lacks %q", text)
			}
		}
		pt.stop()
		<-pt.done
	})
}

// TestOpeningIsBounded: a pane whose host says nothing delays the first frame by
// openWithin, and what a person waits for not at all.
func TestOpeningIsBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		pt := newPainting(t)
		pt.frame(0, "first pane")
		time.Sleep(openWithin - 1)
		synctest.Wait()
		if n := pt.out.count(); n != 0 {
			t.Errorf("%d writes within openWithin", n)
		}
		time.Sleep(time.Nanosecond)
		synctest.Wait()
		if n := pt.out.count(); n != 1 || !strings.Contains(pt.out.all()[0], "first pane") {
			t.Errorf("%d writes after openWithin", n)
		}
		pt.stop()
		<-pt.done
	})
	synctest.Test(t, func(t *testing.T) {
		pt := newPainting(t)
		pt.frame(0, "first pane")
		pt.p.router.NoteInput(time.Now())
		pt.frame(0, "the echo")
		synctest.Wait()
		if n := pt.out.count(); n == 0 || !strings.Contains(pt.out.all()[n-1], "the echo") {
			t.Errorf("%d writes after a key", n)
		}
		pt.stop()
		<-pt.done
	})
}
