package daemon

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"ccdir/internal/agents"
	"ccdir/internal/api"
	"ccdir/orchestrator"
	"ccdir/sessions"
)

// usage reads an agent's own file of its conversation as it grows, and sums up
// what the turns since begun used.
type usage struct {
	path   string
	offset int64
	turns  map[string]int64 // the API's messages → tokens
	told   spent
	// reset is when the usage limit that was met last ends, zero if not told.
	reset time.Time
}

// spent is what was reported last.
type spent struct {
	turns  int
	tokens int64
	// denials is the length of the list of refusals, in bytes.
	denials int
}

// maxTranscriptLine bounds a line that is looked at, in bytes; longer ones are
// skipped.
const maxTranscriptLine = 4 << 20

// use reports what the attempt used so far, and the files it changed.
func (f *follower) use(ctx context.Context, t sessions.TaskSession) {
	files := f.filesOf(ctx, t)
	turns, tokens := f.usage.read(t.Transcript, t.Session.Created)
	denials := f.d.denials(ctx, f.session, t.Session.Created)
	now := spent{turns, tokens, len(denials)}
	if f.usage.told == now && files == nil {
		return
	}
	f.usage.told = now
	f.report(orchestrator.Used{Ref: f.ref, Turns: turns, Tokens: tokens, Denials: denials, Files: files, Conversation: t.Session.Conversation})
}

// spend reports what the attempt used while it runs, so that its bounds hold;
// at most once in spendEvery.
func (f *follower) spend(t sessions.TaskSession) {
	if t.Session.State != api.StateWorking || time.Since(f.spent) < spendEvery {
		return
	}
	f.spent = time.Now()
	turns, tokens := f.usage.read(t.Transcript, t.Session.Created)
	now := spent{turns, tokens, f.usage.told.denials}
	if f.usage.told == now {
		return
	}
	f.usage.told = now
	f.report(orchestrator.Used{Ref: f.ref, Turns: turns, Tokens: tokens})
}

// spendEvery is how often a transcript is read while its agent works.
const spendEvery = 3 * time.Second

// read reads on, and returns the turns and tokens so far.
func (u *usage) read(path string, since time.Time) (turns int, tokens int64) {
	if path != "" && filepath.IsAbs(path) {
		if path != u.path {
			u.path, u.offset, u.turns, u.reset = path, 0, map[string]int64{}, time.Time{}
		}
		u.readOn(since)
	}
	for _, n := range u.turns {
		tokens += n
	}
	return len(u.turns), tokens
}

func (u *usage) readOn(since time.Time) {
	file, err := os.Open(u.path)
	if err != nil {
		return // it may not be there yet
	}
	defer file.Close()
	if info, err := file.Stat(); err != nil || !info.Mode().IsRegular() {
		return
	}
	if _, err := file.Seek(u.offset, io.SeekStart); err != nil {
		return
	}
	r := bufio.NewReaderSize(file, 64<<10)
	for {
		line, err := readLine(r)
		if errors.Is(err, io.EOF) {
			return // the rest is not whole yet
		}
		u.offset += int64(line.n)
		if err != nil {
			return
		}
		u.take(line.data, since)
	}
}

// textLine is a line and how many bytes it took in the file; data is nil if it is
// too long.
type textLine struct {
	data []byte
	n    int
}

func readLine(r *bufio.Reader) (l textLine, err error) {
	for {
		part, err := r.ReadSlice('\n')
		l.n += len(part)
		if l.n <= maxTranscriptLine {
			l.data = append(l.data, part...)
		} else {
			l.data = nil
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return l, err
		}
	}
}

func (u *usage) take(line []byte, since time.Time) {
	if !bytes.Contains(line, []byte(`"usage"`)) {
		return
	}
	var in struct {
		Type    string    `json:"type"`
		At      time.Time `json:"timestamp"`
		Failed  bool      `json:"isApiErrorMessage"`
		Message struct {
			ID    string `json:"id"`
			Usage struct {
				Input  int64 `json:"input_tokens"`
				Output int64 `json:"output_tokens"`
				Made   int64 `json:"cache_creation_input_tokens"`
				Read   int64 `json:"cache_read_input_tokens"`
			} `json:"usage"`
		} `json:"message"`
	}
	if json.Unmarshal(line, &in) != nil || in.Type != "assistant" || in.Message.ID == "" || in.At.Before(since) {
		return
	}
	if in.Failed { // the API gave no answer: the agent wrote this one itself
		u.reset = agents.LimitReset(line)
		return
	}
	v := in.Message.Usage
	u.turns[in.Message.ID] = v.Input + v.Output + v.Made + v.Read
}

// gitFile keeps, in the session's directory, how the repository stood at the
// start of a task.
const gitFile = "task-git.json"

// gitStart is its content.
type gitStart struct {
	Head string `json:"head"`
	// Dirty are the files that differed from it already: time of change by name.
	Dirty map[string]int64 `json:"dirty"`
}

const (
	gitTime  = 5 * time.Second
	maxFiles = 1000 // of a result
)

// git runs git in a directory; "" if it is no repository or git does not answer.
func git(ctx context.Context, dir string, args ...string) string {
	ctx, cancel := context.WithTimeout(ctx, gitTime)
	defer cancel()
	cmd := exec.CommandContext(ctx, "git", append([]string{"-C", dir, "-c", "core.fsmonitor=false"}, args...)...)
	cmd.Env = append(agents.CleanEnv(os.Environ()), "GIT_OPTIONAL_LOCKS=0", "GIT_TERMINAL_PROMPT=0")
	cmd.WaitDelay = time.Second
	out, err := cmd.Output()
	if err != nil {
		return ""
	}
	return string(out)
}

// changedFiles are the files that differ from a commit, untracked ones included,
// relative to the repository's top; with the top.
func changedFiles(ctx context.Context, dir, head string) (top string, files []string) {
	top = strings.TrimSuffix(git(ctx, dir, "rev-parse", "--show-toplevel"), "\n")
	if top == "" {
		return "", nil
	}
	list := git(ctx, top, "ls-files", "-z", "--others", "--exclude-standard")
	if head != "" {
		list += git(ctx, top, "diff", "--no-ext-diff", "--name-only", "-z", head)
	}
	for name := range strings.SplitSeq(list, "\x00") {
		if name != "" {
			files = append(files, name)
		}
	}
	slices.Sort(files)
	return top, slices.Compact(files)
}

func changedAt(path string) int64 {
	info, err := os.Lstat(path)
	if err != nil {
		return 0
	}
	return info.ModTime().UnixNano()
}

// noteFiles keeps how the repository stands, once per session.
func (t *tasks) noteFiles(ctx context.Context, s api.Session) {
	path := filepath.Join(t.d.o.Paths.SessionDir(s.ID), gitFile)
	if _, err := os.Stat(path); err == nil {
		return
	}
	start := gitStart{Head: strings.TrimSpace(git(ctx, s.CWD, "rev-parse", "HEAD")), Dirty: map[string]int64{}}
	top, files := changedFiles(ctx, s.CWD, start.Head)
	if top == "" {
		return
	}
	for _, name := range files {
		start.Dirty[name] = changedAt(filepath.Join(top, name))
	}
	data, err := json.Marshal(start)
	if err == nil {
		err = replaceFile(path, data)
	}
	if err != nil {
		t.d.log.Warn("cannot note the files of a task", "session", s.ID, "error", err)
	}
}

// filesOf are the files that changed since the task's start; nil without a
// repository.
func (f *follower) filesOf(ctx context.Context, t sessions.TaskSession) []string {
	data, err := os.ReadFile(filepath.Join(t.Dir, gitFile))
	if err != nil {
		return nil
	}
	var start gitStart
	if json.Unmarshal(data, &start) != nil {
		return nil
	}
	top, files := changedFiles(ctx, t.Session.CWD, start.Head)
	if top == "" {
		return nil
	}
	changed := []string{}
	for _, name := range files {
		if at, was := start.Dirty[name]; was && at == changedAt(filepath.Join(top, name)) {
			continue
		}
		if changed = append(changed, name); len(changed) == maxFiles {
			break
		}
	}
	return changed
}
