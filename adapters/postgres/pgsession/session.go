// Package pgsession stores conversations in PostgreSQL: questions and their progress, answers,
// actions on answers, messages on platforms, and thread audiences. It also deletes them.
//
// A file is named after the table that its statements use: turn_*, message, run, feedback,
// delivery, surface_message, event, thread, replica, verdict, quota_use. All changes of a turn's
// state are in life*.go. Statements across tables have separate files. File history loads a
// conversation for a model, and forget deletes a person. File retention deletes old rows, sweep
// deletes useless rows, and restored resumes after a backup.
//
// Chat settings, spending and the index do not belong here. Package audit writes the audit entry of
// a change, in the transaction of the change.
package pgsession

import (
	"fmt"
	"time"

	"github.com/footnotehq/footnote/adapters/postgres"
	"github.com/footnotehq/footnote/core/session"
	"github.com/google/uuid"
)

// Store stores conversations, turns and the messages posted for them. A turn is a question with the
// progress of its answer. Store implements session.Store, and is safe for concurrent use by any
// number of processes.
type Store struct{ db *postgres.DB }

// New returns the Store in db.
func New(db *postgres.DB) *Store { return &Store{db: db} }

var _ session.Store = (*Store)(nil)

// newID returns a UUID of version 7, so that ids are in order of creation.
func newID() (string, error) {
	id, err := uuid.NewV7()
	if err != nil {
		return "", fmt.Errorf("create an id: %w", err)
	}
	return id.String(), nil
}

// orZero returns a time in UTC, or the zero time for nil. It is the inverse of postgres.OrNull.
func orZero(t *time.Time) time.Time {
	if t == nil {
		return time.Time{}
	}
	return t.UTC()
}
