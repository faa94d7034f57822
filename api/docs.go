package api

// DocsQuestion is a question to the documentation of what a work tree uses.
type DocsQuestion struct {
	// Dir is a directory in the work tree, absolute.
	Dir   string `json:"dir"`
	Query string `json:"query"`
	// Package selects one package, as NAME or NAME@VERSION; "": all.
	Package string `json:"package,omitempty"`
	// Ecosystem is go, node, python, rust, man or project; "": all.
	// Manual pages count only if the query names one.
	Ecosystem string `json:"ecosystem,omitempty"`
	// MaxTokens bounds the texts of the answer, counted as four bytes each; 0: 2000.
	MaxTokens int `json:"max_tokens,omitempty"`
}

// DocsHit is a piece of documentation.
type DocsHit struct {
	// ID names the piece, for reading it whole.
	ID      string `json:"id"`
	Package string `json:"package"`
	Version string `json:"version"`
	// Ecosystem is go, node, python, rust, man or project.
	Ecosystem string `json:"ecosystem"`
	// Symbol is the name in its package, or the heading of a section.
	Symbol    string `json:"symbol"`
	Signature string `json:"signature"`
	// File is absolute; Line counts from 1.
	File string `json:"file"`
	Line int    `json:"line"`
	// Text is the first paragraph, or all of it when one piece is read.
	Text string `json:"text"`
	// Source is the kind of document: source, types, readme, docs, changelog, metadata, man.
	Source string `json:"source"`
}

// DocsAnswer are the best pieces, the best first.
type DocsAnswer struct {
	Hits []DocsHit `json:"hits"`
	// Notes say what the answer lacks: modules still being indexed, files left out.
	Notes []string `json:"notes"`
}
