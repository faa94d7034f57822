// Package overflow keeps what the store cannot save, most of all when the disk is
// full, in a file whose room was taken beforehand, until the store takes it again.
//
// Contract:
//
//   - What Commit returns nil for is on disk, in the store or in the file; the next
//     daemon finds it in either. Readers (Events, Keys, Sessions, LastSeq, KnownID,
//     KnownKey) see both.
//   - The file is written in place, so that a full disk does not matter. File
//     systems that never write in place (btrfs, ZFS) may refuse all the same; then,
//     and when the file is full, Commit fails and nothing was promised.
//   - Order. While something is held, everything later is held, too, and the store
//     gets all of it in one transaction.
//   - The store is tried again every second, by a goroutine that lives only while
//     something is held; Close ends it.
package overflow
