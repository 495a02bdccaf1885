//go:build !linux

package localtest

import "os"

// place is the directory for the cluster.
func place() string { return os.TempDir() }
