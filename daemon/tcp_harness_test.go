package daemon

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"time"
)

// tcpTry is a call over TCP that another process makes.
type tcpTry struct {
	Method, Token, Body string
	// Host is what a call by io_uring sends as its host.
	Host string
	// Flight: nobody holds the connection while the call is made.
	Flight bool
	// Gone: the process ends without hearing the answer. Relay: another process of the
	// session holds the connection and copies.
	Gone, Relay bool
}

// inFlight writes a request and hears the answer, while nobody holds the connection
// in between; nil where the system cannot do that.
var inFlight func(c *net.TCPConn, request string) error

// handOver connects to a socket and sends the connection to the process that started
// this one; nil as inFlight.
var handOver func(socket string) error

// byRing connects to an address or socket, sends a request and reads the answer by io_uring;
// nil as inFlight.
var byRing func(address, request string) (answer string, err error)

// text is the call as it is written.
func (c tcpTry) text(address, path string) string {
	return fmt.Sprintf("%s %s HTTP/1.1\r\nHost: %s\r\nAuthorization: Bearer %s\r\nContent-Type: application/json\r\nAccept: application/json, text/event-stream\r\nContent-Length: %d\r\n\r\n%s",
		c.Method, path, address, c.Token, len(c.Body), c.Body)
}

// on makes the call on a connection, which it takes over if the call is one in flight.
func (c tcpTry) on(nc net.Conn, address, path string) string {
	_ = nc.SetDeadline(time.Now().Add(patience))
	var err error
	if c.Flight {
		err = inFlight(nc.(*net.TCPConn), c.text(address, path))
	} else {
		_, err = io.WriteString(nc, c.text(address, path))
	}
	if err != nil {
		return err.Error()
	}
	if c.Gone {
		return "sent"
	}
	resp, err := http.ReadResponse(bufio.NewReader(nc), &http.Request{Method: c.Method})
	if err != nil {
		return err.Error()
	}
	defer resp.Body.Close()
	body, _ := io.ReadAll(resp.Body) // enough to judge
	return fmt.Sprint(resp.StatusCode, " ", strings.TrimSpace(string(body)))
}

// callTCP makes a call that is described by a tcpTry, and returns status and body.
func callTCP(address, path, try string) string {
	var c tcpTry
	if err := json.Unmarshal([]byte(try), &c); err != nil {
		return err.Error()
	}
	to := address
	if c.Relay {
		var err error
		if to, err = relay(address); err != nil {
			return err.Error()
		}
	}
	nc, err := net.Dial("tcp", to)
	if err != nil {
		return err.Error()
	}
	defer nc.Close()
	return c.on(nc, address, path)
}

// callByRing is callTCP by io_uring, also to a unix socket. It returns the whole answer.
func callByRing(address, path, try string) string {
	var c tcpTry
	if err := json.Unmarshal([]byte(try), &c); err != nil {
		return err.Error()
	}
	answer, err := byRing(address, strings.Replace(c.text(c.Host, path), "\r\n", "\r\nConnection: close\r\n", 1))
	if err != nil {
		return err.Error()
	}
	return answer
}

// relay starts a process that copies between one connection and another to the address, and
// returns where it listens.
func relay(address string) (at string, err error) {
	exe, err := os.Executable()
	if err != nil {
		return "", err
	}
	cmd := exec.Command(exe)
	cmd.Env = []string{"CCDIR_TEST_CALL=" + address + "\nRELAY\n\n"}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return "", err
	}
	if err := cmd.Start(); err != nil {
		return "", err
	}
	at, err = bufio.NewReader(out).ReadString('\n')
	return strings.TrimSpace(at), err
}

// relayed is the process of relay.
func relayed(address string) error {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	fmt.Println(l.Addr())
	theirs, err := l.Accept()
	if err != nil {
		return err
	}
	ours, err := net.Dial("tcp", address)
	if err != nil {
		return err
	}
	go func() { _, _ = io.Copy(ours, theirs) }() // ends with the process
	_, err = io.Copy(theirs, ours)
	return err
}
