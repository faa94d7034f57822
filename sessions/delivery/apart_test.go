package delivery

import (
	"context"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// TestKeysApartFromTools: the hook of a tool call has no reply while keys may be under way, and no
// keys follow a reply that may open a dialog; neither waits for ever.
func TestKeysApartFromTools(t *testing.T) {
	const ms = time.Millisecond
	took := func(f func()) time.Duration {
		began := time.Now()
		f()
		return time.Since(began).Round(100 * ms) // the session looks every 10 ms
	}
	for name, test := range map[string]func(t *testing.T, d *Delivery){
		"the reply waits for the keys": func(t *testing.T, d *Delivery) {
			end, err := d.beginKeys(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			time.AfterFunc(200*ms, end)
			if n := took(func() { d.PassTool(t.Context()) }); n != 200*ms+keysTime {
				t.Errorf("the hook waited for %s", n)
			}
		},
		"keys wait for the dialog": func(t *testing.T, d *Delivery) {
			if n := took(func() { d.PassTool(t.Context()) }); n != 0 {
				t.Errorf("the hook waited for %s", n)
			}
			time.Sleep(100 * ms)
			if n := took(func() { _, _ = d.beginKeys(t.Context()) }); n != toolTime-100*ms {
				t.Errorf("the keys waited for %s", n)
			}
		},
		"keys that are never read": func(t *testing.T, d *Delivery) {
			_, _ = d.beginKeys(t.Context())
			if n := took(func() { d.PassTool(t.Context()) }); n != apartLimit {
				t.Errorf("the hook waited for %s", n)
			}
		},
		"one tool call after the other": func(t *testing.T, d *Delivery) {
			ctx, cancel := context.WithCancel(t.Context())
			var tools sync.WaitGroup
			tools.Go(func() {
				for ctx.Err() == nil {
					d.PassTool(ctx)
					time.Sleep(50 * ms)
				}
			})
			defer tools.Wait()
			defer cancel()
			time.Sleep(ms)
			if n := took(func() { _, _ = d.beginKeys(t.Context()) }); n < apartLimit || n > apartLimit+toolTime {
				t.Errorf("the keys waited for %s", n)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				test(t, lineDelivery(ctx, &lineSession{}))
			})
		})
	}
}
