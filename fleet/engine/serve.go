package engine

import (
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nkeys"

	"ccdir/fleet"
	"ccdir/internal/contain"
	"ccdir/internal/disk/atomicfile"
)

// Options are those of a server.
type Options struct {
	// Dir has the streams and keys.
	Dir string
	// Name is the server's, another one for each.
	Name string
	// Listen is HOST:PORT. Beyond loopback it needs Cert and Key.
	Listen    string
	Cert, Key string
	// Cluster is HOST:PORT for the other servers, Routes their addresses (nats-route://HOST:PORT), three
	// in all; "" for a fleet of one server. Secret is what the servers know of each other.
	Cluster string
	Routes  []string
	Secret  string
	Log     *slog.Logger `json:"-"`
}

const (
	maxPayload = 8 << 20
	// startWait bounds the start: a log of gigabytes is read by then.
	startWait = 5 * time.Minute
	// answerWithin is how long a machine may answer a question.
	answerWithin = time.Minute
	// followEvery is how often the list of members is looked at.
	followEvery = time.Second
	// pingEvery is how often a connection looks for its server: three times that until another of three is tried.
	pingEvery = 8 * time.Second
)

// Engine is a server that runs.
type Engine struct {
	s    *server.Server
	o    Options
	pair nkeys.KeyPair
	lock *os.File
	wg   contain.Group
	stop context.CancelFunc
}

// Serve starts a server, the only one of its directory. Close it.
func Serve(ctx context.Context, o Options) (_ *Engine, err error) {
	opts, err := options(o)
	if err != nil {
		return nil, err
	}
	e := &Engine{o: o, wg: contain.Group{Log: o.Log}}
	if e.lock, err = Lock(o.Dir); err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			_ = e.lock.Close()
		}
	}()
	if err := errors.Join(free(opts.Host, opts.Port), free(opts.Cluster.Host, opts.Cluster.Port)); err != nil {
		return nil, err
	}
	if e.pair, err = ownKey(o.Dir); err != nil {
		return nil, err
	}
	known := e.stamp() // before they are read: who is invited meanwhile is found by followMembers
	if opts.Nkeys, err = e.users(); err != nil {
		return nil, err
	}
	if e.s, err = server.NewServer(opts); err != nil {
		return nil, fmt.Errorf("the NATS server: %w", err)
	}
	e.s.SetLoggerV2(logger{o.Log}, false, false, false)
	e.s.Start()
	for began := time.Now(); !e.s.ReadyForConnections(time.Second); {
		if err := ctx.Err(); err != nil || time.Since(began) > startWait {
			e.shutdown()
			return nil, fmt.Errorf("the NATS server did not start in %s: its log says why", startWait)
		}
	}
	if c := e.s.JetStreamConfig(); c == nil || !c.SyncAlways {
		e.shutdown()
		return nil, errors.New("the NATS server does not sync each write (sync_always): tasks could be lost")
	}
	ctx, e.stop = context.WithCancel(context.Background())
	e.wg.Go(func() { e.followMembers(ctx, known) })
	return e, nil
}

// Close ends the server and waits for it.
func (e *Engine) Close() {
	e.stop()
	e.wg.Wait()
	e.shutdown()
	_ = e.lock.Close()
}

// shutdown returns when the server has left its files.
func (e *Engine) shutdown() {
	e.s.Shutdown()
	e.s.WaitForShutdown()
}

// URL is where clients connect.
func (e *Engine) URL() string { return e.s.ClientURL() }

// MarkFile is the file of fleet.Options.Mark.
func (e *Engine) MarkFile() string { return MarkFile(e.o.Dir) }

// MarkFile is the file of fleet.Options.Mark in a server's directory.
func MarkFile(dir string) string { return filepath.Join(dir, "mark") }

// Connect makes a connection with every right, inside the process.
func (e *Engine) Connect() (*nats.Conn, error) {
	pub, err := e.pair.PublicKey()
	if err != nil {
		return nil, err
	}
	return nats.Connect("", nats.InProcessServer(e.s), nats.Nkey(pub, e.pair.Sign), nats.Name("ccdir-fleet serve "+e.o.Name), nats.MaxReconnects(-1))
}

func options(o Options) (*server.Options, error) {
	host, port, err := hostPort(o.Listen)
	if err != nil {
		return nil, err
	}
	opts := &server.Options{
		ServerName: o.Name, Host: host, Port: port, NoSigs: true, NoLog: true, MaxPayload: maxPayload,
		JetStream: true, StoreDir: filepath.Join(o.Dir, "streams"), SyncAlways: true, WriteDeadline: 10 * time.Second,
	}
	switch ip := net.ParseIP(host); {
	case o.Cert != "" || o.Key != "":
		pair, err := tls.LoadX509KeyPair(o.Cert, o.Key)
		if err != nil {
			return nil, fmt.Errorf("the certificate: %w", err)
		}
		opts.TLSConfig, opts.TLS, opts.TLSTimeout = &tls.Config{Certificates: []tls.Certificate{pair}, MinVersion: tls.VersionTLS12}, true, 5
	case host != "localhost" && (ip == nil || !ip.IsLoopback()):
		return nil, fmt.Errorf("%s is not loopback: give --tls-cert and --tls-key, or listen on 127.0.0.1 and let machines come by `join --via ssh://HOST`", o.Listen)
	}
	if o.Cluster == "" {
		return opts, nil
	}
	if len(o.Routes) != 2 || o.Secret == "" {
		return nil, errors.New("a fleet has one server, or three: give the routes of the two others and a secret")
	}
	if opts.Cluster.Host, opts.Cluster.Port, err = hostPort(o.Cluster); err != nil {
		return nil, err
	}
	opts.Cluster.Name, opts.Cluster.Username, opts.Cluster.Password = "ccdir-fleet", "server", o.Secret
	for _, route := range o.Routes {
		u, err := url.Parse(route)
		if err != nil || u.Host == "" {
			return nil, fmt.Errorf("%q is no route: nats-route://HOST:PORT", route)
		}
		u.User = url.UserPassword("server", o.Secret)
		opts.Routes = append(opts.Routes, u)
	}
	return opts, nil
}

func hostPort(addr string) (string, int, error) {
	host, text, err := net.SplitHostPort(addr)
	port, perr := strconv.Atoi(text)
	if err != nil || perr != nil || host == "" {
		return "", 0, fmt.Errorf("%q is no address: HOST:PORT", addr)
	}
	if port == 0 {
		port = server.RANDOM_PORT
	}
	return host, port, nil
}

// ownKey is the server's own key, made at the first start.
func ownKey(dir string) (nkeys.KeyPair, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	file := filepath.Join(dir, "server.nk")
	seed, err := os.ReadFile(file)
	if err == nil {
		return nkeys.FromSeed(seed)
	}
	if !errors.Is(err, os.ErrNotExist) {
		return nil, err
	}
	pair, err := nkeys.CreateUser()
	if err != nil {
		return nil, err
	}
	if seed, err = pair.Seed(); err != nil {
		return nil, err
	}
	return pair, atomicfile.Replace(file, seed)
}

// users are those who may connect: this server, and the members by their rights.
func (e *Engine) users() ([]*server.NkeyUser, error) {
	own, err := e.pair.PublicKey()
	if err != nil {
		return nil, err
	}
	list := []*server.NkeyUser{{Nkey: own}}
	members, err := Members(e.o.Dir)
	if err != nil {
		return nil, err
	}
	for _, m := range members {
		r := m.rights()
		may := &server.Permissions{Publish: &server.SubjectPermission{Allow: r.Publish}, Subscribe: &server.SubjectPermission{Allow: r.Subscribe}}
		if r.Answers {
			may.Response = &server.ResponsePermission{MaxMsgs: 1, Expires: answerWithin}
		}
		list = append(list, &server.NkeyUser{Nkey: m.Key, Permissions: may})
	}
	return list, nil
}

// stamp changes when the list of members does.
func (e *Engine) stamp() (s [2]int64) {
	if info, err := os.Stat(membersFile(e.o.Dir)); err == nil {
		s = [2]int64{info.ModTime().UnixNano(), info.Size()}
	}
	return s
}

// followMembers lets changes of the list of members since last hold.
func (e *Engine) followMembers(ctx context.Context, last [2]int64) {
	tick := time.NewTicker(followEvery)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
		now := e.stamp()
		if now == last {
			continue
		}
		users, err := e.users()
		if err == nil {
			var opts *server.Options
			if opts, err = options(e.o); err == nil {
				opts.Nkeys = users
				if a, ok := e.s.Addr().(*net.TCPAddr); ok {
					opts.Port = a.Port
				}
				err = e.s.ReloadOptions(opts)
			}
		}
		if err != nil {
			e.o.Log.Error("the list of members could not be taken over", "error", err)
			continue
		}
		last = now
	}
}

// Dial connects a member by its invitation. Where the server does not answer or does not know the key, the connection
// goes on trying; log is told why it failed, nil by nobody.
func Dial(i Invitation, log *slog.Logger) (*nats.Conn, error) {
	pair, err := nkeys.FromSeed([]byte(i.Seed))
	if err != nil {
		return nil, err
	}
	pub, err := pair.PublicKey()
	if err != nil {
		return nil, err
	}
	key := nats.Nkey(pub, pair.Sign)
	if i.Creds != "" {
		key = nats.UserCredentials(i.Creds)
	}
	opts := []nats.Option{nats.Name("ccdir-fleet " + i.Name), key, nats.CustomInboxPrefix(fleet.InboxOf(i.Name)),
		nats.MaxReconnects(-1), nats.RetryOnFailedConnect(true),
		nats.IgnoreAuthErrorAbort(),                               // another of three servers may know the key already
		nats.PingInterval(pingEvery), nats.MaxPingsOutstanding(2), // a server that is frozen keeps its connections open
		nats.ReconnectJitter(time.Second, 3*time.Second)}
	if i.Via != "" {
		way, err := newVia(i.Via)
		if err != nil {
			return nil, err
		}
		opts = append(opts, nats.SetCustomDialer(way), nats.SkipHostLookup(), nats.Timeout(viaTimeout))
	}
	if i.CA != "" {
		opts = append(opts, nats.RootCAs(i.CA))
	}
	if log != nil {
		opts = append(opts, nats.ReconnectErrHandler(func(_ *nats.Conn, err error) { log.Warn("the server does not answer, will try again", "error", err) }),
			nats.ConnectHandler(func(*nats.Conn) { log.Info("connected to the fleet") }), nats.ReconnectHandler(func(*nats.Conn) { log.Info("connected to the fleet again") }))
	}
	return nats.Connect(strings.Join(i.URLs, ","), opts...)
}

// logger writes the server's log into ours.
type logger struct{ log *slog.Logger }

func (l logger) Noticef(format string, v ...any) { l.log.Debug("nats: " + fmt.Sprintf(format, v...)) }
func (l logger) Warnf(format string, v ...any)   { l.log.Warn("nats: " + fmt.Sprintf(format, v...)) }
func (l logger) Fatalf(format string, v ...any)  { l.log.Error("nats: " + fmt.Sprintf(format, v...)) }
func (l logger) Errorf(format string, v ...any)  { l.log.Error("nats: " + fmt.Sprintf(format, v...)) }
func (l logger) Debugf(string, ...any)           {}
func (l logger) Tracef(string, ...any)           {}

// Admin connects to the server that runs from dir, or that it uses, with its own key, which has every right.
func Admin(dir, address string) (*nats.Conn, error) {
	if data, err := os.ReadFile(outsideFile(dir)); err == nil {
		var o Outside
		if err := json.Unmarshal(data, &o); err != nil {
			return nil, fmt.Errorf("%s: %w", outsideFile(dir), err)
		}
		return o.Connect(dir)
	}
	seed, err := os.ReadFile(filepath.Join(dir, "server.nk"))
	if err != nil {
		return nil, err
	}
	pair, err := nkeys.FromSeed(seed)
	if err != nil {
		return nil, err
	}
	pub, err := pair.PublicKey()
	if err != nil {
		return nil, err
	}
	opts := []nats.Option{nats.Nkey(pub, pair.Sign), nats.Name("ccdir-fleet")}
	if strings.HasPrefix(address, "tls://") {
		// The address is this machine's own: its certificate is for the name by which others come.
		opts = append(opts, nats.Secure(&tls.Config{InsecureSkipVerify: true})) //nolint:gosec // see above
	}
	return nats.Connect(address, opts...)
}
