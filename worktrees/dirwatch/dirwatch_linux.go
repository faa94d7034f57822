// Package dirwatch tells whether anything below a directory has changed, so that what was read of
// a large work tree can be kept. Where it cannot know, it says so: on file systems that others
// write, in trees with too many folders, on macOS.
package dirwatch

import (
	"encoding/binary"
	"os"
	"path/filepath"
	"sync"

	"golang.org/x/sys/unix"
)

// Bounds of a Watcher: folders of one tree, and of all. The kernel keeps about 1 KB of each.
const (
	maxFolders    = 20_000
	maxAllFolders = 50_000
)

// what of a folder is an event. Each folder tells one, so that what is not read stays small.
const what = unix.IN_MODIFY | unix.IN_ATTRIB | unix.IN_CREATE | unix.IN_DELETE | unix.IN_MOVED_FROM | unix.IN_MOVED_TO |
	unix.IN_DELETE_SELF | unix.IN_MOVE_SELF | unix.IN_ONLYDIR | unix.IN_DONT_FOLLOW | unix.IN_ONESHOT

// Watcher tells whether anything below directories has changed since they were begun with.
// It costs nothing until it is asked. What is written through a mapping of memory it does
// not see. The zero value is ready. Safe for concurrent use.
type Watcher struct {
	mu sync.Mutex
	// file closes fd with the watcher; it is not in the runtime's poller, which it would wake.
	file *os.File
	fd   int
	// of are the directories that are watched, by the kernel's numbers of their folders, which it
	// gives once; folders are these numbers by directory.
	of      map[int32]string
	folders map[string][]int32
}

// local are the file systems on which nobody else writes.
var local = map[int64]bool{unix.EXT4_SUPER_MAGIC: true, unix.XFS_SUPER_MAGIC: true, unix.BTRFS_SUPER_MAGIC: true,
	unix.TMPFS_MAGIC: true, unix.F2FS_SUPER_MAGIC: true, unix.OVERLAYFS_SUPER_MAGIC: true}

// Begin watches a directory anew, and reports whether that is possible.
func (w *Watcher) Begin(dir string) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.drop(dir)
	var fs unix.Statfs_t
	if unix.Statfs(dir, &fs) != nil || !local[int64(fs.Type)] { //nolint:unconvert // differs by processor
		return false
	}
	if w.file == nil {
		fd, err := unix.InotifyInit1(unix.IN_CLOEXEC)
		if err != nil {
			return false
		}
		w.file, w.fd, w.of, w.folders = os.NewFile(uintptr(fd), "inotify"), fd, map[int32]string{}, map[string][]int32{}
	}
	if !w.add(dir, dir) {
		w.drop(dir)
		return false
	}
	return true
}

// add watches a folder of a directory and all below it. A folder is watched before it is read:
// what is made in it meanwhile is an event.
func (w *Watcher) add(dir, folder string) bool {
	if len(w.folders[dir]) >= maxFolders || len(w.of) >= maxAllFolders {
		return false
	}
	wd, err := unix.InotifyAddWatch(w.fd, folder, what)
	if err != nil {
		return false
	}
	w.of[int32(wd)] = dir //nolint:gosec // the kernel's numbers
	w.folders[dir] = append(w.folders[dir], int32(wd))
	entries, err := os.ReadDir(folder)
	if err != nil {
		return false
	}
	for _, e := range entries {
		if e.IsDir() && e.Name() != ".git" && !w.add(dir, filepath.Join(folder, e.Name())) {
			return false
		}
	}
	return true
}

// Unchanged reports whether a directory is watched, and nothing has changed in it.
func (w *Watcher) Unchanged(dir string) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.read()
	return len(w.folders[dir]) > 0
}

// read takes what the kernel has to tell. A directory with a change is not watched any more.
func (w *Watcher) read() {
	if w.file == nil {
		return
	}
	var buf [64 << 10]byte
	for {
		if waiting, err := unix.IoctlGetInt(w.fd, unix.TIOCINQ); err != nil || waiting == 0 {
			return
		}
		n, err := unix.Read(w.fd, buf[:])
		if err != nil || n < unix.SizeofInotifyEvent {
			return
		}
		for at := 0; at+unix.SizeofInotifyEvent <= n; {
			wd := int32(binary.NativeEndian.Uint32(buf[at:])) //nolint:gosec // the kernel's numbers
			mask := binary.NativeEndian.Uint32(buf[at+4:])
			at += unix.SizeofInotifyEvent + int(binary.NativeEndian.Uint32(buf[at+12:]))
			if mask&unix.IN_Q_OVERFLOW != 0 {
				for dir := range w.folders {
					w.drop(dir)
				}
			}
			if dir, ok := w.of[wd]; ok {
				w.drop(dir)
			}
		}
	}
}

// drop forgets a directory.
func (w *Watcher) drop(dir string) {
	for _, wd := range w.folders[dir] {
		delete(w.of, wd)
		_, _ = unix.InotifyRmWatch(w.fd, uint32(wd)) //nolint:gosec // one that has told its event is gone
	}
	delete(w.folders, dir)
}
