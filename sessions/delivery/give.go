package delivery

import (
	"context"

	"ccdir/agents"
	"ccdir/api"
)

// submit gives the agent the prompt, where it takes prompts in another way than by keys, or
// types it. A prompt that an earlier daemon may have given is not given again: its
// acknowledgement is waited for.
func (d *Delivery) submit(ctx context.Context, tx, text string, resumed bool, ack agents.Ack, patient bool) error {
	if _, ok := d.o.Adapter.(agents.Connected); ok && d.o.Give != nil {
		if resumed {
			return nil
		}
		handled, err := d.o.Give(ctx, tx, text)
		if err != nil {
			return api.Errorf(api.CodeInternal, "the agent of session %s did not take the prompt: %v", d.label(ctx), err)
		}
		if handled {
			return nil
		}
	}
	return d.typeText(ctx, tx, text, resumed, ack, patient)
}
