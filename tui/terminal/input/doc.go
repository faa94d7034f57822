// Package input decodes the outer terminal's bytes into events and names of keys. It does
// no I/O and keeps no time: the caller feeds a [Decoder], waits as long as Patience says,
// and flushes it.
//
// Events come in order and do not depend on how the bytes were cut into reads. No part of a
// sequence is taken for text, as long as the rest comes before the decoder's patience ends.
// Pastes are bytes and bounded; one that is too long is dropped, and an event says so.
// Replies of the terminal (modes, background) are events like keys.
package input
