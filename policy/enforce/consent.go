package enforce

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"

	"ccdir/api"
)

// maxConsents bounds the rows in which a consent is looked for.
const maxConsents = 10_000

// consentTo names a text by its hash.
func consentTo(text string) string {
	sum := sha256.Sum256([]byte(text))
	return "sha256:" + hex.EncodeToString(sum[:])
}

// Consent records that the person agrees that ccdir runs a command by itself. what is what
// for. The consent is to the exact text.
func (e *Enforcer) Consent(what, command, client string, call api.Call) error {
	input, err := json.Marshal(map[string]string{"command": command})
	if err != nil {
		return err
	}
	_, err = e.once(api.LedgerRow{At: e.o.Now(), Tool: what, Input: e.o.redact(input), Decision: api.EffectAllow, By: api.ByPerson,
		Rule: consentTo(command), Client: client, Reason: "agreed to the exact text"}, call, nil)
	return err
}

// Consented reports whether the person has agreed to a command. Without a ledger nobody has.
func (e *Enforcer) Consented(ctx context.Context, what, command string) (bool, error) {
	if e.o.Ledger == nil {
		return false, nil
	}
	rows, err := e.o.Ledger.Decisions(ctx, api.LedgerFilter{Tool: what, By: api.ByPerson, Decision: api.EffectAllow, Limit: maxConsents})
	for _, row := range rows {
		if row.Rule == consentTo(command) {
			return true, nil
		}
	}
	return false, err
}
