package wire

// Tx is input that the host carries out as a unit: nothing else is written to the PTY in
// between. It is idempotent: a repeated ID writes nothing and returns the outcome of the
// first (the host remembers the last 1,024).
type Tx struct {
	ID    string   `json:"id"`
	Steps []TxStep `json:"steps"`
	// NoDialog: write nothing while the application's own program status (OSC 7501) is
	// "blocked"; checked before each step.
	NoDialog bool `json:"no_dialog,omitempty"`
	// Typed: write nothing if Typing.Count differs from this number; nil: no check. A
	// refusal for this reason is not remembered, so that the id can be used again.
	Typed *uint64 `json:"typed,omitempty"`
	// Person: a person typed or pasted this; it counts for Typing.
	Person bool `json:"person,omitempty"`
}

// Typing is a person's typing (attached terminals, MethodKeys, Tx.Person): deliveries must
// neither mix with it nor lose it.
type Typing struct {
	// Count grows with every key, paste or piece of raw input.
	Count uint64 `json:"count"`
	// AgoMS is the time since the last input, in milliseconds.
	AgoMS int64 `json:"ago_ms"`
	// Draft: text was typed, and neither Enter, Ctrl-C nor Ctrl-U since. It is a guess, for
	// applications whose input line cannot be read from the screen.
	Draft bool `json:"draft,omitempty"`
	// Watched: a client shows the session to somebody who looks at it: a grid in which it has the
	// keyboard, or a client that shows it alone. Not told by older hosts.
	Watched bool `json:"watched,omitempty"`
}

// TxStep is one step; exactly one field is set.
type TxStep struct {
	// Keys are names of keys, encoded for the modes at that moment.
	Keys []string `json:"keys,omitempty"`
	// Paste is pasted, always bracketed if the application has asked for it.
	Paste *string `json:"paste,omitempty"`
	// Raw is written unchanged.
	Raw []byte `json:"raw,omitempty"`
	// EchoMS waits until the screen has changed and then stood still for 20 ms, at most
	// that many milliseconds.
	EchoMS int `json:"echo_ms,omitempty"`
	// ReadyMS waits until the application has asked for bracketed paste, at most that many
	// milliseconds; if it does not, the transaction is refused.
	ReadyMS int `json:"ready_ms,omitempty"`
}

// Outcomes of a transaction.
const (
	TxWritten = "written" // every step was carried out
	TxFailed  = "failed"  // the process ended or a write failed; some steps may have been carried out
	TxRunning = "running" // a retry arrived while the first attempt runs
	TxRefused = "refused" // a condition did not hold: Reason says which, Written whether steps before were written
)

// TxResult is the outcome of a transaction.
type TxResult struct {
	Outcome string `json:"outcome"`
	Error   string `json:"error,omitempty"`
	// Repeat: the id was known, and nothing was written now.
	Repeat bool `json:"repeat,omitempty"`
	// EchoSeen: the screen changed in the (last) echo step.
	EchoSeen bool `json:"echo_seen,omitempty"`
	// Reason is set if Outcome is TxRefused. Written: some steps were carried out.
	Reason  string `json:"reason,omitempty"`
	Written bool   `json:"written,omitempty"`
}

// Reasons of TxRefused.
const (
	TxDialog   = "dialog"    // the application shows a dialog (Tx.NoDialog)
	TxNotReady = "not_ready" // it did not ask for bracketed paste (TxStep.ReadyMS)
	TxTyped    = "typed"     // a person typed meanwhile (Tx.Typed)
)
