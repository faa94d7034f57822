package wall

import (
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"

	"ccdir/sandbox"
	"ccdir/sandbox/proxy"

	"golang.org/x/sys/unix"
)

// way is the way out of a network that is closed but for a list of hosts.
type way struct {
	// port is that of the proxy on the loopback, password what it asks for, "" for nothing.
	port     int
	password string
	// ports are all that may be connected to, where only Landlock holds them.
	ports []int
}

// openWay listens within the process's network and offers the sockets to the proxy outside. keep:
// they are served as long as the proxy is there, not only as long as the program has connection
// open.
func openWay(p sandbox.Plan, connection int, keep bool) (w way, err error) {
	if connection == None {
		return w, errors.New("the sandbox has a list of hosts and nothing that lets them through: ccdir and ccdir-shim are of different versions")
	}
	own := p.Mechanism == sandbox.Bubblewrap // else others can connect to the same loopback
	o := proxy.Offer{Ports: []int{0}, Keep: keep}
	forwards := sandbox.Forwards(p.Hosts)
	if own {
		o.Ports = append(o.Ports, forwards...)
	} else {
		o.Password, w.ports = rand.Text(), slices.Clone(forwards)
	}
	var sockets []int
	defer func() {
		for _, fd := range sockets {
			_ = unix.Close(fd)
		}
	}()
	for _, port := range o.Ports {
		fd, err := listenOn(port)
		if err != nil {
			return w, fmt.Errorf("port %d of the sandbox's loopback: %w", port, err)
		}
		sockets = append(sockets, fd)
	}
	at, err := unix.Getsockname(sockets[0])
	if err != nil {
		return w, err
	}
	if inet, ok := at.(*unix.SockaddrInet4); ok {
		w.port, w.password, w.ports = inet.Port, o.Password, append(w.ports, inet.Port)
	}
	if err := o.Send(connection, sockets); err != nil {
		return w, err
	}
	if keep {
		return w, unix.Close(connection)
	}
	return w, nil
}

// backlog bounds those who wait to be answered.
const backlog = 128

// listenOn listens on a port of the loopback, on any that is free for 0.
func listenOn(port int) (int, error) {
	fd, err := unix.Socket(unix.AF_INET, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return 0, err
	}
	if err = unix.Bind(fd, &unix.SockaddrInet4{Port: port, Addr: [4]byte{127, 0, 0, 1}}); err == nil {
		err = unix.Listen(fd, backlog)
	}
	if err != nil {
		_ = unix.Close(fd)
	}
	return fd, err
}

// proxyVariables are what programs read to find a proxy; none is told what is on the loopback.
var proxyVariables = []string{"HTTPS_PROXY", "https_proxy", "HTTP_PROXY", "http_proxy"}

// env leads programs to the proxy.
func (w way) env(env []string) []string {
	address := "http://127.0.0.1:" + strconv.Itoa(w.port)
	if w.password != "" {
		address = "http://ccdir:" + w.password + "@127.0.0.1:" + strconv.Itoa(w.port)
	}
	set := []string{"NODE_USE_ENV_PROXY=1", "NO_PROXY=localhost,127.0.0.1,::1", "no_proxy=localhost,127.0.0.1,::1"}
	for _, name := range proxyVariables {
		set = append(set, name+"="+address)
	}
	return setEnv(slices.DeleteFunc(slices.Clone(env), func(kv string) bool {
		return strings.HasPrefix(kv, "ALL_PROXY=") || strings.HasPrefix(kv, "all_proxy=")
	}), set)
}

// DialProxy connects with what lets the hosts of a plan through; nil where the plan has no list. The
// file is passed on to the process that Argv starts.
func DialProxy(p sandbox.Plan) (*os.File, error) {
	if p.Network != sandbox.NetworkHosts || p.Proxy == "" {
		return nil, nil
	}
	return proxy.Dial(p.Proxy)
}
