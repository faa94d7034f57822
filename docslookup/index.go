package docslookup

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	// The driver "sqlite", in pure Go.
	_ "modernc.org/sqlite"

	"ccdir/docslookup/scan"
)

// schemaVersion changes when the schema or a scanner does: it is part of a file's name.
const schemaVersion = 3

// schema has symbols and prose apart: names are found by pieces of three letters, text by
// the stems of its words.
const schema = `
CREATE TABLE entry (
  id        INTEGER PRIMARY KEY,
  pkg       TEXT NOT NULL,
  symbol    TEXT NOT NULL,
  kind      TEXT NOT NULL,
  signature TEXT NOT NULL,
  heading   TEXT NOT NULL,
  brief     TEXT NOT NULL,  -- the first paragraph
  text      TEXT NOT NULL,
  file      TEXT NOT NULL,
  line      INTEGER NOT NULL,
  source    TEXT NOT NULL
) STRICT;
CREATE TABLE note (text TEXT NOT NULL) STRICT;
-- In how many entries a stem occurs; '' counts all entries.
CREATE TABLE stem (stem TEXT PRIMARY KEY, n INTEGER NOT NULL) STRICT, WITHOUT ROWID;
CREATE VIRTUAL TABLE symbols USING fts5 (symbol, content = '', tokenize = 'trigram');
CREATE VIRTUAL TABLE prose USING fts5 (symbol, signature, heading, text, content = '', tokenize = 'porter unicode61');
INSERT INTO prose (prose, rank) VALUES ('rank', 'bm25(10, 4, 3, 1)');
`

// index is an open index file.
type index struct {
	db *sql.DB
	// These are the statements that every question runs.
	prose, pieces, stems, texts *sql.Stmt
	notes                       []string
	used                        int64
	// readers counts the questions that use it; the last one closes it once it is dropped.
	mu      sync.Mutex
	readers int
	dropped bool
}

func dsn(path, options string) string {
	return "file:" + (&url.URL{Path: path}).EscapedPath() + "?" + options
}

// buildSuffix ends the names of files that are being built.
const buildSuffix = ".new"

// write builds the index file of entries; it appears complete or not at all.
func (m *module) write(ctx context.Context, path string, entries []scan.Entry, notes []string) (err error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	part := path + buildSuffix
	_ = os.Remove(part) // left by a crash
	f, err := os.OpenFile(part, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_ = f.Close()
	defer func() {
		if err != nil {
			_ = os.Remove(part)
		}
	}()
	db, err := sql.Open("sqlite", dsn(part, "_pragma=journal_mode(OFF)&_pragma=synchronous(OFF)&_pragma=locking_mode(EXCLUSIVE)"))
	if err != nil {
		return err
	}
	db.SetMaxOpenConns(1)
	if err := errors.Join(m.fill(ctx, db, entries, notes), db.Close()); err != nil {
		return err
	}
	return os.Rename(part, path)
}

func (m *module) fill(ctx context.Context, db *sql.DB, entries []scan.Entry, notes []string) error {
	if _, err := db.ExecContext(ctx, schema); err != nil {
		return err
	}
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer func() { _ = tx.Rollback() }()
	var statements []*sql.Stmt
	for _, text := range []string{
		"INSERT INTO entry VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
		"INSERT INTO symbols (rowid, symbol) VALUES (?, ?)",
		"INSERT INTO prose (rowid, symbol, signature, heading, text) VALUES (?, ?, ?, ?, ?)",
		"INSERT INTO stem VALUES (?, ?)",
	} {
		s, err := tx.PrepareContext(ctx, text)
		if err != nil {
			return err
		}
		defer func() { _ = s.Close() }()
		statements = append(statements, s)
	}
	counts := map[string]int{"": len(entries)}
	for i, e := range entries {
		id := i + 1
		countStems(counts, e)
		name := e.Symbol
		if e.Kind != scan.KindSection {
			name = m.base(e.Package) + m.separator() + e.Symbol
			if _, err := statements[1].ExecContext(ctx, id, name); err != nil {
				return err
			}
		}
		_, err := statements[0].ExecContext(ctx, id, e.Package, e.Symbol, e.Kind, e.Signature, e.Heading, brief(e.Text), e.Text, e.File, e.Line, e.Source)
		if err != nil {
			return err
		}
		if _, err := statements[2].ExecContext(ctx, id, spread(name), spread(e.Signature), e.Heading, e.Text); err != nil {
			return err
		}
	}
	for stem, n := range counts {
		if _, err := statements[3].ExecContext(ctx, stem, n); err != nil {
			return err
		}
	}
	for _, n := range notes {
		if _, err := tx.ExecContext(ctx, "INSERT INTO note VALUES (?)", n); err != nil {
			return err
		}
	}
	return tx.Commit()
}

// openIndex opens a complete index file. Its error does not matter beyond "build it".
func openIndex(ctx context.Context, path string) (*index, error) {
	info, err := os.Lstat(path)
	if err != nil {
		return nil, err
	}
	db, err := sql.Open("sqlite", dsn(path, "mode=ro&immutable=1&_pragma=query_only(1)&_pragma=mmap_size(0)&_pragma=cache_size(-256)"))
	if err != nil {
		return nil, err
	}
	db.SetMaxOpenConns(1)
	x := &index{db: db}
	for _, p := range []struct {
		to   **sql.Stmt
		text string
	}{
		{&x.prose, "SELECT " + rowColumns + ", -p.rank FROM (SELECT rowid, rank FROM prose WHERE prose MATCH ? ORDER BY rank LIMIT ?) p JOIN entry e ON e.id = p.rowid"},
		{&x.pieces, selectPieces + orderPieces},
		{&x.stems, "SELECT stem, n FROM stem WHERE stem IN (SELECT value FROM json_each(?))"},
		{&x.texts, "SELECT id, text FROM entry WHERE id IN (SELECT value FROM json_each(?))"},
	} {
		if err == nil {
			*p.to, err = db.PrepareContext(ctx, p.text)
		}
	}
	var rows *sql.Rows
	if err == nil {
		rows, err = db.QueryContext(ctx, "SELECT text FROM note")
	}
	if err == nil {
		for rows.Next() {
			var n string
			if err = rows.Scan(&n); err != nil {
				break
			}
			x.notes = append(x.notes, n)
		}
		err = errors.Join(err, rows.Err(), rows.Close())
	}
	if err != nil {
		_ = db.Close()
		return nil, err
	}
	if time.Since(info.ModTime()) > 24*time.Hour {
		_ = os.Chtimes(path, time.Time{}, time.Now()) // it is in use: see tidy
	}
	return x, nil
}

// acquire takes the file for one question; false: it was dropped.
func (x *index) acquire() bool {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.dropped {
		return false
	}
	x.readers++
	return true
}

func (x *index) done() {
	x.mu.Lock()
	x.readers--
	last := x.dropped && x.readers == 0
	x.mu.Unlock()
	if last {
		_ = x.db.Close()
	}
}

// release closes the file when nobody uses it any more.
func (x *index) release() {
	x.mu.Lock()
	last := !x.dropped && x.readers == 0
	x.dropped = true
	x.mu.Unlock()
	if last {
		_ = x.db.Close()
	}
}

// row is an entry that matches a question.
type row struct {
	scan.Entry
	id    int64
	brief string
	bm25  float64 // the greater the better
	m     *module
	score float64
}

const rowColumns = "e.id, e.pkg, e.symbol, e.kind, e.signature, e.heading, e.brief, e.file, e.line, e.source"

// Bounds of the candidates of one index for one question: less of each if there are many.
const (
	maxRows  = 60
	someRows = 25
)

// What finds entries by pieces of their names.
const (
	selectPieces = "SELECT " + rowColumns + ", 0.0 FROM symbols JOIN entry e ON e.id = symbols.rowid WHERE symbols MATCH ?"
	orderPieces  = " ORDER BY length(e.symbol) LIMIT ?"
)

// byWords returns the entries that match best by words, at most limit.
func (x *index) byWords(ctx context.Context, q *question, pkg string, limit int) ([]row, error) {
	if pkg == "" {
		return readRows(x.prose.QueryContext(ctx, q.match, limit))
	}
	return readRows(x.db.QueryContext(ctx, "SELECT "+rowColumns+", -prose.rank FROM prose JOIN entry e ON e.id = prose.rowid WHERE prose MATCH ?"+inPackage+" ORDER BY prose.rank LIMIT ?",
		q.match, pkg, globText(pkg)+"[/.:]*", limit))
}

// inPackage restricts to a package and those below it.
const inPackage = " AND (e.pkg = ? OR e.pkg GLOB ?)"

// byPieces returns the entries whose names have a word of the question, at most limit.
func (x *index) byPieces(ctx context.Context, q *question, pkg string, limit int) ([]row, error) {
	if q.pieces == "" {
		return nil, nil
	}
	if pkg == "" {
		return readRows(x.pieces.QueryContext(ctx, q.pieces, limit))
	}
	return readRows(x.db.QueryContext(ctx, selectPieces+inPackage+orderPieces, q.pieces, pkg, globText(pkg)+"[/.:]*", limit))
}

// pageBegin returns the sections that tell what a manual page is about.
func (x *index) pageBegin(ctx context.Context, page string) ([]row, error) {
	if page == "" {
		return nil, nil
	}
	return readRows(x.db.QueryContext(ctx, "SELECT "+rowColumns+", 0.0 FROM entry e WHERE lower(e.pkg) = ? AND (e.kind = ? OR upper(e.symbol) IN ('SYNOPSIS', 'DESCRIPTION')) LIMIT 5",
		page, scan.KindPackage))
}

// counts returns in how many entries the stems that matter to the question occur; "" has the
// number of all entries.
func (x *index) counts(ctx context.Context, q *question) (map[string]int, error) {
	rows, err := x.stems.QueryContext(ctx, q.asked)
	if err != nil {
		return nil, err
	}
	defer func() { _ = rows.Close() }()
	counts := map[string]int{}
	for rows.Next() {
		var s string
		var n int
		if err := rows.Scan(&s, &n); err != nil {
			return nil, err
		}
		counts[s] = n
	}
	return counts, rows.Err()
}

func globText(s string) string {
	return strings.NewReplacer("[", "[[]", "*", "[*]", "?", "[?]").Replace(s)
}

// readRows reads the answer of a query, and ends it.
func readRows(rows *sql.Rows, err error) (list []row, _ error) {
	if err != nil {
		return nil, err
	}
	defer func() { _ = rows.Close() }()
	for rows.Next() {
		var r row
		if err := rows.Scan(&r.id, &r.Package, &r.Symbol, &r.Kind, &r.Signature, &r.Heading, &r.brief, &r.File, &r.Line, &r.Source, &r.bm25); err != nil {
			return nil, err
		}
		list = append(list, r)
	}
	return list, rows.Err()
}

// wholeTexts returns the whole texts of entries by their ids.
func (x *index) wholeTexts(ctx context.Context, ids []int64) (map[int64]string, error) {
	list, err := json.Marshal(ids)
	if err != nil {
		return nil, err
	}
	rows, err := x.texts.QueryContext(ctx, string(list))
	if err != nil {
		return nil, err
	}
	defer func() { _ = rows.Close() }()
	texts := map[int64]string{}
	for rows.Next() {
		var id int64
		var text string
		if err := rows.Scan(&id, &text); err != nil {
			return nil, err
		}
		texts[id] = text
	}
	return texts, rows.Err()
}

// get returns one entry with its whole text.
func (x *index) get(ctx context.Context, id int64) (r row, err error) {
	err = x.db.QueryRowContext(ctx, "SELECT "+rowColumns+", e.text FROM entry e WHERE e.id = ?", id).
		Scan(&r.id, &r.Package, &r.Symbol, &r.Kind, &r.Signature, &r.Heading, &r.brief, &r.File, &r.Line, &r.Source, &r.Text)
	return r, err
}
