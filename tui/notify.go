package tui

import (
	"time"

	"ccdir/internal/api"
)

type notices struct{}

func (n *notices) again(api.Session, time.Time) {}
