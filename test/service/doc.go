// Package service runs ccdir as a service of a real systemd --user, which each test starts in
// mounts and control groups of its own, and looks that stopping, restarting and killing the
// service ends no session.
package service
