package drill

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os/exec"
	"sync"
	"syscall"
	"time"
)

// messageEvery is the pause between two messages; a mailbox holds 1,000, and the drill
// empties it meanwhile.
const messageEvery = 60 * time.Millisecond

// bridgeLoad is an MCP client: it sends messages to the user over the bridge, and
// starts another bridge when one dies, with its daemon or by a kill.
type bridgeLoad struct {
	shim  string
	env   []string
	dir   string
	rand  *rand.Rand
	kills chan chan error
	end   context.CancelFunc
	done  chan struct{}
	once  sync.Once

	mu       sync.Mutex // guards the fields below
	answered []int      // messages that were accepted
	err      error
}

// startBridge starts the load; the caller stops it.
func startBridge(shim string, env []string, dir string, seed uint64) *bridgeLoad {
	ctx, cancel := context.WithCancel(context.Background())
	b := &bridgeLoad{shim: shim, env: env, dir: dir, rand: rand.New(rand.NewPCG(seed, 2)), kills: make(chan chan error), end: cancel, done: make(chan struct{})}
	go b.loop(ctx)
	return b
}

// stop ends the client and its bridge and waits for both.
func (b *bridgeLoad) stop() { b.once.Do(b.end); <-b.done }

// kill kills the bridge during its next call.
func (b *bridgeLoad) kill(ctx context.Context) error { return askKill(ctx, b.kills, b.done) }

// accepted returns the accepted messages so far, or the server's error.
func (b *bridgeLoad) accepted() ([]int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.answered[:len(b.answered):len(b.answered)], b.err
}

func (b *bridgeLoad) loop(ctx context.Context) {
	defer close(b.done)
	var br *bridge
	defer func() { br.close() }()
	t := time.NewTicker(messageEvery)
	defer t.Stop()
	for n := 1; ; n++ {
		var wish chan error
		select {
		case <-ctx.Done():
			return
		case wish = <-b.kills:
		case <-t.C:
		}
		for br == nil { // no daemon: the bridge says so and ends
			var err error
			if br, err = b.open(ctx); err != nil && pause(ctx, 20*time.Millisecond) != nil {
				break
			}
		}
		if br == nil {
			return // a pending request for a kill is dropped then: its sender sees done
		}
		if !b.send(br, n, wish != nil) {
			br.close()
			br = nil
		}
		if wish != nil {
			wish <- nil
		}
	}
}

// send sends message n; it reports whether the bridge survived.
func (b *bridgeLoad) send(br *bridge, n int, kill bool) bool {
	if kill {
		d := time.Duration(b.rand.Int64N(int64(8 * time.Millisecond)))
		defer time.AfterFunc(d, func() { _ = br.cmd.Process.Kill() }).Stop()
	}
	res, err := br.call(n, "tools/call", map[string]any{"name": "message_send", "arguments": map[string]any{"to": "person", "text": messageText(n)}})
	b.mu.Lock()
	defer b.mu.Unlock()
	switch {
	case err != nil:
		// The bridge or its daemon died: whether the message was accepted is unknown.
	case res.Result.IsError || res.Error != nil:
		b.err = fmt.Errorf("message %d was refused: %s %s", n, res.Result.Content, res.Error)
	default:
		b.answered = append(b.answered, n)
	}
	if kill {
		_ = br.cmd.Process.Kill() // the answer may have arrived first
		return false
	}
	return err == nil
}

// messageText is the text of message n.
func messageText(n int) string { return fmt.Sprintf("drill-message-%d.", n) }

// bridge is one `ccdir-shim mcp`.
type bridge struct {
	cmd *exec.Cmd
	in  io.WriteCloser
	out *bufio.Reader
}

// open starts a bridge and greets the server behind it.
func (b *bridgeLoad) open(ctx context.Context) (*bridge, error) {
	br := &bridge{cmd: exec.Command(b.shim, "mcp")} //nolint:gosec // our own shim
	br.cmd.Env, br.cmd.Dir = b.env, b.dir
	br.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} // Ctrl-C must not reach it
	in, err := br.cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := br.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	br.in, br.out = in, bufio.NewReader(out)
	if err := br.cmd.Start(); err != nil {
		return nil, err
	}
	hello := map[string]any{"protocolVersion": "2025-06-18", "capabilities": map[string]any{}, "clientInfo": map[string]any{"name": "drill", "version": "1"}}
	if _, err = br.call(0, "initialize", hello); err == nil {
		_, err = io.WriteString(br.in, `{"jsonrpc":"2.0","method":"notifications/initialized"}`+"\n")
	}
	if err == nil {
		err = ctx.Err()
	}
	if err != nil {
		br.close()
		return nil, err
	}
	return br, nil
}

// answer is a JSON-RPC answer.
type answer struct {
	ID     *int            `json:"id"`
	Error  json.RawMessage `json:"error"`
	Result struct {
		IsError bool            `json:"isError"`
		Content json.RawMessage `json:"content"`
	} `json:"result"`
}

// callTime bounds a call, so that a server that hangs is detected.
const callTime = 30 * time.Second

var errHangs = errors.New("no answer")

// call makes one call and waits for its answer. The bridge is killed if there is
// none.
func (br *bridge) call(id int, method string, params any) (a answer, err error) {
	data, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": id, "method": method, "params": params})
	if err != nil {
		return a, err
	}
	late := time.AfterFunc(callTime, func() { _ = br.cmd.Process.Kill() })
	defer func() {
		if !late.Stop() {
			err = errHangs
		}
	}()
	if _, err := br.in.Write(append(data, '\n')); err != nil {
		return a, err
	}
	for {
		line, err := br.out.ReadBytes('\n')
		if err != nil {
			return a, err
		}
		a = answer{}
		if json.Unmarshal(line, &a) == nil && a.ID != nil && *a.ID == id {
			return a, nil
		}
	}
}

// close ends the bridge. A nil bridge is closed.
func (br *bridge) close() {
	if br == nil {
		return
	}
	_ = br.in.Close()
	_ = br.cmd.Process.Kill()
	_ = br.cmd.Wait()
}
