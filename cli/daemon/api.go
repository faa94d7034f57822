package daemon

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"ccdir/api"
	"ccdir/cli/verb"
	"ccdir/internal/text/textsafe"
)

// methods are the methods of the API's routes.
var methods = []string{http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodDelete}

// API makes the verb `api`.
func API(a *verb.App) *cobra.Command {
	var data string
	var headers bool
	cmd := &cobra.Command{
		Use:   "api [METHOD] PATH [-d JSON|@FILE|-] [-i]",
		Short: "Call the daemon's API",
		Long: `Call the daemon's API on its socket and print the answer. PATH is like
/v1/sessions?limit=5; /v1/ may be left out. METHOD is GET, or POST with a body.
Streams are printed as they come. A call that fails prints its error and exits 1.

docs/api.md describes the API, and so does ` + "`ccdir api openapi`" + `.`,
		Example: `  ccdir api health
  ccdir api 'events?limit=3'
  ccdir api sessions/api/input -d '{"text": "run the tests"}'
  ccdir api DELETE sessions/old
  ccdir api events/stream`,
		Args:              verb.Between(1, 2, "[METHOD] PATH"),
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE: func(cmd *cobra.Command, args []string) error {
			body, err := apiBody(a, data)
			if err != nil {
				return err
			}
			method := http.MethodGet
			if body != nil {
				method = http.MethodPost
			}
			if len(args) == 2 {
				if method = strings.ToUpper(args[0]); !slices.Contains(methods, method) {
					return verb.Usagef(cmd, "%q is no method: there are %s", args[0], strings.Join(methods, ", "))
				}
			}
			return callAPI(a, cmd, method, apiTarget(args[len(args)-1]), body, headers)
		},
	}
	cmd.Flags().StringVarP(&data, "data", "d", "", "the body: `JSON`, @FILE, or - for standard input")
	cmd.Flags().BoolVarP(&headers, "include", "i", false, "print status and headers, too")
	cmd.AddCommand(newAPIOpenAPICmd(a), newAPITokenCmd(a), newAPISocketCmd(a))
	return cmd
}

// apiTarget returns the path of a call. A path without /v1, with a leading slash or without
// one, is below /v1.
func apiTarget(given string) string {
	path, _, _ := strings.Cut(given, "?")
	if path == "/v1" || strings.HasPrefix(path, "/v1/") || path == api.MCPPath {
		return given
	}
	return "/v1/" + strings.TrimPrefix(given, "/")
}

// apiBody returns the body of --data, nil if there is none.
func apiBody(a *verb.App, data string) (body []byte, err error) {
	name, file := strings.CutPrefix(data, "@")
	switch {
	case data == "":
		return nil, nil
	case data == "-":
		text, err := a.ReadStdin()
		body = []byte(text)
		if err != nil {
			return nil, err
		}
	case file:
		if body, err = os.ReadFile(verb.Absolute(a.Dir, name)); err != nil {
			return nil, fmt.Errorf("cannot read the body: %w", err)
		}
	default:
		body = []byte(data)
	}
	if !json.Valid(body) {
		return nil, errors.New("the body is no JSON: quote it for the shell, as in -d '{\"text\": \"hello\"}'")
	}
	return body, nil
}

// callAPI makes the call and prints the answer.
func callAPI(a *verb.App, cmd *cobra.Command, method, target string, body []byte, headers bool) error {
	c, err := a.Connect(cmd.Context())
	if err != nil {
		return err
	}
	resp, err := c.Raw(cmd.Context(), method, target, body)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if headers {
		fmt.Fprintf(a.Out, "%s %s\n", resp.Proto, resp.Status)
		if err := resp.Header.Write(a.Out); err != nil {
			return err
		}
		fmt.Fprintln(a.Out)
	}
	if resp.StatusCode >= http.StatusMultipleChoices {
		var e api.Error
		if err := json.NewDecoder(io.LimitReader(resp.Body, 1<<20)).Decode(&e); err != nil || e.Message == "" {
			return fmt.Errorf("the daemon answered %s", resp.Status)
		}
		return fmt.Errorf("%s: %s", e.Code, e.Message)
	}
	// JSON, or a stream of it.
	_, err = io.Copy(textsafe.NewJSONWriter(a.Out), resp.Body)
	return err
}

func newAPIOpenAPICmd(a *verb.App) *cobra.Command {
	return &cobra.Command{
		Use:     "openapi",
		Short:   "Print the API's description (OpenAPI 3.1)",
		Example: `  ccdir api openapi > ccdir-api.json`,
		Args:    verb.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			c, err := a.Connect(cmd.Context())
			if err != nil {
				return err
			}
			resp, err := c.Raw(cmd.Context(), http.MethodGet, "/v1/openapi.json", nil)
			if err != nil {
				return err
			}
			defer resp.Body.Close()
			var doc any
			if err := json.NewDecoder(resp.Body).Decode(&doc); err != nil {
				return fmt.Errorf("the daemon's description cannot be read: %w", err)
			}
			return a.PrintJSON(doc)
		},
	}
}

func newAPISocketCmd(a *verb.App) *cobra.Command {
	return &cobra.Command{
		Use:     "socket",
		Short:   "Print the path of the daemon's socket",
		Example: `  curl --unix-socket "$(ccdir api socket)" http://ccdir/v1/health`,
		Args:    verb.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			p, err := a.Paths()
			if err != nil {
				return err
			}
			_, err = fmt.Fprintln(a.Out, p.Socket())
			return err
		},
	}
}

func newAPITokenCmd(a *verb.App) *cobra.Command {
	return &cobra.Command{
		Use:   "token",
		Short: "Print the token of calls over TCP",
		Long: `Print the token that calls over TCP need (api.listen in config.toml). The daemon
makes it when it first listens. To replace it, remove the file api-token in the
state directory and restart the daemon.`,
		Example: `  curl -H "Authorization: Bearer $(ccdir api token)" http://127.0.0.1:7434/v1/health`,
		Args:    verb.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			p, err := a.Paths()
			if err != nil {
				return err
			}
			token, err := os.ReadFile(p.APIToken())
			if errors.Is(err, fs.ErrNotExist) {
				return errors.New(`there is no token yet: set listen = "127.0.0.1:7434" under [api] in config.toml and run ` + "`ccdir daemon restart`")
			}
			if err != nil {
				return fmt.Errorf("cannot read the token: %w", err)
			}
			_, err = a.Out.Write(token)
			return err
		},
	}
}
