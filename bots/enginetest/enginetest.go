// Package enginetest holds the tests of the index with a search engine in addition to PostgreSQL.
// They need a real server and are left out of "go test ./...": "make test-opensearch" starts one
// and runs them.
package enginetest
