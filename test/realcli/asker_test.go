package realcli

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"testing"
)

// askingServer configures an MCP server that asks the person for a name: this
// test's own program.
func askingServer(t *testing.T, p *Place) {
	path := filepath.Join(p.Config, ".claude.json")
	var config map[string]any
	data, err := os.ReadFile(path)
	if err == nil {
		err = json.Unmarshal(data, &config)
	}
	if err != nil {
		t.Fatal(err)
	}
	config["mcpServers"] = map[string]any{"asker": map[string]any{"type": "stdio", "command": self(t), "args": []string{"asker"}}}
	if data, err = json.Marshal(config); err == nil {
		err = os.WriteFile(path, data, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// asker is the server: one tool, ask, which answers after the person has.
func asker(in io.Reader, out io.Writer) int {
	lines := bufio.NewScanner(in)
	lines.Buffer(nil, 1<<20)
	var calling json.RawMessage
	for lines.Scan() {
		var m struct {
			ID     json.RawMessage `json:"id"`
			Method string          `json:"method"`
			Params struct {
				ProtocolVersion string `json:"protocolVersion"`
				Name            string `json:"name"`
			} `json:"params"`
		}
		if json.Unmarshal(lines.Bytes(), &m) != nil || m.ID == nil {
			continue
		}
		reply := func(id json.RawMessage, part string) {
			fmt.Fprintf(out, `{"jsonrpc":"2.0","id":%s,%s}`+"\n", id, part)
		}
		switch m.Method {
		case "initialize":
			reply(m.ID, `"result":{"protocolVersion":"`+m.Params.ProtocolVersion+`","capabilities":{"tools":{}},"serverInfo":{"name":"asker","version":"1"}}`)
		case "tools/list":
			reply(m.ID, `"result":{"tools":[{"name":"ask","description":"asks","inputSchema":{"type":"object","properties":{}}},`+
				`{"name":"look","description":"looks","annotations":{"readOnlyHint":true},"inputSchema":{"type":"object","properties":{"n":{"type":"integer"}}}}]}`)
		case "tools/call":
			if m.Params.Name == "look" {
				reply(m.ID, `"result":{"content":[{"type":"text","text":"seen"}]}`)
				break
			}
			calling = m.ID
			fmt.Fprintln(out, `{"jsonrpc":"2.0","id":"e1","method":"elicitation/create","params":{"message":"What is your name?",`+
				`"requestedSchema":{"type":"object","properties":{"name":{"type":"string"}},"required":["name"]}}}`)
		case "": // the person's answer
			if calling != nil {
				reply(calling, `"result":{"content":[{"type":"text","text":"thank you"}]}`)
			}
		case "ping":
			reply(m.ID, `"result":{}`)
		default:
			reply(m.ID, `"error":{"code":-32601,"message":"no such method"}`)
		}
	}
	return 0
}
