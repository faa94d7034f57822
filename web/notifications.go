package web

import "net/http"

// notifications is where a device chooses whether it is told what wants a person.
func (s *server) notifications(w http.ResponseWriter, c call) error {
	d := map[string]any{"Problem": s.Push.Problem(), "On": s.Push.Subscribed(c.device.ID), "Last": "", "Key": ""}
	if last := s.Push.Last(); last != nil {
		d["Last"] = last.Said
	}
	if s.Push.Problem() == "" {
		key, err := s.Push.Key()
		if err != nil {
			return err
		}
		d["Key"] = key
	}
	s.render(w, c, http.StatusOK, page{Title: "Notifications", Nav: "notifications", Body: "notifications", Data: d})
	return nil
}

func (s *server) subscribe(w http.ResponseWriter, c call) error {
	if err := s.Push.Subscribe(c.device.ID, []byte(c.PostForm.Get("subscription"))); err != nil {
		return err
	}
	s.Note("the browser " + c.device.Name + " (" + c.device.ID + ") takes notifications")
	return s.done(w, c, "This device is told what wants you", "/notifications")
}

func (s *server) unsubscribe(w http.ResponseWriter, c call) error {
	if err := s.Push.Unsubscribe(c.device.ID); err != nil {
		return err
	}
	return s.done(w, c, "This device is told nothing any more", "/notifications")
}

// testPush sends a notification to the device that asks for it.
func (s *server) testPush(w http.ResponseWriter, c call) error {
	if err := s.Push.Test(c.Context(), c.device.ID); err != nil {
		return err
	}
	return s.done(w, c, "Sent: look for it", "/notifications")
}
