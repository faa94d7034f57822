package api

import (
	"slices"
	"time"
)

// WebRights is what a device may do on the page.
type WebRights string

// Rights of devices, each with those before it.
const (
	WebSee     WebRights = "see"     // look at everything
	WebApprove WebRights = "approve" // answer requests and questions
	WebType    WebRights = "type"    // give prompts, end and restart sessions
)

// AllWebRights lists the rights, the least first.
func AllWebRights() []WebRights { return []WebRights{WebSee, WebApprove, WebType} }

// Has reports whether the rights cover others. Words that are not known cover nothing.
func (r WebRights) Has(other WebRights) bool {
	all := AllWebRights()
	mine, theirs := slices.Index(all, r), slices.Index(all, other)
	return theirs >= 0 && mine >= theirs
}

// Web is whether the page is served, and where: GET and PUT /v1/web.
type Web struct {
	On bool `json:"on"`
	// URL is the page's address; "" while it is off.
	URL string `json:"url,omitempty"`
	// Devices counts the devices that are paired.
	Devices int `json:"devices"`
	// Problem is why it is not served though it is on; "" if it is.
	Problem string `json:"problem,omitempty"`
	// Push is what became of the last notification; nil: none was sent since the page is served.
	Push *WebPush `json:"push,omitempty"`
}

// WebPush is what became of a notification to a device.
type WebPush struct {
	At time.Time `json:"at"`
	// Failed: the device did not get it. Said says which device, and why.
	Failed bool   `json:"failed"`
	Said   string `json:"said"`
}

// SetWeb is the body of PUT /v1/web.
type SetWeb struct {
	On bool `json:"on"`
}

// NewWebCode is the body of POST /v1/web/codes.
type NewWebCode struct {
	// Rights are those of the device that pairs; "" is WebApprove.
	Rights WebRights `json:"rights,omitempty"`
}

// WebCode lets one device pair, once.
type WebCode struct {
	// URL is the address to open, with the code in its fragment, which browsers do not send.
	URL       string    `json:"url"`
	Code      string    `json:"code"`
	Rights    WebRights `json:"rights"`
	ExpiresAt time.Time `json:"expires_at"`
}

// WebDevice is a browser that has been paired.
type WebDevice struct {
	ID     string    `json:"id"`
	Name   string    `json:"name"`
	Rights WebRights `json:"rights"`
	// Created is when it was paired, LastSeen when it last called, to the minute.
	Created  time.Time `json:"created"`
	LastSeen time.Time `json:"last_seen"`
}
