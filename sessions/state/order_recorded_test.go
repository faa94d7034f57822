package state

// What happened in sessions of Claude Code 2.1.329, with requests that were held:
// milliseconds, source, name and fields of each fact, and with "=" the state at that
// time. "answer" is that of a person outside the pane to the request of that call.
var orders = map[string]string{
	"two calls at once": `
		   0 psp state=idle
		1000 psp state=working
		1010 hook UserPromptSubmit
		1310 hook PreToolUse tool=WebFetch tool_use_id=1 call=a
		1320 hook PreToolUse tool=WebFetch tool_use_id=2 call=b
		1350 psp state=working msg=Fetching
		1430 hook PermissionRequest tool=WebFetch call=a
		1470 psp state=blocked kind=permission
		1580 hook PermissionRequest tool=WebFetch call=b
		3400 = waiting_for_permission
		3430 answer tool=WebFetch call=b
		3490 hook PostToolUseFailure tool=WebFetch tool_use_id=2 call=b
		5400 = waiting_for_permission a
		5430 answer tool=WebFetch call=a
		5490 psp state=working
		5510 hook PostToolUseFailure tool=WebFetch tool_use_id=1 call=a
		5730 hook Stop
		5800 psp state=done
		9000 = idle`,
	"two calls at once, the first one asks before the second begins": `
		   0 psp state=idle
		1000 psp state=working
		1010 hook UserPromptSubmit
		1300 hook PreToolUse tool=mcp__x__look tool_use_id=1 call=a
		1390 psp state=blocked kind=permission
		1390 hook PermissionRequest tool=mcp__x__look call=a
		1395 hook PreToolUse tool=mcp__x__look tool_use_id=2 call=b
		1570 hook PermissionRequest tool=mcp__x__look call=b
		3300 = waiting_for_permission
		3400 answer tool=mcp__x__look call=a
		3480 hook PostToolUse tool=mcp__x__look tool_use_id=1 call=a
		5300 = waiting_for_permission b
		5400 answer tool=mcp__x__look call=b
		5460 psp state=working
		5580 hook PostToolUse tool=mcp__x__look tool_use_id=2 call=b
		5880 hook Stop
		5980 psp state=done
		9000 = idle`,
	"two calls at once, no status": `
		   0 file status=idle
		1000 hook UserPromptSubmit
		1100 file status=busy
		1400 hook PreToolUse tool=WebFetch tool_use_id=1 call=a
		1410 hook PreToolUse tool=WebFetch tool_use_id=2 call=b
		1720 hook PermissionRequest tool=WebFetch call=a
		1750 hook PermissionRequest tool=WebFetch call=b
		1960 file status=waiting waiting_for=permission_prompt
		3700 = waiting_for_permission
		3720 answer tool=WebFetch call=b
		3880 hook PostToolUseFailure tool=WebFetch tool_use_id=2 call=b
		5700 = waiting_for_permission a
		5730 answer tool=WebFetch call=a
		6020 file status=busy
		6090 hook PostToolUseFailure tool=WebFetch tool_use_id=1 call=a
		6740 hook Stop
		7200 file status=idle
		12000 = idle`,
	"one call after the other": `
		   0 psp state=idle
		1000 psp state=working
		1010 hook UserPromptSubmit
		1500 hook PreToolUse tool=Bash tool_use_id=1 call=a
		1970 psp state=working msg=x
		2290 hook PermissionRequest tool=Bash call=a
		2450 psp state=blocked kind=permission
		4300 = waiting_for_permission a
		4320 answer tool=Bash call=a
		4360 psp state=working
		4670 hook PostToolUse tool=Bash tool_use_id=1 call=a
		4720 hook PreToolUse tool=Bash tool_use_id=2 call=b
		4860 hook PermissionRequest tool=Bash call=b
		4930 psp state=blocked kind=permission
		6300 = waiting_for_permission b
		6330 answer tool=Bash call=b
		6370 psp state=working
		6690 hook PostToolUse tool=Bash tool_use_id=2 call=b
		6850 hook Stop
		6890 psp state=done
		10000 = idle`,
	"a subagent's two calls at once": `
		   0 psp state=idle
		1000 psp state=working
		1010 hook UserPromptSubmit
		1300 hook PreToolUse tool=Agent tool_use_id=1 call=s
		1310 psp state=working msg=sub
		1370 hook SubagentStart agent_id=x
		1390 hook PostToolUse tool=Agent tool_use_id=1 call=s
		1400 psp state=working id=x
		1610 hook PreToolUse agent_id=x tool=WebFetch tool_use_id=2 call=a
		1700 hook PreToolUse agent_id=x tool=WebFetch tool_use_id=3 call=b
		1710 hook Stop background_agents=1 background_tasks=1
		1750 hook PermissionRequest agent_id=x tool=WebFetch call=a
		1790 hook PermissionRequest agent_id=x tool=WebFetch call=b
		1870 psp state=working
		3700 = waiting_for_permission
		3750 answer agent_id=x tool=WebFetch call=b
		3850 hook PostToolUseFailure agent_id=x tool=WebFetch tool_use_id=3 call=b
		5700 = waiting_for_permission a
		5770 answer agent_id=x tool=WebFetch call=a
		5810 hook PostToolUseFailure agent_id=x tool=WebFetch tool_use_id=2 call=a
		6160 hook SubagentStop agent_id=x
		6300 psp state=clear id=x
		6410 hook UserPromptSubmit kind=task-notification
		6700 hook Stop
		6770 psp state=done
		10000 = idle`,
	"a subagent's two calls at once, no status": `
		   0 file status=idle
		1000 hook UserPromptSubmit
		1100 file status=busy
		1250 hook PreToolUse tool=Agent tool_use_id=1 call=s
		1310 hook SubagentStart agent_id=x
		1320 hook PostToolUse tool=Agent tool_use_id=1 call=s
		2260 hook Stop background_agents=1 background_tasks=1
		2265 hook PreToolUse agent_id=x tool=WebFetch tool_use_id=2 call=a
		2270 hook PreToolUse agent_id=x tool=WebFetch tool_use_id=3 call=b
		2650 hook PermissionRequest agent_id=x tool=WebFetch call=a
		2670 hook PermissionRequest agent_id=x tool=WebFetch call=b
		4600 = waiting_for_permission
		4650 answer agent_id=x tool=WebFetch call=b
		4680 hook PostToolUseFailure agent_id=x tool=WebFetch tool_use_id=3 call=b
		6600 = waiting_for_permission a
		6650 answer agent_id=x tool=WebFetch call=a
		6730 hook PostToolUseFailure agent_id=x tool=WebFetch tool_use_id=2 call=a
		6860 hook SubagentStop agent_id=x
		7110 file status=idle
		7115 hook UserPromptSubmit kind=task-notification
		7120 file status=busy
		7220 hook Stop
		7280 file status=idle
		12000 = idle`,
	"two subagents": `
		   0 psp state=idle
		1000 psp state=working
		1020 hook UserPromptSubmit
		1300 psp state=working msg=sub
		1310 hook PreToolUse tool=Agent tool_use_id=1 call=s
		1330 hook PreToolUse tool=Agent tool_use_id=2 call=t
		1410 hook SubagentStart agent_id=x
		1420 psp state=working id=x
		1430 hook PostToolUse tool=Agent tool_use_id=1 call=s
		1540 psp state=working id=y
		1570 hook SubagentStart agent_id=y
		1580 hook PostToolUse tool=Agent tool_use_id=2 call=t
		1800 hook PreToolUse agent_id=x tool=Bash tool_use_id=3 call=a
		1880 hook PreToolUse agent_id=y tool=Bash tool_use_id=4 call=b
		1930 hook PermissionRequest agent_id=x tool=Bash call=a
		1990 hook PermissionRequest agent_id=y tool=Bash call=b
		1995 psp state=working
		2000 hook Stop background_agents=2 background_tasks=2
		3900 = waiting_for_permission
		4000 answer agent_id=x tool=Bash call=a
		4050 hook PostToolUse agent_id=x tool=Bash tool_use_id=3 call=a
		4150 hook SubagentStop agent_id=x
		4300 psp state=clear id=x
		4410 hook UserPromptSubmit kind=task-notification
		4480 hook Stop background_agents=1 background_tasks=1
		6300 = waiting_for_permission b
		6400 answer agent_id=y tool=Bash call=b
		6450 hook PostToolUse agent_id=y tool=Bash tool_use_id=4 call=b
		6550 hook SubagentStop agent_id=y
		6600 psp state=clear id=y
		6640 hook UserPromptSubmit kind=task-notification
		6850 hook Stop
		7010 psp state=done
		11000 = idle`,
	"two subagents, no status": `
		   0 file status=idle
		1000 hook UserPromptSubmit
		1090 file status=busy
		1220 hook PreToolUse tool=Agent tool_use_id=1 call=s
		1225 hook PreToolUse tool=Agent tool_use_id=2 call=t
		1290 hook SubagentStart agent_id=x
		1293 hook PostToolUse tool=Agent tool_use_id=1 call=s
		1294 hook PostToolUse tool=Agent tool_use_id=2 call=t
		1295 hook SubagentStart agent_id=y
		1465 hook PreToolUse agent_id=x tool=Bash tool_use_id=3 call=a
		1467 hook Stop background_agents=2 background_tasks=2
		1469 hook PreToolUse agent_id=y tool=Bash tool_use_id=4 call=b
		1760 hook PermissionRequest agent_id=x tool=Bash call=a
		1790 hook PermissionRequest agent_id=y tool=Bash call=b
		3700 = waiting_for_permission
		3800 answer agent_id=y tool=Bash call=b
		3860 hook PostToolUse agent_id=y tool=Bash tool_use_id=4 call=b
		3910 hook SubagentStop agent_id=y
		3980 hook UserPromptSubmit kind=task-notification
		4030 hook Stop background_agents=1 background_tasks=1
		6000 = waiting_for_permission a
		6100 answer agent_id=x tool=Bash call=a
		6160 hook PostToolUse agent_id=x tool=Bash tool_use_id=3 call=a
		6210 hook SubagentStop agent_id=x
		6260 file status=idle
		6265 file status=busy
		6280 hook UserPromptSubmit kind=task-notification
		6390 hook Stop
		6430 file status=idle
		11000 = idle`,
	"a subagent asks once more": `
		   0 psp state=idle
		1000 psp state=working
		1010 hook UserPromptSubmit
		1170 hook PreToolUse tool=Agent tool_use_id=1 call=s
		1300 hook SubagentStart agent_id=x
		1320 hook PostToolUse tool=Agent tool_use_id=1 call=s
		1470 psp state=working id=x
		1670 hook Stop background_agents=1 background_tasks=1
		1700 hook PreToolUse agent_id=x tool=Bash tool_use_id=2 call=a
		1860 psp state=working
		1900 hook PermissionRequest agent_id=x tool=Bash call=a
		3850 = waiting_for_permission a
		3900 answer agent_id=x tool=Bash call=a
		3960 hook PostToolUse agent_id=x tool=Bash tool_use_id=2 call=a
		3980 hook PreToolUse agent_id=x tool=Bash tool_use_id=3 call=b
		4000 hook PermissionRequest agent_id=x tool=Bash call=b
		5850 = waiting_for_permission b
		5910 answer agent_id=x tool=Bash call=b
		5950 hook PostToolUse agent_id=x tool=Bash tool_use_id=3 call=b
		5990 hook SubagentStop agent_id=x
		6140 psp state=clear id=x
		6230 hook UserPromptSubmit kind=task-notification
		6350 hook Stop
		6450 psp state=done
		10000 = idle`,
	"the conversation asks beside its subagent": `
		   0 psp state=idle
		1000 psp state=working
		1010 hook UserPromptSubmit
		1170 hook PreToolUse tool=Agent tool_use_id=1 call=s
		1300 hook SubagentStart agent_id=x
		1320 hook PostToolUse tool=Agent tool_use_id=1 call=s
		1470 psp state=working id=x
		1700 hook PreToolUse agent_id=x tool=Bash tool_use_id=2 call=a
		1760 hook PreToolUse tool=Bash tool_use_id=3 call=b
		1860 psp state=working msg=x
		1900 hook PermissionRequest agent_id=x tool=Bash call=a
		1920 hook PermissionRequest tool=Bash call=b
		1960 psp state=blocked kind=permission
		3850 = waiting_for_permission
		3900 answer tool=Bash call=b
		3940 psp state=working
		3960 hook PostToolUse tool=Bash tool_use_id=3 call=b
		4100 hook Stop background_agents=1 background_tasks=1
		5850 = waiting_for_permission a
		5910 answer agent_id=x tool=Bash call=a
		5950 hook PostToolUse agent_id=x tool=Bash tool_use_id=2 call=a
		5990 hook SubagentStop agent_id=x
		6140 psp state=clear id=x
		6230 hook UserPromptSubmit kind=task-notification
		6350 hook Stop
		6450 psp state=done
		10000 = idle`,
	"the conversation asks beside its subagent, no status": `
		   0 file status=idle
		1000 hook UserPromptSubmit
		1100 file status=busy
		1650 hook PreToolUse tool=Agent tool_use_id=1 call=s
		2490 hook SubagentStart agent_id=x
		2495 hook PostToolUse tool=Agent tool_use_id=1 call=s
		3480 hook PreToolUse tool=Bash tool_use_id=3 call=b
		4270 hook PermissionRequest tool=Bash call=b
		4500 title idle
		4600 file status=waiting waiting_for=permission_prompt
		5600 hook PreToolUse agent_id=x tool=Bash tool_use_id=2 call=a
		6870 hook PermissionRequest agent_id=x tool=Bash call=a
		8700 = waiting_for_permission
		8750 answer tool=Bash call=b
		8850 title working
		9100 file status=busy
		9600 hook PostToolUse tool=Bash tool_use_id=3 call=b
		10040 hook Stop background_agents=1 background_tasks=1
		14000 = waiting_for_permission a
		14050 answer agent_id=x tool=Bash call=a
		14100 hook PostToolUse agent_id=x tool=Bash tool_use_id=2 call=a
		14200 hook SubagentStop agent_id=x
		14300 file status=busy
		14350 hook UserPromptSubmit kind=task-notification
		14500 hook Stop
		14550 title idle
		14600 file status=idle
		19000 = idle`,
}
