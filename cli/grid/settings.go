package grid

import (
	"context"
	"fmt"
	"path/filepath"

	"ccdir/api"
	"ccdir/cli/verb"
	"ccdir/client"
	"ccdir/config"
	"ccdir/internal/cells"
	"ccdir/tui"
	"ccdir/tui/attention"
	"ccdir/tui/attention/notify"
	"ccdir/tui/floating"
	"ccdir/tui/sidebar"
)

// gridSettings returns the grid's settings in the configuration.
func gridSettings(c *client.Client, loaded config.Loaded) (s tui.Settings) {
	cfg := loaded.Config
	s.ConfigProblem = verb.ProblemText(loaded)
	s.Notify = attention.Notify{Ways: cfg.Notify, Command: cfg.NotifyCommand, Claims: notify.Claims{File: filepath.Join(c.Paths().State, "notified")}}
	s.Bindings = map[string][]string{}
	for action, keys := range cfg.Keys {
		if action == "prefix" && len(keys) > 0 {
			s.Prefix = keys[0]
		} else {
			s.Bindings[action] = keys
		}
	}
	s.Tools, s.ToolKeys, s.Templates = tools(cfg), cfg.ToolKeys(), cfg.TemplateNames()
	s.Walls = cfg.Sandbox.Names()
	s.Sidebar = sidebar.Config{
		NoSessions: cfg.Sidebar == config.SidebarEvents || cfg.Sidebar == config.SidebarNone,
		NoEvents:   cfg.Sidebar == config.SidebarSessions || cfg.Sidebar == config.SidebarNone,
		Width:      cfg.SidebarWidth,
	}
	s.FastPath, s.Gaps, s.PrefixHelp = cfg.FastPath, cfg.Gaps, cfg.PrefixHelp
	s.Title = cfg.TerminalTitle
	s.Pulse, s.NoMouse = cfg.Pulse, !cfg.Mouse
	s.NoCopies, s.CopyCommand = !cfg.Clipboard, cfg.CopyCommand
	s.Theme, s.Colors, s.Signs = cfg.Theme["base"], themeColors(cfg.Theme), api.Signs(cfg.Signs)
	return s
}

// tools are the tools that the configuration changes or adds.
func tools(cfg config.Config) (list []floating.Tool) {
	where := map[string]floating.Where{config.ToolPane: floating.Pane, config.ToolNone: floating.NoTerminal}
	for name, t := range cfg.Tools {
		list = append(list, floating.Tool{Name: name, Command: t.Command, Where: where[t.Where]})
	}
	return list
}

// followSettings passes the grid's settings on whenever the configuration changes. A file
// that cannot be parsed changes nothing; its problem is reported. nodes takes the nodes.
func followSettings(a *verb.App, c *client.Client, good config.Loaded, nodes func(map[string]config.Node)) func(context.Context, func(tui.Settings)) error {
	return func(ctx context.Context, changed func(tui.Settings)) error {
		err := config.Follow(ctx, good, a.Getenv("HOME"), func(now config.Loaded) {
			if now.Broken() {
				s := gridSettings(c, good)
				s.ConfigProblem = verb.ProblemText(now)
				changed(s)
				return
			}
			s := gridSettings(c, now)
			s.ForDaemon = len(config.AtStart(good.Config, now.Config)) > 0
			nodes(now.Nodes)
			good = now
			changed(s)
		})
		if err != nil {
			err = fmt.Errorf("changes count when ccdir is opened again, %w", err)
		}
		return err
	}
}

// themeColors are the colours that [theme] sets.
func themeColors(theme map[string]string) map[string]cells.Color {
	colors := map[string]cells.Color{}
	for _, part := range config.ThemeParts {
		text, set := theme[part]
		c, ok := config.ParseColour(text)
		switch {
		case !set || !ok:
		case c.Direct:
			colors[part] = cells.RGB(c.R, c.G, c.B)
		case c.Indexed:
			colors[part] = cells.Indexed(c.Index)
		default:
			colors[part] = cells.DefaultColor
		}
	}
	return colors
}
