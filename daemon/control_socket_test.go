package daemon

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/coder/websocket"

	"ccdir/api"
)

// controlSocket is a client of the control socket.
type controlSocket struct {
	t    *testing.T
	conn *websocket.Conn
}

func (p *place) control() controlSocket {
	t := p.t.(*testing.T)
	t.Helper()
	conn, _, err := p.dialSocket("/v1/control", api.SubprotocolControl)
	if err != nil {
		t.Fatal(err)
	}
	conn.SetReadLimit(64 << 20)
	t.Cleanup(func() { conn.CloseNow() })
	return controlSocket{t, conn}
}

func (c controlSocket) say(text string) {
	c.t.Helper()
	if err := c.conn.Write(c.t.Context(), websocket.MessageText, []byte(text)); err != nil {
		c.t.Fatal(err)
	}
}

func (c controlSocket) hear() (m api.ControlReply) {
	c.t.Helper()
	ctx, cancel := context.WithTimeout(c.t.Context(), patience)
	defer cancel()
	_, data, err := c.conn.Read(ctx)
	if err != nil {
		c.t.Fatal(err)
	}
	if err := json.Unmarshal(data, &m); err != nil {
		c.t.Fatal(err)
	}
	return m
}

// TestControl: methods are the routes; streams give events until they are
// cancelled; what is wrong is told with the call's id.
func TestControl(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.run()
	c := p.control()
	c.say(fmt.Sprintf(`{"id":1,"method":"sessions.create","params":{"cwd":%q,"argv":["/bin/sh","-c","read x; echo got $x; read x"],"name":"one"}}`, p.paths.Home))
	m := c.hear()
	var s api.Session
	if err := json.Unmarshal(m.Result, &s); err != nil || string(m.ID) != "1" || s.Name != "one" {
		t.Fatalf("got %s", toJSON(t, m))
	}
	for _, call := range []struct{ text, id, want string }{
		{`{"id":"a","method":"sessions.get","params":{"ref":"one"}}`, `"a"`, `"name":"one"`},
		{`{"id":2,"method":"sessions.list","params":{"limit":1,"state":"idle,starting,working"}}`, "2", `"name":"one"`},
		{`{"id":3,"method":"sessions.resize","params":{"ref":"one","cols":90,"rows":30}}`, "3", `"result":null`},
		{`{"id":4,"method":"tasks.create","params":{"body":[{"prompt":"p","cwd":"/"}]}}`, "4", `"prompt":"p"`},
		{`{"id":5,"method":"sessions.get","params":{"ref":"two"}}`, "5", `"code":"not_found"`},
		{`{"id":6,"method":"sessions.get"}`, "6", `"code":"invalid"`},
		{`{"id":7,"method":"sessions.fly","params":{}}`, "7", `"code":"not_found"`},
		{`{"id":8,"method":"health","params":{"loud":true}}`, "8", `"code":"invalid"`},
		{`{"id":9,"method":"sessions.attach","params":{"ref":"one"}}`, "9", `"code":"not_found"`},
		{`{"id":10,"method":"sessions.resize","params":{"ref":"one","cols":"x"}}`, "10", `the field \"cols\" is a string`},
		{`{"id":11,"method":"sessions.list","params":[]}`, "11", `"code":"invalid"`},
		{`{"id":12,"method":"sessions.list","params":{"limit":[1]}}`, "12", `"code":"invalid"`},
		{`{"method":"health"}`, "null", `"code":"invalid"`},
		{`{"id":{},"method":"health"}`, "null", `"code":"invalid"`},
		{`{nonsense`, "null", `line 1, byte 2`},
		{`{"id":13,"method":"cancel","params":{"id":99}}`, "13", `"code":"not_found"`},
		{`{"id":14,"method":"sessions.input_raw","params":{"ref":"one","keys":["h","i","Enter"]}}`, "14", `"result":null`},
	} {
		c.say(call.text)
		if m := c.hear(); string(m.ID) != call.id || !strings.Contains(toJSON(t, m), call.want) {
			t.Errorf("%s: got %.300s, want %s", call.text, toJSON(t, m), call.want)
		}
	}
	until(t, "the input", func() bool { return strings.Contains(p.screen("one"), "got hi") })
	c.say(`{"id":"s","method":"events.stream","params":{"since":0}}`)
	if m := c.hear(); string(m.ID) != `"s"` || !strings.Contains(string(m.Event), api.EventDaemonStarted) {
		t.Errorf("got %s", toJSON(t, m))
	}
	c.say(`{"id":"s","method":"health"}`)
	c.say(`{"id":"x","method":"cancel","params":{"id":"s"}}`)
	twice, cancelled, ended := false, false, false
	for !twice || !cancelled || !ended {
		switch m := c.hear(); {
		case m.Event != nil:
		case m.Error != nil && m.Error.Code == api.CodeConflict:
			twice = true
		case string(m.ID) == `"x"`:
			cancelled = true
		case string(m.ID) == `"s"`:
			ended = true
		}
	}
	for i := range 33 {
		c.say(fmt.Sprintf(`{"id":%d,"method":"sessions.wait","params":{"ref":"one","state":"lost","timeout":"1m"}}`, 100+i))
	}
	if m := c.hear(); m.Error == nil || m.Error.Code != api.CodeLimit || string(m.ID) != "132" {
		t.Errorf("got %s", toJSON(t, m))
	}
	// The daemon's end is told, and calls under way do not hold it up.
	closed := make(chan error, 1)
	go func() {
		for {
			if _, _, err := c.conn.Read(context.Background()); err != nil {
				closed <- err
				return
			}
		}
	}()
	p.stopDaemon()
	if err := <-closed; websocket.CloseStatus(err) != websocket.StatusGoingAway {
		t.Errorf("the socket ended with %v", err)
	}
	p.run()
}
