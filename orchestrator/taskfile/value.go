package taskfile

import (
	"fmt"
	"strconv"

	"ccdir/api"
)

// Each method below parses the field's text; its error names the expected form.

func (f field) number(into *int) (err error) {
	if *into, err = strconv.Atoi(f.text); err != nil {
		return f.noNumber()
	}
	return nil
}

func (f field) number64(into *int64) (err error) {
	if *into, err = strconv.ParseInt(f.text, 10, 64); err != nil {
		return f.noNumber()
	}
	return nil
}

func (f field) noNumber() error {
	return fmt.Errorf("%s takes a whole number, found %q", f.key, f.text)
}

func (f field) dollars(into *float64) (err error) {
	if *into, err = strconv.ParseFloat(f.text, 64); err != nil {
		return fmt.Errorf("%s takes a number of US dollars, found %q", f.key, f.text)
	}
	return nil
}

func (f field) truth(into *bool) error {
	if *into = f.text == "true"; !*into && f.text != "false" {
		return fmt.Errorf("%s takes true or false, found %q", f.key, f.text)
	}
	return nil
}

func (f field) span(into *api.Duration) error {
	if err := into.UnmarshalText([]byte(f.text)); err != nil {
		return fmt.Errorf("%s: %w", f.key, err)
	}
	return nil
}
