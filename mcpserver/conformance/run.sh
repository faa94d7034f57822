#!/bin/sh
# Runs the MCP conformance suite against ccdir's Streamable HTTP mount, and the
# MCP inspector through the bridge: `make conformance`. Needs Go and npm.
set -eu
cd "$(dirname "$0")"
[ -d node_modules/@modelcontextprotocol/conformance ] || npm install --no-package-lock --no-audit --no-fund --loglevel=error
PATH="$PWD/node_modules/.bin:$PATH"
export PATH CGO_ENABLED=0
cd ../..
CCDIR_CONFORMANCE=conformance go test -count=1 -tags conformance -run '^TestConformance$' -v ./mcpserver
bin=$(mktemp -d)
trap 'rm -rf "$bin"' EXIT
CCDIR_INSPECTOR=mcp-inspector go test -count=1 -tags conformance -run '^TestInspector$' -v ./daemon
