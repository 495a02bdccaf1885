// Package pgsession keeps conversations in PostgreSQL: questions on their way to their answers,
// what is kept of answers and done to them, what platforms sent and showed, who listens to which
// thread, and how all of it goes again.
//
// A file is named after the table that its statements read and write: turn_*, message, run,
// feedback, delivery, surface_message, event, thread, replica, verdict, quota_use. Whatever changes
// a turn stands in life*.go. What goes across the tables has its own names: history is what a model
// is given of a conversation, forget deletes a person, retention what is old, sweep what is of no
// use, and restored goes on after a backup.
//
// What is set in chat, spent, or indexed does not belong here; what the audit trail says of a
// change is written through package audit, in the transaction of the change.
package pgsession

import (
	"fmt"
	"time"

	"github.com/footnotehq/footnote/adapters/postgres"
	"github.com/footnotehq/footnote/core/session"
	"github.com/google/uuid"
)

// Store keeps conversations, turns and what was posted for them. It implements session.Store, and
// is safe for concurrent use by any number of processes.
type Store struct{ db *postgres.DB }

// New returns the sessions of a database.
func New(db *postgres.DB) *Store { return &Store{db: db} }

var _ session.Store = (*Store)(nil)

// newID returns a UUID of version 7, so that rows lie in order of their making.
func newID() (string, error) {
	id, err := uuid.NewV7()
	if err != nil {
		return "", fmt.Errorf("make an id: %w", err)
	}
	return id.String(), nil
}

// orZero is the inverse of postgres.OrNull, in UTC.
func orZero(t *time.Time) time.Time {
	if t == nil {
		return time.Time{}
	}
	return t.UTC()
}
