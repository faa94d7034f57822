// Package browser drives the page in a real browser: Chromium, by chromedp, in front of real daemons with
// scripted agents. One browser serves all tests; each has a daemon of its own, and each of its devices a
// browser context, with cookies and storage apart. Without Chromium the tests are skipped.
package browser
