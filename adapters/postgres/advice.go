package postgres

import (
	"errors"
	"io"
	"net"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"
)

// DiskFull is the SQLSTATE of a statement that failed because the disk is full.
const DiskFull = "53100"

// SQLSTATEs of server errors that an operator can fix.
const (
	stateOutOfMemory = "53200"
	stateConnections = "53300"
	stateStarting    = "57P03"
	stateReadOnly    = "25006"
	stateNoLibrary   = "58P01"
	classShutdown    = "57P" // 57P01 to 57P05: an operator or a crash ends connections
)

var advice = map[string]string{
	DiskFull:         "the disk of the database is full: make room there. Nothing that was stored is lost; what failed is done again, by itself or with the next run",
	stateOutOfMemory: "the database server has no memory left: give it more, or lower its work_mem and the number of its connections",
	stateConnections: "the database server has no connection left: end what holds them, raise its max_connections or the role's limit, or set pool_max_conns in DATABASE_URL to less than 3",
	stateStarting:    "the database server is starting or ending: it takes connections in a moment",
	stateReadOnly:    "this database server only reads, as a standby does: set DATABASE_URL to the one that writes",
	stateNoLibrary:   "a file of the database server is missing or does not load, as after an upgrade of its package: restart the server. Footnote restarts a private one itself",
}

// Advice returns what an operator can do about an error of the server, in words that can end an
// error message. It returns "" if there is no advice.
func Advice(err error) string {
	var fault *pgconn.PgError
	if !errors.As(err, &fault) {
		return ""
	}
	return advice[fault.Code]
}

// Full reports whether err means that the disk is full.
func Full(err error) bool {
	var fault *pgconn.PgError
	return errors.As(err, &fault) && fault.Code == DiskFull
}

// Undone reports whether a transaction that failed with err certainly changed nothing: the server
// rolled it back or never received it. In doubt it returns false.
func Undone(err error) bool {
	var fault *pgconn.PgError
	if errors.As(err, &fault) {
		return fault.Severity == "ERROR"
	}
	var unconnected *pgconn.ConnectError
	return errors.As(err, &unconnected) || pgconn.SafeToRetry(err)
}

// Lost reports whether err means that the connection to the server is missing or broken, for
// example because the server restarts. It may also return true if a context ended.
func Lost(err error) bool {
	var fault *pgconn.PgError
	if errors.As(err, &fault) {
		return strings.HasPrefix(fault.Code, classShutdown)
	}
	var unconnected *pgconn.ConnectError
	var network net.Error
	return errors.As(err, &unconnected) || errors.As(err, &network) || errors.Is(err, io.ErrUnexpectedEOF) || pgconn.SafeToRetry(err)
}

// passing reports whether a connection that was refused with this SQLSTATE may succeed later.
func passing(state string) bool { return state == stateConnections || state == stateStarting }
