package wire

import "time"

// Evidence is one numbered fact about a session, as its host saw it.
type Evidence struct {
	// Seq counts from 1, without gaps, during the life of the host.
	Seq uint64    `json:"seq"`
	At  time.Time `json:"at"`
	// Name is one of the Evidence… constants.
	Name string `json:"name"`
	// Fields are the fact's parts; each value has at most 4 KiB.
	Fields map[string]string `json:"fields,omitempty"`
}

// Names of evidence.
const (
	EvidenceStarted = "started" // fields: pid
	EvidencePSP     = "psp"     // OSC 7501; fields as the application sent them, base64 decoded
	EvidenceTitle   = "title"   // fields: text
	EvidenceBell    = "bell"
	EvidenceCWD     = "cwd"     // OSC 7; fields: url
	EvidenceNotify  = "notify"  // OSC 9, 777; fields: text
	EvidencePrompt  = "prompt"  // OSC 133; fields: mark
	EvidenceKeys    = "keys"    // keys that a client typed; fields: keys (names of Escape, C-c, C-d, C-z, Enter, digits, "text" for the rest)
	EvidenceActive  = "active"  // first output after at least a second of silence
	EvidenceExit    = "exit"    // fields: code, signal, stopped
	EvidenceAltOn   = "alt"     // fields: on
	EvidenceTx      = "tx"      // a transaction ended; fields: id, outcome
	EvidenceRefused = "refused" // walls did not let a host through; fields: host (HOST:PORT), count
	EvidenceEngine  = "engine"  // the terminal engine failed and was reset; fields: error
)

// EvidenceLost tells a subscriber that evidence up to number To left the host's ring before
// it was sent.
type EvidenceLost struct {
	To uint64 `json:"to"`
	// PSP is the latest program status of each id, so that no current state is lost.
	PSP []Evidence `json:"psp,omitempty"`
}
