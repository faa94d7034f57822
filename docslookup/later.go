package docslookup

import (
	"context"
	"database/sql"
	"errors"

	"ccdir/api"
)

func noRows(err error) bool { return errors.Is(err, sql.ErrNoRows) }

func (l *Library) pythonModules(context.Context, string) ([]*module, []string) { return nil, nil }
func (l *Library) rustModules(context.Context, string) ([]*module, []string)   { return nil, nil }
func (l *Library) manModules(api.DocsQuestion) []*module                       { return nil }
