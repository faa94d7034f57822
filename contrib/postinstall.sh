#!/bin/sh
# Runs as root after a package was installed or upgraded; daemons are their users' own.
echo "ccdir: a daemon that runs already keeps its version until its user runs 'ccdir daemon restart'; no agent is interrupted."
