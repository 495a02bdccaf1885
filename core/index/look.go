package index

import "time"

// Change is a kind of change in a source that takes rights.
type Change string

// The kinds of changes, in the order in which people read of them.
const (
	ChangeMember   Change = "a person leaves a group"
	ChangeAccount  Change = "an account is disabled"
	ChangeNode     Change = "readers of a space, project, drive, repository or channel"
	ChangeDocument Change = "readers of a single document"
	ChangeMove     Change = "a document is moved"
	ChangeDeletion Change = "a document is deleted"
)

// Changes returns all kinds in their order.
func Changes() []Change {
	return []Change{ChangeMember, ChangeAccount, ChangeNode, ChangeDocument, ChangeMove, ChangeDeletion}
}

// Look says which look at a source notices a change. The zero Look is each run of permissions.
type Look struct {
	Documents bool // each run of documents, with the run of permissions after it
	// only a run that looks at everything: the first one this long after the last
	Sweep time.Duration
	Hook  bool // a webhook tells of it, if the source sends such
}

// Late returns how late the change shows at most, for a source that is read every so often: the
// longest time between the beginnings of two such looks. What a look takes comes on top.
func (l Look) Late(every time.Duration) time.Duration {
	run := AccessEvery
	if l.Documents {
		run = max(run, every)
	}
	if run >= l.Sweep {
		return run
	}
	return l.Sweep + run // runs do not begin exactly when a sweep is due
}

// Looks are the changes that a source knows, with the looks that notice them.
type Looks map[Change]Look

// Late returns how late a right that was taken is lost at most.
func (l Looks) Late(every time.Duration) time.Duration {
	var late time.Duration
	for change, look := range l {
		if change != ChangeDeletion {
			late = max(late, look.Late(every))
		}
	}
	return late
}

// Deleted returns how late what was deleted is shown at most; 0 if no look notices that.
func (l Looks) Deleted(every time.Duration) time.Duration {
	if look, ok := l[ChangeDeletion]; ok {
		return look.Late(every)
	}
	return 0
}
