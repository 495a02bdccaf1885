package local

import (
	"fmt"
	"os"
	"strconv"
	"syscall"
)

// closeDescriptorsOnExec prevents child programs from inheriting the descriptors that this process
// inherited. Otherwise a server that outlives its killed parent would keep the parent's locks and
// pipes. Files opened by Go are closed on exec anyway.
func closeDescriptorsOnExec() error {
	const folder = "/dev/fd" // on Linux and on macOS
	open, err := os.ReadDir(folder)
	if err != nil {
		return fmt.Errorf("%w: list the open descriptors: %w", ErrStart, err)
	}
	for _, entry := range open {
		if fd, err := strconv.Atoi(entry.Name()); err == nil && fd > 2 { // pg_ctl inherits 0 to 2
			syscall.CloseOnExec(fd)
		}
	}
	return nil
}
