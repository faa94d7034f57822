package store

import (
	"errors"
)

// staleTextIndex reports whether err means that a full-text index does not match its
// table: another program wrote the table without the index, or lost a part of it.
func staleTextIndex(err error) bool {
	const sqliteCorruptVTab = 11 | 1<<8
	var coded interface{ Code() int }
	return errors.As(err, &coded) && coded.Code() == sqliteCorruptVTab
}

// rebuildTextIndex makes the full-text index of the events again: it has nothing that the
// table does not have. Only the writer calls it; it blocks for some seconds per million
// events.
func (s *Store) rebuildTextIndex() error {
	s.log.Warn("the index of the events' messages does not match them: it is rebuilt")
	_, err := s.write.Exec("INSERT INTO events_text (events_text) VALUES ('rebuild')")
	if err != nil {
		s.log.Error("the index of the events' messages cannot be rebuilt", "error", err)
	}
	return err
}
