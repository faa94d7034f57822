// Package page serves the page in the browser (package web) for one daemon: its listener with
// address and certificate, who may call, which devices are paired, what is pushed to them, and the
// daemon's rooms as the page needs them.
//
// Contract: the page is off until a person turns it on; on or off, its address and its devices are
// kept in web.json. A page that cannot be served leaves the daemon as it is: the reason is an event
// and State's Problem. End waits for every call and goroutine of the page.
package page
