// Package input makes events and the names of keys of the bytes that the outer
// terminal sends. It reads nothing itself and keeps no time: who reads feeds a
// Decoder, waits as long as it has patience, and then flushes it.
//
// However the bytes are cut into reads, the events are the same, in the order in
// which they came, and no part of a sequence is taken for text as long as the rest
// comes before the decoder's patience ends. Pastes are handed over as bytes, bounded;
// one that is too long is dropped, and told. What the terminal answers (modes, its
// background) are events like keys.
package input
