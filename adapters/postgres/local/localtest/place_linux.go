package localtest

import (
	"os"
	"syscall"
)

// enough is the free memory, in bytes, above which the cluster is kept there. It takes some hundred
// megabytes while all tests run, and about 100 afterwards.
const enough = 4 << 30

// place is the directory for the cluster: in memory, unless there is little of it, as in
// containers, or a directory for temporary files was asked for.
func place() string {
	const memory, writable = "/dev/shm", 2
	var fs syscall.Statfs_t
	if os.Getenv("TMPDIR") != "" || syscall.Access(memory, writable) != nil || syscall.Statfs(memory, &fs) != nil || uint64(fs.Bsize)*fs.Bavail < enough {
		return os.TempDir()
	}
	return memory
}
