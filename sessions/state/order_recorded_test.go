package state

// What happened in sessions of Claude Code 2.1.329, with requests that were held:
// milliseconds, source, name and fields of each fact, and with "=" the state at that
// time. "answer" is that of a person outside the pane to the request of that call.
var orders = map[string]string{
	"two calls at once": `
		   0 psp state=idle
		1000 psp state=working
		1010 hook prompt
		1310 hook tool-begins tool=WebFetch tool_use_id=1 call=a
		1320 hook tool-begins tool=WebFetch tool_use_id=2 call=b
		1350 psp state=working msg=Fetching
		1430 hook dialog tool=WebFetch call=a
		1470 psp state=blocked kind=permission
		1580 hook dialog tool=WebFetch call=b
		3400 = waiting_for_permission
		3430 answer tool=WebFetch call=b
		3490 hook tool-fails tool=WebFetch tool_use_id=2 call=b
		5400 = waiting_for_permission a
		5430 answer tool=WebFetch call=a
		5490 psp state=working
		5510 hook tool-fails tool=WebFetch tool_use_id=1 call=a
		5730 hook turn-ends
		5800 psp state=done
		9000 = idle`,
	"two calls at once, the first one asks before the second begins": `
		   0 psp state=idle
		1000 psp state=working
		1010 hook prompt
		1300 hook tool-begins tool=mcp__x__look tool_use_id=1 call=a
		1390 psp state=blocked kind=permission
		1390 hook dialog tool=mcp__x__look call=a
		1395 hook tool-begins tool=mcp__x__look tool_use_id=2 call=b
		1570 hook dialog tool=mcp__x__look call=b
		3300 = waiting_for_permission
		3400 answer tool=mcp__x__look call=a
		3480 hook tool-ends tool=mcp__x__look tool_use_id=1 call=a
		5300 = waiting_for_permission b
		5400 answer tool=mcp__x__look call=b
		5460 psp state=working
		5580 hook tool-ends tool=mcp__x__look tool_use_id=2 call=b
		5880 hook turn-ends
		5980 psp state=done
		9000 = idle`,
	"two calls at once, no status": `
		   0 file status=idle
		1000 hook prompt
		1100 file status=busy
		1400 hook tool-begins tool=WebFetch tool_use_id=1 call=a
		1410 hook tool-begins tool=WebFetch tool_use_id=2 call=b
		1720 hook dialog tool=WebFetch call=a
		1750 hook dialog tool=WebFetch call=b
		1960 file status=waiting waiting_for=permission_prompt
		3700 = waiting_for_permission
		3720 answer tool=WebFetch call=b
		3880 hook tool-fails tool=WebFetch tool_use_id=2 call=b
		5700 = waiting_for_permission a
		5730 answer tool=WebFetch call=a
		6020 file status=busy
		6090 hook tool-fails tool=WebFetch tool_use_id=1 call=a
		6740 hook turn-ends
		7200 file status=idle
		12000 = idle`,
	"one call after the other": `
		   0 psp state=idle
		1000 psp state=working
		1010 hook prompt
		1500 hook tool-begins tool=Bash tool_use_id=1 call=a
		1970 psp state=working msg=x
		2290 hook dialog tool=Bash call=a
		2450 psp state=blocked kind=permission
		4300 = waiting_for_permission a
		4320 answer tool=Bash call=a
		4360 psp state=working
		4670 hook tool-ends tool=Bash tool_use_id=1 call=a
		4720 hook tool-begins tool=Bash tool_use_id=2 call=b
		4860 hook dialog tool=Bash call=b
		4930 psp state=blocked kind=permission
		6300 = waiting_for_permission b
		6330 answer tool=Bash call=b
		6370 psp state=working
		6690 hook tool-ends tool=Bash tool_use_id=2 call=b
		6850 hook turn-ends
		6890 psp state=done
		10000 = idle`,
	"a subagent's two calls at once": `
		   0 psp state=idle
		1000 psp state=working
		1010 hook prompt
		1300 hook tool-begins tool=Agent delegates=true tool_use_id=1 call=s
		1310 psp state=working msg=sub
		1370 hook subagent-begins agent_id=x
		1390 hook tool-ends tool=Agent tool_use_id=1 call=s
		1400 psp state=working id=x
		1610 hook tool-begins agent_id=x tool=WebFetch tool_use_id=2 call=a
		1700 hook tool-begins agent_id=x tool=WebFetch tool_use_id=3 call=b
		1710 hook turn-ends background_agents=1 background_tasks=1
		1750 hook dialog agent_id=x tool=WebFetch call=a
		1790 hook dialog agent_id=x tool=WebFetch call=b
		1870 psp state=working
		3700 = waiting_for_permission
		3750 answer agent_id=x tool=WebFetch call=b
		3850 hook tool-fails agent_id=x tool=WebFetch tool_use_id=3 call=b
		5700 = waiting_for_permission a
		5770 answer agent_id=x tool=WebFetch call=a
		5810 hook tool-fails agent_id=x tool=WebFetch tool_use_id=2 call=a
		6160 hook subagent-ends agent_id=x
		6300 psp state=clear id=x
		6410 hook report
		6700 hook turn-ends
		6770 psp state=done
		10000 = idle`,
	"a subagent's two calls at once, no status": `
		   0 file status=idle
		1000 hook prompt
		1100 file status=busy
		1250 hook tool-begins tool=Agent delegates=true tool_use_id=1 call=s
		1310 hook subagent-begins agent_id=x
		1320 hook tool-ends tool=Agent tool_use_id=1 call=s
		2260 hook turn-ends background_agents=1 background_tasks=1
		2265 hook tool-begins agent_id=x tool=WebFetch tool_use_id=2 call=a
		2270 hook tool-begins agent_id=x tool=WebFetch tool_use_id=3 call=b
		2650 hook dialog agent_id=x tool=WebFetch call=a
		2670 hook dialog agent_id=x tool=WebFetch call=b
		4600 = waiting_for_permission
		4650 answer agent_id=x tool=WebFetch call=b
		4680 hook tool-fails agent_id=x tool=WebFetch tool_use_id=3 call=b
		6600 = waiting_for_permission a
		6650 answer agent_id=x tool=WebFetch call=a
		6730 hook tool-fails agent_id=x tool=WebFetch tool_use_id=2 call=a
		6860 hook subagent-ends agent_id=x
		7110 file status=idle
		7115 hook report
		7120 file status=busy
		7220 hook turn-ends
		7280 file status=idle
		12000 = idle`,
	"two subagents": `
		   0 psp state=idle
		1000 psp state=working
		1020 hook prompt
		1300 psp state=working msg=sub
		1310 hook tool-begins tool=Agent delegates=true tool_use_id=1 call=s
		1330 hook tool-begins tool=Agent delegates=true tool_use_id=2 call=t
		1410 hook subagent-begins agent_id=x
		1420 psp state=working id=x
		1430 hook tool-ends tool=Agent tool_use_id=1 call=s
		1540 psp state=working id=y
		1570 hook subagent-begins agent_id=y
		1580 hook tool-ends tool=Agent tool_use_id=2 call=t
		1800 hook tool-begins agent_id=x tool=Bash tool_use_id=3 call=a
		1880 hook tool-begins agent_id=y tool=Bash tool_use_id=4 call=b
		1930 hook dialog agent_id=x tool=Bash call=a
		1990 hook dialog agent_id=y tool=Bash call=b
		1995 psp state=working
		2000 hook turn-ends background_agents=2 background_tasks=2
		3900 = waiting_for_permission
		4000 answer agent_id=x tool=Bash call=a
		4050 hook tool-ends agent_id=x tool=Bash tool_use_id=3 call=a
		4150 hook subagent-ends agent_id=x
		4300 psp state=clear id=x
		4410 hook report
		4480 hook turn-ends background_agents=1 background_tasks=1
		6300 = waiting_for_permission b
		6400 answer agent_id=y tool=Bash call=b
		6450 hook tool-ends agent_id=y tool=Bash tool_use_id=4 call=b
		6550 hook subagent-ends agent_id=y
		6600 psp state=clear id=y
		6640 hook report
		6850 hook turn-ends
		7010 psp state=done
		11000 = idle`,
	"two subagents, no status": `
		   0 file status=idle
		1000 hook prompt
		1090 file status=busy
		1220 hook tool-begins tool=Agent delegates=true tool_use_id=1 call=s
		1225 hook tool-begins tool=Agent delegates=true tool_use_id=2 call=t
		1290 hook subagent-begins agent_id=x
		1293 hook tool-ends tool=Agent tool_use_id=1 call=s
		1294 hook tool-ends tool=Agent tool_use_id=2 call=t
		1295 hook subagent-begins agent_id=y
		1465 hook tool-begins agent_id=x tool=Bash tool_use_id=3 call=a
		1467 hook turn-ends background_agents=2 background_tasks=2
		1469 hook tool-begins agent_id=y tool=Bash tool_use_id=4 call=b
		1760 hook dialog agent_id=x tool=Bash call=a
		1790 hook dialog agent_id=y tool=Bash call=b
		3700 = waiting_for_permission
		3800 answer agent_id=y tool=Bash call=b
		3860 hook tool-ends agent_id=y tool=Bash tool_use_id=4 call=b
		3910 hook subagent-ends agent_id=y
		3980 hook report
		4030 hook turn-ends background_agents=1 background_tasks=1
		6000 = waiting_for_permission a
		6100 answer agent_id=x tool=Bash call=a
		6160 hook tool-ends agent_id=x tool=Bash tool_use_id=3 call=a
		6210 hook subagent-ends agent_id=x
		6260 file status=idle
		6265 file status=busy
		6280 hook report
		6390 hook turn-ends
		6430 file status=idle
		11000 = idle`,
	"a subagent asks once more": `
		   0 psp state=idle
		1000 psp state=working
		1010 hook prompt
		1170 hook tool-begins tool=Agent delegates=true tool_use_id=1 call=s
		1300 hook subagent-begins agent_id=x
		1320 hook tool-ends tool=Agent tool_use_id=1 call=s
		1470 psp state=working id=x
		1670 hook turn-ends background_agents=1 background_tasks=1
		1700 hook tool-begins agent_id=x tool=Bash tool_use_id=2 call=a
		1860 psp state=working
		1900 hook dialog agent_id=x tool=Bash call=a
		3850 = waiting_for_permission a
		3900 answer agent_id=x tool=Bash call=a
		3960 hook tool-ends agent_id=x tool=Bash tool_use_id=2 call=a
		3980 hook tool-begins agent_id=x tool=Bash tool_use_id=3 call=b
		4000 hook dialog agent_id=x tool=Bash call=b
		5850 = waiting_for_permission b
		5910 answer agent_id=x tool=Bash call=b
		5950 hook tool-ends agent_id=x tool=Bash tool_use_id=3 call=b
		5990 hook subagent-ends agent_id=x
		6140 psp state=clear id=x
		6230 hook report
		6350 hook turn-ends
		6450 psp state=done
		10000 = idle`,
	"the conversation asks beside its subagent": `
		   0 psp state=idle
		1000 psp state=working
		1010 hook prompt
		1170 hook tool-begins tool=Agent delegates=true tool_use_id=1 call=s
		1300 hook subagent-begins agent_id=x
		1320 hook tool-ends tool=Agent tool_use_id=1 call=s
		1470 psp state=working id=x
		1700 hook tool-begins agent_id=x tool=Bash tool_use_id=2 call=a
		1760 hook tool-begins tool=Bash tool_use_id=3 call=b
		1860 psp state=working msg=x
		1900 hook dialog agent_id=x tool=Bash call=a
		1920 hook dialog tool=Bash call=b
		1960 psp state=blocked kind=permission
		3850 = waiting_for_permission
		3900 answer tool=Bash call=b
		3940 psp state=working
		3960 hook tool-ends tool=Bash tool_use_id=3 call=b
		4100 hook turn-ends background_agents=1 background_tasks=1
		5850 = waiting_for_permission a
		5910 answer agent_id=x tool=Bash call=a
		5950 hook tool-ends agent_id=x tool=Bash tool_use_id=2 call=a
		5990 hook subagent-ends agent_id=x
		6140 psp state=clear id=x
		6230 hook report
		6350 hook turn-ends
		6450 psp state=done
		10000 = idle`,
	"the conversation asks beside its subagent, no status": `
		   0 file status=idle
		1000 hook prompt
		1100 file status=busy
		1650 hook tool-begins tool=Agent delegates=true tool_use_id=1 call=s
		2490 hook subagent-begins agent_id=x
		2495 hook tool-ends tool=Agent tool_use_id=1 call=s
		3480 hook tool-begins tool=Bash tool_use_id=3 call=b
		4270 hook dialog tool=Bash call=b
		4500 title idle
		4600 file status=waiting waiting_for=permission_prompt
		5600 hook tool-begins agent_id=x tool=Bash tool_use_id=2 call=a
		6870 hook dialog agent_id=x tool=Bash call=a
		8700 = waiting_for_permission
		8750 answer tool=Bash call=b
		8850 title working
		9100 file status=busy
		9600 hook tool-ends tool=Bash tool_use_id=3 call=b
		10040 hook turn-ends background_agents=1 background_tasks=1
		14000 = waiting_for_permission a
		14050 answer agent_id=x tool=Bash call=a
		14100 hook tool-ends agent_id=x tool=Bash tool_use_id=2 call=a
		14200 hook subagent-ends agent_id=x
		14300 file status=busy
		14350 hook report
		14500 hook turn-ends
		14550 title idle
		14600 file status=idle
		19000 = idle`,
}
