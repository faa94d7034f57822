// ccdir's part of opencode (a plugin, written for one session): no tool runs before ccdir has
// decided about it. What stands above these lines are the settings.
import { spawn } from "node:child_process"
import { existsSync } from "node:fs"
import { homedir } from "node:os"
import { join, resolve } from "node:path"

const failure = "ccdir could not decide about this call, so it did not run: run ccdir doctor."

// decide runs the hook, and is its answer: an object without members where the policy has none.
function decide(call) {
  return new Promise((resolve, reject) => {
    const hook = spawn("/bin/sh", ["-c", gate.command], { cwd: "/", stdio: ["pipe", "pipe", "pipe"] })
    let out = "", why = ""
    hook.stdout.setEncoding("utf8").on("data", (text) => { out += text })
    hook.stderr.setEncoding("utf8").on("data", (text) => { why += text })
    hook.stdin.on("error", () => {}) // it ended before it had read all, and its exit code tells
    hook.on("error", () => reject(failure))
    hook.on("close", (code) => {
      try {
        if (code !== 0) return reject(why.trim() || failure)
        const answer = out === "" ? {} : JSON.parse(out).hookSpecificOutput
        answer ? resolve(answer) : reject(failure)
      } catch {
        reject(failure)
      }
    })
    hook.stdin.end(JSON.stringify(call))
  })
}

// allowed are patterns of what settings of single agents allow, which stand behind the permissions of all.
function allowed(config) {
  return [config.agent, config.mode].flatMap((agents) => Object.values(agents ?? {})).flatMap((agent) => [
    ...Object.entries(typeof agent?.permission === "string" ? { "*": agent.permission } : (agent?.permission ?? {})),
    ...Object.entries(agent?.tools ?? {}).map(([name, on]) => [name, on ? "allow" : "deny"]),
  ]).filter(([, value]) => value === "allow" || Object.values(value ?? {}).includes("allow"))
    .map(([name]) => new RegExp("^" + name.replace(/[.+^${}()|[\]\\]/g, "\\$&").replaceAll("*", ".*").replaceAll("?", ".") + "$"))
}

// A task's prompt may name files (@FILE), which opencode gives to the subagent without a tool that reads them.
function named(prompt, worktree) {
  return Array.from(String(prompt).matchAll(/(?<![\w`])@(\.?[^\s`,.]*(?:\.[^\s`,.]+)*)/g), ([, name]) => name)
    .filter((name) => name !== "").map((name) => name.startsWith("~/") ? join(homedir(), name.slice(2)) : resolve(worktree, name)).filter(existsSync)
}

export const ccdir = async ({ directory, worktree }) => {
  let servers = [], asks = []

  // A tool of a server is SERVER_TOOL, which may be read in several ways: those who configured it know.
  const known = (tool) => {
    const server = gate.own.includes(tool) ? undefined : servers.find((name) => tool.startsWith(name + "_"))
    return server === undefined ? tool : "mcp__" + server + "__" + tool.slice(server.length + 1)
  }

  return {
    config: async (config) => {
      servers = Object.keys(config.mcp ?? {}).map((name) => name.replace(/[^a-zA-Z0-9_-]/g, "_")).sort((a, b) => b.length - a.length)
      const patterns = allowed(config)
      asks = Object.keys(gate.asks).filter((tool) => !patterns.some((p) => p.test(tool) || p.test(gate.asks[tool])))
      config.permission = { ...config.permission, [gate.mark]: "allow" }
      // It keeps every tool from running as long as nobody has come this far.
      if (gate.closed) delete config.permission[gate.closed]
    },
    "tool.execute.before": async (call, { args }) => {
      const refuse = (reason) => { throw new Error(gate.refused + reason) }
      const answer = await decide({
        hook_event_name: gate.hook, cwd: directory, reported: gate.reported,
        tool_name: known(call.tool), tool_use_id: call.callID,
        tool_input: call.tool === "task" ? { ...args, paths: named(args?.prompt, worktree) } : args,
      }).catch(refuse)
      const reason = answer.permissionDecisionReason ?? ""
      switch (answer.permissionDecision) {
        case "allow":
          return
        case undefined:
          if (gate.needs.includes(call.tool)) refuse("no rule of the policy allows it, and nobody can be asked in a one-shot run")
          return
        case "ask":
          if (!asks.includes(call.tool)) refuse("it needs a person's permission, and opencode cannot ask for it: " + reason)
          return
        default:
          refuse(reason || failure)
      }
    },
    // The password of the server is ccdir's: a tool that had it could answer its own requests.
    "shell.env": async (_, { env }) => { for (const name of gate.hidden) env[name] = "" },
  }
}
