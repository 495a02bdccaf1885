package local

import "errors"

// Sentinel errors of this package. Each is wrapped in a message that says what was found and what
// to do.
var (
	// ErrNoServer means that this machine has no PostgreSQL server programs.
	ErrNoServer = errors.New("no PostgreSQL server was found on this machine")
	// ErrOldServer means that all server programs found are older than MinMajor.
	ErrOldServer = errors.New("the PostgreSQL server on this machine is too old")
	// ErrNoVector means that the server has no pgvector, or a pgvector older than MinVector.
	ErrNoVector = errors.New("PostgreSQL lacks the extension pgvector " + MinVector + " or newer")
	// ErrOtherMajor means that the data directory was created by a major version of PostgreSQL that
	// is not installed.
	ErrOtherMajor = errors.New("the data directory belongs to another major version of PostgreSQL")
	// ErrNotOurs means that a directory belongs to another user or is open to others.
	ErrNotOurs = errors.New("the directory is not safe to use")
	// ErrDiskFull means that the disk of the data directory lacks space for the server's files.
	ErrDiskFull = errors.New("PostgreSQL cannot store anything")
	// ErrStart means that initdb or the server did not start. The message contains the end of the
	// log.
	ErrStart = errors.New("PostgreSQL did not start")
)

const otherWay = `run "make deps" to install it, or set DATABASE_URL to a PostgreSQL server that has it`
