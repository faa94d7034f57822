package fleet

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
	return Rights{Publish: []string{subjectRequest + name}, Subscribe: []string{InboxOf(name) + ".>"}}
}
