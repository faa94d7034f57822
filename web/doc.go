// Package web serves the page: what the sessions do, what they ask, their conversations, in a
// browser.
//
// Contract: one table (routes) has every address with the rights that it needs. Before a handler
// runs, the door has checked host, origin and fetch site, the rate, the process that calls, the
// device by its cookie, its rights, and of a form the token and the secret that the page keeps. A
// process that runs inside a session gets nothing but styles and script, which are public. Views make values of the
// API's types into HTML by html/template: what an agent wrote is text there, never HTML, and passes
// textsafe. Pages work without script; with it the blocks of a page are replaced as they change
// (live.go), by the same templates.
//
// The package owns no state but the rates and the connections of live pages, which end with their
// calls. Everything else is asked through the interfaces of Deps, the same as those of the HTTP API.
// Handlers may run at the same time. Errors are a page, one line with what to do; for scripts JSON.
package web
