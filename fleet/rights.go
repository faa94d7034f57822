package fleet

import (
	"context"
	"fmt"
	"slices"
)

// Rights are the subjects that a key may use.
type Rights struct {
	Publish, Subscribe []string
	// Answers: it may answer, once, each message that it has got.
	Answers bool
}

// InboxOf is the prefix of a machine's answers: nobody else may read them.
func InboxOf(node string) string { return "_INBOX_" + node }

// NodeRights are those of a machine: its own orders, claims, reports and presence. asks adds requests:
// such a key gives work to every machine.
func NodeRights(node string, asks bool) Rights {
	r := Rights{
		Answers: true,
		Publish: []string{
			subjectClaim + node,
			subjectReport + node + ".>",
			subjectNode + node,
			subjectOwnRights,
			"$JS.API.CONSUMER.INFO." + streamOrders + "." + consumerOf(node),
			"$JS.API.CONSUMER.MSG.NEXT." + streamOrders + "." + consumerOf(node),
			"$JS.ACK." + streamOrders + "." + consumerOf(node) + ".>",
			// With domains and accounts the engine has two more tokens in acknowledgements.
			"$JS.ACK.*.*." + streamOrders + "." + consumerOf(node) + ".>",
		},
		Subscribe: []string{InboxOf(node) + ".>"},
	}
	if asks {
		r.Publish = append(r.Publish, subjectRequest+node)
	}
	return r
}

// ClientRights are those of somebody who gives the fleet work and runs none.
func ClientRights(name string) Rights {
	return Rights{Publish: []string{subjectRequest + name, subjectOwnRights}, Subscribe: []string{InboxOf(name) + ".>"}}
}

// subjectOwnRights is where a server tells a connection its own rights.
const subjectOwnRights = "$SYS.REQ.USER.INFO"

// checkRights refuses a connection that may do more than a machine: a NATS server that others run has its own list of
// rights. A server that does not tell is asked no further.
func (m *member) checkRights(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, commitTry)
	defer cancel()
	reply, err := m.o.Conn.RequestWithContext(ctx, subjectOwnRights, nil)
	if err != nil {
		m.o.Log.Warn("the server does not tell what this machine's key may do", "error", err)
		return nil
	}
	type allowed struct {
		Allow []string `json:"allow"`
	}
	is, err := decode[struct {
		Data struct {
			Permissions struct {
				Publish   allowed `json:"publish"`
				Subscribe allowed `json:"subscribe"`
			} `json:"permissions"`
		} `json:"data"`
	}](reply.Data)
	if err != nil {
		return err
	}
	most, may := NodeRights(m.o.Name, true), is.Data.Permissions
	for what, list := range map[string][2][]string{"publish": {may.Publish.Allow, most.Publish}, "subscribe": {may.Subscribe.Allow, most.Subscribe}} {
		if len(list[0]) == 0 {
			list[0] = []string{">"} // what is not restricted
		}
		for _, subject := range list[0] {
			if !slices.Contains(list[1], subject) {
				return fmt.Errorf("the key of %s may %s on %.80q, and so read or end what is others': give it the rights that `ccdir-fleet rights` prints on the server, and no more", m.o.Name, what, subject)
			}
		}
	}
	return nil
}
