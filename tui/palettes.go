package tui

import "ccdir/internal/grid"

// The palettes. Text has a contrast of at least 4.5 to the background, that of the
// two for high contrast 7, and frames 3 (WCAG 2), on black or on white; those of
// sixteen colours by the values that xterm, the Linux console and Windows Terminal
// give them. TestContrast computes it. What only says that nothing is urgent has
// the default colour where the sixteen have none that can be read.

// themeOf is the palette of that name; dark if there is none.
func themeOf(name string) *theme {
	switch name {
	case "light":
		return lightTheme()
	case "light16":
		return light16Theme()
	case "dark16":
		return dark16Theme()
	case "contrast":
		return contrastTheme()
	case "contrast-light":
		return contrastLightTheme()
	}
	return darkTheme()
}

func darkTheme() *theme {
	i := grid.Indexed
	return &theme{
		starting: i(250), idle: i(35), working: i(33), input: i(214), permission: i(203), exited: i(245),
		dim: i(245), accent: i(75), alert: i(203), hook: i(146),
		softStarting: i(242), softWorking: i(31), softInput: i(136), softPermission: i(160),
	}
}

func lightTheme() *theme {
	i := grid.Indexed
	return &theme{
		starting: i(240), idle: i(28), working: i(26), input: i(130), permission: i(160), exited: i(242),
		dim: i(242), accent: i(25), alert: i(160), hook: i(60),
		softStarting: i(245), softWorking: i(32), softInput: i(166), softPermission: i(167),
	}
}

func dark16Theme() *theme {
	i := grid.Indexed
	return &theme{
		starting: i(7), idle: i(10), working: i(14), input: i(11), permission: i(9), exited: i(7),
		dim: i(7), accent: i(15), alert: i(9), hook: i(7),
		softWorking: i(6), softInput: i(3),
	}
}

func light16Theme() *theme {
	i := grid.Indexed
	return &theme{
		working: i(4), input: i(5), permission: i(1),
		accent: i(4), alert: i(1), hook: i(5),
		softStarting: i(8), softWorking: i(12), softInput: i(8), softPermission: i(9),
	}
}

func contrastTheme() *theme {
	i := grid.Indexed
	return &theme{
		starting: i(255), idle: i(46), working: i(51), input: i(226), permission: i(203), exited: i(250),
		dim: i(252), accent: i(159), alert: i(203), hook: i(255),
		softStarting: i(245), softWorking: i(37), softInput: i(178), softPermission: i(160),
	}
}

func contrastLightTheme() *theme {
	i := grid.Indexed
	return &theme{
		starting: i(235), idle: i(22), working: i(18), input: i(90), permission: i(88), exited: i(240),
		dim: i(238), accent: i(19), alert: i(88), hook: i(54),
		softStarting: i(244), softWorking: i(62), softInput: i(133), softPermission: i(167),
	}
}
