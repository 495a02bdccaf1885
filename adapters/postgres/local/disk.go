package local

import (
	"fmt"

	"golang.org/x/sys/unix"
)

// Disk is the space on the disk of the data directory, in bytes.
type Disk struct{ Free, Total uint64 }

// enoughFree is the free space, in bytes, below which a disk counts as short of space.
const enoughFree = 3 << 30

// neededFree is the minimum free space, in bytes. With less space, a server hangs at its start or
// at each change, because it allocates write-ahead log files of 16 MB.
const neededFree = 32 << 20

// Full reports whether nothing can be stored.
func (d Disk) Full() bool { return d.Free < neededFree }

// Short reports whether the disk may soon be full.
func (d Disk) Short() bool { return d.Free < enoughFree }

func (d Disk) String() string {
	const gibi = 1 << 30
	text := fmt.Sprintf("%.1f of %.1f GiB free", float64(d.Free)/gibi, float64(d.Total)/gibi)
	if d.Short() {
		text += "; make room before it is full: nothing can be stored or answered then"
	}
	return text
}

func (c *Cluster) checkDisk() error {
	disk, err := c.Disk()
	if err != nil || !disk.Full() {
		return err
	}
	return fmt.Errorf("%w: the disk of %s is full (%d MiB free): make room on it, then try again. What was stored is kept",
		ErrDiskFull, c.paths.root, disk.Free>>20)
}

// Disk returns the free and total space on the disk of the data directory.
func (c *Cluster) Disk() (Disk, error) {
	var stat unix.Statfs_t
	if err := unix.Statfs(c.paths.root, &stat); err != nil {
		return Disk{}, fmt.Errorf("look at the disk of the private PostgreSQL: %w", err)
	}
	block := uint64(stat.Bsize) //nolint:gosec,unconvert // its type differs between systems
	// Bavail excludes space that only root may use.
	return Disk{stat.Bavail * block, stat.Blocks * block}, nil
}
