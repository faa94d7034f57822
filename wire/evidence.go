package wire

import "time"

// Evidence is one numbered fact that the host saw.
type Evidence struct {
	// Seq counts from 1 without gaps for the life of the host.
	Seq uint64    `json:"seq"`
	At  time.Time `json:"at"`
	// Name is one of the Evidence… constants.
	Name string `json:"name"`
	// Fields hold the fact's parts; values are at most 4 KiB each.
	Fields map[string]string `json:"fields,omitempty"`
}

// Names of evidence.
const (
	EvidenceStarted = "started" // fields: pid
	EvidencePSP     = "psp"     // OSC 7501; fields as the application sent them, base64 decoded
	EvidenceTitle   = "title"   // fields: text
	EvidenceBell    = "bell"
	EvidenceCWD     = "cwd"    // OSC 7; fields: url
	EvidenceNotify  = "notify" // OSC 9, 777; fields: text
	EvidencePrompt  = "prompt" // OSC 133; fields: mark
	EvidenceKeys    = "keys"   // keys that a client typed; fields: keys (names of Escape, C-c, C-d, C-z, Enter, digits, "text" for the rest)
	EvidenceActive  = "active" // first output after at least a second of silence
	EvidenceExit    = "exit"   // fields: code, signal
	EvidenceAltOn   = "alt"    // fields: on
	EvidenceTx      = "tx"     // a transaction ended; fields: id, outcome
	EvidenceEngine  = "engine" // the terminal engine failed and was reset; fields: error
)

// EvidenceLost tells a subscriber that evidence up to To was dropped from the
// ring before it could be sent.
type EvidenceLost struct {
	To uint64 `json:"to"`
	// PSP is the latest program status per id, so that no state is lost.
	PSP []Evidence `json:"psp,omitempty"`
}
