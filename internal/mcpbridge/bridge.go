// Package mcpbridge joins an agent's MCP client on standard input and output
// to the daemon's MCP socket: `ccdir-shim mcp`.
//
// It sends one preamble line that says who it is, then passes bytes both ways
// and looks at none of them. It ends when either side does: an agent starts it
// again at its next call, so it needs no redialling.
package mcpbridge

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"strings"
	"time"

	"ccdir/internal/api"
)

// EnvMCPSocket names the daemon's MCP socket, in the generated configuration.
const EnvMCPSocket = "CCDIR_MCP_SOCKET"

// dialTime bounds the connection to a daemon that hangs.
const dialTime = 5 * time.Second

// preamble is mcpserver's Preamble on the wire.
type preamble struct {
	Token   string `json:"token"`
	Session string `json:"session"`
	Dir     string `json:"dir"`
}

// Main runs the bridge and returns the exit code: 0 when a side hung up, 1
// with a line on stderr when there is no daemon to speak to.
func Main(stdin io.Reader, stdout, stderr io.Writer, environ []string) int {
	env := map[string]string{}
	for _, kv := range environ {
		if k, v, ok := strings.Cut(kv, "="); ok {
			env[k] = v
		}
	}
	dir, err := os.Getwd()
	if err == nil {
		err = run(stdin, stdout, env[EnvMCPSocket], preamble{env[api.EnvToken], env[api.EnvSession], dir})
	}
	if err != nil {
		fmt.Fprintf(stderr, "ccdir-shim mcp: %v\n", err)
		return 1
	}
	return 0
}

func run(stdin io.Reader, stdout io.Writer, socket string, pre preamble) error {
	if socket == "" {
		return errors.New(EnvMCPSocket + " is not set; the bridge is started by an agent with ccdir's MCP configuration")
	}
	conn, err := net.DialTimeout("unix", socket, dialTime)
	if err != nil {
		return fmt.Errorf("no daemon: %w; start it with ccdir daemon start", err)
	}
	defer conn.Close()
	line, err := json.Marshal(pre)
	if err != nil {
		return err
	}
	if _, err := conn.Write(append(line, '\n')); err != nil {
		return fmt.Errorf("daemon: %w", err)
	}
	// The agent closes standard input to end the bridge; answers to what it
	// asked before are of no use to it then. A read of it can't be interrupted,
	// so that goroutine ends with the process.
	ended := make(chan error, 2)
	go func() { _, err := io.Copy(conn, stdin); ended <- err }()
	go func() { _, err := io.Copy(stdout, conn); ended <- err }()
	if err := <-ended; err != nil && !errors.Is(err, net.ErrClosed) {
		return fmt.Errorf("connection: %w", err)
	}
	return nil
}
