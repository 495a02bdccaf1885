//go:build !linux

package localtest

import "os"

func place() string { return os.TempDir() }
