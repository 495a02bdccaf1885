package index

import "time"

// Change is a kind of change in a source that revokes a permission.
type Change string

// The kinds of changes, in the order in which they are shown.
const (
	ChangeMember   Change = "a person leaves a group"
	ChangeAccount  Change = "an account is disabled"
	ChangeNode     Change = "readers of a space, project, drive, repository or channel"
	ChangeDocument Change = "readers of a single document"
	ChangeMove     Change = "a document is moved"
	ChangeDeletion Change = "a document is deleted"
)

// Changes returns all kinds of changes in order.
func Changes() []Change {
	return []Change{ChangeMember, ChangeAccount, ChangeNode, ChangeDocument, ChangeMove, ChangeDeletion}
}

// Look says which scans notice a kind of change in a source. The zero Look means that every scan of
// permissions notices it.
type Look struct {
	Documents bool // only runs that read documents, and the permission run after them, notice it
	// Sweep, if not zero, says that only full scans at this interval notice the change.
	Sweep time.Duration
	Hook  bool // a webhook reports it, if the source sends webhooks
}

// Late returns the maximum delay until a change is noticed, without the duration of the scan. The
// source is read at the given interval.
func (l Look) Late(every time.Duration) time.Duration {
	run := AccessEvery
	if l.Documents {
		run = max(run, every)
	}
	if run >= l.Sweep {
		return run
	}
	return l.Sweep + run // a run may start just before the scan is due
}

// Looks says, for each kind of change in a source, which scans notice it.
type Looks map[Change]Look

// Late returns the maximum delay until a revoked permission is noticed. It ignores deletions. The
// source is read at the given interval.
func (l Looks) Late(every time.Duration) time.Duration {
	var late time.Duration
	for change, look := range l {
		if change != ChangeDeletion {
			late = max(late, look.Late(every))
		}
	}
	return late
}

// Deleted returns the maximum delay until a deletion is noticed. It returns 0 if no scan notices
// deletions.
func (l Looks) Deleted(every time.Duration) time.Duration {
	if look, ok := l[ChangeDeletion]; ok {
		return look.Late(every)
	}
	return 0
}
