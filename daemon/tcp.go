package daemon

import (
	"fmt"
	"net"
	"net/http"

	"ccdir/api"
	"ccdir/daemon/httpapi/access"
	"ccdir/daemon/listen"
)

// serveTCP serves the API over TCP, if configured; nil: it is not. A failure is an event
// and does not end the daemon.
func (d *daemon) serveTCP(h http.Handler) *listen.Server {
	address := d.config.Load().API.Listen
	if address == "" {
		return nil
	}
	s, err := d.openTCP(address, h)
	if err != nil {
		d.log.Error("the API is not served over TCP", "address", address, "error", err)
		d.note(api.EventConfigError, fmt.Sprintf("api.listen: %v: the API is not served there", err))
		return nil
	}
	return s
}

func (d *daemon) openTCP(address string, h http.Handler) (*listen.Server, error) {
	token, err := listen.APIToken(d.o.Paths.APIToken())
	if err != nil {
		return nil, err
	}
	l, err := net.Listen("tcp", address)
	if err != nil {
		return nil, err
	}
	if !access.IsLoopback(l.Addr()) {
		l.Close()
		return nil, fmt.Errorf("%s is no loopback address", l.Addr())
	}
	listening := l.Addr().String()
	d.tcpAddress.Store(&listening)
	s := listen.NewServer(access.OverTCP(h, access.TCP{
		Address: l.Addr(), Token: token, Logger: d.log,
		Origins: func() []string { return d.config.Load().API.Origins },
		Rate:    func() int { return d.config.Load().API.Rate },
		Refused: func(why string) { d.enforcer.Refused("", "tcp", why) },
	}), d.o.UID, d.log)
	s.ServeOn(access.NewTCPListener(l, d.log))
	d.log.Info("the API is served over TCP", "address", listening)
	return s, nil
}
