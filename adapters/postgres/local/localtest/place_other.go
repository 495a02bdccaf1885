//go:build !linux

package localtest

import "os"

// place returns the directory for the cluster.
func place() string { return os.TempDir() }
