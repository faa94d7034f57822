package api

import (
	"strconv"
	"time"
)

// Retry says that an agent asks its API again after a failure.
type Retry struct {
	// Attempt counts the requests that were made again, from 1; 0 if it is not known. Most is how many
	// the agent makes before it gives up; 0 if it is not known.
	Attempt int `json:"attempt,omitempty"`
	Most    int `json:"most,omitempty"`
	// Status is the HTTP status of the failure; 0 if it is not known.
	Status int `json:"status,omitempty"`
	// Message is what the agent says of the failure, in one line; "" for nothing.
	Message string `json:"message,omitempty"`
	// Next is when it asks again; the zero time if it is not known.
	Next time.Time `json:"next,omitzero"`
}

// Line is the retry in words: "retries 4th time, 429, again in 12 s". Its text comes from agents.
func (r Retry) Line(now time.Time) string {
	text := "retries"
	if r.Attempt > 0 {
		text += " " + ordinal(r.Attempt) + " time"
		if r.Most > 0 {
			text += " of " + strconv.Itoa(r.Most)
		}
	}
	switch {
	case r.Status > 0:
		text += ", " + strconv.Itoa(r.Status)
	case r.Message != "":
		text += ", " + r.Message
	}
	if left := r.Next.Sub(now); !r.Next.IsZero() && left > 0 {
		text += ", again in " + left.Round(time.Second).String()
	}
	return text
}

// ordinal is a number as an adjective: 1st, 2nd, 11th.
func ordinal(n int) string {
	suffix := "th"
	if n%100/10 != 1 {
		switch n % 10 {
		case 1:
			suffix = "st"
		case 2:
			suffix = "nd"
		case 3:
			suffix = "rd"
		}
	}
	return strconv.Itoa(n) + suffix
}
