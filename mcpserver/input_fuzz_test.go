package mcpserver

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"
)

// FuzzArguments: the arguments of a call are bound, or refused in one line that names the
// tool; what is bound was given.
func FuzzArguments(f *testing.F) {
	for _, seed := range []string{`{"prompt":"x"}`, `{"prompt":null}`, `{"prompt":1}`, `{"prompt":"x","more":1}`, `{"Prompt":"x"}`, `{"prompt":"a","prompt":"b","priority":-5}`, `[]`, `null`, ``, `{"prompt":"x"} {}`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		var in taskAddIn
		err := bind("task_add", data, &in)
		if err != nil {
			var invalid *invalidError
			if !errors.As(err, &invalid) || !strings.HasPrefix(err.Error(), "task_add: ") {
				t.Errorf("%q: %v", data, err)
			}
			return
		}
		var given map[string]json.RawMessage
		if json.Unmarshal(data, &given) != nil || given["prompt"] == nil {
			t.Errorf("%q was taken", data)
		}
	})
}

// FuzzMessages: a message that cancels ends the call that it names and no other, and
// the text of a test run has nothing that the run did not print.
func FuzzMessages(f *testing.F) {
	f.Add([]byte(`{"method":"notifications/cancelled","params":{"requestId":1}}`), "{\"Action\":\"output\",\"Output\":\"x\\n\"}\nplain\n")
	f.Add([]byte(`{"params":{"requestId":"1"}}`), "{}\n")
	f.Add([]byte(`{"params":[]}`), "{\"Action\":\"run\",\"Output\":\"=== RUN T\\n\"}\n{")
	f.Fuzz(func(t *testing.T, message []byte, log string) {
		one, two := json.RawMessage("1"), json.RawMessage(`"two"`)
		u := underway{cancels: map[string]*context.CancelFunc{}}
		first, endFirst := u.begin(context.Background(), &one)
		second, endSecond := u.begin(context.Background(), &two)
		u.cancel(message)
		if first.Err() != nil && second.Err() != nil {
			t.Errorf("%q ends both", message)
		}
		endFirst()
		endSecond()
		if len(u.cancels) != 0 {
			t.Errorf("%d are left", len(u.cancels))
		}
		if out := goTestText(log); len(out) > 3*len(log)+3 {
			t.Errorf("%d bytes of %d", len(out), len(log))
		}
	})
}
