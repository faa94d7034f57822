package engine

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/nats-io/nats.go"

	"ccdir/internal/disk/atomicfile"
)

// Outside is a NATS server, or a cluster of them, that somebody else runs.
type Outside struct {
	// URL is nats://HOST:PORT or tls://HOST:PORT; several with commas.
	URL string `json:"url"`
	// Creds is the file of its credentials, CA that of the authority of the servers' certificates. Without Creds the
	// connection has the key of the fleet's directory, see RightsConfig.
	Creds string `json:"creds,omitempty"`
	CA    string `json:"ca,omitempty"`
	// Monitor has http://HOST:PORT of each server's monitoring. Without, nobody can read whether writes are synced.
	Monitor []string `json:"monitor,omitempty"`
}

// monitorWait bounds a request to a server's monitoring.
const monitorWait = 10 * time.Second

func outsideFile(dir string) string { return filepath.Join(dir, "outside.json") }

// Use makes o the server of a directory for the verbs beside `serve`; nil takes it back.
func Use(dir string, o *Outside) error {
	if o == nil {
		err := os.Remove(outsideFile(dir))
		if errors.Is(err, os.ErrNotExist) {
			err = nil
		}
		return err
	}
	data, err := json.Marshal(o)
	if err != nil {
		return err
	}
	return atomicfile.Write(outsideFile(dir), data)
}

// Connect connects with every right in the fleet's account. It goes on trying when the connection is lost later.
func (o Outside) Connect(dir string) (*nats.Conn, error) {
	opts := []nats.Option{nats.Name("ccdir-fleet"), nats.MaxReconnects(-1), nats.PingInterval(pingEvery), nats.MaxPingsOutstanding(2)}
	if o.CA != "" {
		opts = append(opts, nats.RootCAs(o.CA))
	}
	if o.Creds != "" {
		return nats.Connect(o.URL, append(opts, nats.UserCredentials(o.Creds))...)
	}
	pair, err := ownKey(dir)
	if err != nil {
		return nil, err
	}
	pub, err := pair.PublicKey()
	if err != nil {
		return nil, err
	}
	nc, err := nats.Connect(o.URL, append(opts, nats.Nkey(pub, pair.Sign))...)
	if errors.Is(err, nats.ErrAuthorization) || errors.Is(err, nats.ErrNkeysNotSupported) {
		err = fmt.Errorf("%w: it does not know this fleet's key: include what `ccdir-fleet rights` prints in its configuration, or give --creds", err)
	}
	return nc, err
}

// Check refuses a server with which acknowledged tasks could be lost, as far as that can be read. unknown says what
// cannot; "" where everything could.
func (o Outside) Check(ctx context.Context, nc *nats.Conn) (unknown string, err error) {
	if got := nc.MaxPayload(); got < maxPayload {
		return "", fmt.Errorf("max_payload of %s is %d bytes: set it to %dMB in its configuration and reload that", nc.ConnectedServerName(), got, maxPayload>>20)
	}
	for _, url := range o.Monitor {
		if err := checkMonitor(ctx, url); err != nil {
			return "", err
		}
	}
	unknown = "whether the servers encrypt their files (with which the engine has lost messages) is not told by them"
	if len(o.Monitor) == 0 {
		unknown = "whether the servers sync each write (sync_interval: always) is told by their monitoring alone: name it with --monitor; " + unknown
	}
	return unknown, nil
}

// Replicas is how often a server, or the cluster that it belongs to, keeps the streams.
func Replicas(nc *nats.Conn) int {
	if nc.ConnectedClusterName() == "" {
		return 1
	}
	return 3
}

func checkMonitor(ctx context.Context, url string) error {
	ctx, cancel := context.WithTimeout(ctx, monitorWait)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, strings.TrimSuffix(url, "/")+"/jsz", nil)
	if err != nil {
		return err
	}
	reply, err := http.DefaultClient.Do(r)
	if err != nil {
		return fmt.Errorf("the server's monitoring: %w", err)
	}
	defer func() { _ = reply.Body.Close() }()
	var is struct {
		Disabled bool `json:"disabled"`
		Config   struct {
			SyncAlways bool `json:"sync_always"`
		} `json:"config"`
	}
	if err := json.NewDecoder(io.LimitReader(reply.Body, 1<<20)).Decode(&is); err != nil || reply.StatusCode != http.StatusOK {
		return fmt.Errorf("%s is no monitoring of a NATS server (%s)", url, reply.Status)
	}
	switch {
	case is.Disabled:
		return fmt.Errorf("the server of %s has no JetStream", url)
	case !is.Config.SyncAlways:
		return fmt.Errorf("the server of %s does not sync each write, and tasks could be lost: set `sync_interval: always` in the section jetstream of its configuration, and start it again", url)
	}
	return nil
}

// RightsConfig is an account of a NATS server's configuration: the fleet's own key, which has every right in it, and
// the members of a directory with theirs.
func RightsConfig(dir string) (string, error) {
	pair, err := ownKey(dir)
	if err != nil {
		return "", err
	}
	own, err := pair.PublicKey()
	if err != nil {
		return "", err
	}
	members, err := Members(dir)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	fmt.Fprintf(&b, "accounts {\n  CCDIR {\n    jetstream: enabled\n    users: [\n      {nkey: %s} # ccdir-fleet serve\n", own)
	for _, m := range members {
		r := m.rights()
		type allow struct {
			Allow []string `json:"allow"`
		}
		may := map[string]any{"publish": allow{r.Publish}, "subscribe": allow{r.Subscribe}}
		if r.Answers {
			may["allow_responses"] = map[string]any{"max": 1, "expires": answerWithin.String()}
		}
		var text strings.Builder
		enc := json.NewEncoder(&text)
		enc.SetEscapeHTML(false) // the configuration is no JSON
		if err := enc.Encode(may); err != nil {
			return "", err
		}
		fmt.Fprintf(&b, "      {nkey: %s, permissions: %s} # %s\n", m.Key, strings.TrimSpace(text.String()), m.Name)
	}
	b.WriteString("    ]\n  }\n}\n")
	return b.String(), nil
}
