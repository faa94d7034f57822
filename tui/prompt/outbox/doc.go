// Package outbox owns what was entered in the prompt bar and is not acknowledged yet: drafts,
// texts on their way (jobs), texts that may have arrived (tries), and those that the daemon
// keeps for later. The bar hands a text over, shows how far it is, and takes back what was
// not delivered; the outbox draws nothing.
//
// Nothing is lost while the grid runs: a text is at any time in the bar or a draft beside it,
// in a job, with its receiver, or back. A job ends with Ended, which has the text if a receiver
// did not get it: the bar shows it again, or has it in its history if another text is there by
// then. A draft whose request is over goes into that history too. On disk is a draft, a second
// after it was edited and until it is delivered or another text is written, and the ids of what
// is on its way or may have arrived: never a text without its ids. It is one draft: of several
// texts under way when the grid ends it is the last; the others are in the history of prompts,
// which keeps none on disk that is larger than history.MaxEntry.
//
// Nothing is done twice: each delivery has an id, and receivers do nothing again under an id
// that they have seen. A text whose fate is not known keeps its id, also in the next grid, so
// that sending it again as it is continues the first call. A session that did not acknowledge
// a text in time twice gets it under another id, and the person is told so. The same text
// sent while the first one is on its way is meant twice.
//
// Order: a session gets its texts in the order in which they were handed over, as do the queue
// and the starting of sessions; an answer to a request does not wait for the texts before it,
// those after it wait for it. Different receivers wait for nobody.
//
// Bounds: mostJobs texts are on their way at once (Full), sendsAtOnce deliveries of one text,
// mostTries ids are remembered. A text is bounded by the bar (edit.Buffer).
//
// An Outbox belongs to the program's goroutine; calls are ui.Calls, made away from it, and end
// when their job is stopped. Scenes have copies for reading: what is shown is replaced, never
// changed in place.
package outbox
