package local

import "errors"

// What a caller may branch on. Each comes wrapped in a sentence that says what was
// found and what to do about it.
var (
	// ErrNoServer: this machine has no PostgreSQL server programs.
	ErrNoServer = errors.New("no PostgreSQL server was found on this machine")
	// ErrOldServer: all server programs found are older than MinMajor.
	ErrOldServer = errors.New("the PostgreSQL server on this machine is too old")
	// ErrNoVector: the server has no pgvector, or one older than MinVector.
	ErrNoVector = errors.New("PostgreSQL lacks the extension pgvector " + MinVector + " or newer")
	// ErrOtherMajor: the data directory was made by a major version of PostgreSQL
	// that is not installed.
	ErrOtherMajor = errors.New("the data directory belongs to another major version of PostgreSQL")
	// ErrNotOurs means that a directory belongs to another user or is open to others.
	ErrNotOurs = errors.New("the directory is not safe to use")
	// ErrDiskFull: the disk of the data directory has no room for what a server writes.
	ErrDiskFull = errors.New("PostgreSQL cannot store anything")
	// ErrStart: initdb or the server did not start; the message carries the end of
	// its log.
	ErrStart = errors.New("PostgreSQL did not start")
)

// otherWay ends the sentences about what this machine lacks.
const otherWay = `run "make deps" to install it, or set DATABASE_URL to a PostgreSQL server that has it`
