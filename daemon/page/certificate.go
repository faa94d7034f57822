package page

import (
	"crypto/tls"
	"fmt"
	"net"
	"os"
	"strings"
	"sync"
	"time"

	"ccdir/config"
)

// certificate is the page's certificate, read again when its file has changed. A nil one stands for a
// page without TLS.
type certificate struct {
	files config.Web

	mu sync.Mutex // guards what follows
	at time.Time
	is *tls.Certificate
}

// newCertificate reads the certificate; nil without one.
func newCertificate(c config.Web) (*certificate, error) {
	if c.TLSCert == "" {
		return nil, nil
	}
	cert := &certificate{files: c}
	if _, err := cert.get(nil); err != nil {
		return nil, fmt.Errorf("web.tls_cert and web.tls_key: %w", err)
	}
	return cert, nil
}

// get implements tls.Config.GetCertificate. A file that cannot be read leaves the certificate.
func (c *certificate) get(*tls.ClientHelloInfo) (*tls.Certificate, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	info, err := os.Stat(c.files.TLSCert)
	if err == nil && !info.ModTime().Equal(c.at) {
		var read tls.Certificate
		if read, err = tls.LoadX509KeyPair(c.files.TLSCert, c.files.TLSKey); err == nil {
			c.is, c.at = &read, info.ModTime()
		}
	}
	if c.is == nil {
		return nil, err
	}
	return c.is, nil
}

// host says by which names the page may be called: those of the certificate, or of this machine.
func (c *certificate) host(listening net.Addr) func(name string) bool {
	own, _, _ := net.SplitHostPort(listening.String())
	return func(name string) bool {
		if c == nil {
			return name == "localhost" || name == own
		}
		cert, err := c.get(nil)
		return err == nil && cert.Leaf != nil && cert.Leaf.VerifyHostname(name) == nil
	}
}

// name is the host with its port by which the page is called.
func (c *certificate) name(listening net.Addr) string {
	if c == nil {
		return listening.String()
	}
	host, port, _ := net.SplitHostPort(listening.String())
	cert, err := c.get(nil)
	if err == nil && cert.Leaf != nil {
		for _, name := range cert.Leaf.DNSNames {
			if !strings.Contains(name, "*") {
				return net.JoinHostPort(name, port)
			}
		}
	}
	return net.JoinHostPort(host, port)
}
