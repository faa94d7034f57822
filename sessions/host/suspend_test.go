package host

import (
	"testing"

	"ccdir/wire"
)

// TestSuspended: a program that waits for SIGCONT after Ctrl-Z, whose SIGTSTP the
// system drops, gets it; and the key is evidence, whichever way it came.
func TestSuspended(t *testing.T) {
	for name, press := range map[string]func(p *peer){
		"typed": func(p *peer) { p.keys("C-z") },
		"asked for": func(p *peer) {
			p.request(wire.MethodKeys, wire.KeysParams{Keys: []string{"C-z"}})
		},
		"asked for under an id": func(p *peer) {
			call[wire.TxResult](p, wire.MethodTx, wire.Tx{ID: "1", Person: true, Steps: []wire.TxStep{{Keys: []string{"C-z"}}}})
		},
	} {
		t.Run(name, func(t *testing.T) {
			r := sh(t, `stty raw -echo; trap 'echo resumed; exit 3' CONT; echo ready; while :; do sleep 0.02; done`)
			p := r.dial()
			p.view(80, 24)
			p.shows("ready")
			p.keys("x")
			press(p)
			p.shows("resumed")
			p.until("the exit", func() bool { return p.exit != nil })
			p.saw("keys", "keys", "C-z")
		})
	}
}
