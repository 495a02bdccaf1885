package postgres

import (
	"fmt"
	"net/url"
	"strconv"

	"github.com/jackc/pgx/v5/pgconn"
)

// ClientEnv returns the environment variables with which psql, pg_dump and other programs of libpq
// connect to a database without an argument
// (https://www.postgresql.org/docs/current/libpq-envars.html).
func ClientEnv(address string) ([]string, error) {
	c, err := pgconn.ParseConfig(address)
	if err != nil {
		return nil, fmt.Errorf("read the address of the database: %w", err)
	}
	env := []string{"PGHOST=" + c.Host, "PGPORT=" + strconv.Itoa(int(c.Port)), "PGUSER=" + c.User, "PGDATABASE=" + c.Database}
	if c.Password != "" {
		env = append(env, "PGPASSWORD="+c.Password)
	}
	u, err := url.Parse(address)
	if err != nil { // the address has the form of keywords and values
		return env, nil
	}
	for keyword, variable := range map[string]string{
		"sslmode": "PGSSLMODE", "sslrootcert": "PGSSLROOTCERT", "sslcert": "PGSSLCERT", "sslkey": "PGSSLKEY", "options": "PGOPTIONS", "connect_timeout": "PGCONNECT_TIMEOUT",
	} {
		if value := u.Query().Get(keyword); value != "" {
			env = append(env, variable+"="+value)
		}
	}
	return env, nil
}
