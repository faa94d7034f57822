//go:build conformance

package mcpserver

import (
	"context"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
)

// TestConformance runs the suite, whose program CCDIR_CONFORMANCE names, against
// the mount with the fixtures that the suite asks for. The suite has no way to
// give a token, so a handler in front adds it.
func TestConformance(t *testing.T) {
	program := os.Getenv("CCDIR_CONFORMANCE")
	if program == "" {
		t.Fatal("CCDIR_CONFORMANCE is not set: run make conformance")
	}
	dir := t.TempDir()
	s := New(Options{LogDir: t.TempDir(), RoleTools: func(string) []string { return fixtureNames }})
	addFixtures(s)
	h := s.HTTP(func(_ context.Context, token string) (Caller, error) {
		return Caller{Session: "s1", Role: "dev", Dir: dir}, nil
	}, true)
	defer h.Close()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	mux := http.NewServeMux()
	mux.HandleFunc("/mcp", func(w http.ResponseWriter, r *http.Request) {
		r.Header.Set("Authorization", "Bearer x")
		h.ServeHTTP(w, r)
	})
	srv := &http.Server{Handler: mux, ReadHeaderTimeout: time.Minute}
	go func() { _ = srv.Serve(l) }()
	defer srv.Close()
	_, port, _ := net.SplitHostPort(l.Addr().String())
	cmd := exec.CommandContext(t.Context(), program, "server", "--url", "http://localhost:"+port+"/mcp", "--suite", "all", "--spec-version", "2025-11-25", "-o", dir)
	out, err := cmd.CombinedOutput()
	t.Logf("%s", out)
	if err != nil {
		t.Error(err)
	}
}

const (
	fixtureImage = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg=="
	fixtureSound = "UklGRiYAAABXQVZFZm10IBAAAAABAAEAQB8AAAB9AAACABAAZGF0YQIAAAA="
)

// fixtureNames are the tools that the suite calls.
var fixtureNames = []string{"test_simple_text", "test_image_content", "test_audio_content", "test_embedded_resource", "test_multiple_content_types",
	"test_error_handling", "test_tool_with_logging", "test_tool_with_progress", "test_sampling", "test_elicitation",
	"test_elicitation_sep1034_defaults", "test_elicitation_sep1330_enums", "json_schema_2020_12_tool"}

type object = map[string]any

func addFixtures(s *Server) {
	for _, option := range []server.ServerOption{server.WithResourceCapabilities(true, true), server.WithPromptCapabilities(true), server.WithCompletions(), server.WithElicitation()} {
		option(s.mcp)
	}
	s.mcp.EnableSampling()
	addContents(s)
	addNotifiers(s)
	addQuestions(s)
	addResources(s)
	addPrompts(s)
}

func text1(s string) mcp.TextContent { return mcp.TextContent{Type: "text", Text: s} }

func textResource(uri, mime, text string) mcp.TextResourceContents {
	return mcp.TextResourceContents{URI: uri, MIMEType: mime, Text: text}
}

// addContents are the tools that return fixed contents.
func addContents(s *Server) {
	image, sound := mcp.NewImageContent(fixtureImage, "image/png"), mcp.NewAudioContent(fixtureSound, "audio/wav")
	for name, content := range map[string][]mcp.Content{
		"test_simple_text":       {text1("This is a simple text response for testing.")},
		"test_image_content":     {image},
		"test_audio_content":     {sound},
		"test_embedded_resource": {mcp.NewEmbeddedResource(textResource("test://embedded-resource", "text/plain", "This is an embedded resource content."))},
		"test_multiple_content_types": {text1("Multiple content types test:"), image,
			mcp.NewEmbeddedResource(textResource("test://mixed-content-resource", "application/json", `{"test":"data","value":123}`))},
	} {
		s.mcp.AddTool(mcp.NewTool(name, mcp.WithDescription("fixture")), func(context.Context, mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			return &mcp.CallToolResult{Content: content}, nil
		})
	}
	s.mcp.AddTool(mcp.NewTool("test_error_handling", mcp.WithDescription("fixture")), func(context.Context, mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		return mcp.NewToolResultError("This tool intentionally returns an error for testing"), nil
	})
	schema := `{"$schema":"https://json-schema.org/draft/2020-12/schema","type":"object","$defs":{"address":{"type":"object","properties":{"street":{"type":"string"},"city":{"type":"string"}}}},` +
		`"properties":{"name":{"type":"string"},"address":{"$ref":"#/$defs/address"}},"additionalProperties":false}`
	s.mcp.AddTool(mcp.NewToolWithRawSchema("json_schema_2020_12_tool", "fixture", json.RawMessage(schema)), func(context.Context, mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		return mcp.NewToolResultText("ok"), nil
	})
}

// addNotifiers are the tools that tell something while they run, as our own do.
func addNotifiers(s *Server) {
	s.mcp.AddTool(mcp.NewTool("test_tool_with_logging", mcp.WithDescription("fixture")), func(ctx context.Context, _ mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		for _, message := range []string{"Tool execution started", "Tool processing data", "Tool execution completed"} {
			if err := s.mcp.SendNotificationToClient(ctx, "notifications/message", object{"level": "info", "data": message}); err != nil {
				return nil, err
			}
			time.Sleep(50 * time.Millisecond) // the suite wants them apart
		}
		return mcp.NewToolResultText("done"), nil
	})
	s.mcp.AddTool(mcp.NewTool("test_tool_with_progress", mcp.WithDescription("fixture")), func(ctx context.Context, req mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		for _, n := range []int{0, 50, 100} {
			if err := s.mcp.SendNotificationToClient(ctx, "notifications/progress", object{"progressToken": req.Params.Meta.ProgressToken, "progress": n, "total": 100}); err != nil {
				return nil, err
			}
			time.Sleep(50 * time.Millisecond)
		}
		return mcp.NewToolResultText("done"), nil
	})
}

// addQuestions are the tools that ask the client.
func addQuestions(s *Server) {
	s.mcp.AddTool(mcp.NewTool("test_sampling", mcp.WithDescription("fixture"), mcp.WithString("prompt", mcp.Required())), func(ctx context.Context, req mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		res, err := s.mcp.RequestSampling(ctx, mcp.CreateMessageRequest{Request: mcp.Request{Method: string(mcp.MethodSamplingCreateMessage)},
			CreateMessageParams: mcp.CreateMessageParams{MaxTokens: 100, Messages: []mcp.SamplingMessage{{Role: mcp.RoleUser, Content: text1(req.GetString("prompt", ""))}}}})
		if err != nil {
			return mcp.NewToolResultError(err.Error()), nil
		}
		return mcp.NewToolResultText(fmt.Sprintf("LLM response: %v", res.Content)), nil
	})
	choices := func(key string) []any {
		return []any{object{key: "value1", "title": "First"}, object{key: "value2", "title": "Second"}}
	}
	options := []string{"option1", "option2", "option3"}
	for name, properties := range map[string]object{
		"test_elicitation": {"username": object{"type": "string"}, "email": object{"type": "string"}},
		"test_elicitation_sep1034_defaults": {"name": object{"type": "string", "default": "John Doe"}, "age": object{"type": "integer", "default": 30},
			"score": object{"type": "number", "default": 95.5}, "verified": object{"type": "boolean", "default": true},
			"status": object{"type": "string", "enum": []string{"active", "inactive", "pending"}, "default": "active"}},
		"test_elicitation_sep1330_enums": {"untitledSingle": object{"type": "string", "enum": options}, "titledSingle": object{"type": "string", "oneOf": choices("const")},
			"legacyEnum":    object{"type": "string", "enum": []string{"opt1", "opt2", "opt3"}, "enumNames": []string{"One", "Two", "Three"}},
			"untitledMulti": object{"type": "array", "items": object{"type": "string", "enum": options}},
			"titledMulti":   object{"type": "array", "items": object{"anyOf": choices("const")}}},
	} {
		s.mcp.AddTool(mcp.NewTool(name, mcp.WithDescription("fixture"), mcp.WithString("message")), func(ctx context.Context, req mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			schema := object{"type": "object", "properties": properties}
			if name == "test_elicitation" {
				schema["required"] = []string{"username", "email"}
			}
			res, err := s.mcp.RequestElicitation(ctx, mcp.ElicitationRequest{Request: mcp.Request{Method: string(mcp.MethodElicitationCreate)},
				Params: mcp.ElicitationParams{Message: req.GetString("message", "please"), RequestedSchema: schema}})
			if err != nil {
				return mcp.NewToolResultError(err.Error()), nil
			}
			content, _ := json.Marshal(res.Content)
			return mcp.NewToolResultText(fmt.Sprintf("Elicitation completed: action=%s, content=%s", res.Action, content)), nil
		})
	}
}

func addResources(s *Server) {
	for uri, content := range map[string]mcp.ResourceContents{
		"test://static-text":      textResource("test://static-text", "text/plain", "This is the content of the static text resource."),
		"test://static-binary":    mcp.BlobResourceContents{URI: "test://static-binary", MIMEType: "image/png", Blob: fixtureImage},
		"test://watched-resource": textResource("test://watched-resource", "text/plain", "watched"),
	} {
		s.mcp.AddResource(mcp.NewResource(uri, strings.TrimPrefix(uri, "test://"), mcp.WithResourceDescription("fixture")),
			func(context.Context, mcp.ReadResourceRequest) ([]mcp.ResourceContents, error) {
				return []mcp.ResourceContents{content}, nil
			})
	}
	s.mcp.AddResourceTemplate(mcp.NewResourceTemplate("test://template/{id}/data", "template", mcp.WithTemplateDescription("fixture")),
		func(_ context.Context, req mcp.ReadResourceRequest) ([]mcp.ResourceContents, error) {
			id := strings.TrimSuffix(strings.TrimPrefix(req.Params.URI, "test://template/"), "/data")
			data, err := json.Marshal(object{"id": id, "templateTest": true, "data": "Data for ID: " + id})
			return []mcp.ResourceContents{textResource(req.Params.URI, "application/json", string(data))}, err
		})
}

func addPrompts(s *Server) {
	add := func(name string, arguments []string, make func(args map[string]string) []mcp.Content) {
		options := []mcp.PromptOption{mcp.WithPromptDescription("fixture")}
		for _, a := range arguments {
			options = append(options, mcp.WithArgument(a, mcp.ArgumentDescription("fixture"), mcp.RequiredArgument()))
		}
		s.mcp.AddPrompt(mcp.NewPrompt(name, options...), func(_ context.Context, req mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
			res := &mcp.GetPromptResult{}
			for _, c := range make(req.Params.Arguments) {
				res.Messages = append(res.Messages, mcp.PromptMessage{Role: mcp.RoleUser, Content: c})
			}
			return res, nil
		})
	}
	add("test_simple_prompt", nil, func(map[string]string) []mcp.Content {
		return []mcp.Content{text1("This is a simple prompt for testing.")}
	})
	add("test_prompt_with_arguments", []string{"arg1", "arg2"}, func(a map[string]string) []mcp.Content {
		return []mcp.Content{text1(fmt.Sprintf("Prompt with arguments: arg1='%s', arg2='%s'", a["arg1"], a["arg2"]))}
	})
	add("test_prompt_with_embedded_resource", []string{"resourceUri"}, func(a map[string]string) []mcp.Content {
		return []mcp.Content{mcp.NewEmbeddedResource(textResource(a["resourceUri"], "text/plain", "Embedded resource content for testing.")), text1("Please process the embedded resource above.")}
	})
	add("test_prompt_with_image", nil, func(map[string]string) []mcp.Content {
		return []mcp.Content{mcp.NewImageContent(fixtureImage, "image/png"), text1("Please analyze the image above.")}
	})
}
