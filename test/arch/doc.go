// Package arch holds tests of the repository as a whole: which package may import
// which (see ARCHITECTURE.md, "Who may import whom"), that every decoder has a fuzz
// target, that views are pure, and that NOTICE has the licences of all that is linked.
package arch
